//! What the contract says about the files themselves: when they come and go, what is in them, who may touch them.

use mi_workspace::{Tool, schema};
use serde_json::{Value, json};
use std::fs;

use super::support::{HISTORY, PLAN, Scene, TASKS};

/// Field names of an object, in their order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// `plan.json` is there from `plan_start` to `task_close`, `tasks.json` from the first `task_add`; both are one cycle.
#[test]
fn nx_138_nx_139_nx_149_a_cycle_in_files() {
    let scene = Scene::new();
    let there = || [PLAN, TASKS, HISTORY].map(|file| scene.path(file).exists());
    assert_eq!(there(), [false; 3]);
    scene.ok(Tool::PlanStart, json!({"topic": "T", "issues": ["a"], "research_summary": "R"}));
    assert_eq!(there(), [true, false, false]);
    scene.ok(Tool::TaskAdd, json!({"title": "t", "context": "c"}));
    assert_eq!(there(), [true, true, false]);
    assert_eq!(
        keys(&scene.json(PLAN)),
        ["schema_version", "id", "topic", "issues", "research_summary", "created_at"]
    );
    assert_eq!(keys(&scene.json(TASKS)), ["schema_version", "goal", "decisions", "tasks"]);
    scene.ok(Tool::TaskClose, json!({}));
    assert_eq!(there(), [false, false, true]);
    scene.ok(Tool::TaskAdd, json!({"title": "t", "context": "c"}));
    scene.ok(Tool::TaskClose, json!({}));
    assert_eq!(scene.json(HISTORY)["cycles"].as_array().unwrap().len(), 2, "several cycles, one history");
}

/// Each file and each cycle says its version; fields that were not given are left out, never null; no `decisions.json`.
#[test]
fn nx_014_nx_015_nx_061_nx_069_what_is_written() {
    let scene = Scene::planning(&["a"]);
    scene.ok(Tool::PlanDecide, json!({"issue_id": 1, "decision": "d", "how_agents": null}));
    scene.ok(Tool::TaskAdd, json!({"title": "t", "context": "c", "risk": null}));
    let version = |file: &str| scene.json(file)["schema_version"].clone();
    assert_eq!([version(PLAN), version(TASKS)], ["0.5", "0.5"]);
    assert_eq!(keys(&scene.json(PLAN)["issues"][0]), ["id", "title", "status", "decision"]);
    assert_eq!(
        keys(&scene.json(TASKS)["tasks"][0]),
        ["id", "title", "context", "status", "deps", "created_at"]
    );
    assert_eq!(
        keys(&scene.ok(Tool::TaskList, json!({}))),
        ["goal", "tasks", "summary"],
        "`exists` is for none"
    );
    assert!(!scene.path(".nexus/state/decisions.json").exists());
    scene.ok(Tool::TaskClose, json!({}));
    scene.ok(Tool::TaskClose, json!({}));
    let history = scene.json(HISTORY);
    assert_eq!(
        (&history["schema_version"], &history["cycles"][1]["schema_version"]),
        (&json!("0.5"), &json!("0.5"))
    );
    assert_eq!(history["cycles"][1]["plan"], Value::Null, "the one null that is named");
}

/// An issue goes from pending to decided and back, and has a decision only while it is decided.
#[test]
fn nx_152_issues_are_pending_or_decided() {
    let scene = Scene::planning(&["a"]);
    let issue = || scene.json(PLAN)["issues"][0].clone();
    let decide =
        || scene.ok(Tool::PlanDecide, json!({"issue_id": 1, "decision": "d"}))["allComplete"].clone();
    assert_eq!(decide(), true);
    assert_eq!((&issue()["status"], &issue()["decision"]), (&json!("decided"), &json!("d")));
    scene.ok(Tool::PlanUpdate, json!({"action": "reopen", "issue_id": 1}));
    assert_eq!(issue(), json!({"id": 1, "title": "a", "status": "pending"}));
    assert_eq!(decide(), true);
}

/// Any text is an artifact: none, several lines, other scripts, no Markdown; the bytes are those given.
#[test]
fn nx_130_artifacts_have_no_shape() {
    let scene = Scene::new();
    for content in ["", "{\"half\": ", "line\r\nline\n\n", "名\u{0}\u{feff}é"] {
        scene.ok(Tool::ArtifactWrite, json!({"filename": "x", "content": content}));
        assert_eq!(fs::read_to_string(scene.path(".nexus/state/artifacts/x")).unwrap(), content);
    }
}

/// What harnesses keep beside the common files is theirs: no tool reads, moves or removes it, and none is needed.
#[test]
fn nx_153_nx_165_nx_170_nx_171_nx_174_extension_files_are_left_alone() {
    let plan = json!({"extends": "plan.schema.json", "extension_for_plan_id": 1, "issue_extensions": {"1": {"x": 1}}});
    let files = ["plan", "tasks", "history"].map(|base| format!(".nexus/state/other/{base}.extension.json"));
    let scene = Scene::new();
    files.iter().for_each(|file| scene.write(file, plan.to_string()));
    for topic in ["One", "Two"] {
        scene.ok(Tool::PlanStart, json!({"topic": topic, "issues": ["a"], "research_summary": ""}));
        scene.ok(Tool::TaskAdd, json!({"title": "t", "context": "c"}));
    }
    scene.ok(Tool::TaskClose, json!({}));
    assert!(files.iter().all(|file| scene.json(file) == plan));
    assert!(!fs::read_to_string(scene.path(HISTORY)).unwrap().contains("extension"));
}

/// Cycles from before 0.5 have no version: a whole file with them is valid all the same, and a new one is checked.
#[test]
fn nx_154_old_cycles_are_exempt() {
    let validator = jsonschema::draft202012::new(&schema("history").unwrap()).unwrap();
    let old = json!({"completed_at": "2025-01-01", "whatever": true});
    assert!(validator.is_valid(&json!({"cycles": [old]})));
    let new = json!({"schema_version": "0.5", "completed_at": "2026-01-01T00:00:00Z", "branch": "main", "plan": null, "tasks": []});
    assert!(validator.is_valid(&json!({"cycles": [old, new]})));
    let mut bad = new;
    bad["whatever"] = true.into();
    assert!(!validator.is_valid(&json!({"cycles": [old, bad]})));
}
