//! A protocol drawn: Mermaid and DOT for other tools, SVG as a picture of its own.
//!
//! Holds: same protocol, same bytes; names and guards are escaped for the format they stand in.

mod card;
mod dot;
mod mermaid;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

use crate::{
    protocol::{Edge, OnFail, Protocol},
    words::EdgeClass,
};

/// Dark enough to read on white, and apart from each other.
fn colour(class: EdgeClass) -> &'static str {
    match class {
        EdgeClass::Progress => "#2f6f3e",
        EdgeClass::Gate => "#1f5fa8",
        EdgeClass::Decision => "#7a3fa0",
        EdgeClass::Exception => "#b3261e",
        EdgeClass::Loop => "#b06000",
        EdgeClass::Rollback => "#8a4b2a",
        EdgeClass::Sync => "#00727a",
        EdgeClass::Meta => "#5f6368",
    }
}

/// What stands on an edge: its guard, what happens when it fails, and whether claims must be verified.
fn label(protocol: &Protocol, edge: &Edge) -> String {
    let mut parts = Vec::new();
    if let Some(guard) = edge.guard {
        let text = protocol.expressions[guard].text.split_whitespace().collect::<Vec<_>>().join(" ");
        parts.push(text.replace("state.", ""));
        parts.push(match edge.on_guard_fail {
            OnFail::Block => "else block".to_owned(),
            OnFail::Rerun => "else rerun".to_owned(),
            OnFail::Escalate => "else escalate".to_owned(),
            OnFail::Reroute(target) => format!("else to {}", protocol.nodes[target].id),
        });
    }
    if edge.needs_verification {
        parts.push("claims verified".to_owned());
    }
    parts.join(", ")
}

/// A node's id and title in one line.
fn caption(protocol: &Protocol, node: usize) -> String {
    let node = &protocol.nodes[node];
    if node.title.is_empty() { node.id.to_string() } else { format!("{} {}", node.id, node.title) }
}
