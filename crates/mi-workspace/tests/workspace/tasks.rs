//! Groups F to H and K: task_list, task_add, task_update, context.

use crate::support::{NOW, Scene, TASKS};
use mi_workspace::Tool::{Context, PlanStart, TaskAdd, TaskList, TaskUpdate};
use serde_json::{Value, json};

fn task(id: u64, status: &str, deps: Value) -> Value {
    json!({"id": id, "title": "t", "context": "c", "status": status, "deps": deps})
}

/// No file is a normal answer, and looking creates none.
#[test]
fn nx_008_nx_065_nothing_yet() {
    let scene = Scene::new();
    assert_eq!(scene.ok(TaskList, json!({})), json!({"exists": false}));
    assert_eq!(
        scene.ok(Context, json!({})),
        json!({"branch": "no-branch", "activeMode": null, "decisions": []})
    );
    assert_eq!(scene.files().len(), 1);
}

/// Counts, `blocked` for what is in progress, and readiness in list order.
#[test]
fn nx_066_nx_067_nx_068_task_list() {
    let tasks = json!([
        task(1, "completed", json!([])),
        task(5, "pending", json!([1])),
        task(2, "in_progress", json!([])),
        task(3, "pending", json!([1, 2])),
        task(4, "pending", json!([99])),
        task(6, "pending", json!([])),
    ]);
    let scene = Scene::with(&[(TASKS, json!({"goal": "g", "decisions": ["d"], "tasks": tasks}))]);
    let summary = json!({"total": 6, "completed": 1, "pending": 4, "blocked": 1, "ready": [5, 6]});
    assert_eq!(scene.ok(TaskList, json!({})), json!({"goal": "g", "tasks": tasks, "summary": summary}));
}

/// The smallest task, and the file around it (C-01).
#[test]
fn nx_076_nx_077_task_add_creates_the_list() {
    let scene = Scene::new();
    let task =
        json!({"id": 1, "title": "t", "context": "c", "status": "pending", "deps": [], "created_at": NOW});
    assert_eq!(scene.ok(TaskAdd, json!({"title": "t", "context": "c"})), json!({"task": task}));
    assert_eq!(
        scene.json(TASKS),
        json!({"schema_version": "0.5", "goal": "", "decisions": [], "tasks": [task]})
    );
}

/// Every optional field, exactly as given; no dependency, issue or owner is looked up.
#[test]
fn nx_075_nx_079_nx_080_nx_081_task_add_with_everything() {
    let scene = Scene::new();
    let given = json!({
        "title": "t", "context": "c", "deps": [7, 8], "approach": "a", "acceptance": "b", "risk": "r", "plan_issue": 9,
        "goal": "G", "decisions": ["x"], "owner": "nobody", "owner_agent_id": "§ opaque /../ \" id",
        "owner_reuse_policy": "resume_if_same_artifact", "unknown": "passed over",
    });
    let answer = scene.ok(TaskAdd, given);
    assert_eq!(
        answer["task"],
        json!({
            "id": 1, "title": "t", "context": "c", "status": "pending", "deps": [7, 8], "approach": "a",
            "acceptance": "b", "risk": "r", "plan_issue": 9, "owner": "nobody",
            "owner_agent_id": "§ opaque /../ \" id", "owner_reuse_policy": "resume_if_same_artifact", "created_at": NOW,
        })
    );
    scene.ok(TaskAdd, json!({"title": "t", "context": "c", "decisions": ["y", "z"]}));
    scene.ok(TaskAdd, json!({"title": "t", "context": "c", "goal": "H"}));
    let file = scene.json(TASKS);
    assert_eq!((&file["goal"], &file["decisions"]), (&json!("H"), &json!(["x", "y", "z"])));
    assert_eq!(file["tasks"].as_array().map(Vec::len), Some(3));
}

/// One more than the highest, whatever the order; by another writer too.
#[test]
fn nx_078_task_ids_count_on_from_the_highest() {
    let tasks = json!([task(9, "pending", json!([])), task(2, "pending", json!([]))]);
    let scene = Scene::with(&[(TASKS, json!({"goal": "g", "decisions": [], "tasks": tasks}))]);
    assert_eq!(scene.ok(TaskAdd, json!({"title": "t", "context": "c"}))["task"]["id"], 10);
    assert_eq!(scene.ok(TaskAdd, json!({"title": "t", "context": "c"}))["task"]["id"], 11);
    let tasks = json!([task(30, "pending", json!([]))]);
    scene.write(TASKS, json!({"goal": "g", "decisions": [], "tasks": tasks}).to_string());
    assert_eq!(scene.ok(TaskAdd, json!({"title": "t", "context": "c"}))["task"]["id"], 31);
}

