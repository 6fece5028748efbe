//! Group J: history_search.

use crate::support::{HISTORY, NOW, Scene};
use mi_workspace::Tool::HistorySearch;
use serde_json::{Value, json};

fn cycle(number: u64) -> Value {
    let issue = json!({"id": 1, "title": format!("Issue {number}"), "status": "decided", "decision": format!("Choose {number}")});
    let open = json!({"id": 2, "title": "open", "status": "pending"});
    let plan =
        json!({"id": number, "topic": format!("Topic {number}"), "issues": [issue, open], "created_at": NOW});
    json!({"schema_version": "0.5", "completed_at": format!("2026-01-{number:02}T00:00:00Z"), "branch": "main",
           "plan": plan, "tasks": [{"id": 1, "title": "Write it", "context": "c", "status": "completed", "deps": []}]})
}

fn summary(number: u64) -> Value {
    json!({"completed_at": format!("2026-01-{number:02}T00:00:00Z"), "branch": "main", "topic": format!("Topic {number}"),
           "decisions": [{"title": format!("Issue {number}"), "decision": format!("Choose {number}")}], "task_count": 1})
}

fn twelve() -> Scene {
    Scene::with(&[(HISTORY, json!({"cycles": (1..=12).map(cycle).collect::<Vec<_>>()}))])
}

#[test]
fn nx_110_no_history_is_an_empty_answer() {
    let scene = Scene::new();
    assert_eq!(scene.ok(HistorySearch, json!({})), json!({"total": 0, "showing": 0, "cycles": []}));
    assert_eq!(
        scene.ok(HistorySearch, json!({"query": "x"})),
        json!({"total": 0, "showing": 0, "cycles": []})
    );
    assert_eq!(scene.files().len(), 1);
}

/// The newest ten by default, in ledger order; the total counts all.
#[test]
fn nx_105_nx_107_nx_108_nx_109_last_cycles() {
    let scene = twelve();
    let cycles: Vec<Value> = (3..=12).map(summary).collect();
    assert_eq!(scene.ok(HistorySearch, json!({})), json!({"total": 12, "showing": 10, "cycles": cycles}));
    let cycles: Vec<Value> = (11..=12).map(summary).collect();
    assert_eq!(
        scene.ok(HistorySearch, json!({"last_n": 2})),
        json!({"total": 12, "showing": 2, "cycles": cycles})
    );
    assert_eq!(
        scene.ok(HistorySearch, json!({"last_n": 0})),
        json!({"total": 12, "showing": 0, "cycles": []})
    );
    assert_eq!(scene.ok(HistorySearch, json!({"last_n": 100}))["showing"], 12);
}

/// Any text of the cycle in any case, keys and structure of its JSON included.
#[test]
fn nx_106_search_is_over_the_whole_json_in_any_case() {
    let scene = twelve();
    let cases = [
        ("TOPIC 7", 1),
        ("topic 1", 4),
        ("choose 12", 1),
        ("write IT", 12),
        ("\"status\":\"pending\"", 12),
        ("2026-01-05", 1),
        ("\"id\":3,", 1),
        ("no such thing", 0),
        ("", 12),
    ];
    for (query, total) in cases {
        assert_eq!(scene.ok(HistorySearch, json!({"query": query, "last_n": 3}))["total"], total, "{query}");
    }
}

/// Cycles without a plan, and from before cycles had a version.
#[test]
fn nx_109_nx_111_legacy_and_planless_cycles() {
    let legacy = json!({"completed_at": "2025-01-01T00:00:00Z", "branch": "old", "plan": null, "tasks": []});
    let scene = Scene::with(&[(HISTORY, json!({"cycles": [legacy, {"completed_at": "x", "branch": "y"}]}))]);
    assert_eq!(
        scene.ok(HistorySearch, json!({}))["cycles"],
        json!([{"completed_at": "2025-01-01T00:00:00Z", "branch": "old", "task_count": 0}, {"completed_at": "x", "branch": "y"}])
    );
}

#[test]
fn nx_005_search_parameters_are_checked() {
    let scene = twelve();
    for last_n in [json!(-1), json!(1.5), json!("3"), json!([])] {
        let error = scene.error(HistorySearch, json!({"last_n": last_n}));
        assert_eq!(error, "last_n must be a whole number, 0 or more", "{last_n}");
    }
    assert_eq!(scene.error(HistorySearch, json!({"query": 3})), "query must be a string");
}
