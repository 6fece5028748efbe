//! A protocol file written from edges: plain, one edge per item, every text quoted where YAML would read it otherwise.

use std::fmt::Write;

use crate::file::{EdgeDraft, OnGuardFail, TableShape};
use crate::words::GuardScope;

pub fn protocol(name: &str, edges: &[EdgeDraft], shape: &TableShape) -> String {
    let mut text =
        String::from("# Made from an edge table; `mi protocol export` gives the table back.\nversion: 1\n");
    let mut line = |content: String| {
        text.push_str(&content);
        text.push('\n');
    };
    line(format!("name: {}", scalar(name)));
    line(format!("start: {}", scalar(edges.first().map_or("", |edge| edge.from.text.as_str()))));
    line("nodes:".to_owned());
    for (node, is_end) in nodes(edges) {
        line(format!("  - {{ id: {}, kind: {} }}", scalar(node), if is_end { "end" } else { "phase" }));
    }
    line("edges:".to_owned());
    for edge in edges {
        edge_lines(edge).into_iter().for_each(&mut line);
    }
    line("csv:".to_owned());
    line(format!("  columns: {}", list(shape.columns.iter().map(String::as_str))));
    for (key, value) in [("bom", shape.bom), ("crlf", shape.crlf), ("last_line_open", shape.last_line_open)] {
        if value {
            line(format!("  {key}: true"));
        }
    }
    text
}

/// All sources and targets in the order they appear; one that is never a source is an end.
fn nodes(edges: &[EdgeDraft]) -> Vec<(&str, bool)> {
    let mut seen = std::collections::HashSet::new();
    let sources: std::collections::HashSet<&str> = edges.iter().map(|edge| edge.from.text.as_str()).collect();
    let names = edges.iter().flat_map(|edge| [edge.from.text.as_str(), edge.to.text.as_str()]);
    names.filter(|name| seen.insert(*name)).map(|name| (name, !sources.contains(name))).collect()
}

fn edge_lines(edge: &EdgeDraft) -> Vec<String> {
    let mut lines = vec![
        format!("  - id: {}", scalar(&edge.id.text)),
        format!("    from: {}", scalar(&edge.from.text)),
        format!("    to: {}", scalar(&edge.to.text)),
        format!("    class: {}", edge.class.word()),
    ];
    let mut add = |key: &str, value: String| lines.push(format!("    {key}: {value}"));
    if let Some(guard) = &edge.guard {
        add("guard_expr", scalar(guard.text()));
    }
    if edge.guard_scope != GuardScope::Phase {
        add("guard_scope", edge.guard_scope.word().to_owned());
    }
    if let Some((guard_type, _)) = edge.guard_type {
        add("guard_type", guard_type.word().to_owned());
    }
    match &edge.on_guard_fail {
        OnGuardFail::Block => {}
        OnGuardFail::Rerun => add("on_guard_fail", "rerun".to_owned()),
        OnGuardFail::Escalate => add("on_guard_fail", "escalate".to_owned()),
        OnGuardFail::Reroute(target) => {
            add("on_guard_fail", format!("{{ reroute: {} }}", scalar(&target.text)))
        }
    }
    if let Some(source) = &edge.evidence_source {
        add("guard_evidence_source", scalar(source.text()));
    }
    if !edge.policy_refs.is_empty() {
        add("policy_refs", list(edge.policy_refs.iter().map(|name| name.text.as_str())));
    }
    if !edge.invariant_refs.is_empty() {
        add("audit_invariant_refs", list(edge.invariant_refs.iter().map(|name| name.text.as_str())));
    }
    if edge.needs_verification {
        add("trust_requirement", "independent_verification_required".to_owned());
    }
    if !edge.columns.is_empty() {
        lines.push("    columns:".to_owned());
        lines.extend(
            edge.columns.iter().map(|(key, cell)| format!("      {}: {}", scalar(key), scalar(cell))),
        );
    }
    lines
}

fn list<'t>(items: impl Iterator<Item = &'t str>) -> String {
    format!("[{}]", items.map(scalar).collect::<Vec<_>>().join(", "))
}

/// A word that YAML reads as text, or a double-quoted string.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '/'))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            char if char.is_control()
                || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                // Writing to a string does not fail.
                let _ = write!(quoted, "\\U{:08X}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