/// Nothing that the schema forbids reaches the file.
#[test]
fn nx_004_nx_005_nx_082_bad_tasks_write_nothing() {
    let cases = [
        (TaskAdd, json!({"context": "c"}), "title is required"),
        (TaskAdd, json!({"title": "t"}), "context is required"),
        (TaskAdd, json!({"title": "", "context": "c"}), "title must be a text that is not empty"),
        (TaskAdd, json!({"title": "t", "context": " \n"}), "context must be a text that is not empty"),
        (
            TaskAdd,
            json!({"title": "t", "context": "c", "owner_reuse_policy": "always"}),
            "owner_reuse_policy must be one of fresh, resume_if_same_artifact, resume",
        ),
        (TaskUpdate, json!({"id": 1}), "status is required"),
        (TaskUpdate, json!({"status": "pending"}), "id is required"),
        (
            TaskUpdate,
            json!({"id": 1, "status": "blocked"}),
            "status must be one of pending, in_progress, completed",
        ),
        (TaskUpdate, json!({"id": "1", "status": "pending"}), "id must be a number"),
    ];
    for (tool, arguments, expected) in cases {
        let scene = Scene::new();
        assert_eq!(scene.error(tool, arguments), expected);
        assert_eq!(scene.files().len(), 1);
    }
}

/// Every transition is allowed, and only the status changes.
#[test]
fn nx_085_nx_086_nx_087_nx_151_task_update() {
    let scene = Scene::new();
    scene.ok(TaskAdd, json!({"title": "t", "context": "c", "risk": "r", "goal": "g"}));
    scene.ok(TaskAdd, json!({"title": "u", "context": "c"}));
    let mut expected = scene.json(TASKS);
    for status in ["in_progress", "completed", "pending", "completed", "in_progress", "pending"] {
        let answer = scene.ok(TaskUpdate, json!({"id": 1, "status": status}));
        expected["tasks"][0]["status"] = json!(status);
        assert_eq!(answer, json!({"task": expected["tasks"][0]}));
        assert_eq!(scene.json(TASKS), expected);
    }
    assert_eq!(scene.ok(TaskAdd, json!({"title": "v", "context": "c"}))["task"]["id"], 3);
}

#[test]
fn nx_088_nx_089_task_update_errors() {
    let scene = Scene::new();
    assert_eq!(scene.error(TaskUpdate, json!({"id": 1, "status": "pending"})), "tasks.json not found");
    assert_eq!(scene.files().len(), 1);
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    let before = scene.files();
    assert_eq!(scene.error(TaskUpdate, json!({"id": 7, "status": "pending"})), "Task id 7 not found");
    assert_eq!(scene.files(), before);
}

/// Goal, counts and decisions come from the task list; what is in progress is in neither count.
#[test]
fn nx_115_nx_116_nx_117_nx_118_context() {
    let tasks = json!([
        task(1, "completed", json!([])),
        task(2, "in_progress", json!([])),
        task(3, "pending", json!([]))
    ]);
    let scene = Scene::with(&[
        (TASKS, json!({"goal": "g", "decisions": ["a", "b"], "tasks": tasks})),
        (".nexus/state/decisions.json", json!({"decisions": ["not this"]})),
    ]);
    scene.write(".git/HEAD", "ref: refs/heads/topic/x\n");
    assert_eq!(
        scene.ok(Context, json!({})),
        json!({"branch": "topic/x", "activeMode": "team", "goal": "g",
               "tasksSummary": {"total": 3, "completed": 1, "pending": 1}, "decisions": ["a", "b"]})
    );
}

/// What cannot be read is left out, silently.
#[test]
fn nx_119_context_ignores_malformed_files() {
    let cases = [
        ("{\"goal\": ", json!({"branch": "no-branch", "activeMode": "team", "decisions": []})),
        ("[]", json!({"branch": "no-branch", "activeMode": "team", "decisions": []})),
        (
            "{\"goal\":\"g\",\"tasks\":7,\"decisions\":[\"d\",5]}",
            json!({"branch": "no-branch", "activeMode": "team", "goal": "g", "decisions": ["d"]}),
        ),
    ];
    for (text, expected) in cases {
        let scene = Scene::new();
        scene.write(TASKS, text);
        assert_eq!(scene.ok(Context, json!({})), expected, "{text}");
    }
}

/// Times carry their zone and go through as they are.
#[test]
fn nx_009_times_are_rfc_3339() {
    let scene = Scene::new();
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    scene.ok(PlanStart, json!({"topic": "T", "issues": [], "research_summary": ""}));
    assert_eq!(scene.json(TASKS)["tasks"][0]["created_at"], NOW);
    assert_eq!(scene.json(crate::support::PLAN)["created_at"], NOW);
}
