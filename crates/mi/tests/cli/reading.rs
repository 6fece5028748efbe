//! The commands that read: the same content for people and for programs. They exit 0 whatever they report, and 1 when
//! they are asked for something that does not exist.

use super::{Scene, fixes_and_tests};
use mi_test_support::{Batch, TempProject};

fn finished_scene() -> Scene {
    let asks = Batch::codex("t1")
        .message("Should I also change the public API while I'm here?")
        .turn_completed(10, 1);
    let scene = Scene::new(
        "Prefer behaviour-preserving refactors.",
        TempProject::python(),
        vec![asks, fixes_and_tests()],
    );
    scene.run(&[], "Fix the failing test").expect_exit(0);
    scene
}

/// Bare `mi` and every reading command work in a project that has nothing yet.
#[test]
fn empty_project_reads_well() {
    let scene = Scene::new("", TempProject::python(), vec![fixes_and_tests()]);
    for arguments in [
        vec![],
        vec!["status"],
        vec!["last"],
        vec!["log"],
        vec!["inbox"],
        vec!["verify"],
        vec!["learned", "list"],
        vec!["doctor"],
        vec!["config", "show"],
    ] {
        let output = scene.mi().run(&arguments);
        assert_eq!(output.code(), Some(0), "{arguments:?}: {}", output.err());
        assert!(!output.out().trim().is_empty(), "{arguments:?}");
    }
}

/// A reading command that is asked for something that does not exist exits 1, says what is missing on standard error,
/// and tells programs the same on standard output.
#[test]
fn reading_what_does_not_exist_exits_1() {
    let scene = finished_scene();
    scene.mi().run(["persona", "init"]).expect_exit(0);
    for (command, missing) in [
        ("show nosuch", "`nosuch`"),
        ("show 999999", "`999999`"),
        ("show b99", "`b99`"),
        ("why nosuch", "`nosuch`"),
        ("why b99", "`b99`"),
        ("log --run nosuch", "`nosuch`"),
        ("log --run nosuch --kind decision -n 3", "`nosuch`"),
        ("transcript mind", "no transcript"),
        ("replay nosuch", "`nosuch`"),
        ("protocol audit builtin:autopilot --run nosuch", "`nosuch`"),
        ("protocol check nosuch.yaml", "nosuch.yaml"),
        ("protocol explain builtin:autopilot nosuch.jsonl --at 1", "nosuch.jsonl"),
        ("dr show DR-99", "`DR-99`"),
        ("dr show nosuch", "`nosuch`"),
        ("review show P-99", "`P-99`"),
        ("review status nosuch", "`nosuch`"),
        ("trace XX-YY-999", "`XX-YY-999`"),
        ("context get --address ucxl://a:b@c:d/#/e", "ucxl://a:b@c:d/#/e"),
        ("deliver verify nosuch", "`nosuch`"),
        ("memory show nosuch", "`nosuch.md`"),
        ("card show H-999", "`H-999`"),
        ("card show nosuch", "`nosuch`"),
        ("handoff show HO-none", "HO-none"),
        ("persona private show nosuch.md", "`nosuch.md`"),
        ("box show nosuch", "`nosuch`"),
        ("box show last", "`last`"),
        ("box show /no/such/folder", "/no/such/folder"),
        ("box verify nosuch", "`nosuch`"),
        ("box verify /no/such/folder", "/no/such/folder"),
        ("box policy explain nosuch.json", "nosuch.json"),
        ("extract nosuch.md", "nosuch.md"),
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let output = scene.mi().run(&words);
        assert_eq!(output.code(), Some(1), "{command}: {output}");
        assert_eq!(output.out(), "", "{command}");
        let said = output.err();
        assert!(said.starts_with("mi: ") && said.contains(missing), "{command}: {said}");
        let error = scene.mi().run(words.iter().chain([&"--json"])).expect_exit(1).json();
        assert_eq!((&error["event"], &error["exit"]), (&"error".into(), &1.into()), "{command}: {error}");
    }
}

/// In a project without a run, the newest run, record, decision and transcript do not exist.
#[test]
fn nothing_recorded_has_no_newest() {
    let scene = Scene::new("", TempProject::python(), vec![fixes_and_tests()]);
    for command in [
        "show last",
        "why",
        "log --run last",
        "transcript",
        "replay last",
        "protocol audit builtin:autopilot",
    ] {
        let output = scene.mi().run(command.split(' ')).expect_exit(1);
        assert!(output.err().starts_with("mi: ") && output.out().is_empty(), "{command}: {output}");
    }
}

/// `status` says how the last run went and what to type next.
#[test]
fn status_tells_the_last_run_and_the_next_step() {
    let scene = finished_scene();
    let status = scene.mi().run(["status", "--json"]).expect_exit(0).json();
    assert_eq!((&status["status"], &status["next"]), (&"done".into(), &"mi run 'TASK'".into()), "{status}");
    let text = scene.mi().run(Vec::<&str>::new()).expect_exit(0).out();
    assert!(text.contains("done") && text.contains("Fix the failing test"), "{text}");
}

/// `log` filters by kind, run, time and expression.
#[test]
fn log_filters() {
    let scene = finished_scene();
    let count = |arguments: &[&str]| {
        let mut all = vec!["log", "--json"];
        all.extend(arguments);
        scene.mi().run(all).expect_exit(0).events().len()
    };
    let everything = count(&[]);
    assert!(everything > 8, "{everything} records");
    assert_eq!(count(&["--kind", "evidence"]), 2);
    assert_eq!(count(&["--kind", "EvidenceItem"]), 2);
    assert_eq!(count(&["--run", "last"]), everything);
    assert_eq!(count(&["--since", "1h"]), everything);
    assert_eq!(count(&["--since", "2099-01-01T00:00:00Z"]), 0);
    assert_eq!(count(&["--grep", "public API", "--kind", "auto_answer"]), 1);
    assert_eq!(count(&["-n", "3"]), 3);
}

