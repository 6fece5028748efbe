//! Every record that is written fits its published schema and the frame that all records share.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, TempProject};
use serde_json::Value;
use std::collections::BTreeSet;

fn varied_scene() -> Scene {
    let asks =
        Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(10, 1);
    let pushes = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .command("git push origin main", "", 0)
        .message("Pushed.")
        .turn_completed(20, 2);
    let scene =
        Scene::new("Prefer small changes.", TempProject::python(), vec![asks, pushes, fixes_and_tests()]);
    scene.run(&[], "Fix the failing test").expect_exit(3);
    scene.mi().run(["answer", "--json", "The second one."]);
    scene
}

fn records(scene: &Scene) -> Vec<Value> {
    scene.mi().run(["log", "--json", "-n", "100000"]).expect_exit(0).events()
}

/// `mi schema` describes what is on disk.
#[test]
fn every_record_fits_its_schema() {
    let scene = varied_scene();
    let mut kinds = BTreeSet::new();
    for record in records(&scene) {
        let kind = record["kind"].as_str().unwrap_or_default().to_owned();
        let schema = scene.mi().run(["schema", &kind]).expect_exit(0).json();
        let validator = jsonschema::validator_for(&schema).expect("the schema itself is valid");
        let errors: Vec<String> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{kind}: {errors:?}\n{record}");
        kinds.insert(kind);
    }
    assert!(kinds.len() >= 8, "{kinds:?}");
}

/// `kind`, `ts`, `run_id`, `seq`, `prev`, beats and clock stand on every record; `seq` grows; `prev` chains.
#[test]
fn every_record_carries_the_frame() {
    let scene = varied_scene();
    let mut last_seq = None;
    for (index, record) in records(&scene).iter().enumerate() {
        for field in ["kind", "ts", "run_id", "seq", "beat_index", "window_id", "hlc"] {
            assert!(!record[field].is_null(), "{field}: {record}");
        }
        assert_eq!(record["prev"].is_null(), index == 0, "{record}");
        let seq = record["seq"].as_u64();
        assert!(seq > last_seq, "{seq:?} after {last_seq:?}");
        last_seq = seq;
    }
}

/// What was sent is on disk before the agent starts: the agent itself can read it there.
#[test]
fn input_is_on_disk_before_the_agent_starts() {
    let scene = Scene::new("x", TempProject::python(), vec![
        Batch::codex("t1").shell("grep -l 'Fix the failing test' \"$MI_HOME\"/projects/*/evidence.jsonl > seen.log || true").message("Looked.").turn_completed(1, 1),
    ]);
    scene.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
    assert!(scene.project.read("seen.log").contains("evidence.jsonl"));
}

/// Each JSON event has its name, its time and its run; its `seq` is the record's.
#[test]
fn events_carry_name_time_and_run() {
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    let events = output.events();
    for event in &events {
        assert!(
            event["event"].is_string() && event["ts"].is_string() && event["run_id"].is_string(),
            "{event}"
        );
    }
    assert_eq!(events.last().map(|event| event["event"].clone()), Some("run.finished".into()));
    let on_disk = records(&scene);
    for event in events.iter().filter(|event| !event["seq"].is_null()) {
        let record = on_disk.iter().find(|record| record["seq"] == event["seq"]);
        assert_eq!(record.map(|record| record["kind"].clone()), Some(event["kind"].clone()), "{event}");
    }
}

/// A recording of a run replays to the same end, without the agent.
#[test]
fn recorded_run_replays() {
    let claims = Batch::codex("t1").write_file("calc.py", FIXED).message("Done!").turn_completed(10, 1);
    let checks = Batch::codex("t1").run(CHECK).message("All tests pass.").turn_completed(30, 3);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![claims, checks]);
    let folder = scene.home.path().join("recording");
    let folder = folder.to_str().unwrap_or_default();
    scene.run(&["--record", folder], "Fix the failing test").expect_exit(0);

    let fresh = Scene::new("Prefer small changes.", TempProject::python(), vec![Batch::new().die()]);
    let hands = format!("replay:{folder}");
    let output = fresh
        .mi()
        .run(["run", "--json", "--mind", "rules", "--hands", &hands, "Fix the failing test"])
        .expect_exit(0);
    assert_eq!(output.finished()["batches"], 2, "{}", output.out());
    assert_eq!(fresh.project.read("calc.py"), FIXED);
}
