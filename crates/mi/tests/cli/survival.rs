//! Killed, interrupted, two at once: nothing acknowledged is lost, nothing is left running.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, TempProject, leftovers_after};
use std::time::Duration;

/// Ctrl-C stops the agent, records the end, and `--resume` goes on.
#[test]
fn interrupted_run_ends_130_and_resumes() {
    let marker = format!("mi-ctrlc-{}", std::process::id());
    let scene = Scene::new(
        "x",
        TempProject::python(),
        vec![Batch::codex("t1").escape(&marker).hang(), fixes_and_tests()],
    );
    let mut running = scene.mi().start(scene.arguments(&[], "Fix the failing test"));
    running.wait_for("agent.turn_started");
    running.interrupt();
    let output = running.wait();
    assert_eq!(output.code(), Some(130), "{}", output.err());
    assert_eq!(output.finished()["status"], "interrupted");
    assert_eq!(leftovers_after(&marker, Duration::from_secs(2)), []);
    let hands = scene.agent.hands();
    let resumed =
        scene.mi().run(["run", "--json", "--mind", "rules", "--hands", &hands, "--resume"]).expect_exit(0);
    assert_eq!(resumed.finished()["status"], "done");
}

/// After SIGKILL of `mi` nothing it started lives longer than 2 s, not even what made a session of its own.
#[test]
fn killed_mi_leaves_no_orphan() {
    let marker = format!("mi-orphan-{}", std::process::id());
    let scene = Scene::new(
        "x",
        TempProject::python(),
        vec![Batch::codex("t1").ignore_signals().escape(&marker).hang()],
    );
    let mut running = scene.mi().start(scene.arguments(&[], "Fix the failing test"));
    running.wait_for("agent.turn_started");
    running.kill();
    running.wait();
    assert_eq!(leftovers_after(&marker, Duration::from_secs(2)), []);
    assert_eq!(scene.mi().run(["verify", "--json"]).expect_exit(0).json()["ok"], true);
}

/// Killed at random instants, again and again: every event that was printed with a `seq` is in the log.
#[test]
fn random_kills_lose_nothing_acknowledged() {
    let scene = Scene::new(
        "x",
        TempProject::python(),
        vec![
            Batch::codex("t1").run("true").message("One.").turn_completed(1, 1),
            Batch::codex("t1").write_file("calc.py", FIXED).message("Two.").turn_completed(2, 2),
            Batch::codex("t1").run(CHECK).message("Three, it passes.").turn_completed(3, 3),
        ],
    );
    let mut acknowledged = Vec::new();
    for round in 0..20_u64 {
        let running = scene.mi().start(scene.arguments(&[], "Fix the failing test"));
        std::thread::sleep(Duration::from_millis(5 + round * 13 % 170));
        running.kill();
        let output = running.wait();
        acknowledged.extend(
            output
                .whole_events()
                .iter()
                .filter_map(|event| Some((event["run_id"].clone(), event["seq"].as_u64()?))),
        );
    }
    let records = scene.mi().run(["log", "--json", "-n", "1000000"]).expect_exit(0).events();
    for (run_id, seq) in acknowledged {
        assert!(
            records.iter().any(|record| record["seq"] == seq && record["run_id"] == run_id),
            "seq {seq} of {run_id} is lost"
        );
    }
    let verified = scene.mi().run(["verify", "--json"]).expect_exit(0).json();
    assert_eq!(verified["ok"], true, "{verified}");
}
