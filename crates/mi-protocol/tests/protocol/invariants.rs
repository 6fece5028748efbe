//! Invariants: when they are checked, what they hold, how they are switched off.

use crate::support::{last, small, take};

fn with(id: &str, expr: &str, timing: &str, action: &str) -> String {
    format!(
        "invariants:\n  - {{ invariant_id: {id}, invariant_expr: '{expr}', check_timing: {timing}, severity: high, fail_action: {action} }}\n"
    )
}

const START: &str = r#"{"type":"phase_start","phase":"A"}"#;
const END: &str = r#"{"type":"phase_end","phase":"A","set":{"tool_calls":1,"log_updated_after_phase":true}}"#;
const TICK: &str = r#"{"type":"tick"}"#;

/// Each timing is checked at its event and nowhere else.
#[test]
fn each_timing_has_its_event() {
    let go = take("ab");
    let cases =
        [("pre_phase", START), ("post_phase", END), ("on_transition", go.as_str()), ("periodic", TICK)];
    for (timing, event) in cases {
        let file = small(&with("I", "1 > 2", timing, "block"));
        let before: Vec<&str> = if event == END { vec![START, event] } else { vec![event] };
        assert_eq!(last(&file, &before), "refused A block I failed", "{timing}");
        for (other, quiet) in cases.iter().filter(|(other, _)| *other != timing) {
            let lines: Vec<&str> = if *quiet == END { vec![START, quiet] } else { vec![quiet] };
            let verdict = last(&file, &lines);
            // A failed check before it may hold the node; that is another rule.
            assert!(
                !verdict.ends_with("I failed") || (*other == "post_phase" && timing == "pre_phase"),
                "{timing} at {other}: {verdict}"
            );
        }
    }
}

/// A failed invariant holds the node for forward edges until it holds again or the node is left.
#[test]
fn a_failed_invariant_holds_the_node() {
    let file = small(&with("I", "state.score == null", "periodic", "block"))
        .replace("edges:\n", "edges:\n  - { id: x, from: A, to: B, class: Exception }\n");
    let bad = crate::support::set("\"score\":1");
    let good = crate::support::set("\"score\":null");
    let go = take("ab");
    assert_eq!(last(&file, &[&bad, TICK]), "refused A block I failed");
    assert_eq!(last(&file, &[&bad, TICK, &good, &go]), "refused A block I holds_node");
    assert_eq!(last(&file, &[&bad, TICK, &good, TICK, &go]), "allowed B - - -");
    assert_eq!(last(&file, &[&bad, TICK, &take("x")]), "allowed B - - -");
    assert_eq!(last(&file, &[&bad, TICK, &take("x"), &take("bend")]), "allowed END - - -");
}

/// One that only alerts is reported and holds nothing.
#[test]
fn an_alert_is_reported_and_holds_nothing() {
    let file = small(&with("I", "1 > 2", "periodic", "alert"));
    assert_eq!(last(&file, &[TICK]), "allowed A alert I failed");
    assert_eq!(last(&file, &[TICK, &take("ab")]), "allowed B - - -");
}

/// Block before rerun before alert, then severity, then the order of the file.
#[test]
fn the_worst_invariant_speaks() {
    let line = |id: &str, severity: &str, action: &str| {
        format!(
            "  - {{ invariant_id: {id}, invariant_expr: '1 > 2', check_timing: periodic, severity: {severity}, fail_action: {action} }}\n"
        )
    };
    let cases = [
        (
            [("a", "critical", "alert"), ("b", "low", "rerun"), ("c", "low", "block")],
            "refused A block c failed",
        ),
        (
            [("a", "low", "block"), ("b", "high", "block"), ("c", "critical", "rerun")],
            "refused A block b failed",
        ),
        (
            [("a", "high", "rerun"), ("b", "high", "rerun"), ("c", "high", "rerun")],
            "refused A rerun a failed",
        ),
    ];
    for (invariants, expected) in cases {
        let lines: String =
            invariants.iter().map(|(id, severity, action)| line(id, severity, action)).collect();
        assert_eq!(last(&small(&format!("invariants:\n{lines}")), &[TICK]), expected);
    }
}

/// An edge's own invariants must have been checked since the node was entered, and have held.
#[test]
fn an_edge_wants_its_invariants_checked() {
    let file = small(&with("I", "state.score == null", "post_phase", "rerun")).replace(
        "to: B, class: Progress }",
        "to: B, class: Progress, audit_invariant_refs: [I, ORCH_LOG_IMMEDIATE_UPDATE] }",
    );
    assert_eq!(last(&file, &[&take("ab")]), "refused A block ORCH_LOG_IMMEDIATE_UPDATE not_checked");
    assert_eq!(last(&file, &[START, END, &take("ab")]), "allowed B - - -");
}

/// A built-in is off only by name and with a reason; a policy of its name leaves it on, an invariant adds to it.
#[test]
fn built_in_invariants_are_off_by_name_only() {
    let end = r#"{"type":"phase_end","phase":"A","set":{"log_updated_after_phase":true}}"#;
    let off = "builtin_off:\n  - { id: TOOL_USE_NONZERO, reason: a person does it }\n";
    assert_eq!(last(&small(off), &[START, end]), "allowed A - - -");
    let policy =
        "policies:\n  - { id: TOOL_USE_NONZERO, expr: '1 > 2', priority: 1, violation_action: alert }\n";
    assert_eq!(last(&small(policy), &[START, end]), "refused A rerun TOOL_USE_NONZERO failed");
    let both = with("TOOL_USE_NONZERO", "state.tool_calls != 1", "post_phase", "block");
    assert_eq!(last(&small(&both), &[START, end]), "refused A block TOOL_USE_NONZERO failed");
    assert_eq!(last(&small(&both), &[START, END]), "refused A block TOOL_USE_NONZERO failed");
}

/// What the built-in holds is not released by a check of the same name at another time.
#[test]
fn one_name_two_checks() {
    let file = small(&with("TOOL_USE_NONZERO", "true", "periodic", "rerun"));
    let end = r#"{"type":"phase_end","phase":"A","set":{"log_updated_after_phase":true}}"#;
    assert_eq!(last(&file, &[START, end, TICK, &take("ab")]), "refused A block TOOL_USE_NONZERO holds_node");
}
