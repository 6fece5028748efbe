//! What a driver asks of a run: where it stands, which ways lead on, what a way would answer.
//!
//! Holds: nothing here changes the run.

use super::{Engine, Verdict};
use crate::{
    protocol::{Edge, Node},
    words::GuardScope,
};

impl Engine {
    /// The current node.
    pub fn here(&self) -> &Node {
        &self.protocol.nodes[self.run.node]
    }

    /// The edges that leave the current node, in the order of the file.
    pub fn outgoing(&self) -> impl Iterator<Item = &Edge> {
        self.protocol.edges.iter().filter(|edge| edge.from == self.run.node)
    }

    /// The first sub-phase of the current node that is not done.
    pub fn next_subphase(&self) -> Option<&str> {
        let next = self.run.done.iter().position(|done| !done)?;
        self.here().subphases.get(next).map(String::as_str)
    }

    /// The sub-phase that was started and not finished.
    pub fn open_subphase(&self) -> Option<&str> {
        self.run.open.and_then(|open| self.here().subphases.get(open)).map(String::as_str)
    }

    /// Whether the current node's phase was started since it was entered.
    pub fn is_started(&self) -> bool {
        self.run.started
    }

    /// The path of the current node's last accepted output.
    pub fn last_output(&self) -> Option<&str> {
        self.run.outputs[self.run.node].as_ref().map(|output| output.path.as_str())
    }

    /// The names of the items of all outputs that were accepted last, each once.
    pub fn items(&self) -> std::collections::BTreeSet<&str> {
        let outputs = self.run.outputs.iter().flatten();
        outputs.flat_map(|output| output.items.keys()).map(String::as_str).collect()
    }

    /// Whether an accepted output has an item of this name.
    pub fn has_item(&self, name: &str) -> bool {
        self.run.outputs.iter().flatten().any(|output| output.items.contains_key(name))
    }

    /// The verdict that an event would get now.
    pub fn preview(&self, line: &[u8]) -> Option<Verdict> {
        self.clone().apply(line)
    }

    /// Where the evidence of an edge's guard stands now, `{X}` filled in.
    pub fn evidence_source(&self, edge: &Edge) -> Option<String> {
        let source = edge.evidence_source.as_ref()?;
        let text = |name: &str| match self.field(name) {
            Some(crate::expr::Value::Text(text)) => text.clone(),
            Some(crate::expr::Value::Integer(number)) => number.to_string(),
            _ => String::new(),
        };
        let stands_for = match edge.guard_scope {
            GuardScope::Phase => text("phase_id"),
            GuardScope::Subphase => text("subphase_id"),
            GuardScope::Attempt => text("attempt_count"),
            GuardScope::Global => return Some(source.clone()),
        };
        Some(source.replace("{X}", &stands_for))
    }
}
