//! Done is about the task: what no check shows is not done, and the person can end it.

use mi_test_support::{Batch, TempProject, installed, skipped};
use serde_json::json;

use super::{CHECK, FIXED, Scene, fixes_and_tests};

/// Adds a function that no test calls; the old tests pass.
fn adds_without_test() -> Batch {
    Batch::codex("t1")
        .write_file("calc.py", &format!("{FIXED}\n\ndef half(n):\n    return n / 2\n"))
        .run(CHECK)
        .message("Done: half() works, all tests pass.")
        .turn_completed(10, 1)
}

fn scene(batches: Vec<Batch>) -> Option<Scene> {
    if installed("bwrap").is_none() {
        skipped("bwrap is not installed");
        return None;
    }
    let project = TempProject::python();
    project.write("calc.py", FIXED);
    project.commit("fixed");
    Some(Scene::new("Prefer small changes.", project, batches))
}

/// Green tests that do not notice the change do not prove it; the agent is told which hunk nothing shows.
#[test]
fn green_tests_do_not_show_an_untested_function() {
    let Some(scene) = scene(vec![adds_without_test()]) else { return };
    let output = scene.run(&["--max-batches", "2"], "Add a half(n) function to calc.py.").expect_exit(3);
    let finished = output.finished();
    assert_eq!(finished["proof"][0]["level"], "observed", "{finished}");
    assert_eq!(finished["proof"][0]["bearing"], json!(null), "{finished}");
    let told = &scene.agent.prompts()[1];
    assert!(told.contains("no check fails without calc.py:"), "{told}");
    let look = &output.events_named("counter_check.finished")[0]["look"];
    assert_eq!(look["report"]["status"], "unshown", "{look}");
}

/// A test that fails without the function shows it.
#[test]
fn a_test_that_fails_without_the_change_shows_it() {
    let tests = Batch::codex("t1")
        .write_file(
            "test_half.py",
            "import unittest\n\nfrom calc import half\n\n\nclass HalfTest(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(half(4), 2)\n",
        )
        .run(CHECK)
        .message("Added test_half; all tests pass.")
        .turn_completed(10, 1);
    let Some(scene) = scene(vec![adds_without_test(), tests]) else { return };
    let finished = scene.run(&[], "Add a half(n) function to calc.py.").expect_exit(0).finished();
    assert_eq!(
        (&finished["batches"], &finished["proof"][0]["bearing"]),
        (&json!(2), &json!("counter_check")),
        "{finished}"
    );
    assert_eq!(finished["files_changed"], json!(["calc.py", "test_half.py"]), "{finished}");
}

/// `mi accept` takes what is open as done, by number too, and says what it was; a second time there is nothing to accept.
#[test]
fn accept_ends_a_run_that_nothing_shows() {
    let Some(scene) = scene(vec![adds_without_test()]) else { return };
    scene.run(&[], "Add a half(n) function to calc.py.").expect_exit(3);
    scene.mi().run(["accept", "7"]).expect_exit(2);
    let finished = scene.mi().run(["accept", "--json", "1"]).expect_exit(0).finished();
    assert_eq!(
        (&finished["status"], &finished["proof"][0]["bearing"]),
        (&json!("done"), &json!("accepted")),
        "{finished}"
    );
    scene.mi().run(["accept"]).expect_exit(1);
    scene.mi().run(["verify"]).expect_exit(0);
}

/// "Accept it as done, stop" is an answer to mi; the agent never sees it.
#[test]
fn an_order_to_mi_is_not_forwarded() {
    let Some(scene) = scene(vec![adds_without_test()]) else { return };
    scene.run(&[], "Add a half(n) function to calc.py.").expect_exit(3);
    let sent = scene.agent.prompts().len();
    let finished = scene.mi().run(["answer", "--json", "Accept it as done, stop."]).expect_exit(0).finished();
    assert_eq!(finished["proof"][0]["bearing"], "accepted", "{finished}");
    assert_eq!(scene.agent.prompts().len(), sent);
}

/// `mi stop` ends a run that waits; nothing waits afterwards.
#[test]
fn stop_ends_a_run_that_waits() {
    let Some(scene) = scene(vec![adds_without_test()]) else { return };
    scene.run(&[], "Add a half(n) function to calc.py.").expect_exit(3);
    scene.mi().run(["stop"]).expect_exit(0);
    let inbox = scene.mi().run(["inbox", "--json"]).expect_exit(0).json();
    assert_eq!(inbox.as_array().map(Vec::len), Some(0), "{inbox}");
    scene.mi().run(["stop"]).expect_exit(1);
}

/// `--commit` commits the proven work with its proof; without it "and commit" stays open and says so.
#[test]
fn commit_is_made_of_proven_work_only() {
    let fresh = || Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    if installed("bwrap").is_none() {
        return skipped("bwrap is not installed");
    }
    let with = fresh();
    with.project.git(&["config", "user.name", "Dev"]);
    with.project.git(&["config", "user.email", "dev@example.com"]);
    with.run(&["--commit"], "Fix add in calc.py and commit.").expect_exit(0);
    let log = with.project.git(&["log", "-1", "--format=%B"]);
    assert!(
        log.starts_with("Fix add in calc.py and commit") && log.contains("Proof: Fix add in calc.py"),
        "{log}"
    );
    let without = fresh();
    let finished =
        without.run(&["--max-batches", "1"], "Fix add in calc.py and commit.").expect_exit(3).finished();
    assert!(finished["left"].to_string().contains("mi run --commit"), "{finished}");
}

/// After a run `mi prove` compares with the tree that the run began with.
#[test]
fn prove_knows_where_the_last_run_began() {
    let Some(scene) = scene(vec![adds_without_test()]) else { return };
    scene.run(&["--max-batches", "1"], "Add a half(n) function to calc.py.").expect_exit(3);
    let report = scene.mi().run(["prove", "--json"]).expect_exit(1).json();
    assert_eq!(
        (&report["status"], &report["base"]),
        (&json!("unshown"), &json!("the tree the run began with")),
        "{report}"
    );
    let criteria = ["prove", "--json", "--task", "Add a half(n) function to calc.py."];
    let report = scene.mi().run(criteria).expect_exit(1).json();
    assert_eq!(report["criteria"][0]["bearing"], json!(null), "{report}");
}
