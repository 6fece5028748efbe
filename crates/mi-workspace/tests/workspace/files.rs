//! Groups A, L and M: artifacts, the folder and what may be in it.

use crate::support::{HISTORY, PLAN, Scene, TASKS};
use mi_workspace::{
    Artifact,
    Tool::{self, *},
};
use serde_json::json;
use std::fs;

/// Eleven, by the contract's names.
#[test]
fn nx_001_nx_002_eleven_tools() {
    let names: Vec<&str> = Tool::ALL.iter().map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        [
            "plan_start",
            "plan_status",
            "plan_update",
            "plan_decide",
            "task_list",
            "task_add",
            "task_update",
            "task_close",
            "history_search",
            "context",
            "artifact_write",
        ]
    );
}

/// An absolute path comes back; folders are made; a second write replaces; the bytes are the text.
#[test]
fn nx_125_nx_126_nx_127_artifact_write() {
    let scene = Scene::new();
    for content in ["# Plan 计划\n", ""] {
        let answer = scene.ok(ArtifactWrite, json!({"filename": "notes/deep/a.md", "content": content}));
        let path = scene.path(".nexus/state/artifacts/notes/deep/a.md");
        assert_eq!(answer, json!({"success": true, "path": path.to_str()}));
        assert_eq!(fs::read_to_string(path).unwrap(), content);
    }
    scene.ok(ArtifactWrite, json!({"filename": "b.json", "content": "{}"}));
    let list = scene.workspace.artifacts().unwrap();
    let artifact = |name: &str, bytes| Artifact { name: name.to_owned(), bytes };
    assert_eq!(list, [artifact("b.json", 2), artifact("notes/deep/a.md", 0)]);
}

/// Names that leave the folder, and parameters that are missing or wrong.
#[test]
fn nx_129_artifact_names_stay_inside() {
    let cases = [
        (json!({"filename": "../a", "content": ""}), "`..` would leave the folder"),
        (json!({"filename": "/etc/x", "content": ""}), "it is an absolute path"),
        (json!({"filename": "", "content": ""}), "it names no file"),
        (json!({"filename": "a\u{0}b", "content": ""}), "it names no file"),
        (json!({"filename": "a"}), "content is required"),
        (json!({"content": ""}), "filename is required"),
        (json!({"filename": "a", "content": 1}), "content must be a string"),
        (json!({"filename": ["a"], "content": ""}), "filename must be a string"),
    ];
    for (arguments, expected) in cases {
        let scene = Scene::new();
        let error = scene.error(ArtifactWrite, arguments);
        assert!(error.contains(expected), "{error}");
        assert_eq!(scene.files().len(), 1);
    }
}

/// The ignore file is made with the state folder, never changed, and hides state alone.
#[test]
fn nx_136_nx_137_nx_155_ignore_file() {
    let scene = Scene::new();
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    assert_eq!(fs::read_to_string(scene.path(".nexus/.gitignore")).unwrap(), "state/\n");
    let scene = Scene::new();
    scene.write(".nexus/.gitignore", "state/\nmine\n");
    scene.ok(TaskClose, json!({}));
    assert_eq!(fs::read_to_string(scene.path(".nexus/.gitignore")).unwrap(), "state/\nmine\n");
}

/// A whole session touches only the files that are the tools' own, and leaves no helper file behind.
#[test]
fn nx_010_nx_011_nx_135_nx_161_nx_392_nx_393_only_the_tools_own_files() {
    let scene = Scene::planning(&["a"]);
    scene.ok(PlanUpdate, json!({"action": "add", "title": "b"}));
    scene.ok(PlanDecide, json!({"issue_id": 1, "decision": "d"}));
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    scene.ok(TaskUpdate, json!({"id": 1, "status": "completed"}));
    scene.ok(ArtifactWrite, json!({"filename": "a.md", "content": "x"}));
    let names = |scene: &Scene| -> Vec<String> {
        let inside =
            |path: &std::path::Path| path.strip_prefix(scene.folder.path()).unwrap().display().to_string();
        scene.files().iter().filter(|(path, _)| path.is_file()).map(|(path, _)| inside(path)).collect()
    };
    assert_eq!(names(&scene), [".nexus/.gitignore", ".nexus/state/artifacts/a.md", PLAN, TASKS]);
    scene.ok(TaskClose, json!({}));
    assert_eq!(names(&scene), [".nexus/.gitignore", HISTORY, ".nexus/state/artifacts/a.md"]);
}

/// A write that fails leaves nothing, not even the folder that it would have needed.
#[test]
fn nx_126_a_failed_artifact_leaves_no_folder() {
    let scene = Scene::new();
    let name = format!("new/deep/{}", "x".repeat(300));
    scene.error(ArtifactWrite, json!({"filename": name, "content": "x"}));
    assert!(!scene.exists(".nexus/state/artifacts"));
}

/// Ids that cannot be told apart are never given out: there is none behind the highest number.
#[test]
fn nx_078_no_id_is_given_twice() {
    let tasks = json!({"goal": "", "decisions": [], "tasks": [{"id": u64::MAX, "title": "t", "context": "c", "status": "pending", "deps": []}]});
    let scene = Scene::with(&[(TASKS, tasks)]);
    let error = scene.error(TaskAdd, json!({"title": "t", "context": "c"}));
    assert!(error.contains("no id left"), "{error}");
}

/// Two servers on one project see each other's work at once.
#[test]
fn nx_017_state_is_read_fresh() {
    let scene = Scene::new();
    let other = scene.other();
    let add = json!({"title": "t", "context": "c"});
    for expected in 1..=40_u64 {
        let writer = if expected % 3 == 0 { &other } else { &scene.workspace };
        let task = writer.call(TaskAdd, &add, crate::support::now()).unwrap();
        assert_eq!(task["task"]["id"], expected);
        if expected % 7 == 0 {
            other
                .call(TaskUpdate, &json!({"id": expected, "status": "completed"}), crate::support::now())
                .unwrap();
        }
    }
    assert_eq!(scene.ok(TaskList, json!({}))["summary"]["completed"], 5);
}
