//! The persona inside an agent: boot at the start of a session, proposals, automatic saves, the log at the end.

use mi_test_support::{FakeModel, Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

struct Scene {
    home: TempHome,
    project: TempProject,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { home: TempHome::new(), project: TempProject::no_tests() };
        scene.mi("08:00").run(["persona", "init"]).expect_exit(0);
        scene
    }

    fn mi(&self, time: &str) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .env("MI_NOW", format!("2026-01-10T{time}:00Z"))
            .env("TZ", "UTC")
    }

    fn hook(&self, time: &str, event: &str, fields: Value) -> MiOutput {
        self.hook_of("claude", "s1", time, event, fields)
    }

    fn hook_of(&self, harness: &str, session: &str, time: &str, event: &str, fields: Value) -> MiOutput {
        let mut payload = json!({"session_id": session, "cwd": self.project.path()});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let arguments = ["hook", event, "--harness", harness, "--gate"];
        self.mi(time).stdin(payload.to_string()).run(arguments).expect_exit(0)
    }

    fn says(&self, time: &str, text: &str) -> String {
        let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
        told(&self.hook(time, "user-message", fields))
    }

    fn wrote(&self, time: &str, file: &str) {
        let path = self.project.path().join(file);
        let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_use_id": "t1",
            "tool_input": {"file_path": path, "content": "x"}, "tool_response": {"success": true}});
        self.hook(time, "post-tool-use", fields);
    }

    fn ran(&self, time: &str, command: &str, output: &str) {
        let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t2",
            "tool_input": {"command": command}, "tool_response": {"stdout": output, "stderr": ""}});
        self.hook(time, "post-tool-use", fields);
    }

    fn stops(&self, time: &str, answer: &str) -> String {
        let fields =
            json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": answer});
        told(&self.hook(time, "stop", fields))
    }

    /// The only log of a slot, if there is one.
    fn log(&self) -> Option<String> {
        let logs = self.logs();
        assert!(logs.len() <= 1, "{logs:?}");
        logs.first().map(|path| fs::read_to_string(path).unwrap())
    }

    fn logs(&self) -> Vec<PathBuf> {
        let folder = self.home.path().join("persona/sessions/2026-01");
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_string_lossy().contains("-slot-")).collect()
    }
}

