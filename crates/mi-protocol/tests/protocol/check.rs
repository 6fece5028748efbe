//! Warnings about the graph and its guards.

use crate::support::{kinds, problems};

fn file(edges: &[&str], nodes: &[&str], state: &str) -> String {
    let nodes: String = nodes
        .iter()
        .map(|id| {
            let kind = if id.starts_with('z') { "end" } else { "phase" };
            format!("  - {{ id: {id}, kind: {kind} }}\n")
        })
        .collect();
    let edges: String = edges.iter().map(|edge| format!("  - {{ {edge} }}\n")).collect();
    format!("version: 1\nstart: a\nstate: {{ {state} }}\nnodes:\n{nodes}edges:\n{edges}")
}

/// Kinds alone.
fn found(edges: &[&str], nodes: &[&str], state: &str) -> Vec<String> {
    kinds(&file(edges, nodes, state))
        .iter()
        .map(|kind| kind.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

/// Each shape of graph, and what is said about it.
#[test]
fn graphs() {
    let none: [&str; 0] = [];
    let az = "id: e, from: a, to: z, class: Progress";
    assert_eq!(found(&[az], &["a", "z"], ""), none);
    assert_eq!(found(&[az], &["a", "b", "z"], ""), ["unreachable", "dead_end"]);
    assert_eq!(found(&[az, "id: f, from: a, to: b, class: Exception"], &["a", "b", "z"], ""), ["dead_end"]);
    let back = "id: g, from: b, to: a, class: Loop";
    let there = "id: f, from: a, to: b, class: Gate";
    assert_eq!(found(&[az, there, back], &["a", "b", "z"], ""), ["unbounded_loop"]);
    assert_eq!(
        found(
            &[az, there, "id: g, from: b, to: a, class: Loop, guard_expr: 'state.attempt_count <= 3'"],
            &["a", "b", "z"],
            ""
        ),
        none
    );
    assert_eq!(
        found(
            &[
                az,
                there,
                "id: g, from: b, to: a, class: Loop, guard_expr: '3 > state.attempt_count && state.gate_passed'"
            ],
            &["a", "b", "z"],
            ""
        ),
        none
    );
    assert_eq!(
        found(
            &[
                az,
                there,
                "id: g, from: b, to: a, class: Loop, guard_expr: 'state.attempt_count <= 3 || state.gate_passed'"
            ],
            &["a", "b", "z"],
            ""
        ),
        ["unbounded_loop"]
    );
    assert_eq!(
        found(
            &[az, there, "id: g, from: b, to: a, class: Loop, guard_expr: 'state.attempt_count > 3'"],
            &["a", "b", "z"],
            ""
        ),
        ["unbounded_loop"]
    );
    // A reroute reaches and loops like an edge; a rerun does not.
    assert_eq!(
        found(
            &[
                "id: e, from: a, to: z, class: Gate, guard_expr: state.gate_passed, on_guard_fail: { reroute: b }",
                "id: f, from: b, to: z, class: Gate"
            ],
            &["a", "b", "z"],
            ""
        ),
        none
    );
    assert_eq!(
        found(
            &[
                "id: e, from: a, to: z, class: Gate, guard_expr: state.gate_passed, on_guard_fail: { reroute: a }"
            ],
            &["a", "z"],
            ""
        ),
        ["unbounded_loop"]
    );
    assert_eq!(
        found(
            &["id: e, from: a, to: z, class: Gate, guard_expr: state.gate_passed, on_guard_fail: rerun"],
            &["a", "z"],
            ""
        ),
        none
    );
    assert_eq!(found(&[az, "id: f, from: a, to: a, class: Loop"], &["a", "z"], ""), ["unbounded_loop"]);
}

/// Guards that never or always hold; what is not proven is not said.
#[test]
fn guards() {
    let state = "n: { type: integer, default: 1, min: 0, max: 10 }, e: { type: enum, values: [x, y], default: x }, t: { type: string }, q: { type: number, nullable: true }, l: { type: list }";
    let cases = [
        ("state.n > 10", "never_true"),
        ("state.n < 0", "never_true"),
        ("state.n >= 0", "always_true"),
        ("state.n > 3 && state.n < 4", "never_true"),
        ("state.n > 3 && state.n < 5", ""),
        ("state.n <= 3 || state.n > 3", "always_true"),
        ("state.n != 3 || state.n != 4", "always_true"),
        ("state.e == 'x' && state.e == 'y'", "never_true"),
        ("state.e == 'x' || state.e == 'y'", "always_true"),
        ("state.e in ['x', 'y']", "always_true"),
        ("state.e != 'x' && state.e != 'y'", "never_true"),
        ("state.gate_passed && !state.gate_passed", "never_true"),
        ("state.gate_passed || !state.gate_passed", "always_true"),
        ("state.gate_passed -> state.gate_passed", "always_true"),
        ("true", "always_true"),
        ("false", "never_true"),
        ("1 > 2", "never_true"),
        ("state.tool_calls >= 0", "always_true"),
        ("state.attempt_count < 1", "never_true"),
        ("state.phase_id == 'a'", "always_true"),
        ("state.phase_id == 'b'", "never_true"),
        ("state.subphase_id == '7A'", "never_true"),
        ("event.transition", "always_true"),
        ("event.to == 'z'", "always_true"),
        ("event.tick", "never_true"),
        ("event.actor == 'lead'", ""),
        ("event.phase == ''", ""),
        (
            "state.cumulative_duration < state.minimum_duration && state.cumulative_duration >= state.minimum_duration",
            "never_true",
        ),
        ("state.n <= state.n", "always_true"),
        // Null and failures count.
        ("state.q < 5 || state.q >= 5", ""),
        // One part that is true makes up for another without a value.
        ("state.q == null || state.q < 5 || state.q >= 5", "always_true"),
        ("state.q != null -> (state.q < 5 || state.q >= 5)", "always_true"),
        ("state.q == null || state.q < 5 || state.q > 5", ""),
        ("state.q != null && state.q > 5 && state.q < 4", "never_true"),
        ("!has(state.q) || state.q <= 5 || state.q > 4", "always_true"),
        ("state.q == null && state.q > 5", "never_true"),
        ("has(state.q) && state.q == null", "never_true"),
        ("state.n * 2 > 50", ""),
        ("'a' in state.l && !('a' in state.l)", "never_true"),
        ("state.t.size() > 3 && state.n > 10", "never_true"),
        ("state.t == 'u' && state.t == 'v'", "never_true"),
        ("1 / state.n > 0 || state.n >= 0", "always_true"),
        // A list has no value when one of its parts has none, also when the item was found before that part.
        ("1 in [1, 2]", "always_true"),
        ("1 in [1, 1 / state.n]", ""),
        ("!(1 / state.n in [])", ""),
    ];
    for (guard, expected) in cases {
        let edge = format!("id: e, from: a, to: z, class: Gate, guard_expr: \"{guard}\"");
        let expected: Vec<&str> = if expected.is_empty() { Vec::new() } else { vec![expected] };
        assert_eq!(found(&[&edge], &["a", "z"], state), expected, "{guard}");
    }
}

/// Guards that cannot be decided are named as such.
#[test]
fn unknown_is_said_honestly() {
    let text = file(
        &["id: e, from: a, to: z, class: Gate, guard_expr: 'state.tool_calls * 2 > 3'"],
        &["a", "z"],
        "",
    );
    let (_, unknown) = mi_protocol::check(text.as_bytes());
    assert_eq!(unknown, ["e"]);
}

/// An earlier edge that is open whenever this one is.
#[test]
fn shadows() {
    let none: [&str; 0] = [];
    let edge = |id: &str, class: &str, guard: &str| {
        let guard = if guard.is_empty() { String::new() } else { format!(", guard_expr: '{guard}'") };
        format!("id: {id}, from: a, to: z, class: {class}{guard}")
    };
    let pair = |first: &str, second: &str, class: &str| {
        found(&[&edge("e", "Gate", first), &edge("f", class, second)], &["a", "z"], "")
    };
    assert_eq!(pair("", "state.gate_passed", "Gate"), ["shadowed"]);
    assert_eq!(pair("state.gate_passed", "", "Gate"), none);
    assert_eq!(pair("state.gate_passed", "( state.gate_passed )", "Gate"), ["shadowed"]);
    assert_eq!(pair("state.gate_passed", "state.gate_passed", "Loop"), none);
    assert_eq!(pair("state.tool_calls >= 0", "state.gate_passed", "Gate"), ["always_true", "shadowed"]);
}

/// `guard_type` is held to its word.
#[test]
fn guard_types() {
    let cases = [
        ("numeric", "state.tool_calls > 1", true),
        ("numeric", "state.gate_passed", false),
        ("numeric", "state.validator_verdict == \\\"APPROVE\\\"", false),
        ("enum_match", "state.validator_verdict == \\\"APPROVE\\\"", true),
        ("enum_match", "state.tool_calls > 1", false),
        ("set_membership", "state.validator_verdict in [\\\"APPROVE\\\"]", true),
        ("set_membership", "state.gate_passed", false),
        ("boolean", "state.gate_passed", true),
    ];
    for (kind, guard, fits) in cases {
        let edge = format!("id: e, from: a, to: z, class: Gate, guard_type: {kind}, guard_expr: \"{guard}\"");
        assert_eq!(found(&[&edge], &["a", "z"], "").is_empty(), fits, "{kind} {guard}");
    }
}

/// A warning has a place and a proposal.
#[test]
fn warnings_propose() {
    let text =
        file(&["id: e, from: a, to: a, class: Loop", "id: f, from: a, to: z, class: Gate"], &["a", "z"], "");
    assert_eq!(
        problems(&text),
        ["unbounded_loop 8:5 add `state.attempt_count <= N` to the guard of `e` or another edge of the loop"]
    );
}
