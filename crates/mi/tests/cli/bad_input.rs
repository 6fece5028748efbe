//! Bad input: one clear message, the right exit code, nothing lost.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, FakeAgent, FakeModel, Mi, SmallDisk, TempHome, TempProject};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

fn scene(batches: Vec<Batch>) -> Scene {
    Scene::new("Prefer small changes.", TempProject::python(), batches)
}

#[test]
fn missing_agent_program_fails_and_says_how_to_get_it() {
    let scene = scene(vec![fixes_and_tests()]);
    let output = scene
        .mi()
        .env("MI_CODEX", "/no/such/codex")
        .run(["run", "--json", "--mind", "rules", "Fix it"])
        .expect_exit(1);
    let finished = output.finished();
    assert_eq!(finished["status"], "failed");
    assert!(finished["reason"].to_string().contains("npm install -g @openai/codex"), "{finished}");
}

#[test]
fn broken_agent_program_fails_with_its_own_words() {
    let scene = scene(vec![fixes_and_tests()]);
    let program = scene.home.write("broken-codex", "#!/bin/sh\necho 'segfault, sorry' >&2\nexit 7\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = scene.mi().env("MI_CODEX", &program).run(["run", "--json", "--mind", "rules", "Fix it"]);
    assert!([1, 3].contains(&output.code().unwrap_or(0)), "{}", output.out());
    assert!(output.finished()["reason"].to_string().contains("segfault"), "{}", output.finished());
}

#[test]
fn agent_that_dies_is_tried_once_more_then_blocked() {
    let scene = scene(vec![Batch::codex("t1").error_line("out of cheese").exit(9)]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(3);
    assert_eq!(output.finished()["batches"], 2);
    assert!(output.finished()["reason"].to_string().contains("out of cheese"), "{}", output.finished());
}

#[test]
fn agent_that_dies_once_is_forgiven() {
    let scene = scene(vec![Batch::codex("t1").exit(9), fixes_and_tests()]);
    assert_eq!(scene.run(&[], "Fix the failing test").expect_exit(0).finished()["batches"], 2);
}

#[test]
fn agent_that_hangs_is_stopped_at_its_idle_limit() {
    let scene = scene(vec![Batch::codex("t1").hang()]);
    let output = scene
        .mi()
        .env("MI_HANDS_IDLE_TIMEOUT", "300ms")
        .run(scene.arguments(&[], "Fix the failing test"))
        .expect_exit(3);
    assert!(output.finished()["reason"].to_string().contains("no output"), "{}", output.finished());
}

#[test]
fn agent_that_floods_is_kept_whole() {
    let flood = Batch::codex("t1")
        .flood(200_000)
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Fixed.")
        .turn_completed(1, 1);
    let scene = scene(vec![flood]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    let verified = scene.mi().run(["verify", "--json"]).expect_exit(0).json();
    assert_eq!(verified["ok"], true, "{verified}");
}

#[test]
fn invalid_utf8_unknown_events_and_half_lines_are_no_errors() {
    let odd = Batch::codex("t1")
        .invalid_utf8()
        .event(&json!({"type": "thing.from.the.future", "x": 1}))
        .line("{\"type\": \"item.completed\", \"item\": 5}")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Fixed.")
        .turn_completed(1, 1)
        .half_line();
    let scene = scene(vec![odd]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    let counts = &output.events_named("batch.ended")[0]["transcript_observation"]["event_type_counts"];
    assert_eq!(counts["thing.from.the.future"], 1, "{counts}");
}

#[test]
fn line_of_50_mb_is_kept_whole_and_what_follows_it_is_read() {
    let long = Batch::codex("t1")
        .long_line(50_000_000)
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Fixed.")
        .turn_completed(1, 1);
    let scene = scene(vec![long]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    let path =
        output.events_named("batch.ended")[0]["codex_transcript_ref"].as_str().unwrap_or_default().to_owned();
    let size = fs::metadata(scene.home.path().join(path)).unwrap().len();
    assert!(size > 50_000_000, "{size} bytes");
}

#[test]
fn missing_values_file_is_said() {
    let home = TempHome::new();
    let output = Mi::new(env!("CARGO_BIN_EXE_mi"), &home)
        .run(["init", "--no-compile", "--values-file", "/no/such/file"])
        .expect_exit(1);
    assert!(output.err().contains("/no/such/file") && output.err().contains("to do:"), "{}", output.err());
}

#[test]
fn project_without_git_is_worked_in() {
    let scene = Scene::new("x", TempProject::not_git(), vec![
        Batch::codex("t1").write_file("test_a.py", "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(len([1, 1]), 2)\n").run(CHECK).message("Added a test; it passes.").turn_completed(1, 1),
    ]);
    scene.run(&[], "Add a test").expect_exit(0);
}

#[test]
fn read_only_project_is_no_crash() {
    let scene = scene(vec![
        Batch::codex("t1")
            .shell("echo x > calc.py 2>/dev/null || true")
            .message("I cannot write here.")
            .turn_completed(1, 1),
    ]);
    fs::set_permissions(scene.project.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // For root the folder stays writable, and the agent goes on until the limit; for others it is refused.
    let output = scene.run(&["--max-batches", "2"], "Fix the failing test").expect_exit(3);
    fs::set_permissions(scene.project.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        output.out().contains("\"blocked\"") || output.err().contains("cannot be written to"),
        "{}",
        output.err()
    );
}

#[test]
fn home_that_cannot_be_made_is_said() {
    let scene = scene(vec![fixes_and_tests()]);
    let blocked = scene.home.write("a-file", "not a folder");
    let home = blocked.join("home");
    let mut arguments = vec!["--home".to_owned(), home.display().to_string()];
    arguments.extend(scene.arguments(&[], "Fix it"));
    let output = scene.mi().run(arguments).expect_exit(1);
    assert!(output.err().contains("a-file"), "{}", output.err());
    assert_eq!(output.events()[0]["run_id"], serde_json::Value::Null);
}

#[test]
fn full_disk_is_said_and_nothing_is_half_written() {
    let home = TempHome::new();
    let disk = home.path().join("disk");
    fs::create_dir_all(&disk).unwrap();
    let Some(_mounted) = SmallDisk::mount(&disk, 512) else { return };
    let filler = disk.join("filler");
    let fills = Batch::codex("t1")
        .shell(&format!("dd if=/dev/zero of={} bs=4096 2>/dev/null || true", filler.display()))
        .message("Done.")
        .turn_completed(1, 1);
    let scene = scene(vec![fills]);
    let place = disk.display().to_string();
    let mut arguments = vec!["--home".to_owned(), place.clone()];
    arguments.extend(scene.arguments(&[], "Fix the failing test"));
    let output = scene.mi().run(arguments);
    assert_eq!(output.code(), Some(1), "{}\n{}", output.out(), output.err());
    let said = format!("{}{}", output.out(), output.err());
    assert!(said.contains("disk is full") || said.contains("No space"), "{said}");
    fs::remove_file(&filler).unwrap();
    let verified = scene.mi().run(["--home", &place, "verify", "--json"]).expect_exit(0).json();
    assert_eq!(verified["ok"], true, "{verified}");
    let records = scene.mi().run(["--home", &place, "log", "--json"]).expect_exit(0).events();
    for event in output.whole_events().iter().filter(|event| !event["seq"].is_null()) {
        assert!(records.iter().any(|record| record["seq"] == event["seq"]), "acknowledged and lost: {event}");
    }
}

#[test]
fn corrupt_state_files_are_set_aside_and_said() {
    let scene = scene(vec![fixes_and_tests()]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    let project = fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
    fs::write(scene.home.path().join("mindspec/base.json"), "{\"values_text\": ").unwrap();
    fs::write(project.join("overlay.json"), "not json").unwrap();
    fs::write(project.join("learned.jsonl"), "garbage\n{\"half").unwrap();
    let output = scene.run(&[], "Run the tests again").expect_exit(0);
    let notes: Vec<String> =
        output.events_named("note").iter().map(|note| note["message"].to_string()).collect();
    for name in ["base.json", "overlay.json", "learned.jsonl"] {
        assert!(notes.iter().any(|note| note.contains(name)), "{name}: {notes:?}");
    }
    assert!(
        fs::read_dir(&project).unwrap().any(|entry| entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("overlay.json.corrupt"))
    );
    let again = scene.run(&[], "Run the tests once more").expect_exit(0);
    let values_are_missed = |note: &Value| note["message"].to_string().contains("base.json.corrupt-1");
    assert!(again.events_named("note").iter().any(values_are_missed), "{again}");
    assert!(scene.mi().run(["doctor"]).out().contains("base.json.corrupt-1"));
}

/// Half a line at the end of a transcript is set aside by whoever reads it or runs next, and said.
#[test]
fn torn_transcript_is_set_aside_and_said() {
    for command in ["transcript", "verify", "run"] {
        let scene = scene(vec![fixes_and_tests()]);
        scene.run(&[], "Fix the failing test").expect_exit(0);
        let project =
            fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
        let folder = project.join("transcripts/hands");
        let transcript = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read_to_string(&transcript).unwrap();
        fs::write(&transcript, format!("{whole}{{\"ts\":\"2026")).unwrap();
        let output = match command {
            "run" => scene.run(&[], "Run the tests again"),
            _ => scene.mi().run([command]),
        };
        let said = output.expect_exit(0).to_string();
        assert!(said.contains("torn"), "{command}: {said}");
        assert_eq!(fs::read_to_string(&transcript).unwrap(), whole, "{command}");
    }
}

#[test]
fn torn_evidence_is_set_aside_and_the_next_run_works() {
    let scene = scene(vec![fixes_and_tests()]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    let project = fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
    let log = project.join("evidence.jsonl");
    let mut text = fs::read(&log).unwrap();
    text.extend_from_slice(b"{\"kind\":\"decision\",\"half");
    fs::write(&log, text).unwrap();
    let last = scene.mi().run(["last", "--json", "-n", "1"]).expect_exit(0);
    assert_eq!(last.json()["kind"], "run_finished", "{}", last.out());
    assert!(last.err().contains("torn"), "{}", last.err());
    assert_eq!(scene.mi().run(["verify", "--json"]).expect_exit(0).json()["ok"], true);
    scene.run(&[], "Run the tests again").expect_exit(0);
}

/// A last record cut in half is a torn tail: set aside, a note, and the log goes on. One removed whole is not.
#[test]
fn record_cut_in_half_is_a_note_and_a_removed_one_is_a_problem() {
    for (cut, ok) in [(1, true), (9, true), (usize::MAX, false)] {
        let scene = scene(vec![fixes_and_tests()]);
        scene.run(&[], "Fix the failing test").expect_exit(0);
        let project =
            fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
        let log = project.join("evidence.jsonl");
        let text = fs::read_to_string(&log).unwrap();
        let last_line = text.trim_end().rfind('\n').unwrap() + 1;
        fs::write(&log, &text[..last_line.max(text.len().saturating_sub(cut))]).unwrap();
        let verified = scene.mi().run(["verify", "--json"]).json();
        assert_eq!(verified["ok"], ok, "{verified}");
        scene.run(&[], "Run the tests").expect_exit(0);
        assert_eq!(scene.mi().run(["verify", "--json"]).json()["ok"], ok, "it stays that way");
    }
}

#[test]
fn second_run_is_told_who_holds_the_project() {
    let scene = scene(vec![Batch::codex("t1").hang()]);
    let mut first = scene.mi().start(scene.arguments(&[], "Fix the failing test"));
    first.wait_for("batch.started");
    let second =
        scene.mi().limit(Duration::from_secs(4)).run(scene.arguments(&[], "Fix it too")).expect_exit(3);
    assert!(second.err().contains(&first.pid().to_string()), "{}", second.err());
    assert!(second.err().contains("run r"), "{}", second.err());
    first.interrupt();
    assert_eq!(first.wait().code(), Some(130));
}

#[test]
fn clock_going_back_does_not_hurt_the_journal() {
    let scene = scene(vec![fixes_and_tests()]);
    let at =
        |time: &str| scene.mi().env("MI_NOW", time).run(scene.arguments(&[], "Run the tests")).expect_exit(0);
    at("2026-05-01T12:00:00Z");
    at("2026-04-01T12:00:00Z");
    assert_eq!(scene.mi().run(["verify", "--json"]).expect_exit(0).json()["ok"], true);
}

#[test]
fn wrong_usage_is_exit_2() {
    let scene = scene(vec![fixes_and_tests()]);
    for arguments in [
        vec!["run"],
        vec!["run", ""],
        vec!["run", "--hands", "nobody", "x"],
        vec!["run", "--mind", "oracle", "x"],
        vec!["run", "--max-batches", "0", "x"],
        vec!["frobnicate"],
        vec!["log", "--grep", "("],
        vec!["log", "--since", "yesterday-ish"],
        vec!["schema", "nothing"],
        vec!["run", "--hands", "replay:/no/such/folder", "x"],
        vec!["run", "--resume"],
    ] {
        let output = scene.mi().run(&arguments);
        assert_eq!(output.code(), Some(2), "{arguments:?}: {}", output.err());
        assert!(!output.err().trim().is_empty(), "{arguments:?}");
    }
}

/// Each way in which a model can fail: never done, never a crash, the person is asked.
#[test]
fn failing_mind_is_never_done() {
    let asks =
        || Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(1, 1);
    let cases = [
        ("401", json!({"turns": [{"status": 401, "error": "no", "repeat": 0}], "side_uses_turns": true})),
        (
            "429",
            json!({"turns": [{"status": 429, "error": "slow down", "headers": {"retry-after": "0"}, "repeat": 0}], "side_uses_turns": true}),
        ),
        ("500", json!({"turns": [{"status": 500, "error": "boom", "repeat": 0}], "side_uses_turns": true})),
        ("garbage", json!({"turns": [{"say": "not json at all {", "repeat": 0}], "side_uses_turns": true})),
        (
            "wrong json",
            json!({"turns": [{"json": {"status": "done"}, "repeat": 0}], "side_uses_turns": true}),
        ),
        ("nothing", json!({"turns": [{"say": "", "repeat": 0}], "side_uses_turns": true})),
    ];
    for (name, scenario) in cases {
        let model = FakeModel::start(scenario);
        let scene = Scene::new("Prefer simple designs.", TempProject::python(), vec![asks()]);
        let hands = scene.agent.hands();
        let output = scene
            .mi()
            .env("OPENAI_BASE_URL", model.openai_url())
            .env("OPENAI_API_KEY", "none")
            .env("OPENAI_MODEL", "scripted")
            .run(["run", "--json", "--mind", "auto", "--hands", &hands, "Fix the failing test"]);
        assert_eq!(output.code(), Some(3), "{name}: {}\n{}", output.out(), output.err());
        let call = &output.events_named("mind.answered")[0];
        assert_eq!(call["ok"], false, "{name}: {call}");
    }
}

/// A fake agent is only as good as its tests: this one must have been asked.
#[test]
fn prompt_reaches_the_agent_byte_for_byte() {
    let scene = Scene { agent: FakeAgent::new(vec![fixes_and_tests()]), ..scene(vec![fixes_and_tests()]) };
    let task = "Fix the failing test — 修复它 'quoted' \"twice\" $HOME `date`";
    // No check can show all of these words.
    let output = scene.run(&["--max-batches", "1"], task).expect_exit(3);
    let input = output.events_named("batch.started")[0]["input"].as_str().unwrap_or_default().to_owned();
    assert_eq!(input, task);
    assert!(scene.agent.prompts()[0].contains(&input), "{:?}", scene.agent.prompts());
}
