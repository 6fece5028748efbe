//! `mi hook` with flat JSON: sessions, agents, messages, bad input.

use mi_test_support::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A project and a home for hook calls; `h` is the harness.
pub struct Place {
    home: TempHome,
    pub project: TempProject,
}

impl Place {
    pub fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::no_tests() }
    }

    pub fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    /// A call that must succeed; its answer.
    #[track_caller]
    pub fn hook(&self, event: &str, payload: Value) -> Value {
        self.raw(&[event, "--harness-id", "h"], payload.to_string()).expect_exit(0).json()
    }

    pub fn raw(&self, words: &[&str], input: impl Into<Vec<u8>>) -> MiOutput {
        self.mi().stdin(input).run(["hook"].iter().chain(words))
    }

    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.project.read(path)).unwrap()
    }

    pub fn exists(&self, path: &str) -> bool {
        self.project.path().join(path).exists()
    }
}

const TRACKER: &str = ".nexus/state/h/agent-tracker.json";

/// A start makes the folders, the ignore file and an empty tracker, and removes the legacy one.
#[test]
fn nx_181_nx_182_nx_184_session_start_prepares_the_folders() {
    let place = Place::new();
    place.project.write(".nexus/state/agent-tracker.json", "[]");
    let answer = place.hook("session-start", json!({}));
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["event"], "session_start");
    assert_eq!(place.json(TRACKER), json!([]));
    assert_eq!(place.project.read(".nexus/.gitignore"), "state/\n");
    assert!(!place.exists(".nexus/state/agent-tracker.json"));
    place.project.write(".nexus/.gitignore", "mine\n");
    place.hook("session_start", json!({}));
    assert_eq!(place.project.read(".nexus/.gitignore"), "mine\n", "never overwritten");
}

/// What an earlier session left is told, and the project's documents are listed.
#[test]
fn nx_185_nx_186_session_start_tells_leftovers_and_knowledge() {
    let place = Place::new();
    place.project.write(".nexus/memory/pattern-x.md", "x");
    place.project.write(".nexus/rules/style.md", "x");
    place.project.write(".nexus/state/plan.json", json!({"id": 1, "topic": "T", "issues": []}).to_string());
    place.project.write(".nexus/state/tasks.json", "{ torn");
    let answer = place.hook("session-start", json!({}));
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("plan.json") && warnings.contains("tasks.json` is malformed"), "{warnings}");
    assert_eq!(answer["knowledge"]["memory"], json!([".nexus/memory/pattern-x.md"]));
    assert!(answer["additional_context"].as_str().unwrap().contains(".nexus/rules/style.md"));
    assert_eq!(place.project.read(".nexus/state/tasks.json"), "{ torn");
}

/// Spawn, complete and resume change exactly their entry.
#[test]
fn nx_192_nx_197_nx_199_nx_221_nx_222_nx_223_nx_224_nx_228_an_agents_life() {
    let place = Place::new();
    let mi = |now: &str| place.mi().env("MI_NOW", now);
    let call = |now: &str, words: &[&str], payload: Value| {
        mi(now).stdin(payload.to_string()).run(["hook"].iter().chain(words)).expect_exit(0)
    };
    call(
        "2026-01-01T10:00:00Z",
        &["agent-spawn"],
        json!({"harness_id": "h", "agent_name": "engineer", "agent_id": "a1"}),
    );
    assert_eq!(
        place.json(TRACKER),
        json!([{"harness_id": "h", "agent_name": "engineer", "agent_id": "a1", "started_at": "2026-01-01T10:00:00.000Z", "resume_count": 0, "status": "running"}])
    );
    let done = json!({"agent_id": "a1", "last_message": "done", "files_touched": ["src/a.rs"]});
    mi("2026-01-01T11:00:00Z")
        .env("NEXUS_HARNESS_ID", "h")
        .stdin(done.to_string())
        .run(["hook", "agent_complete"])
        .expect_exit(0);
    call("2026-01-01T12:00:00Z", &["agent-resume", "--harness-id=h"], json!({"agent_id": "a1"}));
    assert_eq!(
        place.json(TRACKER),
        json!([{"harness_id": "h", "agent_name": "engineer", "agent_id": "a1", "started_at": "2026-01-01T10:00:00.000Z", "resume_count": 1, "status": "running", "stopped_at": "2026-01-01T11:00:00.000Z", "last_message": "done", "files_touched": ["src/a.rs"], "last_resumed_at": "2026-01-01T12:00:00.000Z"}])
    );
}