/// What the person is shown.
fn told(output: &MiOutput) -> String {
    match output.out().trim() {
        "" => String::new(),
        _ => output.json()["systemMessage"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Each agent's session begins with the boot: core files and status line for the model, the line for the person.
#[test]
fn d_02_session_start_boots_the_persona() {
    let scene = Scene::new();
    scene.home.write(
        "persona/sessions/2026-01/2026-01-09.md",
        "## completed\n- built the lexer\n## decisions\n- Use tabs\n## next steps\n- build the parser\n",
    );
    scene.home.write("persona/.self/private/n.md", "MY OWN NOTE\n");
    scene.home.write("persona/.bob/private/n.md", "BOBS NOTE\n");
    for (number, harness) in ["claude", "codex", "opencode"].into_iter().enumerate() {
        let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
        let output = scene.hook_of(harness, &format!("s{number}"), "09:00", "session-start", start);
        let said = output.out();
        for words in [
            "last session 2026-01-09: 1 completed (built the lexer)",
            "pending: build the parser",
            "core/principles.md",
            "MY OWN NOTE",
        ] {
            assert!(said.contains(words), "{harness}, {words}: {said}");
        }
        assert!(!said.contains("BOBS NOTE"), "{said}");
    }
    let second = scene.mi("09:01").run(["boot", "--json"]).expect_exit(0).json();
    assert_eq!(
        second["parallel_sessions"],
        json!(["A", "B", "C"]),
        "each session has a slot of its own: {second}"
    );
}

/// The very first session says the seed's words; without a persona nothing is said of one.
#[test]
fn d_02_first_boot_in_an_agent() {
    let scene = Scene::new();
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let said = scene.hook("09:00", "session-start", start.clone()).out();
    assert!(said.contains("First start") && said.contains("Ready."), "{said}");
    fs::remove_dir_all(scene.home.path().join("persona")).unwrap();
    let said = scene.hook("09:00", "session-start", start);
    assert!(!said.out().contains("mi boot") && said.err().is_empty(), "{said}");
}

/// A persona that does not boot is told, and the session begins all the same.
#[test]
fn d_02_missing_core_is_told_in_an_agent() {
    let scene = Scene::new();
    fs::remove_file(scene.home.path().join("persona/core/boot.md")).unwrap();
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let said = scene.hook("09:00", "session-start", start);
    assert!(told(&said).contains("core/boot.md is missing"), "{said}");
}

/// Trigger 1: the person closes; what was asked, changed and decided is in the log, with the marker and the line.
#[test]
fn d_12_closing_words_save() {
    let scene = Scene::new();
    scene.says("09:00", "fix the parser of dates");
    scene.wrote("09:01", "src/date.py");
    scene.stops("09:02", "fixed");
    assert_eq!(scene.says("09:03", "做完了"), "Auto-saved to slot-A | trigger: 1");
    let log = scene.log().unwrap();
    assert!(log.contains("- fix the parser of dates (changed src/date.py)"), "{log}");
    assert!(log.contains("<!-- mi:auto-save trigger=1 at=2026-01-10T09:03:00"), "{log}");
    assert!(!log.contains(scene.project.path().to_str().unwrap()), "no path of the machine: {log}");
}

/// Trigger 2: tests passed, and the agent has reported it; a failure, or a change after them, saves nothing.
#[test]
fn d_12_tests_passed_and_reported_save() {
    let scene = Scene::new();
    scene.says("09:00", "make the tests pass");
    scene.ran("09:01", "cargo test", "test result: FAILED. 1 passed; 1 failed");
    assert_eq!(scene.stops("09:02", "one fails"), "");
    scene.wrote("09:03", "a.rs");
    scene.ran("09:04", "cargo test", "test result: ok. 2 passed; 0 failed");
    assert_eq!(scene.log(), None, "nothing is saved while the agent works");
    assert_eq!(scene.stops("09:05", "all pass"), "Auto-saved to slot-A | trigger: 2");
    assert!(scene.log().unwrap().contains("tests passed: cargo test"));
}

/// Triggers 3, 4 and 5: an adopted review, a work log, a finished list of tasks.
#[test]
fn d_12_reviews_work_logs_and_finished_tasks_save() {
    let review = Scene::new();
    review.says("09:00", "have it reviewed");
    assert_eq!(
        review.stops("09:01", "[外部审查通过] nothing to change"),
        "Auto-saved to slot-A | trigger: 3"
    );
    assert!(review.log().unwrap().contains("- [外部审查通过]"), "{:?}", review.log());
    let log = Scene::new();
    log.wrote("09:00", "docs/worklog.md");
    assert_eq!(log.stops("09:01", "noted"), "Auto-saved to slot-A | trigger: 4");
    let tasks = Scene::new();
    for (status, expected) in [("pending", ""), ("completed", "Auto-saved to slot-A | trigger: 5")] {
        let todos = json!([{"content": "a", "status": "completed"}, {"content": "b", "status": status}]);
        let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_use_id": "t", "tool_input": {"todos": todos}});
        tasks.hook("09:00", "post-tool-use", fields);
        assert_eq!(tasks.stops("09:01", "so far"), expected);
    }
}

/// What must not save: work in progress, less than ten minutes, nothing but talk, a new instruction.
#[test]
fn d_12_exclusions_hold_in_hooks() {
    let scene = Scene::new();
    scene.says("09:00", "what do you think of the parser?");
    scene.stops("09:01", "it is fine");
    assert_eq!(scene.says("09:02", "先这样"), "", "nothing but discussion");
    scene.stops("09:02", "ok");
    scene.says("09:03", "write a.py");
    scene.wrote("09:04", "a.py");
    assert_eq!(scene.says("09:05", "先这样"), "", "the agent still works");
    scene.stops("09:06", "written");
    assert_eq!(scene.says("09:07", "先这样"), "Auto-saved to slot-A | trigger: 1");
    scene.wrote("09:08", "b.py");
    scene.ran("09:08", "pytest", "3 passed");
    assert_eq!(scene.stops("09:09", "green"), "", "less than ten minutes");
    assert_eq!(scene.stops("09:18", "green"), "Auto-saved to slot-A | trigger: 2");
    scene.wrote("09:30", "c.py");
    scene.stops("09:31", "done");
    let said = scene.says("09:32", "换个任务: rewrite the configuration loader of the server please");
    assert!(!said.contains("Auto-saved"), "a new instruction waits: {said}");
}

/// A session that ends writes its log, whenever the last save was; one without output leaves nothing.
#[test]
fn d_11_end_of_an_agents_session_writes_the_log() {
    let scene = Scene::new();
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    scene.hook("08:59", "session-start", start.clone());
    scene.says("09:00", "we decided to ship weekly");
    scene.wrote("09:01", "plan.md");
    scene.stops("09:02", "noted");
    scene.hook("09:03", "session-end", json!({"hook_event_name": "SessionEnd", "reason": "exit"}));
    let log = scene.log().unwrap();
    assert!(log.contains("ended: ") && log.contains("- we decided to ship weekly\n"), "{log}");
    let list = scene.mi("09:04").run(["session", "list", "--json"]).expect_exit(0).json();
    assert_eq!(list["open"], json!([]), "{list}");
    let quiet = Scene::new();
    quiet.hook("08:59", "session-start", start);
    quiet.hook("09:03", "session-end", json!({"hook_event_name": "SessionEnd"}));
    assert_eq!(quiet.log(), None);
    assert_eq!(quiet.mi("09:04").run(["session", "list", "--json"]).expect_exit(0).json()["open"], json!([]));
}

/// The words that end a session write its log at once, without the ten minutes of automatic saves.
#[test]
fn d_11_words_that_end_the_session_write_the_log() {
    let scene = Scene::new();
    scene.wrote("09:00", "a.py");
    scene.stops("09:01", "done");
    let said = scene.says("09:02", "今天到这");
    assert!(said.contains("sessions/2026-01/2026-01-10-slot-A-"), "{said}");
    assert!(scene.log().unwrap().contains("changed a.py"));
}

/// An override is an event of the session's log; what the list of tasks leaves open is what comes next.
#[test]
fn d_03_d_11_overrides_and_open_tasks_are_in_the_log() {
    let scene = Scene::new();
    scene.says("09:00", "override: rename the parser module");
    let todos = json!([{"content": "rename", "status": "completed"}, {"content": "write its docs", "status": "pending"}]);
    let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_use_id": "t", "tool_input": {"todos": todos}});
    scene.hook("09:01", "post-tool-use", fields);
    scene.stops("09:02", "renamed");
    assert!(scene.says("09:03", "收工").contains("2026-01-10-slot-A-"));
    let log = scene.log().unwrap();
    let incidents = log.split("<!-- mi:section incidents -->").nth(1).unwrap();
    assert!(incidents.contains("- override by the person: override: rename the parser module\n"), "{log}");
    let next = log.split("<!-- mi:section next_steps -->").nth(1).unwrap();
    assert!(next.starts_with("\n## Next steps\n\n- write its docs\n<!--"), "{log}");
    scene.hook("09:04", "session-end", json!({"hook_event_name": "SessionEnd", "reason": "exit"}));
    let log = scene.log().unwrap();
    assert!(log.contains("ended: ") && log.matches("write its docs").count() == 1, "{log}");
}

/// Private memory that is encrypted at rest is read at the start of an agent's session too, with the system's own age.
#[test]
fn d_02_encrypted_private_memory_reaches_the_model() {
    if std::process::Command::new("/usr/bin/age").arg("--version").output().is_err() {
        return mi_test_support::skipped("the age program is not installed (dev/setup installs it)");
    }
    let scene = Scene::new();
    scene.mi("08:01").run(["persona", "private", "write", "n.md", "A THOUGHT"]).expect_exit(0);
    scene.mi("08:02").run(["persona", "private", "encrypt"]).expect_exit(0);
    let start = || {
        let fields = json!({"hook_event_name": "SessionStart", "source": "startup"});
        scene.hook("09:00", "session-start", fields).out()
    };
    assert!(start().contains("A THOUGHT"));
    fs::rename(scene.home.path().join("keys"), scene.home.path().join("away")).unwrap();
    let locked = start();
    assert!(locked.contains("there is no identity in") && !locked.contains("A THOUGHT"), "{locked}");
}

/// The suggestion is made once; `存` writes the proposal, in the folder of the month, without a secret.
#[test]
fn d_09_saving_a_suggestion_writes_a_proposal() {
    let scene = Scene::new();
    let said = scene.says("09:00", "lesson learned: pin every version");
    assert_eq!(said.matches("💾").count(), 1, "{said}");
    let said = scene.says("09:01", "存");
    let name = "proposals/2026-01/proposal-heuristic-lesson-learned-pin-every-version.md";
    assert!(said.contains(name), "{said}");
    let text = fs::read_to_string(scene.home.path().join("persona").join(name)).unwrap();
    assert!(
        text.contains("pin every version") && text.contains("said by the person on 2026-01-10"),
        "{text}"
    );
    assert!(!scene.says("09:02", "存").contains("proposals/"), "one suggestion, one proposal");
}

/// A message against a card is challenged in the agent, with the card's id.
#[test]
fn d_15_contradictions_are_cited_in_an_agent() {
    let scene = Scene::new();
    scene.home.write(
        "persona/cards/principles/P-007.md",
        "---\nid: P-007\ntype: principle\ntitle: Use PostgreSQL, not MySQL\nmerge_key: database\nsalience: 8\nsource: us\nstatus: active\n---\n## content\nPostgreSQL only.\n",
    );
    let said = scene.says("09:00", "switch to MySQL");
    assert!(said.contains("P-007"), "{said}");
}

/// Cards that a task calls for reach the model in full, best first, once in a session; those that it does not call for never.
#[test]
fn d_15_cards_reach_the_model() {
    let scene = Scene::new();
    for (number, key, salience) in
        [(1, "retry limits", 8), (2, "retry backoff", 7), (3, "retry colours", 5), (4, "naming", 8)]
    {
        scene.home.write(
            &format!("persona/cards/heuristics/H-00{number}.md"),
            format!("---\nid: H-00{number}\ntype: heuristic\ntitle: About {key}\nmerge_key: {key}\nsalience: {salience}\nsource: us\nstatus: active\n---\n## content\nKnow {key} well.\n"),
        );
    }
    let heard = |text: &str| {
        let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
        let output = scene.hook("09:00", "user-message", fields);
        match output.out().trim() {
            "" => String::new(),
            _ => output.json()["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        }
    };
    let context = heard("look at the retry of this call");
    let at = |words: &str| context.find(words).unwrap_or_else(|| panic!("{words}: {context}"));
    assert!(at("Know retry limits well.") < at("Know retry backoff well."), "{context}");
    assert!(!context.contains("colours") && !context.contains("naming"), "{context}");
    assert_eq!(heard("look at the retry again"), "", "each card once");
}

/// Cards for which there is no room are named, and what is cut says where the rest is: they have to be read too.
#[test]
fn d_15_cards_without_room_are_named() {
    let scene = Scene::new();
    for number in 1..=7 {
        let long = if number == 1 { "word ".repeat(600) } else { String::new() };
        scene.home.write(
            &format!("persona/cards/heuristics/H-00{number}.md"),
            format!("---\nid: H-00{number}\ntype: heuristic\ntitle: Retry {number}\nmerge_key: r{number}\nsalience: 8\nsource: us\n---\n## content\nKnow {number}. {long}\n"),
        );
    }
    let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": "look at the retry of this call"});
    let output = scene.hook("09:00", "user-message", fields).json();
    let context = output["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Know 5.") && !context.contains("Know 6."), "{context}");
    assert!(context.contains("(the rest: mi card show H-001)"), "{context}");
    assert!(context.contains("Read these too before you go on (mi card show ID): H-006, H-007"), "{context}");
}

/// `mi intake` keeps the suggestion in its state, and `save` writes the proposal; ignoring it writes nothing.
#[test]
fn d_09_intake_writes_the_proposal() {
    let scene = Scene::new();
    let state = scene.home.path().join("state");
    let intake = |text: &str| {
        scene
            .mi("09:00")
            .run(["intake", "--json", "--state", state.to_str().unwrap(), text])
            .expect_exit(0)
            .json()
    };
    assert_eq!(intake("my principle is to ship small things")["cognitive"]["signal"], true);
    let saved = intake("存");
    let path = saved["cognitive"]["proposal"].as_str().unwrap().to_owned();
    assert_eq!(path, "proposals/2026-01/proposal-principle-my-principle-is-to-ship-small-things.md");
    assert!(scene.home.path().join("persona").join(path).is_file());
    intake("I prefer short functions");
    intake("please go on with the parser");
    assert_eq!(intake("存")["cognitive"].get("proposal"), None, "it was ignored");
}

/// With a mind the parts of a challenge are its words; with one that answers badly they are the rules'.
#[test]
fn d_22_intake_asks_the_mind_for_the_parts() {
    let scene = Scene::new();
    let ask = |reply: &str| {
        let model = FakeModel::start(json!({"turns": [{"say": reply}], "side_uses_turns": true}));
        let mi = scene.mi("09:00").env("OPENAI_BASE_URL", model.openai_url()).env("OPENAI_MODEL", "fake-1");
        mi.run(["intake", "--json", "discuss the architecture"]).expect_exit(0).json()["output"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let said = ask(
        "recommendation: Draw the borders first.\nrisk_note: Borders that are drawn late are drawn twice.",
    );
    assert!(said.contains("1. recommendation: Draw the borders first."), "{said}");
    assert!(said.contains("2. risk_note: Borders that are drawn late"), "{said}");
    let said = ask("Sure, sounds great!");
    assert!(said.contains("1. recommendation: Go on"), "{said}");
}
