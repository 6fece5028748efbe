//! `mi run --verify box`: a run is done when `mi` itself saw the check pass in the box; and what `mi doctor` says of engines.

use mi_test_support::{Batch, Mi, Podman, TempHome, TempProject, installed, leftovers_after, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

use super::{CHECK, FIXED, Scene, boxed::has_bwrap, fixes_and_tests};

/// An agent whose work passes everywhere but in the box.
fn pretends() -> Batch {
    let outside =
        "import os\n\n\ndef add(a, b):\n    return a - b if 'CHORUS_SEED' in os.environ else a + b\n";
    Batch::codex("t1")
        .write_file("calc.py", outside)
        .run(CHECK)
        .message("Fixed, all tests pass.")
        .turn_completed(10, 1)
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
    let batches = vec![pretends(), really_fixes()];
    let scene = Scene::new("Prefer small changes.", TempProject::python(), batches);
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

/// One phase until its check passes.
const ONE_PHASE: &str = "version: 1
name: one
start: BUILD
nodes:
  - { id: BUILD, kind: phase, checks: ['python3 -m unittest'] }
  - { id: DONE, kind: end }
edges:
  - { id: B1, from: BUILD, to: DONE, class: Gate, guard_expr: state.gate_passed }
";

/// A run through a protocol, its scene, and the edges that its journal has.
fn followed(protocol: &str, batches: Vec<Batch>, more: &[&str], exit: i32) -> (Value, Scene, Vec<String>) {
    let scene = Scene::new("Prefer small changes.", TempProject::python(), batches);
    scene.home.write("p.yaml", protocol);
    let file = scene.home.path().join("p.yaml").display().to_string();
    let arguments = [&["--protocol", file.as_str()], more].concat();
    let finished = boxed(&scene, &arguments).expect_exit(exit).finished();
    let audit = scene.mi().run(["protocol", "audit", "--json", &file, "--run", "last"]).expect_exit(0).json();
    let records = audit["records"].as_array().unwrap().clone();
    let edges = records
        .iter()
        .map(|record| {
            assert_eq!(record["verdict"]["allowed"], true, "{record}");
            record["event"]["edge"].as_str().unwrap_or_default().to_owned()
        })
        .filter(|edge| !edge.is_empty())
        .collect();
    (finished, scene, edges)
}

fn really_fixes() -> Batch {
    Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Now it is fixed; all tests pass.")
        .turn_completed(10, 1)
}

/// What fails in the box after a protocol's last phase goes back to the agent; the end is reached once, when it passes.
#[test]
fn x_19_a_protocols_end_waits_for_the_box() {
    if !can_check() {
        return;
    }
    let (finished, scene, edges) = followed(ONE_PHASE, vec![pretends(), really_fixes()], &[], 0);
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("done"), &json!(2)), "{finished}");
    assert_eq!(finished["proof"][0]["level"], "verified", "{finished}");
    assert_eq!(edges, ["B1"]);
    let told = &scene.agent.prompts()[1];
    assert!(told.contains("sealed box") && told.contains("AssertionError"), "{told}");
}

/// To a reviewer's phase, a check that fails in the box is a rejection: the work goes back to whoever can change it.
#[test]
fn x_19_the_box_overrules_a_reviewer() {
    if !can_check() {
        return;
    }
    let approves =
        || Batch::codex("r1").command("ls", "", 0).message("Fine.\nVERDICT: APPROVE").turn_completed(5, 1);
    let batches = vec![pretends(), approves(), really_fixes(), approves()];
    let (finished, scene, edges) = followed(super::protocol_run::BUILD, batches, &[], 0);
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("done"), &json!(4)), "{finished}");
    assert_eq!(edges, ["B1", "B3", "B1", "B2"]);
    assert!(scene.agent.prompts()[2].contains("AssertionError"), "{:?}", scene.agent.prompts());
}

