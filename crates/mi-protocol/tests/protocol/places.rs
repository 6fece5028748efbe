//! Where problems stand: line and column of the key, the value, the very character.

use crate::support::{kinds, problems};

/// A character inside of every kind of scalar is found in the source.
#[test]
fn places_inside_of_scalars() {
    let file = |guard: &str| {
        format!(
            "version: 1\nstart: A\nnodes:\n  - { }\nedges:\n  - id: e\n    from: A\n    to: A\n    class: Gate\n    guard_expr: {guard}\n",
            "{ id: A, kind: phase }"
        )
    };
    // The field that is not there begins behind the mark.
    let cases = [
        "state.^nope",
        "'state.^nope'",
        "'''x'' == state.^nope'",
        "\"\\\"x\\\" == state.^nope\"",
        "\"\\x20state.^nope\"",
        "|\n      true &&\n      state.^nope",
        ">-\n      true &&\n      state.^nope",
        "true &&\n      state.^nope",
        "'true &&\n      state.^nope'",
    ];
    for marked in cases {
        let marked = file(marked);
        let before = &marked[..marked.find('^').expect("every case has its mark")];
        let column = before.len() - before.rfind('\n').expect("it is not the first line");
        let expected = format!("unknown_field {}:{column}", before.matches('\n').count() + 1);
        let found = kinds(&marked.replace('^', ""));
        assert!(found.contains(&expected), "{marked}: {found:?}, not {expected}");
    }
}

/// Each kind of mistake in a file, with its place.
#[test]
fn every_kind_has_its_place() {
    let head = "version: 1\nstart: A\nnodes:\n  - { id: A, kind: phase }\n  - { id: Z, kind: end }\n";
    let edge = "edges:\n  - { id: e, from: A, to: Z, class: Gate }\n";
    let cases: &[(String, &str)] = &[
        ("a: [".to_owned(), "yaml 1:4"),
        ("a: 1\na: 2\n".to_owned(), "yaml 2:1"),
        (String::new(), "yaml 1:1"),
        ("- 1".to_owned(), "type 1:1"),
        (format!("{head}{edge}colour: red\n"), "unknown_key 8:1"),
        (format!("{head}{}", edge.replace("class", "klass: Gate, class")), "unknown_key 7:30"),
        (format!("{head}{}", edge.replace("to: Z, ", "")), "missing_key 7:5"),
        (head.replace("start: A\n", ""), "missing_key 1:1"),
        (head.replace("version: 1\n", "version: 2\n"), "bad_value 1:10"),
        (head.replace("version: 1\n", "version: one\n"), "type 1:10"),
        (format!("{head}{}", edge.replace("Gate", "Gat")), "bad_value 7:37"),
        (format!("{head}{}", edge.replace("to: Z", "to: Y")), "unknown_ref 7:27"),
        (format!("{head}{}", edge.replace("id: e", "id: 5")), "type 7:11"),
        (head.replace("start: A", "start: B"), "unknown_ref 2:8"),
        (format!("{head}{edge}  - {{ id: e, from: A, to: Z, class: Loop }}\n"), "duplicate_id 8:11"),
        (format!("{head}{edge}state:\n  score: {{ type: number }}\n"), "duplicate_id 9:3"),
        (format!("{head}{edge}state:\n  x: {{ type: enum }}\n"), "missing_key 9:6"),
        (format!("{head}{edge}state:\n  x: {{ type: enum, values: [a], default: b }}\n"), "bad_value 9:42"),
        (format!("{head}{edge}state:\n  x: {{ type: boolean, default: yes }}\n"), "type 9:32"),
        (format!("{head}{edge}state:\n  x: {{ type: integer, min: 3, max: 1 }}\n"), "bad_value 9:36"),
        (
            format!("{head}{edge}policies:\n  - {{ id: p, priority: 1, violation_action: block }}\n"),
            "missing_key 9:5",
        ),
        (
            format!(
                "{head}{edge}policies:\n  - {{ id: p, expr: 'true', text: [x], priority: 1, violation_action: block }}\n"
            ),
            "bad_value 9:34",
        ),
        (
            format!(
                "{head}{edge}policies:\n  - {{ id: p, text: ['  '], priority: 1, violation_action: block }}\n"
            ),
            "bad_value 9:21",
        ),
        (
            format!(
                "{head}{edge}policies:\n  - {{ id: p, expr: 'true', priority: 1, violation_action: escalate }}\n"
            ),
            "bad_value 9:59",
        ),
        (
            format!(
                "{head}{edge}policies:\n  - {{ id: p, expr: '1 > 2', priority: 1, violation_action: block, conflicts_with: [q] }}\n  - {{ id: q, expr: '1 > 2', priority: 1, violation_action: block }}\n"
            ),
            "conflict 9:5",
        ),
        (
            format!(
                "{head}{edge}claims:\n  - {{ claim_id: c, source: s, trust_level: external_unverified, verification_status: verified }}\n"
            ),
            "unproven_claim 9:5",
        ),
        (
            format!(
                "{head}{edge}claims:\n  - {{ claim_id: c, source: s, trust_level: verified_independent, evidence_ids: [] }}\n"
            ),
            "unproven_claim 9:5",
        ),
        (format!("{head}{edge}builtin_off:\n  - {{ id: TOOL_USE, reason: x }}\n"), "unknown_ref 9:11"),
        (format!("{head}{edge}builtin_off:\n  - {{ id: TOOL_USE_NONZERO }}\n"), "missing_key 9:5"),
        (
            format!(
                "{head}{}",
                edge.replace(" }", ", guard_scope: global, guard_evidence_source: 'a_{X}.json:b' }")
            ),
            "bad_value 7:87",
        ),
        (format!("{head}{}", edge.replace(" }", ", on_guard_fail: reroute }")), "bad_value 7:58"),
        (format!("{head}{}", edge.replace(" }", ", on_guard_fail: { reroute: Q } }")), "unknown_ref 7:69"),
        (format!("{head}{}", edge.replace(" }", ", policy_refs: [NOPE] }")), "unknown_ref 7:57"),
        (format!("{}x{}", "[".repeat(10_000), "]".repeat(10_000)), "limit 1:65"),
        ("a: &a [*a]".to_owned(), "yaml 1:8"),
    ];
    for (file, expected) in cases {
        assert_eq!(kinds(file), [*expected], "{file}");
    }
}

