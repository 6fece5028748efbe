//! Mermaid: a flowchart whose links carry id and guard; dotted ones are taken when a guard fails.

use std::fmt::Write;

use super::{caption, colour, label};
use crate::{
    protocol::{OnFail, Protocol},
    words::EdgeClass,
};

/// Characters of a guard that fit onto a link.
const LONGEST: usize = 56;

pub fn mermaid(protocol: &Protocol) -> String {
    let mut text = String::from("flowchart TD\n");
    for (at, node) in protocol.nodes.iter().enumerate() {
        let mut shown = escaped(&caption(protocol, at));
        if !node.subphases.is_empty() {
            let _ = write!(shown, "<br/>{}", escaped(&node.subphases.join(" ")));
        }
        let _ = match (node.is_end, node.validator) {
            (true, _) => writeln!(text, "  n{at}([\"{shown}\"])"),
            (_, true) => writeln!(text, "  n{at}{{{{\"{shown}\"}}}}"),
            _ => writeln!(text, "  n{at}[\"{shown}\"]"),
        };
    }
    let _ = writeln!(text, "  start(( )) --> n{}", protocol.start);
    for edge in &protocol.edges {
        let label = mi_model::shorten(&label(protocol, edge), LONGEST);
        let label = if label.is_empty() { edge.id.to_string() } else { format!("{}: {label}", edge.id) };
        let _ = writeln!(text, "  n{} -->|\"{}\"| n{}", edge.from, escaped(&label), edge.to);
    }
    for edge in &protocol.edges {
        if let OnFail::Reroute(target) = edge.on_guard_fail {
            let told = escaped(&format!("{} fails", edge.id));
            let _ = writeln!(text, "  n{} -.->|\"{told}\"| n{target}", edge.from);
        }
    }
    for (word, class) in EdgeClass::ALL {
        // The link to the start is number 0.
        let links: Vec<String> = protocol
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.class == *class)
            .map(|(at, _)| (at + 1).to_string())
            .collect();
        if !links.is_empty() {
            let _ = writeln!(text, "  %% {word}");
            let _ =
                writeln!(text, "  linkStyle {} stroke:{},stroke-width:2px", links.join(","), colour(*class));
        }
    }
    text
}

/// Text inside of a quoted label: everything that Mermaid or HTML would read becomes an entity.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '"' | '<' | '>' | '&' | '#' | ';' | '|' | '`' | '{' | '}' | '[' | ']' | '\\' => {
                let _ = write!(safe, "#{};", u32::from(char));
            }
            char if char.is_control() => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe
}
