//! `.nexus` on a disk that is full or read-only: one clear error, nothing half-written, nothing lost.

use mi_test_support::{McpClient, Mi, MiOutput, SmallDisk, TempHome};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A project on a disk of its own, with a plan, tasks, a history, an artifact, a note and a tracker.
struct Scene {
    home: TempHome,
    project: PathBuf,
    disk: SmallDisk,
}

/// A command line, and what it reads.
type Line = (&'static [&'static str], Option<Value>);

impl Scene {
    fn new() -> Option<Self> {
        let home = TempHome::new();
        let project = home.path().join("disk");
        fs::create_dir_all(&project).unwrap();
        let disk = SmallDisk::mount(&project, 512)?;
        let scene = Self { home, project, disk };
        let lines: Vec<Line> = vec![
            (&["plan", "start", "First", "--issue", "a"], None),
            (&["task", "close"], None),
            (&["plan", "start", "Second", "--issue", "a", "--issue", "b"], None),
            (&["plan", "decide", "1", "Change src/a.rs"], None),
            (&["task", "add", "One", "--context", "c"], None),
            (&["artifact", "write", "report.md"], Some(json!("kept"))),
            (&["memory", "save", "empirical-lock-order", "Take the plan lock first."], None),
            (&["hook", "session-start"], Some(json!({"harness_id": "h"}))),
            (
                &["hook", "agent-spawn"],
                Some(json!({"harness_id": "h", "agent_id": "one", "agent_name": "engineer"})),
            ),
            (&["hook", "post-tool-use"], Some(json!({"harness_id": "h", "tool": "Edit", "file_path": "a"}))),
        ];
        for (arguments, input) in lines {
            scene.run(arguments, input.as_ref()).expect_exit(0);
        }
        Some(scene)
    }

    fn run(&self, arguments: &[&str], input: Option<&Value>) -> MiOutput {
        let mi = Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(&self.project);
        mi.stdin(input.map(Value::to_string).unwrap_or_default()).run(arguments)
    }

    /// Every file below `.nexus` with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut folders, mut files) = (vec![self.project.join(".nexus")], BTreeMap::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    fn server(&self) -> McpClient {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mi"));
        command.args(["mcp", "--cd"]).arg(&self.project);
        McpClient::connect(&mut command)
    }
}

const LONG: &str = include_str!("nexus_disk.rs");

/// Commands that write, each more than fits into a page that is there.
fn writing() -> Vec<Line> {
    let spawn = json!({"harness_id": "h", "agent_id": LONG, "agent_name": "engineer"});
    let log = json!({"harness_id": "h", "tool": "Edit", "file_path": LONG});
    let memory_read = json!({"harness_id": "h", "file_path": ".nexus/memory/empirical-lock-order.md", "reader_identity": LONG});
    vec![
        (&["task", "add", "Two", "--context", LONG], None),
        (&["task", "update", "1", "completed"], None),
        (&["plan", "add", LONG], None),
        (&["plan", "decide", "2", LONG], None),
        (&["plan", "start", LONG, "--issue", "x"], None),
        (&["plan", "synthesize", "--apply"], None),
        (&["artifact", "write", "new/report.md"], Some(json!(LONG))),
        (&["artifact", "write", "report.md"], Some(json!(LONG))),
        (&["memory", "save", "pattern-flaky-tests", LONG, "--new", "--force"], None),
        (&["memory", "save", "empirical-lock-order", "Flush the folder once.", "--merge"], None),
        (&["hook", "session-start"], Some(json!({"harness_id": "other"}))),
        (&["hook", "agent-spawn"], Some(spawn)),
        (
            &["hook", "agent-complete"],
            Some(json!({"harness_id": "h", "agent_id": "one", "last_message": LONG})),
        ),
        (&["hook", "post-tool-use"], Some(log)),
        (&["hook", "memory-read"], Some(memory_read)),
        (&["task", "close"], None),
    ]
}

/// A full disk refuses what needs room, by name, and leaves every file as it was; with room again all of it works.
#[test]
fn nx_017_full_disk_is_said_and_nothing_is_half_written() {
    let Some(scene) = Scene::new() else { return };
    let filler = scene.disk.fill();
    let before = scene.files();
    for (arguments, input) in writing() {
        let output = scene.run(arguments, input.as_ref());
        let what = &arguments[..2];
        assert_eq!(output.code(), Some(1), "{what:?}: {}", output.out());
        assert!(output.err().contains("the disk is full: free some space"), "{what:?}: {}", output.err());
        assert_eq!(scene.files(), before, "{what:?}");
    }
    let mut server = scene.server();
    let refused = server.call("nx_task_add", &json!({"title": "t", "context": LONG}));
    assert!(refused["isError"] == true && refused.to_string().contains("the disk is full"), "{refused}");
    assert_eq!(scene.files(), before);
    fs::remove_file(filler).unwrap();
    assert_eq!(server.returned("nx_task_add", &json!({"title": "t", "context": LONG}))["task"]["id"], 2);
    for (arguments, input) in writing() {
        scene.run(arguments, input.as_ref()).expect_exit(0);
    }
    for (path, bytes) in scene.files() {
        if path.extension().is_some_and(|extension| extension == "json") {
            serde_json::from_slice::<Value>(&bytes)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

/// A read-only disk can be read; who writes is told what stands in the way.
#[test]
fn nx_008_nx_017_read_only_disk_can_be_read() {
    let Some(scene) = Scene::new() else { return };
    scene.disk.make_read_only();
    let before = scene.files();
    for (arguments, input) in writing() {
        let output = scene.run(arguments, input.as_ref());
        let what = &arguments[..2];
        assert_eq!(output.code(), Some(1), "{what:?}: {}", output.out());
        assert!(
            output.err().contains("(the disk is read-only: make it writable"),
            "{what:?}: {}",
            output.err()
        );
    }
    for arguments in [
        &["plan", "status"][..],
        &["plan", "synthesize"],
        &["task", "list"],
        &["history", "search", "First"],
        &["context"],
        &["artifact", "list"],
        &["memory", "list"],
        &["memory", "search", "lock"],
        &["memory", "gc"],
    ] {
        scene.run(arguments, None).expect_exit(0);
    }
    assert_eq!(scene.files(), before);
    let native = json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": scene.project});
    let native = scene.run(&["hook", "post-tool-use", "--harness", "claude"], Some(&native));
    assert_eq!(native.code(), Some(1), "exit 2 would block the agent: {}", native.err());
    assert!(Path::new(&scene.project).join(".nexus").is_dir());
}
