//! DOT, for Graphviz: a node lists the edges that leave it, each in a row of its own with target and guard, and a line
//! runs from the row to the target. Lines carry no text, so that many of them stay readable.
//!
//! Holds: every edge is a row. Ways from and to a hub are rows alone: their lines would cover everything else.

use std::fmt::Write;

use super::{caption, colour, label};
use crate::{
    protocol::{Edge, OnFail, Protocol},
    words::EdgeClass,
};

/// A node with more ways than this is a hub.
const MOST_WAYS: usize = 24;
/// Characters of a guard that fit into a row.
const LONGEST: usize = 64;

pub fn dot(protocol: &Protocol) -> String {
    let hubs = hubs(protocol);
    let mut text = format!("digraph {} {{\n", quoted(&protocol.name));
    text.push_str("  rankdir=TB; nodesep=0.35; ranksep=0.45;\n");
    text.push_str("  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n");
    text.push_str("  edge [arrowsize=0.6, penwidth=1.2];\n");
    let named: Vec<&str> = hubs.iter().map(|hub| &*protocol.nodes[*hub].id).collect();
    if !named.is_empty() {
        let told = format!("ways from and to {} are written, not drawn", named.join(", "));
        let _ = writeln!(text, "  label={}; fontname=\"Helvetica\"; fontsize=10;", quoted(&told));
    }
    for at in 0..protocol.nodes.len() {
        node(protocol, at, &mut text);
    }
    for (at, edge) in protocol.edges.iter().enumerate() {
        if !hubs.contains(&edge.from) {
            lines(protocol, at, edge, &hubs, &mut text);
        }
    }
    text.push_str("}\n");
    text
}

fn hubs(protocol: &Protocol) -> Vec<usize> {
    let mut ways = vec![0_usize; protocol.nodes.len()];
    for edge in &protocol.edges {
        ways[edge.from] += 1;
        ways[edge.to] += 1;
    }
    (0..ways.len()).filter(|node| ways[*node] > MOST_WAYS).collect()
}

fn node(protocol: &Protocol, at: usize, text: &mut String) {
    let node = &protocol.nodes[at];
    let mut head = caption(protocol, at);
    for (said, word) in [(at == protocol.start, "start"), (node.validator, "validator"), (node.is_end, "end")]
    {
        if said {
            let _ = write!(head, " · {word}");
        }
    }
    if !node.subphases.is_empty() {
        let _ = write!(head, " · {}", node.subphases.join(" "));
    }
    let fill = match (node.is_end, node.validator) {
        (true, _) => "#eceff1",
        (_, true) => "#e8f0fe",
        _ => "#f4f4f4",
    };
    let border = if at == protocol.start { 3 } else { 1 };
    let mut rows = format!("<TR><TD ALIGN=\"LEFT\" BGCOLOR=\"{fill}\"><B>{}</B></TD></TR>", escaped(&head));
    for (number, edge) in protocol.edges.iter().enumerate().filter(|(_, edge)| edge.from == at) {
        row(protocol, number, edge, &mut rows);
    }
    let _ = writeln!(
        text,
        "  {} [label=<<TABLE BORDER=\"{border}\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">{rows}</TABLE>>];",
        quoted(&node.id)
    );
}

fn row(protocol: &Protocol, number: usize, edge: &Edge, rows: &mut String) {
    let _ = write!(
        rows,
        "<TR><TD ALIGN=\"LEFT\" PORT=\"e{number}\"><FONT POINT-SIZE=\"8\" COLOR=\"{}\"><B>{}</B> → {}</FONT>",
        colour(edge.class),
        escaped(&edge.id),
        escaped(&protocol.nodes[edge.to].id)
    );
    let guard = label(protocol, edge);
    if !guard.is_empty() {
        let guard = escaped(&mi_model::shorten(&guard, LONGEST));
        let _ = write!(rows, " <FONT POINT-SIZE=\"7\" COLOR=\"#444444\">{guard}</FONT>");
    }
    rows.push_str("</TD></TR>");
}

/// The line of an edge, and the dashed one of its reroute.
fn lines(protocol: &Protocol, number: usize, edge: &Edge, hubs: &[usize], text: &mut String) {
    let from = format!("{}:e{number}", quoted(&protocol.nodes[edge.from].id));
    if !hubs.contains(&edge.to) {
        // Ways back do not push their target below.
        let back = matches!(edge.class, EdgeClass::Loop | EdgeClass::Rollback);
        let back = if back { ", constraint=false" } else { "" };
        let (to, told) = (quoted(&protocol.nodes[edge.to].id), quoted(&told(protocol, edge)));
        let _ = writeln!(text, "  {from} -> {to} [color=\"{}\", tooltip={told}{back}];", colour(edge.class));
    }
    if let OnFail::Reroute(target) = edge.on_guard_fail
        && !hubs.contains(&target)
    {
        let (to, colour) = (quoted(&protocol.nodes[target].id), colour(EdgeClass::Exception));
        let _ = writeln!(text, "  {from} -> {to} [style=dashed, color=\"{colour}\"];");
    }
}

/// An edge's id and guard, for whoever points at its line.
fn told(protocol: &Protocol, edge: &Edge) -> String {
    let guard = label(protocol, edge);
    if guard.is_empty() { edge.id.to_string() } else { format!("{}: {guard}", edge.id) }
}

fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            char if char.is_control() => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe.push('"');
    safe
}

/// Text inside of an HTML-like label.
fn escaped(text: &str) -> String {
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
    // An empty element is no label to Graphviz.
    if safe.trim().is_empty() { "·".to_owned() } else { safe }
}