/// The limits of the run hold for what the box sends back through a protocol too.
#[test]
fn x_19_a_protocol_that_the_box_never_verifies_is_bounded() {
    if !can_check() {
        return;
    }
    let (finished, scene, edges) = followed(ONE_PHASE, vec![pretends()], &["--max-batches", "2"], 3);
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("blocked"), &json!(2)), "{finished}");
    assert!(finished["reason"].as_str().unwrap().contains("the box did not verify it"), "{finished}");
    assert_eq!(edges, Vec::<String>::new(), "the end was not reached");
    let more = ["run", "--json", "--mind", "rules", "--resume", "--max-batches", "3"];
    let again = scene.mi().run(more).expect_exit(3).finished();
    assert_eq!((&again["status"], &again["batches"]), (&json!("blocked"), &json!(3)), "{again}");
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
    if !can_check() {
        return;
    }
    // Once there is one, the same check is made before the run is called done.
    scene.home.write_config("[box]\nengine = \"bwrap\"\n");
    let again = scene.mi().run(["run", "--json", "--mind", "rules", "--resume"]).expect_exit(0).finished();
    assert_eq!((&again["status"], &again["batches"]), (&json!("done"), &json!(1)), "{again}");
    assert_eq!(again["proof"][0]["level"], "verified", "{again}");
}

/// `mi` is killed while the box checks: the box dies with it, `--resume` removes what it left and checks once more, and
/// only that makes the run done.
#[test]
fn x_12_x_19_a_run_killed_during_its_check_checks_again() {
    if !can_check() {
        return;
    }
    for (protocol, good) in [(None, true), (None, false), (Some(ONE_PHASE), true)] {
        killed_during_its_check(protocol, good);
    }
}

/// A project whose check takes its time in the box, in a process with this marker.
fn slow_in_the_box(marker: &str) -> TempProject {
    let project = TempProject::python();
    let slow = format!(
        "import os, subprocess\nif 'CHORUS_SEED' in os.environ:\n    subprocess.run(['sleep', '3', '{marker}'])\n"
    );
    let test = project.read("test_calc.py");
    project.write("test_calc.py", format!("{slow}{test}"));
    project.commit("slow");
    project
}

fn killed_during_its_check(protocol: Option<&str>, good: bool) {
    let agent = if good { fixes_and_tests() } else { pretends() };
    let marker = format!("0.0000{}", std::process::id());
    let scene = Scene::new("Prefer small changes.", slow_in_the_box(&marker), vec![agent, really_fixes()]);
    scene.home.write_config("[box]\nengine = \"bwrap\"\n");
    let file = scene.home.path().join("p.yaml").display().to_string();
    let mut more = vec!["--verify", "box"];
    if let Some(protocol) = protocol {
        scene.home.write("p.yaml", protocol);
        more.extend(["--protocol", file.as_str()]);
    }
    let count = |folder: &str| {
        let entries = std::fs::read_dir(scene.home.path().join(folder)).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().is_dir()).count()
    };
    let running = scene.mi().start(scene.arguments(&more, "Fix the failing test"));
    assert!(wait_until(Duration::from_secs(60), || !leftovers_after(&marker, Duration::ZERO).is_empty()));
    running.kill();
    let killed = running.wait();
    assert!(!killed.out().contains("run.finished"), "{killed}");
    assert_eq!(leftovers_after(&marker, Duration::from_secs(2)), []);
    assert_eq!((count("box/live"), count("box/runs")), (1, 0));
    let resumed = scene.mi().run(["run", "--json", "--mind", "rules", "--resume"]).expect_exit(0).finished();
    let batches = if good { 1 } else { 2 };
    assert_eq!((&resumed["status"], &resumed["batches"]), (&json!("done"), &json!(batches)), "{resumed}");
    assert_eq!(resumed["proof"][0]["level"], "verified", "{resumed}");
    assert_eq!((count("box/live"), count("box/runs")), (0, batches), "swept, and checked again");
    if protocol.is_some() {
        let audit = ["protocol", "audit", "--json", &file, "--run", "last"];
        let report = scene.mi().run(audit).expect_exit(0).json();
        assert_eq!(report["report"]["node"], "DONE", "{report}");
    }
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
