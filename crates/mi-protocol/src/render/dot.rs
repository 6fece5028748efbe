//! DOT, for Graphviz.

use std::fmt::Write;

use super::{caption, colour, label};
use crate::{
    protocol::{OnFail, Protocol},
    words::EdgeClass,
};

pub fn dot(protocol: &Protocol) -> String {
    let mut text = format!("digraph {} {{\n", quoted(&protocol.name));
    text.push_str("  rankdir=TB; node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n");
    text.push_str("  edge [fontname=\"Helvetica\", fontsize=9];\n");
    for (at, node) in protocol.nodes.iter().enumerate() {
        let mut shown = caption(protocol, at);
        if !node.subphases.is_empty() {
            let _ = write!(shown, "\n{}", node.subphases.join(" "));
        }
        let shape = match (node.is_end, node.validator) {
            (true, _) => ", shape=oval",
            (_, true) => ", shape=hexagon",
            _ => "",
        };
        let bold = if at == protocol.start { ", penwidth=2" } else { "" };
        let _ = writeln!(text, "  {} [label={}{shape}{bold}];", quoted(&node.id), quoted(&shown));
    }
    for edge in &protocol.edges {
        let label = label(protocol, edge);
        let label = if label.is_empty() { edge.id.to_string() } else { format!("{}\n{label}", edge.id) };
        let back = matches!(edge.class, EdgeClass::Loop | EdgeClass::Rollback);
        let _ = writeln!(
            text,
            "  {} -> {} [label={}, color=\"{}\", fontcolor=\"{}\"{}];",
            quoted(&protocol.nodes[edge.from].id),
            quoted(&protocol.nodes[edge.to].id),
            quoted(&label),
            colour(edge.class),
            colour(edge.class),
            if back { ", constraint=false" } else { "" }
        );
        if let OnFail::Reroute(target) = edge.on_guard_fail {
            let _ = writeln!(
                text,
                "  {} -> {} [label={}, style=dashed, color=\"{}\"];",
                quoted(&protocol.nodes[edge.from].id),
                quoted(&protocol.nodes[target].id),
                quoted(&format!("{} fails", edge.id)),
                colour(EdgeClass::Exception)
            );
        }
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '\n' => safe.push_str("\\n"),
            char if char.is_control() => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe.push('"');
    safe
}
