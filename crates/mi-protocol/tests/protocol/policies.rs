//! Policies: who overrides whom, and which action decides.

use crate::support::{guarded, play, small, take, told};

fn policy(id: &str, priority: i32, conflicts: &str, mode: &str, action: &str) -> String {
    format!(
        "  - {{ id: {id}, expr: '2 > 1', priority: {priority}, conflicts_with: [{conflicts}], override_mode: {mode}, violation_action: {action} }}\n"
    )
}

/// Each line: the policies, then `verdict | overrode | advice`.
#[test]
fn conflicts_are_resolved_by_priority_and_mode() {
    let hard = "hard_override";
    let soft = "soft_override";
    let cases = [
        (
            vec![policy("a", 9, "b", hard, "alert"), policy("b", 5, "", "merge", "reject")],
            "allowed B alert a - | b | ",
        ),
        (
            vec![policy("a", 9, "b", soft, "alert"), policy("b", 5, "", "merge", "reject")],
            "allowed B alert a - | b | b",
        ),
        (
            vec![policy("a", 9, "b", "merge", "alert"), policy("b", 5, "", "merge", "reject")],
            "refused A reject b - |  | ",
        ),
        // Symmetric: the loser may be the one that names the conflict.
        (
            vec![policy("a", 9, "", hard, "alert"), policy("b", 5, "a", "merge", "reject")],
            "allowed B alert a - | b | ",
        ),
        // No conflict, no override.
        (
            vec![policy("a", 9, "", hard, "alert"), policy("b", 5, "", hard, "block")],
            "refused A block b - |  | ",
        ),
        // An overridden policy overrides nobody.
        (
            vec![
                policy("a", 9, "b", hard, "alert"),
                policy("b", 5, "c", hard, "reject"),
                policy("c", 1, "", hard, "rerun"),
            ],
            "refused A rerun c - | b | ",
        ),
        // The mode is the winner's own, not the loser's.
        (
            vec![policy("a", 9, "b", "merge", "alert"), policy("b", 5, "a", hard, "rerun")],
            "refused A rerun b - |  | ",
        ),
        // Equal actions: higher priority.
        (
            vec![policy("a", 1, "", hard, "block"), policy("b", 5, "", hard, "block")],
            "refused A block b - |  | ",
        ),
        (
            vec![policy("a", 5, "", hard, "block"), policy("b", 5, "", hard, "block")],
            "refused A block a - |  | ",
        ),
        (
            vec![policy("a", 5, "", hard, "continue_with_workaround")],
            "allowed B continue_with_workaround a - |  | ",
        ),
    ];
    for (policies, expected) in cases {
        let verdict = play(&small(&format!("policies:\n{}", policies.concat())), &[&take("ab")])
            .pop()
            .expect("a verdict");
        let names = |key: &str| -> String {
            let list = verdict.get(key).and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
            list.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            format!("{} | {} | {}", told(&verdict), names("overrode"), names("advice")),
            expected,
            "{policies:?}"
        );
    }
}

/// Policy before trust before guard at equal strictness; a policy never opens a failed guard; `guard` names it.
#[test]
fn the_strictest_demand_decides() {
    let policies = |action: &str| format!("policies:\n{}", policy("p", 1, "", "merge", action));
    let cases = [
        ("block", "block", "refused A block p -"),
        ("rerun", "block", "refused A block p -"),
        ("escalate", "rerun", "refused A escalate guard:ab -"),
        ("block", "alert", "refused A block guard:ab -"),
        ("{ reroute: END }", "continue_with_workaround", "refused END reroute guard:ab -"),
        ("{ reroute: END }", "rerun", "refused A rerun p -"),
        ("block", "reject", "refused A reject p -"),
    ];
    for (on_fail, action, expected) in cases {
        let file = guarded("state.gate_passed", &format!(", on_guard_fail: {on_fail}"), &policies(action));
        let verdict = play(&file, &[&take("ab")]).pop().expect("a verdict");
        assert_eq!(told(&verdict), expected, "{on_fail} {action}");
        assert_eq!(verdict["guard"], "ab");
    }
}

/// A policy that an edge names is asked there only; one that no edge names is asked everywhere.
#[test]
fn named_policies_are_asked_where_they_are_named() {
    let file = small(&format!("policies:\n{}", policy("p", 1, "", "merge", "alert"))).replace(
        "from: B, to: END, class: Progress }",
        "from: B, to: END, class: Progress, policy_refs: [p] }",
    );
    let verdicts = play(&file, &[&take("ab"), &take("bend")]);
    assert_eq!(told(&verdicts[0]), "allowed B - - -");
    assert_eq!(told(&verdicts[1]), "allowed END alert p -");
}

/// A policy that cannot be evaluated is violated.
#[test]
fn what_cannot_be_evaluated_is_violated() {
    let file = small(
        "policies:\n  - { id: p, expr: '1 / state.tool_calls > 5', priority: 1, violation_action: block }\n",
    );
    let verdict = play(&file, &[&take("ab")]).pop().expect("a verdict");
    assert_eq!(told(&verdict), "refused A block p -");
    assert!(verdict["trace"].to_string().contains("division by zero"), "{verdict}");
}
