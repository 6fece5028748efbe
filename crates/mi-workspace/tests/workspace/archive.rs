//! Group I: task_close; and what a kill between its steps leaves.

use crate::support::{HISTORY, NOW, PLAN, Scene, TASKS};
use mi_workspace::Tool::{ArtifactWrite, PlanDecide, PlanStart, PlanStatus, TaskAdd, TaskClose};
use serde_json::{Value, json};
use std::fs;

/// Nothing to close is closed all the same, each time anew.
#[test]
fn nx_095_closing_nothing_succeeds() {
    let scene = Scene::new();
    for total in 1..=2 {
        assert_eq!(
            scene.ok(TaskClose, json!({})),
            json!({
                "closed": true, "cycle": NOW, "branch": "no-branch",
                "archived": {"plan": false, "decisions": 0, "tasks": 0}, "deleted": [], "total_cycles": total,
                "memoryHint": {"taskCount": 0, "decisionCount": 0, "cycleTopics": []},
            })
        );
    }
    let cycle = json!({"schema_version": "0.5", "completed_at": NOW, "branch": "no-branch", "plan": null, "tasks": []});
    assert_eq!(scene.json(HISTORY), json!({"schema_version": "0.5", "cycles": [cycle, cycle]}));
}

/// Plan and tasks go to the history whole, goal and decisions do not; only the two files are deleted.
#[test]
fn nx_096_nx_097_nx_098_nx_099_nx_100_nx_102_nx_103_close() {
    let scene = Scene::planning(&["a", "b"]);
    scene.write(".git/HEAD", "ref: refs/heads/main\n");
    scene.ok(PlanDecide, json!({"issue_id": 2, "decision": "d"}));
    scene.ok(TaskAdd, json!({"title": "t", "context": "c", "goal": "G", "decisions": ["x"]}));
    scene.ok(ArtifactWrite, json!({"filename": "report.md", "content": "r"}));
    scene.write(".nexus/state/edit-tracker.json", "{}");
    scene.write(".nexus/state/some-harness/agent-tracker.json", "[]");
    let (mut plan, tasks) = (scene.json(PLAN), scene.json(TASKS)["tasks"].clone());
    plan.as_object_mut().unwrap().remove("schema_version");
    assert_eq!(
        scene.ok(TaskClose, json!({})),
        json!({
            "closed": true, "cycle": NOW, "branch": "main",
            "archived": {"plan": true, "decisions": 1, "tasks": 1}, "deleted": ["plan.json", "tasks.json"],
            "total_cycles": 1, "memoryHint": {"taskCount": 1, "decisionCount": 1, "cycleTopics": ["T", "G"]},
        })
    );
    let cycle =
        json!({"schema_version": "0.5", "completed_at": NOW, "branch": "main", "plan": plan, "tasks": tasks});
    assert_eq!(scene.json(HISTORY)["cycles"], json!([cycle]));
    assert!(!scene.exists(PLAN) && !scene.exists(TASKS));
    for kept in ["artifacts/report.md", "edit-tracker.json", "some-harness/agent-tracker.json"] {
        assert!(scene.exists(&format!(".nexus/state/{kept}")), "{kept}");
    }
}

/// Only what is there is named, and an empty goal is no topic; unfinished tasks do not hold it up.
#[test]
fn nx_098_nx_099_nx_101_close_with_tasks_alone() {
    let scene = Scene::new();
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    let answer = scene.ok(TaskClose, json!({}));
    assert_eq!(answer["deleted"], json!(["tasks.json"]));
    assert_eq!(answer["memoryHint"], json!({"taskCount": 1, "decisionCount": 0, "cycleTopics": []}));
    assert_eq!(
        scene.ok(TaskAdd, json!({"title": "t", "context": "c"}))["task"]["id"],
        1,
        "a new list begins"
    );
}

/// Puts back what the last call removed, as a kill before the removal would have left it.
fn killed_before_removal(scene: &Scene, files: &[&str], call: impl FnOnce(&Scene)) {
    let saved: Vec<(String, Vec<u8>)> =
        files.iter().map(|file| ((*file).to_owned(), fs::read(scene.path(file)).unwrap())).collect();
    call(scene);
    for (file, bytes) in saved {
        scene.write(&file, bytes);
        let history = fs::metadata(scene.path(HISTORY)).unwrap().modified().unwrap();
        let file = fs::File::options().append(true).open(scene.path(&file)).unwrap();
        file.set_modified(history - std::time::Duration::from_millis(5)).unwrap();
    }
}

