//! `mi run --verify box`: a run is done when `mi` itself saw the check pass in the box; and what `mi doctor` says of engines.

use mi_test_support::{Batch, Mi, Podman, TempHome, TempProject, installed};
use serde_json::{Value, json};

use super::{CHECK, FIXED, Scene, boxed::has_bwrap, fixes_and_tests};

/// What a passing check prints.
const PASSED: &str = "..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n";

/// An agent that shows a passing check that was never run.
fn pretends() -> Batch {
    Batch::codex("t1").command(CHECK, PASSED, 0).message("Fixed, all tests pass.").turn_completed(10, 1)
}

fn boxed(scene: &Scene, more: &[&str]) -> mi_test_support::MiOutput {
    scene.home.write_config("[box]\nengine = \"bwrap\"\n");
    let arguments = [&["--verify", "box"], more].concat();
    scene.run(&arguments, "Fix the failing test")
}

fn can_check() -> bool {
    has_bwrap() && std::path::Path::new("/usr/bin/python3").exists()
}

/// A check that passes in the box makes the proof verified.
#[test]
fn x_19_a_run_that_the_box_verifies_is_verified() {
    if !can_check() {
        return;
    }
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    let finished = boxed(&scene, &[]).expect_exit(0).finished();
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("done"), &json!(1)), "{finished}");
    assert_eq!(finished["proof"][0]["level"], "verified", "{finished}");
}

/// A check that fails in the box goes back to the agent with what it printed; the run ends verified once it passes.
#[test]
fn x_19_what_fails_in_the_box_goes_back_to_the_agent() {
    if !can_check() {
        return;
    }
    let fixes = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Now it is fixed; all tests pass.")
        .turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![pretends(), fixes]);
    let finished = boxed(&scene, &[]).expect_exit(0).finished();
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("done"), &json!(2)), "{finished}");
    assert_eq!(finished["proof"][0]["level"], "verified", "{finished}");
    let told = &scene.agent.prompts()[1];
    assert!(told.contains("sealed box") && told.contains("AssertionError"), "{told}");
    let again = scene.mi().run(["replay", "last", "--json"]);
    assert!(!again.out().contains("\"before\""), "{again}");
}

/// An agent that never fixes it gets no more batches than allowed, and the run is not done.
#[test]
fn x_19_what_the_box_never_verifies_is_not_done() {
    if !can_check() {
        return;
    }
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![pretends()]);
    let finished = boxed(&scene, &["--max-batches", "2"]).expect_exit(3).finished();
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("blocked"), &json!(2)), "{finished}");
    assert!(finished["reason"].as_str().unwrap().contains("the box did not verify it"), "{finished}");
}

/// Where there is no box at all, nothing is called done, and the agent is not bothered with it.
#[test]
fn x_19_a_box_that_is_denied_blocks_the_run() {
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    scene.home.write_config("[box]\nengine = \"container\"\n");
    let arguments = scene.arguments(&["--verify", "box"], "Fix the failing test");
    let output = scene.mi().env("DOCKER_HOST", "tcp://127.0.0.1:1").run(arguments).expect_exit(3);
    let finished = output.finished();
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("blocked"), &json!(1)), "{finished}");
    assert!(finished["reason"].as_str().unwrap().contains("N.socket"), "{finished}");
}

/// The line of `mi doctor` about one thing.
fn doctor(home: &TempHome, docker_host: &str, what: &str) -> Value {
    let output =
        Mi::new(env!("CARGO_BIN_EXE_mi"), home).env("DOCKER_HOST", docker_host).run(["doctor", "--json"]);
    let lines = output.expect_exit(0).json();
    lines.as_array().unwrap().iter().find(|line| line["what"] == what).cloned().expect(what)
}

/// Bubblewrap is tried, not only looked for; the line says how limits are kept.
#[test]
fn x_18_doctor_tries_bubblewrap() {
    let line = doctor(&TempHome::new(), "", "bwrap");
    if installed("bwrap").is_none() || !has_bwrap() {
        assert_eq!(line["ok"], false, "{line}");
        return;
    }
    assert_eq!(line["ok"], true, "{line}");
    assert!(line["detail"].as_str().unwrap().contains("limits by"), "{line}");
}

/// An engine elsewhere, one that is not running, and one that works, each with its reason.
#[test]
fn n_doctor_says_why_an_engine_does_not_work() {
    let home = TempHome::new();
    for (host, reason) in [
        ("tcp://127.0.0.1:2375", "not a local socket"),
        ("unix:///nowhere/engine.sock", "does not run"),
        ("unix:///dev/null", "does not run"),
    ] {
        let line = doctor(&home, host, "engine");
        assert_eq!(line["ok"], false, "{line}");
        assert!(line["detail"].as_str().unwrap().contains(reason), "{line}");
        assert!(line["to_do"].as_str().unwrap().contains("Podman"), "{line}");
    }
    let Some(podman) = Podman::start() else { return };
    let line = doctor(&home, &podman.host(), "engine");
    assert_eq!(line["ok"], true, "{line}");
    assert!(line["detail"].as_str().unwrap().contains("Podman"), "{line}");
}
