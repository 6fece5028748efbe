//! Long lists: in place where that is safe, cut ends repaired, nothing complete lost.

use crate::support::{HISTORY, NOW, Scene, TASKS, now};
use mi_workspace::Tool::{HistorySearch, TaskAdd, TaskClose, TaskList};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::MetadataExt};

fn add(scene: &Scene, title: &str) -> Value {
    scene.ok(TaskAdd, json!({"title": title, "context": "c"}))
}

/// Tasks of every length, in one process and in a new one each time, are all there and in order.
#[test]
fn nx_076_every_added_task_is_there() {
    let scene = Scene::new();
    for index in 0..200_usize {
        let title = "x\"\\\né汉".repeat(1 + index * 37 % 300);
        let call = json!({"title": title, "context": index.to_string()});
        let workspace = if index % 5 == 0 { &scene.other() } else { &scene.workspace };
        workspace.call(TaskAdd, &call, now()).unwrap();
    }
    let list = scene.json(TASKS);
    let tasks = list["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 200);
    for (index, task) in tasks.iter().enumerate() {
        assert_eq!((&task["id"], &task["context"]), (&json!(index + 1), &json!(index.to_string())));
        assert_eq!(task["title"], "x\"\\\né汉".repeat(1 + index * 37 % 300));
    }
}

/// Short tasks share a page: most are written without replacing the file, and the file stays one of whole pages.
#[test]
fn nx_017_short_tasks_are_written_in_place() {
    let scene = Scene::new();
    let mut replaced = 0;
    let mut last = 0;
    for index in 0..100 {
        add(&scene, &format!("task {index}"));
        let metadata = fs::metadata(scene.path(TASKS)).unwrap();
        assert_eq!(metadata.len() % 4096, 0);
        replaced += usize::from(metadata.ino() != last);
        last = metadata.ino();
    }
    assert!(replaced < 12, "{replaced} of 100");
    assert!(fs::read(scene.path(TASKS)).unwrap().ends_with(b" \n"));
}

/// A write that a power loss cut: readers and writers go on with every complete task and say so.
#[test]
fn nx_017_torn_tail_of_tasks_is_cut_back() {
    let scene = Scene::new();
    for index in 0..5 {
        add(&scene, &format!("task {index}"));
    }
    let whole = fs::read(scene.path(TASKS)).unwrap();
    let end = whole.windows(6).rposition(|window| window == b"\n  ]\n}").unwrap();
    for torn in [
        &b",\n    {\"id\":6,\"title\":\"ab"[..],
        b",\n    {\"id\":6,\"title\":\"a]}\",\"x\":[{",
        b",\n    {\"a",
    ] {
        let mut bytes = whole.clone();
        bytes[end..end + torn.len()].copy_from_slice(torn);
        scene.write(TASKS, &bytes);
        let list = scene.ok(TaskList, json!({}));
        assert_eq!(list["tasks"].as_array().map(Vec::len), Some(5));
        assert_eq!(scene.workspace.take_notes().len(), 1);
        assert_eq!(fs::read(scene.path(TASKS)).unwrap(), bytes, "a reader repairs nothing");
        assert_eq!(add(&scene, "after")["task"]["id"], 6);
        let notes = scene.workspace.take_notes();
        assert!(notes.len() == 1 && notes[0].contains("every complete task is kept"), "{notes:?}");
        assert_eq!(scene.json(TASKS)["tasks"].as_array().map(Vec::len), Some(6));
    }
}

fn long_history(cycles: usize) -> Scene {
    let cycle = json!({"schema_version": "0.5", "completed_at": NOW, "branch": "main", "plan": null,
                       "tasks": [{"id": 1, "title": "filler ".repeat(200), "context": "c", "status": "completed", "deps": []}]});
    Scene::with(&[(HISTORY, json!({"schema_version": "0.5", "cycles": vec![cycle; cycles]}))])
}

/// A long history grows at its end, in place.
#[test]
fn nx_140_long_history_grows_in_place() {
    let scene = long_history(1000);
    let before = fs::read(scene.path(HISTORY)).unwrap();
    let inode = fs::metadata(scene.path(HISTORY)).unwrap().ino();
    add(&scene, "one");
    assert_eq!(scene.ok(TaskClose, json!({}))["total_cycles"], 1001);
    assert_eq!(scene.ok(TaskClose, json!({}))["total_cycles"], 1002);
    let after = fs::read(scene.path(HISTORY)).unwrap();
    assert_eq!(after[..before.len() - 2], before[..before.len() - 2], "all but the two closing brackets");
    assert_eq!(fs::metadata(scene.path(HISTORY)).unwrap().ino(), inode);
    assert_eq!(scene.json(HISTORY)["cycles"].as_array().map(Vec::len), Some(1002));
}

/// A cycle that was cut while it was added: the complete ones stay, and closing again archives it.
#[test]
fn nx_140_torn_tail_of_history_is_cut_back() {
    let scene = long_history(1000);
    scene.ok(TaskClose, json!({}));
    add(&scene, "kept");
    let mut bytes = fs::read(scene.path(HISTORY)).unwrap();
    let end = bytes.windows(6).rposition(|window| window == b"\n  ]\n}").unwrap();
    bytes.truncate(end);
    bytes.extend_from_slice(b",\n    {\"schema_version\":\"0.5\",\"completed_at\":\"20");
    scene.write(HISTORY, &bytes);
    assert_eq!(scene.ok(HistorySearch, json!({"query": "no such text"}))["total"], 0);
    assert_eq!(scene.ok(HistorySearch, json!({}))["total"], 1001);
    assert_eq!(scene.workspace.take_notes().len(), 2);
    assert_eq!(scene.ok(TaskClose, json!({}))["total_cycles"], 1002);
    assert_eq!(scene.json(HISTORY)["cycles"][1001]["tasks"][0]["title"], "kept");
}
