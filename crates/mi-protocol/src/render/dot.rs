//! DOT, for Graphviz: a node lists the edges that leave it, each in a row of its own with target and guard, and a line
//! runs from the row to the target. Lines carry no text, so that many of them stay readable.
//!
//! Holds: every edge is a row. Ways from and to a hub are rows alone: their lines would cover everything else.

use std::fmt::Write;

use super::{
    card::{Card, Row, cards, escaped},
    colour, label,
};
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
    text.push_str(
        "  rankdir=TB; nodesep=0.35; ranksep=0.3; labelloc=t; fontname=\"Helvetica\"; fontsize=10;\n",
    );
    text.push_str("  node [shape=plain, fontname=\"Helvetica\", fontsize=10];\n");
    text.push_str("  edge [arrowsize=0.6, penwidth=1.2];\n");
    let _ = writeln!(text, "  label=<{}>;", legend(protocol, &hubs));
    for (node, card) in protocol.nodes.iter().zip(cards(protocol)) {
        write_card(&node.id, &card, &mut text);
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

/// The name, the classes in their colours, and what is not drawn.
fn legend(protocol: &Protocol, hubs: &[usize]) -> String {
    let classes: Vec<String> = EdgeClass::ALL
        .iter()
        .map(|(word, class)| format!("<FONT COLOR=\"{}\"><B>{word}</B></FONT>", colour(*class)))
        .collect();
    let mut told = format!("<B>{}</B><BR/>{}", label_text(&protocol.name), classes.join(" · "));
    if !hubs.is_empty() {
        let named: Vec<&str> = hubs.iter().map(|hub| &*protocol.nodes[*hub].id).collect();
        let _ =
            write!(told, "<BR/>ways from and to {} are written, not drawn", label_text(&named.join(", ")));
    }
    told
}

fn write_card(id: &str, card: &Card, text: &mut String) {
    let border = if card.is_start { 3 } else { 1 };
    let mut rows = format!(
        "<TR><TD ALIGN=\"LEFT\" BGCOLOR=\"{}\"><B>{}</B></TD></TR>",
        card.fill,
        label_text(&card.head)
    );
    card.rows.iter().for_each(|row| write_row(row, &mut rows));
    let _ = writeln!(
        text,
        "  {} [label=<<TABLE BORDER=\"{border}\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">{rows}</TABLE>>];",
        quoted(id)
    );
}

fn write_row(row: &Row, rows: &mut String) {
    let _ = write!(
        rows,
        "<TR><TD ALIGN=\"LEFT\" PORT=\"e{}\"><FONT POINT-SIZE=\"8\" COLOR=\"{}\"><B>{}</B> → {}</FONT>",
        row.edge,
        row.colour,
        label_text(&row.id),
        label_text(&row.target)
    );
    if !row.guard.is_empty() {
        let guard = label_text(&mi_model::shorten(&row.guard, LONGEST));
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

/// Text inside of an HTML-like label; an empty element is no label to Graphviz.
fn label_text(text: &str) -> String {
    let safe = escaped(text);
    if safe.trim().is_empty() { "·".to_owned() } else { safe }
}