/// The payload names the harness before the flag, and the flag before the environment (C-07).
#[test]
fn c_07_who_names_the_harness() {
    let place = Place::new();
    let spawn = |payload: Value, words: &[&str]| {
        let mi = place.mi().env("NEXUS_HARNESS_ID", "by-environment").stdin(payload.to_string());
        mi.run(["hook", "agent-spawn"].iter().chain(words)).expect_exit(0)
    };
    spawn(json!({"agent_id": "1", "harness_id": "by-payload"}), &["--harness-id", "by-flag"]);
    spawn(json!({"agent_id": "1"}), &["--harness-id", "by-flag"]);
    spawn(json!({"agent_id": "1"}), &[]);
    spawn(json!({"params": {"agent_id": "1", "harness_id": "by-params"}}), &[]);
    for name in ["by-payload", "by-flag", "by-environment", "by-params"] {
        let tracker = place.json(&format!(".nexus/state/{name}/agent-tracker.json"));
        assert_eq!(tracker[0]["harness_id"], name);
    }
}

/// Fields that this version does not know, and other entries, stay as they are.
#[test]
fn nx_013_unknown_fields_and_other_agents_stay() {
    let place = Place::new();
    let entry = json!({"harness_id": "h", "started_at": "x", "agent_id": "a1", "status": "running", "mood": {"deep": [1]}});
    let other = json!({"harness_id": "h", "started_at": "y"});
    place.project.write(TRACKER, json!([other, entry]).to_string());
    place.hook("subagent-complete", json!({"agent_id": "a1"}));
    let tracker = place.json(TRACKER);
    assert_eq!(tracker[0], other);
    assert_eq!((&tracker[1]["mood"], &tracker[1]["status"]), (&json!({"deep": [1]}), &json!("completed")));
    assert_eq!(tracker[1].get("files_touched"), None, "nothing is known about it");
}

