//! The commands that read: the same content for people and for programs, exit 0 whatever they report.

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
        vec!["transcript"],
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
    assert_eq!(count(&["--run", "no-such-run"]), 0);
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
    assert_eq!(scene.mi().run(["show", "999999", "--json"]).expect_exit(0).out().trim(), "null");
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

/// `log` written by another tool is readable from its end.
#[test]
fn last_reads_a_log_of_another_tool() {
    let scene = finished_scene();
    let project =
        std::fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(
        project.join("evidence.jsonl"),
        "{\"kind\":\"decision\",\"batch_id\":\"b9\"}\n{\"foreign\":true}\n",
    )
    .unwrap();
    let last = scene.mi().run(["last", "--json", "-n", "2"]).expect_exit(0).events();
    assert_eq!(last[0]["batch_id"], "b9");
    assert_eq!(last[1]["foreign"], true);
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