/// A task_close that was killed behind the archiving is finished by the next one, not repeated.
#[test]
fn nx_024_nx_096_killed_close_is_not_archived_twice() {
    for left in [vec![PLAN, TASKS], vec![TASKS]] {
        let scene = Scene::planning(&["a"]);
        scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
        killed_before_removal(&scene, &left, |scene| drop(scene.ok(TaskClose, json!({}))));
        let answer = scene.ok(TaskClose, json!({}));
        assert_eq!(answer["total_cycles"], 1, "{left:?}");
        assert!(!scene.exists(PLAN) && !scene.exists(TASKS));
        assert_eq!(scene.json(HISTORY)["cycles"].as_array().map(Vec::len), Some(1));
    }
}

/// The same for a plan_start that was killed before the new plan was there.
#[test]
fn nx_024_killed_start_is_not_archived_twice() {
    let scene = Scene::planning(&["a"]);
    let start = json!({"topic": "N", "issues": [], "research_summary": ""});
    killed_before_removal(&scene, &[PLAN], |scene| drop(scene.ok(PlanStart, start.clone())));
    let answer = scene.ok(PlanStart, start);
    assert_eq!((&answer["plan_id"], &answer["previousArchived"]), (&json!(2), &json!(true)));
    assert_eq!(scene.json(HISTORY)["cycles"].as_array().map(Vec::len), Some(1));
    assert_eq!(scene.ok(PlanStatus, json!({}))["topic"], "N");
}

/// After a killed plan_start a task_close archives the tasks alone, and says what it found.
#[test]
fn nx_024_killed_start_before_a_close_leaves_each_plan_once() {
    let scene = Scene::planning(&["a"]);
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    let start = json!({"topic": "N", "issues": [], "research_summary": ""});
    killed_before_removal(&scene, &[PLAN], |scene| drop(scene.ok(PlanStart, start)));
    scene.ok(TaskClose, json!({}));
    let history = scene.json(HISTORY);
    assert_eq!(
        (history["cycles"][0]["plan"].is_object(), &history["cycles"][1]["plan"]),
        (true, &json!(null))
    );
    assert_eq!(history["cycles"][1]["tasks"].as_array().map(Vec::len), Some(1));
    assert!(scene.workspace.take_notes().concat().contains("interrupted"));
}

/// After a killed task_close a plan_start leaves no archived task to the new plan.
#[test]
fn nx_024_nx_096_killed_close_before_a_start_leaves_no_task() {
    let scene = Scene::planning(&["a"]);
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    killed_before_removal(&scene, &[PLAN, TASKS], |scene| drop(scene.ok(TaskClose, json!({}))));
    let start = json!({"topic": "N", "issues": [], "research_summary": ""});
    assert_eq!(scene.ok(PlanStart, start)["plan_id"], 2);
    assert!(!scene.exists(TASKS));
    assert_eq!(scene.json(HISTORY)["cycles"].as_array().map(Vec::len), Some(1));
}

/// The same list written anew by someone else is a cycle of its own.
#[test]
fn nx_096_equal_lists_are_two_cycles() {
    let tasks = json!({"goal": "g", "decisions": [], "tasks": [{"id": 1, "title": "t", "context": "c", "status": "pending", "deps": []}]});
    let scene = Scene::with(&[(TASKS, tasks.clone())]);
    scene.ok(TaskClose, json!({}));
    scene.write(TASKS, tasks.to_string());
    let later =
        fs::metadata(scene.path(HISTORY)).unwrap().modified().unwrap() + std::time::Duration::from_millis(5);
    fs::File::options().append(true).open(scene.path(TASKS)).unwrap().set_modified(later).unwrap();
    assert_eq!(scene.ok(TaskClose, json!({}))["total_cycles"], 2);
}

/// Old cycles keep their bytes, whoever wrote them and however.
#[test]
fn nx_111_nx_140_old_cycles_are_never_touched() {
    let old = "{ \"cycles\" : [\n\t{\"completed_at\":\"x\",\"extra\":1.50,  \"plan\":null}\n] ,\"later\":{\"a\":[]} }";
    let scene = Scene::new();
    scene.write(HISTORY, old);
    assert_eq!(scene.ok(TaskClose, json!({}))["total_cycles"], 2);
    let text = fs::read_to_string(scene.path(HISTORY)).unwrap();
    assert!(text.contains("{\"completed_at\":\"x\",\"extra\":1.50,  \"plan\":null}"), "{text}");
    let file: Value = scene.json(HISTORY);
    assert_eq!(file["later"], json!({"a": []}));
    assert_eq!(file["cycles"].as_array().map(Vec::len), Some(2));
}
