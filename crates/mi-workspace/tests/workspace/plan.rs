//! Groups B to E: plan_start, plan_status, plan_update, plan_decide.

use crate::support::{HISTORY, NOW, PLAN, Scene, TASKS};
use mi_workspace::Tool::{PlanDecide, PlanStart, PlanStatus, PlanUpdate};
use serde_json::{Value, json};

fn start(topic: &str, issues: &[&str]) -> Value {
    json!({"topic": topic, "issues": issues, "research_summary": "read the code"})
}

/// The answer and the file, whole.
#[test]
fn nx_021_nx_023_plan_start_answers_and_writes() {
    let scene = Scene::new();
    let answer = scene.ok(PlanStart, start("Caching", &["Which store?", "Which key?"]));
    assert_eq!(
        answer,
        json!({"created": true, "plan_id": 1, "topic": "Caching", "issueCount": 2, "previousArchived": false})
    );
    assert_eq!(
        scene.json(PLAN),
        json!({
            "schema_version": "0.5", "id": 1, "topic": "Caching",
            "issues": [
                {"id": 1, "title": "Which store?", "status": "pending"},
                {"id": 2, "title": "Which key?", "status": "pending"},
            ],
            "research_summary": "read the code", "created_at": NOW,
        })
    );
    assert!(!scene.exists(HISTORY));
}

/// A parameter that is missing, of a wrong type or empty where the schema forbids it is named; nothing is written.
#[test]
fn nx_004_nx_020_nx_027_bad_parameters_write_nothing() {
    let cases = [
        (json!({"issues": [], "research_summary": ""}), "topic is required"),
        (json!({"topic": "T", "research_summary": ""}), "issues is required"),
        (json!({"topic": "T", "issues": []}), "research_summary is required"),
        (json!({"topic": 1, "issues": [], "research_summary": ""}), "topic must be a string"),
        (json!({"topic": "T", "issues": "a", "research_summary": ""}), "issues must be a list of strings"),
        (json!({"topic": "T", "issues": ["a", 2], "research_summary": ""}), "issues[1] must be a string"),
        (
            json!({"topic": "", "issues": [], "research_summary": ""}),
            "topic must be a text that is not empty",
        ),
        (
            json!({"topic": "T", "issues": [""], "research_summary": ""}),
            "issues[0] must be a text that is not empty",
        ),
        (json!({"topic": "T", "issues": [], "research_summary": null}), "research_summary is required"),
        (json!([]), "arguments must be an object"),
    ];
    for (arguments, expected) in cases {
        let scene = Scene::new();
        assert_eq!(scene.error(PlanStart, arguments), expected);
        assert_eq!(scene.files().len(), 1, "only the project folder itself");
    }
}

/// An empty summary and an empty list are fine.
#[test]
fn nx_026_empty_research_summary_is_accepted() {
    let scene = Scene::new();
    scene.ok(PlanStart, json!({"topic": "T", "issues": [], "research_summary": ""}));
    assert_eq!(scene.json(PLAN)["research_summary"], "");
}

/// The next id is one more than the highest ever, holes and cycles without a plan included.
#[test]
fn nx_022_plan_id_counts_on_from_the_highest() {
    let cycle = |plan: Value| json!({"completed_at": NOW, "branch": "main", "plan": plan, "tasks": []});
    let plan = |id: u64| json!({"id": id, "topic": "x", "issues": [], "created_at": NOW});
    let scene =
        Scene::with(&[(HISTORY, json!({"cycles": [cycle(plan(7)), cycle(Value::Null), cycle(plan(3))]}))]);
    assert_eq!(scene.ok(PlanStart, start("a", &[]))["plan_id"], 8);
    assert_eq!(scene.ok(PlanStart, start("b", &[]))["plan_id"], 9);
    let first = Scene::with(&[(PLAN, plan(41))]);
    assert_eq!(first.ok(PlanStart, start("c", &[]))["plan_id"], 42, "the plan that is archived now counts");
}

