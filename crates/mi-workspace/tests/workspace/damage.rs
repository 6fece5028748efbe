//! Files that are not what they should be: told clearly, never written over, never followed out of the project.

use crate::support::{HISTORY, NOW, PLAN, Scene, TASKS};
use mi_workspace::Tool::{self, *};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink};

/// Every operation that touches a file, with arguments that would work.
fn users(file: &str) -> Vec<(Tool, Value)> {
    let start = (PlanStart, json!({"topic": "T", "issues": ["a"], "research_summary": ""}));
    let close = (TaskClose, json!({}));
    match file {
        PLAN => vec![
            start,
            (PlanStatus, json!({})),
            (PlanUpdate, json!({"action": "add", "title": "x"})),
            (PlanDecide, json!({"issue_id": 1, "decision": "d"})),
            close,
        ],
        TASKS => vec![
            (TaskAdd, json!({"title": "t", "context": "c"})),
            (TaskAdd, json!({"title": "t", "context": "c", "goal": "g"})),
            (TaskList, json!({})),
            (TaskUpdate, json!({"id": 1, "status": "completed"})),
            close,
        ],
        _ => vec![start, close, (HistorySearch, json!({"query": "x"}))],
    }
}

/// Malformed, truncated, empty, not UTF-8, of another shape: one error that names the file; nothing changes.
#[test]
fn nx_017_damaged_files_are_named_and_left_alone() {
    let list = |file: &str| match file {
        PLAN => "issues",
        TASKS => "tasks",
        _ => "cycles",
    };
    for file in [PLAN, TASKS, HISTORY] {
        let list = list(file);
        let damaged: Vec<Vec<u8>> = vec![
            b"".to_vec(),
            b"not json".to_vec(),
            format!("{{\"{list}\": [").into_bytes(),
            format!("{{\"{list}\": [{{\"id\": 1, \"ti").into_bytes(),
            format!("{{\n  \"{list}\": [\n    {{\"id\":1}},\n    {{\"id\":2,\"ti").into_bytes(),
            format!("{{\"{list}\": [{{\"id\": }}]}}").into_bytes(),
            format!("{{\"{list}\": [{{\"id\": 1}}]}} more").into_bytes(),
            format!("{{\"{list}\": 7}}").into_bytes(),
            format!("{{\"{list}\": [7]}}").into_bytes(),
            b"[]".to_vec(),
            b"\xff\xfe{}".to_vec(),
        ];
        for bytes in damaged {
            let scene = Scene::new();
            scene.write(file, &bytes);
            fs::create_dir_all(scene.path(".nexus/state")).unwrap();
            for (tool, arguments) in users(file) {
                let before = scene.files();
                // A search need not look into what cannot match.
                match scene.call(tool, arguments.clone()) {
                    Err(error) => {
                        let name = file.rsplit('/').next().unwrap();
                        assert!(error.contains(name) && error.contains("nothing was written"), "{error}");
                    }
                    Ok(_) => assert_eq!(tool, HistorySearch, "{}", String::from_utf8_lossy(&bytes)),
                }
                assert_eq!(scene.files(), before, "{tool:?} on {}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

/// A folder where a file should be, and a file where a folder should be.
#[test]
fn nx_128_folder_in_the_place_of_a_file() {
    for file in [PLAN, TASKS, HISTORY] {
        let scene = Scene::new();
        fs::create_dir_all(scene.path(file)).unwrap();
        fs::create_dir_all(scene.path(".nexus/state")).unwrap();
        for (tool, arguments) in users(file) {
            let error = scene.error(tool, arguments);
            assert!(error.contains("a folder stands where a file should be"), "{tool:?}: {error}");
        }
    }
    let scene = Scene::new();
    scene.write(".nexus", "");
    for (tool, arguments) in users(TASKS) {
        let error = scene.error(tool, arguments);
        assert!(error.contains("a file stands where a folder should be"), "{tool:?}: {error}");
    }
    let scene = Scene::new();
    fs::create_dir_all(scene.path(".nexus/state/artifacts/report.md")).unwrap();
    let error = scene.error(ArtifactWrite, json!({"filename": "report.md", "content": "x"}));
    assert!(error.contains("a folder stands where a file should be"), "{error}");
}

/// A newer minor version is kept as it is; a newer major one is read, never written.
#[test]
fn nx_013_newer_schemas() {
    let issue = json!({"id": 1, "title": "a", "status": "pending", "weight": 3});
    let plan = |version: &str| json!({"schema_version": version, "id": 1, "topic": "T", "issues": [issue], "created_at": NOW, "mood": {"x": null}});
    let task =
        json!({"id": 1, "title": "t", "context": "c", "status": "pending", "deps": [], "estimate": 2.5});
    let tasks = |version: &str| json!({"schema_version": version, "goal": "g", "decisions": [], "tasks": [task], "board": ["y"]});
    let history = |version: &str| json!({"schema_version": version, "cycles": [{"plan": null}], "index": {}});
    let files = |version: &str| {
        Scene::with(&[(PLAN, plan(version)), (TASKS, tasks(version)), (HISTORY, history(version))])
    };
    let scene = files("0.99");
    scene.ok(PlanDecide, json!({"issue_id": 1, "decision": "d"}));
    scene.ok(TaskUpdate, json!({"id": 1, "status": "completed"}));
    scene.ok(TaskAdd, json!({"title": "t", "context": "c", "decisions": ["d"]}));
    assert_eq!(scene.json(PLAN)["mood"], json!({"x": null}));
    assert_eq!(scene.json(PLAN)["issues"][0]["weight"], 3);
    assert_eq!(scene.json(PLAN)["schema_version"], "0.99");
    assert_eq!(
        (&scene.json(TASKS)["board"], &scene.json(TASKS)["tasks"][0]["estimate"]),
        (&json!(["y"]), &json!(2.5))
    );
    scene.ok(TaskClose, json!({}));
    assert_eq!(
        (&scene.json(HISTORY)["index"], &scene.json(HISTORY)["schema_version"]),
        (&json!({}), &json!("0.99"))
    );
    let scene = files("1.0");
    let before = scene.files();
    for (tool, arguments) in [PLAN, TASKS, HISTORY].into_iter().flat_map(users) {
        match scene.call(tool, arguments) {
            Ok(_) => assert!(tool.is_read_only(), "{tool:?}"),
            Err(error) => assert!(error.contains("newer than") && !tool.is_read_only(), "{tool:?}: {error}"),
        }
        assert_eq!(scene.files(), before, "{tool:?}");
    }
}

/// No link is followed: not the folders, not the files, dangling or not.
#[test]
fn nx_129_links_are_not_followed() {
    let links = [".nexus", ".nexus/state", PLAN, TASKS, HISTORY, ".nexus/state/artifacts"];
    for link in links {
        for target_exists in [true, false] {
            let (scene, outside) = (Scene::new(), tempfile::tempdir().unwrap());
            let target = outside.path().join("target");
            if target_exists && link.ends_with(".json") {
                fs::write(&target, "{}").unwrap();
            } else if target_exists {
                fs::create_dir_all(target.join("state")).unwrap();
            }
            fs::create_dir_all(scene.path(link).parent().unwrap()).unwrap();
            fs::create_dir_all(scene.path(".nexus/state")).ok();
            fs::remove_dir_all(scene.path(link)).ok();
            symlink(&target, scene.path(link)).unwrap();
            let calls = match link {
                PLAN | TASKS | HISTORY => users(link),
                ".nexus/state/artifacts" => {
                    vec![(ArtifactWrite, json!({"filename": "a.md", "content": "x"}))]
                }
                _ => [PLAN, TASKS, HISTORY].into_iter().flat_map(users).collect(),
            };
            for (tool, arguments) in calls {
                let error = scene.error(tool, arguments);
                assert!(error.contains("symbolic link"), "{link} {tool:?}: {error}");
            }
            let left: Vec<_> = walk(outside.path());
            let expected = if !target_exists {
                0
            } else if link.ends_with(".json") {
                1
            } else {
                2
            };
            assert_eq!(left.len(), expected, "{link}: {left:?}");
        }
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], walk(&path)].concat() } else { vec![path] })
        .collect()
}

/// A pipe in the place of a file does not hang the call.
#[test]
fn nx_128_pipe_in_the_place_of_a_file() {
    let scene = Scene::new();
    scene.ok(TaskAdd, json!({"title": "t", "context": "c"}));
    fs::remove_file(scene.path(TASKS)).unwrap();
    let made = std::os::unix::net::UnixListener::bind(scene.path(TASKS)).unwrap();
    for (tool, arguments) in users(TASKS) {
        let error = scene.error(tool, arguments);
        assert!(error.contains("no regular file"), "{tool:?}: {error}");
    }
    drop(made);
}
