//! The tool table: what is offered, and which operation a name stands for.
//!
//! `tools.json` is what a client is shown, word for word. A new tool is one more entry there and one more line in
//! [`Operation::named`]; a test holds the two together.

use mi_model::Timestamp;
use mi_workspace::{Tool, Workspace};
use rmcp::model::Tool as Offered;
use serde_json::Value;

const TABLE: &str = include_str!("tools.json");

/// Every tool, as a client is shown it.
pub(crate) fn offered() -> Vec<Offered> {
    serde_json::from_str(TABLE).expect("tools.json is valid: a test reads it")
}

/// What a tool's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Workspace(Tool),
}

impl Operation {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name).map(Self::Workspace)
    }

    /// Carries it out. The error is what the model is told.
    pub(crate) fn run(
        self,
        workspace: &Workspace,
        arguments: &Value,
        now: Timestamp,
    ) -> Result<Value, String> {
        match self {
            Self::Workspace(tool) => workspace.call(tool, arguments, now).map_err(|error| error.to_string()),
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
        assert!(offered.iter().all(|name| Operation::named(name).is_some()), "{offered:?}");
        let known: Vec<&str> = Tool::ALL.into_iter().map(Tool::name).collect();
        let mut sorted = offered.clone();
        sorted.sort();
        let mut expected: Vec<String> = known.into_iter().map(str::to_owned).collect();
        expected.sort();
        assert_eq!(sorted, expected);
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
            assert!(tool.description.as_ref().unwrap().len() < 120, "{}", tool.name);
        }
        assert!(TABLE.len() < 8000, "every session pays for these words: {} bytes", TABLE.len());
    }
}