/// The old plan goes to the history without its version; the tasks stay where they are.
#[test]
fn nx_024_nx_025_nx_028_plan_start_archives_the_plan_alone() {
    let scene = Scene::planning(&["a"]);
    scene.write(TASKS, json!({"goal": "g", "decisions": [], "tasks": []}).to_string());
    scene.ok(PlanDecide, json!({"issue_id": 1, "decision": "yes"}));
    let answer = scene.ok(PlanStart, start("Next", &[]));
    assert_eq!(answer["previousArchived"], true);
    let issue = json!({"id": 1, "title": "a", "status": "decided", "decision": "yes"});
    let plan = json!({"id": 1, "topic": "T", "issues": [issue], "research_summary": "R", "created_at": NOW});
    let cycle = json!({"schema_version": "0.5", "completed_at": NOW, "branch": "no-branch", "plan": plan, "tasks": []});
    assert_eq!(scene.json(HISTORY), json!({"schema_version": "0.5", "cycles": [cycle]}));
    assert_eq!(scene.json(TASKS)["goal"], "g");
    assert_eq!(scene.json(PLAN)["topic"], "Next");
}

/// No plan, and a plan with everything an issue can have.
#[test]
fn nx_030_nx_031_nx_032_nx_033_plan_status() {
    let scene = Scene::new();
    assert_eq!(scene.ok(PlanStatus, json!({})), json!({"active": false}));
    assert_eq!(scene.files().len(), 1, "looking creates nothing");
    let issues = json!([
        {"id": 1, "title": "a", "status": "pending"},
        {"id": 2, "title": "b", "status": "decided", "decision": "d", "how_agents": ["architect"],
         "how_summary": {"architect": "s"}, "how_agent_ids": {"architect": "x-1"}},
    ]);
    let scene = Scene::with(&[(PLAN, json!({"id": 4, "topic": "T", "issues": issues, "created_at": NOW}))]);
    assert_eq!(
        scene.ok(PlanStatus, json!({})),
        json!({"active": true, "plan_id": 4, "topic": "T", "issues": issues,
               "summary": {"total": 2, "pending": 1, "decided": 1}})
    );
}

/// Each action answers with what the contract names, no more.
#[test]
fn nx_040_nx_041_nx_042_nx_043_nx_044_nx_045_plan_update() {
    let how = json!({"a": "b"});
    let issues = json!([
        {"id": 1, "title": "a", "status": "decided", "decision": "d", "how_summary": how},
        {"id": 5, "title": "b", "status": "pending"},
    ]);
    let scene = Scene::with(&[(PLAN, json!({"id": 1, "topic": "T", "issues": issues, "created_at": NOW}))]);
    let steps = [
        (
            json!({"action": "add", "title": "c"}),
            json!({"added": true, "issue": {"id": 6, "title": "c", "status": "pending"}}),
        ),
        (json!({"action": "remove", "issue_id": 5}), json!({"removed": true, "issue": {"id": 5}})),
        (
            json!({"action": "edit", "issue_id": 1.0, "title": "A"}),
            json!({"edited": true, "issue": {"id": 1, "title": "A"}}),
        ),
        (
            json!({"action": "reopen", "issue_id": 1}),
            json!({"reopened": true, "issue": {"id": 1, "title": "A", "status": "pending"}}),
        ),
        (
            json!({"action": "add", "title": "d"}),
            json!({"added": true, "issue": {"id": 7, "title": "d", "status": "pending"}}),
        ),
    ];
    for (arguments, expected) in steps {
        assert_eq!(scene.ok(PlanUpdate, arguments.clone()), expected, "{arguments}");
    }
    let left = json!([
        {"id": 1, "title": "A", "status": "pending", "how_summary": how},
        {"id": 6, "title": "c", "status": "pending"},
        {"id": 7, "title": "d", "status": "pending"},
    ]);
    assert_eq!(scene.json(PLAN)["issues"], left);
}

/// `edit` leaves a decision alone.
#[test]
fn nx_044_edit_keeps_the_decision() {
    let scene = Scene::planning(&["a"]);
    scene.ok(PlanDecide, json!({"issue_id": 1, "decision": "yes"}));
    scene.ok(PlanUpdate, json!({"action": "edit", "issue_id": 1, "title": "b"}));
    assert_eq!(
        scene.json(PLAN)["issues"][0],
        json!({"id": 1, "title": "b", "status": "decided", "decision": "yes"})
    );
}