/// An agent that is not tracked: said, and nothing is changed or created.
#[test]
fn nx_227_unknown_agents_are_refused() {
    let place = Place::new();
    for event in ["agent-complete", "agent-resume"] {
        let output = place.raw(&[event, "--harness-id", "h"], r#"{"agent_id":"ghost"}"#).expect_exit(1);
        assert!(output.err().contains("no agent `ghost`") && output.err().lines().count() == 1, "{output}");
        assert_eq!(output.out(), "");
    }
    assert!(!place.exists(".nexus"));
    place.project.write(TRACKER, "[]");
    place.raw(&["agent-resume", "--harness-id", "h"], r#"{"agent_id":"ghost"}"#).expect_exit(1);
    assert_eq!(place.project.read(TRACKER), "[]");
}

/// A malformed tracker is never overwritten by an agent's event; a new session sets it aside.
#[test]
fn nx_220_a_malformed_tracker_is_never_lost() {
    let place = Place::new();
    for torn in ["[{\"agent_id\": \"a1\"", "{}", "[1]", ""] {
        place.project.write(TRACKER, torn);
        for event in ["agent-spawn", "agent-complete", "agent-resume"] {
            let output = place.raw(&[event, "--harness-id", "h"], r#"{"agent_id":"a1"}"#).expect_exit(1);
            assert!(output.err().contains("agent-tracker.json` is malformed"), "{output}");
        }
        assert_eq!(place.project.read(TRACKER), torn);
        let answer = place.hook("session-start", json!({}));
        assert!(answer["warnings"][0].as_str().unwrap().contains("set aside"), "{answer}");
        assert_eq!(place.project.read(".nexus/state/h/agent-tracker.previous.json"), torn);
        assert_eq!(place.json(TRACKER), json!([]));
    }
}

/// A session that goes on keeps its agents; a new one starts with none and keeps the old list beside it.
#[test]
fn nx_183_only_a_new_session_empties_the_tracker() {
    let place = Place::new();
    place.hook("agent-spawn", json!({"agent_id": "a1"}));
    place.hook("session-start", json!({"source": "resume"}));
    assert_eq!(place.json(TRACKER)[0]["agent_id"], "a1");
    place.hook("session-start", json!({"source": "startup"}));
    assert_eq!(place.json(TRACKER), json!([]));
    assert_eq!(place.json(".nexus/state/h/agent-tracker.previous.json")[0]["agent_id"], "a1");
}

/// An end removes the harness's own session files and nothing else, and tells what is unfinished.
#[test]
fn nx_145_nx_146_nx_150_nx_211_nx_213_nx_214_nx_226_nx_327_session_end() {
    let place = Place::new();
    let task = json!({"id": 1, "title": "t", "context": "c", "status": "pending", "deps": []});
    let kept = [
        ".nexus/history.json",
        ".nexus/memory/a.md",
        ".nexus/context/b.md",
        ".nexus/rules/c.md",
        ".nexus/state/tasks.json",
        ".nexus/state/h/tool-log.jsonl",
        ".nexus/state/h/memory-access.jsonl",
        ".nexus/state/h/mine.json",
        ".nexus/state/other/agent-tracker.json",
        ".nexus/state/artifacts/r.md",
    ];
    for path in kept {
        place.project.write(path, json!({"goal": "", "tasks": [task]}).to_string());
    }
    for path in ["agent-tracker.json", "edit-tracker.json", "reopen-tracker.json"] {
        place.project.write(&format!(".nexus/state/h/{path}"), "[]");
    }
    let answer = place.hook("session-end", json!({}));
    assert!(answer["warnings"].to_string().contains("nx_task_close"), "{answer}");
    assert!(kept.iter().all(|path| place.exists(path)));
    for path in ["agent-tracker.json", "edit-tracker.json", "reopen-tracker.json"] {
        assert!(!place.exists(&format!(".nexus/state/h/{path}")), "{path}");
    }
}

/// A tag names its skill, whose body comes with a summary; the text and the variant are passed on.
#[test]
fn nx_188_nx_190_nx_276_nx_278_a_tag_activates_its_skill() {
    let place = Place::new();
    let answer = place.hook("user-message", json!({"message": "[plan:auto] a parser"}));
    assert_eq!(
        answer["tags"],
        json!([{"tag": "plan", "trigger": "[plan:auto]", "text": "a parser", "type": "skill", "skill": "nx-plan", "variant": "auto"}])
    );
    let context = answer["additional_context"].as_str().unwrap();
    assert!(context.contains("nx_plan_start") && context.contains("No plan is open."), "{context}");
    assert!(!context.contains("{{"), "macros are expanded: {context}");
    let compact = place.hook("context-compact", json!({}));
    assert_eq!(compact["skill"], "nx-plan");
    assert!(compact["additional_context"].as_str().unwrap().contains("nx_plan_start"));
    place.hook("session-end", json!({}));
    assert_eq!(
        place.hook("context-compact", json!({})).get("skill"),
        None,
        "a skill ends with its session (NX-278)"
    );
}

/// An inline action gets the text after it; no skill is active.
#[test]
fn nx_148_nx_189_nx_281_inline_actions() {
    let place = Place::new();
    for (message, handler, variant) in [
        ("[m] keep it", "memory_store", None),
        ("[m:gc]", "memory_gc", None),
        ("[rule:naming] x", "rule_store", Some("naming")),
    ] {
        let answer = place.hook("user-message", json!({"message": message}));
        assert_eq!(answer["tags"][0]["handler"], handler);
        assert_eq!(answer["tags"][0].get("variant").and_then(Value::as_str), variant);
        assert_eq!(answer["recorded"], json!([]));
        assert!(answer["additional_context"].as_str().unwrap().contains(handler));
    }
}

/// Without a tag nothing is injected and nothing written.
#[test]
fn nx_191_no_tag_leaves_the_message_alone() {
    let place = Place::new();
    let answer = place.hook("user-message", json!({"message": "please fix `[run]` in a[0]"}));
    assert_eq!(
        answer,
        json!({"ok": true, "event": "user_message", "recorded": [], "warnings": [], "decision": "allow", "tags": []})
    );
    assert!(!place.exists(".nexus"));
}

/// `[d]` is blocked while no plan is open.
#[test]
fn nx_279_d_needs_a_plan() {
    let place = Place::new();
    let answer = place.hook("user-message", json!({"message": "[d] the second"}));
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("[d] is valid only in a plan session"));
    place.project.write(
        ".nexus/state/plan.json",
        json!({"id": 1, "topic": "T", "issues": [{"id": 1, "title": "I", "status": "pending"}]}).to_string(),
    );
    let answer = place.hook("user-message", json!({"message": "[d] the second"}));
    assert_eq!(answer["decision"], "allow");
    assert!(answer["additional_context"].as_str().unwrap().contains("the second"));
}

/// Whether to resume is answered before and while an agent is started; edits in between mean fresh (C-13).
#[test]
fn nx_195_nx_235_resuming_is_decided_at_the_start() {
    let place = Place::new();
    let wish = json!({"agent_name": "engineer", "target_files": ["src/a.rs"]});
    assert_eq!(place.hook("agent-spawn", wish.clone())["resume"]["decision"], "fresh");
    assert!(!place.exists(".nexus"), "a question records nothing");
    place.hook("agent-spawn", json!({"agent_name": "engineer", "agent_id": "e1"}));
    place.hook("agent-complete", json!({"agent_id": "e1", "files_touched": ["./src/a.rs"]}));
    let absolute = place.project.path().canonicalize().unwrap().join("src/a.rs");
    let answer = place.hook("agent-spawn", json!({"agent_name": "engineer", "target_files": [absolute]}));
    assert_eq!(
        (&answer["resume"]["decision"], &answer["resume"]["agent_id"]),
        (&json!("resume"), &json!("e1"))
    );
    place.hook("agent-spawn", json!({"agent_name": "writer", "agent_id": "w1"}));
    place.hook("agent-complete", json!({"agent_id": "w1", "files_touched": ["src/a.rs"]}));
    let forced = json!({"agent_name": "engineer", "agent_id": "e2", "target_files": ["src/a.rs"], "owner_reuse_policy": "resume"});
    let answer = place.hook("agent-spawn", forced);
    assert_eq!(answer["resume"]["decision"], "fresh", "{answer}");
    assert_eq!(place.json(TRACKER)[2]["agent_id"], "e2");
}

/// A new agent gets its task, its limits and the index of knowledge.
#[test]
fn nx_193_nx_194_nx_196_nx_200_nx_257_a_new_agent_is_briefed() {
    let place = Place::new();
    place.project.write(".nexus/context/design.md", "x");
    let task = json!({"id": 3, "title": "Build it", "context": "why", "acceptance": "tests pass", "status": "pending", "deps": []});
    place
        .project
        .write(".nexus/state/tasks.json", json!({"goal": "", "decisions": [], "tasks": [task]}).to_string());
    let answer = place.hook("agent-spawn", json!({"agent_name": "engineer", "agent_id": "e1", "task_id": 3}));
    let context = answer["additional_context"].as_str().unwrap();
    assert!(context.starts_with("TASK: Build it\nCONTEXT: why\nACCEPTANCE: tests pass\n\n"), "{context}");
    assert!(context.contains("no_task_create") && context.contains(".nexus/context/design.md"), "{context}");
    assert_eq!(place.json(TRACKER)[0].get("task_id"), None, "C-04");
    let answer = place.hook("agent-complete", json!({"agent_id": "e1"}));
    assert!(answer["warnings"].to_string().contains("no tester or reviewer"), "NX-200: {answer}");
}

/// Every kind of bad input gets one line, an exit code and leaves nothing behind.
#[test]
fn bad_input_changes_nothing() {
    let place = Place::new();
    let long = format!(r#"{{"agent_id":"{}"#, "a".repeat(10 << 20));
    let deep = "[".repeat(10_000);
    let cases: Vec<(&[&str], Vec<u8>, i32, &str)> = vec![
        (&["agent-spawn", "--harness-id", "h"], b"not json".to_vec(), 1, "not JSON"),
        (&["agent-spawn", "--harness-id", "h"], b"[]".to_vec(), 1, "not a JSON object"),
        (&["agent-spawn", "--harness-id", "h"], b"{\"agent_id\":\"\xff\"}".to_vec(), 1, "not JSON"),
        (&["agent-spawn", "--harness-id", "h"], long.into_bytes(), 1, "not JSON"),
        (&["agent-spawn", "--harness-id", "h"], deep.into_bytes(), 1, "not JSON"),
        (
            &["agent-spawn", "--harness-id", "h"],
            b"{\"agent_id\":\"a\",\"agent_id\":\"b\"}".to_vec(),
            1,
            "stands twice",
        ),
        (&["agent-spawn", "--harness-id", "h"], b"".to_vec(), 1, "`agent_id` is missing"),
        (&["agent-spawn", "--harness-id", "h"], b"{\"agent_id\":5}".to_vec(), 1, "`agent_id` is not a text"),
        (&["agent-spawn", "--harness-id", "h"], b"{\"agent_id\":\"\"}".to_vec(), 1, "agent_id is empty"),
        (
            &["agent-spawn", "--harness-id", "h"],
            b"{\"agent_id\":\"a\",\"agent_name\":\"An Agent\"}".to_vec(),
            1,
            "no agent name",
        ),
        (
            &["agent-spawn", "--harness-id", "h"],
            b"{\"agent_id\":\"a\",\"agent_name\":\"x\",\"owner_reuse_policy\":\"maybe\"}".to_vec(),
            1,
            "owner_reuse_policy",
        ),
        (
            &["agent-complete", "--harness-id", "h"],
            b"{\"agent_id\":\"a\",\"files_touched\":\"x\"}".to_vec(),
            1,
            "`files_touched` is not a list",
        ),
        (&["user-message", "--harness-id", "h"], b"{}".to_vec(), 1, "`message` is missing"),
        (&["post-tool-use", "--harness-id", "h"], b"{}".to_vec(), 1, "`tool` is missing"),
        (&["memory-read", "--harness-id", "h"], b"{}".to_vec(), 1, "`file_path` is missing"),
        (&["agent-spawn"], b"{\"agent_id\":\"a\"}".to_vec(), 2, "no harness is named"),
        (
            &["agent-spawn", "--harness-id", "../x"],
            b"{\"agent_id\":\"a\"}".to_vec(),
            2,
            "is not a harness id",
        ),
        (
            &["agent-spawn", "--cd", "nowhere", "--harness-id", "h"],
            b"{\"agent_id\":\"a\"}".to_vec(),
            2,
            "there is no folder",
        ),
        (&["fly", "--harness-id", "h"], b"{}".to_vec(), 2, "`fly` is no event"),
        (&["stop", "--harness", "vim"], b"{}".to_vec(), 1, "no known harness"),
        (&["stop", "--harness", "claude"], b"".to_vec(), 1, "not JSON"),
    ];
    for (words, input, code, reason) in cases {
        let output = place.raw(words, input).expect_exit(code);
        assert!(output.err().contains(reason), "{words:?}: {output}");
        assert_eq!((output.out().as_str(), output.err().lines().count()), ("", 1), "{output}");
        assert!(!place.exists(".nexus"), "{words:?}");
    }
}

/// A link in the place of a folder is not followed; a folder in the place of a file is told.
#[test]
fn links_and_folders_in_the_way_are_refused() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.project.path().join(".nexus/state")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), place.project.path().join(".nexus/state/h")).unwrap();
    for (event, payload) in [
        ("session-start", "{}"),
        ("agent-spawn", r#"{"agent_id":"a"}"#),
        ("post-tool-use", r#"{"tool":"Read"}"#),
    ] {
        place.raw(&[event, "--harness-id", "h"], payload).expect_exit(1);
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    fs::create_dir_all(place.project.path().join(".nexus/state/i/agent-tracker.json")).unwrap();
    let output = place.raw(&["agent-spawn", "--harness-id", "i"], r#"{"agent_id":"a"}"#).expect_exit(1);
    assert!(output.err().contains("a folder stands where a file should be"), "{output}");
}

/// Many calls at once lose nothing.
#[test]
fn fifty_hooks_at_once_lose_nothing() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for worker in 0..10 {
            let place = &place;
            scope.spawn(move || {
                for call in 0..5 {
                    place.hook("agent-spawn", json!({"agent_id": format!("{worker}-{call}")}));
                    place.hook("post-tool-use", json!({"tool": "Edit", "file_path": format!("{worker}.rs")}));
                }
            });
        }
    });
    assert_eq!(place.json(TRACKER).as_array().unwrap().len(), 50);
    let log = place.project.read(".nexus/state/h/tool-log.jsonl");
    assert_eq!(log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 50);
}

/// Help names every event; flags before `hook` work too.
#[test]
fn help_and_flags_before_the_command() {
    let place = Place::new();
    let help = place.raw(&["--help"], "").expect_exit(0).out();
    assert!(help.contains("agent-spawn") && help.contains("--harness-id"), "{help}");
    let other = TempProject::no_tests();
    let folder = other.path().to_str().unwrap();
    let mi = place.mi().stdin("{}");
    mi.run(["--cd", folder, "hook", "session-start", "--harness-id", "h"]).expect_exit(0);
    assert!(Path::new(folder).join(TRACKER).exists() && !place.exists(".nexus"));
}
