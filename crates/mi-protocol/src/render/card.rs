//! What a picture says of a node: its head, and one row per edge that leaves it. DOT and SVG draw the same cards.

use super::{caption, colour, label};
use crate::protocol::Protocol;

/// A node as it is drawn.
pub struct Card {
    pub head: String,
    pub fill: &'static str,
    pub is_start: bool,
    pub is_end: bool,
    pub rows: Vec<Row>,
}

/// An edge as its node shows it.
pub struct Row {
    /// Index of the edge.
    pub edge: usize,
    pub id: String,
    /// Index and id of the node it leads to.
    pub to: usize,
    pub target: String,
    /// The guard and what else must hold; empty when nothing must.
    pub guard: String,
    pub colour: &'static str,
}

/// The cards of all nodes, in the order of the file.
pub fn cards(protocol: &Protocol) -> Vec<Card> {
    let mut cards: Vec<Card> = (0..protocol.nodes.len()).map(|at| empty(protocol, at)).collect();
    for (at, edge) in protocol.edges.iter().enumerate() {
        cards[edge.from].rows.push(Row {
            edge: at,
            id: edge.id.to_string(),
            to: edge.to,
            target: protocol.nodes[edge.to].id.to_string(),
            guard: label(protocol, edge),
            colour: colour(edge.class),
        });
    }
    cards
}

fn empty(protocol: &Protocol, at: usize) -> Card {
    let node = &protocol.nodes[at];
    let is_start = at == protocol.start;
    let mut parts = vec![caption(protocol, at)];
    let said = [(is_start, "start"), (node.validator, "validator"), (node.is_end, "end")];
    parts.extend(said.iter().filter(|(said, _)| *said).map(|(_, word)| (*word).to_owned()));
    if !node.subphases.is_empty() {
        parts.push(node.subphases.join(" "));
    }
    let fill = match (node.is_end, node.validator) {
        (true, _) => "#eceff1",
        (_, true) => "#e8f0fe",
        _ => "#fafafa",
    };
    Card { head: parts.join(" · "), fill, is_start, is_end: node.is_end, rows: Vec::new() }
}

/// Text inside of XML, which DOT's labels are too.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe
}