/// Hints name the nearest word, or list what is allowed.
#[test]
fn hints_name_the_nearest() {
    let file = "version: 1\nstart: A\nnodes: [{ id: A, kind: fase }]\nedges: [{ id: e, from: A, to: A, class: Gate, guard_exp: 'true' }]\n";
    let found = problems(file);
    assert!(found[0].contains("phase") && found[0].contains("end"), "{found:?}");
    assert!(found[1].contains("guard_expr"), "{found:?}");
}

/// The names of the seed are other names for ours; JSON is a protocol file too.
#[test]
fn seed_names_and_json_are_read() {
    let file = "version: 1\nstart: A\nnodes: [{ id: A }, { id: Z, kind: end }]\nedges:\n  - { affected_edge: E131, from: A, to: Z, v2_primary_class: GateTransitionObject }\n\
        policies:\n  - { policy_id: P, policy_expr: '1 > state.tool_calls', priority: 1, violation_action: alert }\n";
    assert_eq!(kinds(file), Vec::<String>::new());
    let json = "{\"version\": 1, \"start\": \"\\ud83d\\ude00\",\n\t\"nodes\": [{\"id\": \"\\ud83d\\ude00\", \"kind\": \"end\"}],\n\t\"edges\": []}";
    assert_eq!(kinds(json), Vec::<String>::new());
    assert_eq!(kinds(&json.replace("\"edges\"", "\"edgs\"")), ["unknown_key 3:2"]);
    assert_eq!(kinds("\u{feff}version: 1\nstart: A\nnodes: [{ id: A, kind: end }]\n"), Vec::<String>::new());
}