/// The contract's words, and an untouched file.
#[test]
fn nx_046_nx_047_nx_048_nx_049_nx_050_nx_055_nx_059_plan_errors() {
    let cases = [
        (PlanUpdate, json!({"action": "remove"}), "issue_id is required for remove"),
        (PlanUpdate, json!({"action": "reopen", "title": "x"}), "issue_id is required for reopen"),
        (PlanUpdate, json!({"action": "edit", "issue_id": 1}), "issue_id and title are required for edit"),
        (PlanUpdate, json!({"action": "edit", "title": "x"}), "issue_id and title are required for edit"),
        (
            PlanUpdate,
            json!({"action": "edit", "issue_id": 1, "title": ""}),
            "issue_id and title are required for edit",
        ),
        (PlanUpdate, json!({"action": "add"}), "title is required for add"),
        (PlanUpdate, json!({"action": "add", "title": ""}), "title is required for add"),
        (PlanUpdate, json!({"action": "remove", "issue_id": 99}), "Issue 99 not found"),
        (PlanUpdate, json!({"action": "edit", "issue_id": 99, "title": "x"}), "Issue 99 not found"),
        (PlanUpdate, json!({"action": "reopen", "issue_id": 1.5}), "Issue 1.5 not found"),
        (PlanUpdate, json!({"action": "modify", "issue_id": 1}), "Unknown action"),
        (PlanUpdate, json!({}), "action is required"),
        (PlanUpdate, json!({"action": 1}), "action must be a string"),
        (PlanUpdate, json!({"action": "remove", "issue_id": "1"}), "issue_id must be a number"),
        (PlanDecide, json!({"issue_id": 99, "decision": "d"}), "Issue 99 not found"),
        (PlanDecide, json!({"issue_id": 1, "summary": "d"}), "decision is required"),
        (PlanDecide, json!({"decision": "d"}), "issue_id is required"),
        (
            PlanDecide,
            json!({"issue_id": 1, "decision": "d", "how_agents": "x"}),
            "how_agents must be a list of strings",
        ),
        (
            PlanDecide,
            json!({"issue_id": 1, "decision": "d", "how_summary": {"a": 1}}),
            "how_summary must be an object whose values are strings",
        ),
    ];
    let scene = Scene::planning(&["a"]);
    let before = scene.files();
    for (tool, arguments, expected) in cases {
        assert_eq!(scene.error(tool, arguments.clone()), expected, "{arguments}");
        assert_eq!(scene.files(), before, "{arguments}");
    }
    let empty = Scene::new();
    assert_eq!(empty.error(PlanUpdate, json!({"action": "nonsense"})), "No active plan session");
    assert_eq!(empty.error(PlanDecide, json!({"issue_id": 1, "decision": "d"})), "No active plan session");
    assert_eq!(empty.files().len(), 1);
}

/// What is left is told until nothing is; then what comes next.
#[test]
fn nx_055_nx_056_nx_057_nx_058_nx_060_plan_decide() {
    let scene = Scene::planning(&["a", "b"]);
    let how = json!({"issue_id": 1, "decision": "first", "how_agents": ["architect"],
                     "how_summary": {"architect": "s"}, "how_agent_ids": {"architect": "id"}});
    let remaining = json!([{"id": 2, "title": "b", "status": "pending"}]);
    assert_eq!(
        scene.ok(PlanDecide, how),
        json!({"decided": true, "issue": "a", "allComplete": false, "remaining": remaining})
    );
    // Deciding again overwrites; what is not given stays.
    scene.ok(PlanDecide, json!({"issue_id": 1, "decision": "second"}));
    assert_eq!(
        scene.json(PLAN)["issues"][0],
        json!({"id": 1, "title": "a", "status": "decided", "decision": "second", "how_agents": ["architect"],
               "how_summary": {"architect": "s"}, "how_agent_ids": {"architect": "id"}})
    );
    let answer = scene.ok(PlanDecide, json!({"issue_id": 2, "decision": "d"}));
    assert_eq!(answer["allComplete"], true);
    assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
    assert_eq!(answer.get("remaining"), None);
    assert!(!scene.exists(".nexus/state/decisions.json"), "nx_061: decisions go nowhere else");
}
