//! What whoever works claims every beat, what it is told, and what it may use up.

use super::{Scene, boxed, council::council_log, fixes_and_tests};
use mi_test_support::{Batch, Mi, TempHome, TempProject, installed, skipped};
use serde_json::{Value, json};
use std::fs;

/// The claims in a home.
fn claims(home: &TempHome) -> Vec<Value> {
    let text = fs::read_to_string(council_log(&home.path())).unwrap_or_default();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["kind"] == "status_claim").collect()
}

/// A run claims its requirements, its place on the beat grid and the files it began with.
#[test]
fn rule_t_a_run_claims_its_goals_every_beat() {
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    scene.run(&[], "CALC-ADD-001 and CALC-ADD-002: fix the failing test").expect_exit(0);
    let claims = claims(&scene.home);
    assert_eq!(claims.len(), 1, "one claim a beat: {claims:?}");
    let claim = &claims[0];
    assert_eq!(claim["goal.ids"], json!(["CALC-ADD-001", "CALC-ADD-002"]), "{claim}");
    assert!(
        claim["beat_index"].is_i64() && claim["hlc"].is_string() && claim["window_id"].is_string(),
        "{claim}"
    );
    assert!(claim["workspace_manifest_hash"].is_string() && claim["image_digest"].is_null(), "{claim}");
    assert_eq!(claim["state"], "working");
    scene.mi().run(["verify"]).expect_exit(0);
}

/// So does a command in the box, for its task and its input.
#[test]
fn rule_t_exec_claims_while_it_runs() {
    if installed("bwrap").is_none() {
        return skipped("bwrap is not installed");
    }
    let place = boxed::Place::new();
    place.scratch.write("from/a.txt", "given");
    let from = place.scratch.path().join("from");
    let arguments = ["exec", "--json", "--engine", "bwrap", "--task-id", "CALC-ADD-001", "--from"];
    let run = place.mi().run(arguments.iter().copied().chain([from.to_str().unwrap(), "--", "/bin/true"]));
    run.expect_exit(0);
    let claims = claims(&place.home);
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert_eq!(claims[0]["task_id"], "CALC-ADD-001");
    assert_eq!(claims[0]["goal.ids"], json!(["CALC-ADD-001"]));
    assert!(claims[0]["workspace_manifest_hash"].as_str().unwrap().starts_with("sha256:"), "{claims:?}");
}

/// The rules of a council go to those who take part in one: `mi prompt compose` prints them, an ordinary run does not carry
/// them (12-proof: light injection is light).
#[test]
fn section_6_the_inserts_stay_out_of_ordinary_runs() {
    let (home, project) = (TempHome::with_values("Prefer small changes."), TempProject::python());
    let mi = || Mi::new(env!("CARGO_BIN_EXE_mi"), &home).cwd(project.path());
    let run =
        ["run", "--json", "--mind", "rules", "--max-batches", "1", "--hands", "exec:tee input.txt", "Fix it"];
    mi().run(run);
    let given = project.read("input.txt");
    assert!(given.contains("Fix it") && !given.contains("self-approve"), "{given}");
    assert!(given.len() <= "Prefer small changes.Fix it".len() + 1200, "{} bytes: {given}", given.len());
    let composed = mi().run(["prompt", "compose", "agent"]).expect_exit(0).out();
    for part in ["Rule 0:", "Rule T:", "Rule K:", "Do not self-approve", "Respect SHHH redactions"] {
        assert!(composed.contains(part), "{part}: {composed}");
    }
}

/// A task that cost as much as it may is blocked before the next batch; a limit without prices is refused.
#[test]
fn kaching_a_run_stops_at_its_cost() {
    let early = || Batch::codex("t1").message("Done.").turn_completed(100, 10);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![early(), fixes_and_tests()]);
    let arguments = scene.arguments(&[], "Fix the failing test");
    scene.mi().env("MI_BUDGET_MAX_CENTS", "9").run(arguments.clone()).expect_exit(2);
    let priced = scene
        .mi()
        .env("MI_BUDGET_MAX_CENTS", "9")
        .env("MI_BUDGET_INPUT_CENTS", "100000")
        .env("MI_BUDGET_OUTPUT_CENTS", "100000");
    let output = priced.run(arguments).expect_exit(3);
    let finished = output.finished();
    assert_eq!((finished["status"].as_str(), finished["batches"].as_i64()), (Some("blocked"), Some(1)));
    assert!(finished["reason"].as_str().unwrap().contains("cost limit of 9 cents"), "{finished}");
}
