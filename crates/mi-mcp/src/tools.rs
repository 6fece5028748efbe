//! The tool table: what is offered, and which operation a name stands for.
//!
//! `tools.json` is what a client is shown, word for word. A new tool is one more entry there and one more line in
//! [`Operation::named`]; a test holds the two together.

use mi_workspace::{
    Tool, Workspace,
    memory::tools::{MemoryTool, call as call_memory},
};
use rmcp::model::Tool as Offered;
use serde_json::Value;

use crate::Surroundings;

/// What the contract's names get here (NX-002); the texts that agents are given use it too.
const PREFIX: &str = "nx_";
const TABLE: &str = include_str!("tools.json");

/// Every tool, as a client is shown it.
pub(crate) fn offered() -> Vec<Offered> {
    serde_json::from_str(TABLE).expect("tools.json is valid: a test reads it")
}

/// What a tool's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Workspace(Tool),
    Memory(MemoryTool),
}

impl Operation {
    pub(crate) fn named(name: &str) -> Option<Self> {
        if let Some(tool) = MemoryTool::ALL.into_iter().find(|tool| tool.name() == name) {
            return Some(Self::Memory(tool));
        }
        let unprefixed = name.strip_prefix(PREFIX)?;
        Tool::ALL.into_iter().find(|tool| tool.name() == unprefixed).map(Self::Workspace)
    }

    /// Whether its time grows with what the project has gathered.
    pub(crate) fn may_take_long(self) -> bool {
        match self {
            Self::Workspace(tool) => tool == Tool::HistorySearch,
            Self::Memory(_) => true,
        }
    }

    /// Carries it out. The error is what the model is told.
    pub(crate) fn run(
        self,
        workspace: &Workspace,
        arguments: &Value,
        surroundings: &Surroundings,
    ) -> Result<Value, String> {
        match self {
            Self::Workspace(tool) => {
                workspace.call(tool, arguments, (surroundings.now)()).map_err(|error| error.to_string())
            }
            Self::Memory(tool) => {
                let (documents, categories) = match tool {
                    MemoryTool::Search => ((surroundings.documents)(), Vec::new()),
                    MemoryTool::Save => (Vec::new(), (surroundings.categories)()),
                };
                call_memory(workspace.store(), tool, arguments, &documents, &categories)
                    .map_err(|error| error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is offered can be called, and the other way round.
    #[test]
    fn nx_001_the_table_offers_every_operation_once() {
        let offered: Vec<String> = offered().iter().map(|tool| tool.name.to_string()).collect();
        let contract = Tool::ALL.iter().map(|tool| format!("{PREFIX}{}", tool.name()));
        let memory = MemoryTool::ALL.iter().map(|tool| tool.name().to_owned());
        let known: Vec<String> = contract.chain(memory).collect();
        assert_eq!(offered, known);
        assert!(offered.iter().all(|name| Operation::named(name).is_some()));
        assert!(
            ["plan_start", "nx_", "nx_nx_context", ""].iter().all(|name| Operation::named(name).is_none())
        );
    }

    /// A client may let a model call what only reads without asking anybody.
    #[test]
    fn nx_008_reading_tools_are_marked() {
        for (offered, tool) in offered().iter().zip(Tool::ALL) {
            let marked = offered.annotations.as_ref().and_then(|annotations| annotations.read_only_hint);
            assert_eq!(marked, Some(tool.is_read_only()), "{}", offered.name);
        }
    }

    /// A wrong action must reach the operation, whose words are fixed: no client may refuse it beforehand.
    #[test]
    fn nx_006_the_action_of_plan_update_is_no_enum() {
        let tools = offered();
        let update = tools.iter().find(|tool| tool.name == "nx_plan_update").unwrap();
        assert_eq!(update.input_schema["properties"]["action"]["type"], "string");
        assert!(update.input_schema["properties"]["action"].get("enum").is_none());
    }

    /// Each schema is an object, names only declared properties as required, and is short.
    #[test]
    fn nx_003_schemas_are_sound_and_short() {
        for tool in offered() {
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(schema["properties"].get(name.as_str().unwrap()).is_some(), "{}: {name}", tool.name);
            }
            assert!(tool.description.as_ref().unwrap().len() < 130, "{}", tool.name);
        }
        assert!(TABLE.len() < 10_000, "every session pays for these words: {} bytes", TABLE.len());
    }
}