/// `why` names who decided, on which records, citing which values.
#[test]
fn why_names_rule_evidence_and_values() {
    let scene = finished_scene();
    let why = scene.mi().run(["why", "b0", "--json"]).expect_exit(0).json();
    assert!(why["decision"]["decided_by"].as_str().is_some_and(|by| by.starts_with("rules:")), "{why}");
    assert!(why["decision"]["cites"].to_string().contains("behaviour-preserving"), "{why}");
    assert!(
        why["stands_on"]
            .as_array()
            .is_some_and(|list| list.iter().any(|record| record["kind"] == "EvidenceItem")),
        "{why}"
    );
    let text = scene.mi().run(["why"]).expect_exit(0).out();
    assert!(text.contains("decided by") && text.contains("observed"), "{text}");
}

/// `show` takes a number, a batch, a run or `last`.
#[test]
fn show_takes_every_reference() {
    let scene = finished_scene();
    let last = scene.mi().run(["show", "last", "--json"]).expect_exit(0).json();
    assert_eq!(last["kind"], "run_finished");
    let seq = last["seq"].to_string();
    assert_eq!(scene.mi().run(["show", &seq, "--json"]).expect_exit(0).json(), last);
    let batch = scene.mi().run(["show", "b1", "--json"]).expect_exit(0).events();
    assert!(batch.iter().all(|record| record["batch_id"] == "b1"), "{batch:?}");
    let run = last["run_id"].as_str().unwrap_or_default();
    assert!(scene.mi().run(["show", run, "--json"]).expect_exit(0).events().len() > 8);
}

/// The raw transcript has what the agent printed; rendered, it reads as a conversation.
#[test]
fn transcript_is_raw_or_rendered() {
    let scene = finished_scene();
    let raw = scene.mi().run(["transcript", "--raw"]).expect_exit(0).out();
    assert!(raw.contains("\"stream\":\"stdout\""), "{raw}");
    let text = scene.mi().run(["transcript"]).expect_exit(0).out();
    assert!(text.contains("$ python3 -m unittest") && text.contains("[exit 0]"), "{text}");
}

/// Who follows a transcript sees the next batch's too, without asking again.
#[test]
fn following_a_transcript_goes_over_to_the_next() {
    let later = Batch::codex("t2").message("Looked once more.").turn_completed(10, 1);
    let scene = Scene::new("", TempProject::python(), vec![fixes_and_tests(), later]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    let mut following = scene.mi().start(["transcript", "-f"]);
    following.wait_for("[exit 0]");
    scene.run(&["--max-batches", "1"], "Look again").expect_exit(0);
    following.wait_for("Looked once more.");
    following.interrupt();
    following.wait();
}

/// A recorded run decided again with its own values does not differ; with other values it does.
#[test]
fn replay_decides_again() {
    let scene = finished_scene();
    let log = scene.mi().run(["log", "--json", "-n", "1000"]).expect_exit(0).out();
    let same = scene.mi().run(["replay", "last", "--json"]).expect_exit(0).json();
    assert_eq!(
        (&same["decisions"], same["differences"].as_array().map(Vec::len)),
        (&2.into(), Some(0)),
        "{same}"
    );
    let values = scene.home.write("other-values.txt", "Keep logs short.");
    let other = scene
        .mi()
        .run(["replay", "last", "--json", "--values", values.to_str().unwrap_or_default()])
        .expect_exit(0)
        .json();
    assert_eq!(other["differences"][0]["batch_id"], "b0", "{other}");
    assert_eq!(
        scene.mi().run(["log", "--json", "-n", "1000"]).expect_exit(0).out(),
        log,
        "replay touches nothing"
    );
}

/// A log written by another tool is readable from its end, by either name of the command.
#[test]
fn log_of_another_tool_is_read() {
    let scene = finished_scene();
    let project =
        std::fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(
        project.join("evidence.jsonl"),
        "{\"kind\":\"decision\",\"batch_id\":\"b9\"}\n{\"foreign\":true}\n",
    )
    .unwrap();
    for name in ["log", "last"] {
        let records = scene.mi().run([name, "--json", "-n", "2"]).expect_exit(0).events();
        assert_eq!(records[0]["batch_id"], "b9", "{name}");
        assert_eq!(records[1]["foreign"], true, "{name}");
    }
}

/// An edited, a shortened and a deleted log each show in `verify`.
#[test]
fn verify_finds_tampering() {
    for (name, damage) in [
        ("edit", (|text: String| text.replacen("not_done", "blocked_", 1)) as fn(String) -> String),
        ("truncation", |text| text.lines().take(3).map(|line| format!("{line}\n")).collect()),
        ("deletion", |_| String::new()),
    ] {
        let scene = finished_scene();
        let project =
            std::fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
        let log = project.join("evidence.jsonl");
        let text = damage(std::fs::read_to_string(&log).unwrap());
        if text.is_empty() {
            std::fs::remove_file(&log).unwrap()
        } else {
            std::fs::write(&log, text).unwrap()
        }
        let output = scene.mi().run(["verify", "--json"]);
        assert_eq!(output.json()["ok"], false, "{name}: {}", output.out());
        assert!(!output.json()["problems"].as_array().unwrap_or(&Vec::new()).is_empty(), "{name}");
    }
}
