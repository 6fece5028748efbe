//! `mi run --protocol`: phases drive the agent, reviewers look and change nothing, and the journal holds it all.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, MiOutput, TempProject};
use serde_json::{Value, json};

/// Build until the tests pass, have it reviewed, and be done; a rejected build goes back.
pub const BUILD: &str = "version: 1
name: build
start: BUILD
nodes:
  - { id: BUILD, kind: phase, title: Make the change, checks: ['python3 -m unittest'] }
  - { id: REVIEW, kind: phase, title: Look at it, validator: true }
  - { id: DONE, kind: end }
edges:
  - { id: B1, from: BUILD, to: REVIEW, class: Gate, guard_expr: state.gate_passed }
  - { id: B2, from: REVIEW, to: DONE, class: Gate, guard_expr: 'state.validator_verdict == \"APPROVE\"', guard_type: enum_match }
  - { id: B3, from: REVIEW, to: BUILD, class: Loop, guard_expr: 'state.attempt_count <= 2', guard_type: numeric }
";

fn reviews(verdict: &str) -> Batch {
    Batch::codex("r1")
        .run(CHECK)
        .message(&format!("I looked.\nVERDICT: {verdict}\nSCORE: 80"))
        .turn_completed(5, 1)
}

struct Followed {
    scene: Scene,
}

impl Followed {
    fn new(protocol: &str, batches: Vec<Batch>) -> Self {
        let scene = Scene::new("Prefer small changes.", TempProject::python(), batches);
        scene.home.write("p.yaml", protocol);
        Self { scene }
    }

    fn file(&self) -> String {
        self.scene.home.path().join("p.yaml").display().to_string()
    }

    fn run(&self, more: &[&str], task: &str) -> MiOutput {
        let file = self.file();
        let all: Vec<&str> = ["--protocol", &file].into_iter().chain(more.iter().copied()).collect();
        self.scene.run(&all, task)
    }

    /// The events of the newest run, as the journal has them, with their verdicts.
    fn steps(&self) -> Vec<Value> {
        let out = self
            .scene
            .mi()
            .run(["log", "--json", "--run", "last", "--kind", "protocol", "-n", "1000"])
            .expect_exit(0)
            .out();
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// `type/edge allowed by` of the events that matter.
    fn moves(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let told = |step: &Value| {
            let what = step["protocol_event"]["edge"]
                .as_str()
                .or(step["protocol_event"]["phase"].as_str())
                .unwrap_or_default();
            let allowed = if step["verdict"]["allowed"] == json!(true) { "allowed" } else { "refused" };
            format!(
                "{} {what} {allowed} {}",
                text(&step["protocol_event"]["type"]),
                text(&step["verdict"]["by"])
            )
        };
        self.steps().iter().filter(|step| step["protocol_event"]["type"] != "update").map(told).collect()
    }

    /// The journal's events, judged again by `simulate`, get the verdicts that the journal has.
    fn assert_same_verdicts(&self) {
        let steps = self.steps();
        let events: Vec<String> = steps.iter().map(|step| step["protocol_event"].to_string()).collect();
        self.scene.home.write("again.jsonl", events.join("\n"));
        let again = self.scene.home.path().join("again.jsonl").display().to_string();
        let out = self
            .scene
            .mi()
            .run(["protocol", "simulate", "--json", &self.file(), &again])
            .expect_exit(0)
            .out();
        let judged: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let recorded: Vec<Value> = steps.iter().map(|step| step["verdict"].clone()).collect();
        assert_eq!(judged, recorded);
    }
}

/// Phases drive the agent, the reviewer has a conversation of its own, and the end is reached with proof.
#[test]
fn phases_drive_the_agent_to_a_proven_end() {
    let followed = Followed::new(BUILD, vec![fixes_and_tests(), reviews("APPROVE")]);
    let output = followed.run(&[], "Fix the failing test").expect_exit(0);
    let finished = output.finished();
    assert_eq!((&finished["status"], &finished["batches"]), (&json!("done"), &json!(2)), "{finished}");
    assert_eq!(
        followed.moves(),
        [
            "phase_start BUILD allowed -",
            "said  allowed -",
            "phase_end BUILD allowed -",
            "transition B1 allowed -",
            "phase_start REVIEW allowed -",
            "said  allowed -",
            "phase_end REVIEW allowed -",
            "transition B2 allowed -",
        ]
    );
    let prompts = followed.scene.agent.prompts();
    assert!(prompts[0].contains("Fix the failing test") && prompts[0].contains("BUILD"), "{prompts:?}");
    assert!(prompts[1].contains("change nothing") && prompts[1].contains("VERDICT"), "{prompts:?}");
    let threads: Vec<Value> =
        output.events_named("batch.started").iter().map(|event| event["thread_id"].clone()).collect();
    assert_eq!(threads, ["", ""], "the reviewer does not go on with the worker's conversation");
    followed.assert_same_verdicts();
    let verified = followed.scene.mi().run(["verify", "--json"]).expect_exit(0).json();
    assert_eq!(verified["ok"], true, "{verified}");
}

/// A rejection sends the work back over the loop, with the reviewer's words; the protocol bounds it.
#[test]
fn a_rejection_goes_back_and_is_bounded() {
    let again =
        || Batch::codex("t1").run(CHECK).message("Looked again, all tests pass.").turn_completed(5, 1);
    let batches = vec![fixes_and_tests(), reviews("REJECT"), again(), reviews("APPROVE")];
    let followed = Followed::new(BUILD, batches);
    followed.run(&[], "Fix the failing test").expect_exit(0);
    let transitions: Vec<String> =
        followed.moves().into_iter().filter(|told| told.starts_with("transition")).collect();
    assert_eq!(
        transitions,
        [
            "transition B1 allowed -",
            "transition B3 allowed -",
            "transition B1 allowed -",
            "transition B2 allowed -"
        ]
    );
    assert!(followed.scene.agent.prompts()[2].contains("VERDICT: REJECT"), "the worker hears why");
    let rejected = followed
        .steps()
        .into_iter()
        .find(|step| step["protocol_event"]["set"]["validator_verdict"] == "REJECT")
        .unwrap();
    assert_eq!(
        (&rejected["protocol_event"]["set"]["rejection_count"], &rejected["protocol_event"]["set"]["score"]),
        (&json!(1), &json!(80.0))
    );
    followed.assert_same_verdicts();
}

/// A gate that its checks have not passed keeps the phase going; the agent is told what is missing, not asked for reports.
#[test]
fn an_unproven_gate_keeps_the_phase_going() {
    let claims =
        Batch::codex("t1").write_file("calc.py", FIXED).message("Done, it works.").turn_completed(5, 1);
    let checks = Batch::codex("t1").run(CHECK).message("All tests pass.").turn_completed(9, 2);
    let followed = Followed::new(BUILD, vec![claims, checks, reviews("APPROVE")]);
    followed.run(&[], "Fix the failing test").expect_exit(0);
    assert!(
        followed.moves().contains(&"transition B1 refused guard:B1".to_owned()),
        "{:?}",
        followed.moves()
    );
    let told = &followed.scene.agent.prompts()[1];
    assert!(told.contains("gate_passed=false") && told.contains("python3 -m unittest"), "{told}");
}

/// A review during which a file changed does not count.
#[test]
fn a_reviewer_that_changes_files_is_void() {
    let meddles =
        Batch::codex("r1").write_file("calc.py", "x = 1\n").message("VERDICT: APPROVE").turn_completed(5, 1);
    let followed = Followed::new(BUILD, vec![fixes_and_tests(), meddles]);
    let output = followed.run(&["--max-batches", "3"], "Fix the failing test").expect_exit(3);
    let steps = followed.steps();
    let void =
        steps.iter().filter(|step| step["protocol_event"]["set"]["validator_verdict"] == "PENDING").count();
    assert!(void >= 1, "{steps:?}");
    assert!(
        !followed.moves().iter().any(|told| told.starts_with("transition B2 allowed")),
        "{}",
        output.out()
    );
}

/// A phase without a tool call is run again; one that says what a policy forbids is told so.
#[test]
fn invariants_and_text_policies_hold_in_a_run() {
    let protocol = format!(
        "{BUILD}policies:\n  - {{ id: NO_ASKING, text: ['should i proceed'], priority: 5, violation_action: reject }}\n"
    );
    let asks = Batch::codex("t1").message("Ready. Should I proceed?").turn_completed(5, 1);
    let idle = Batch::codex("t1").message("I thought about it.").turn_completed(6, 1);
    let followed = Followed::new(&protocol, vec![asks, idle, fixes_and_tests(), reviews("APPROVE")]);
    followed.run(&[], "Fix the failing test").expect_exit(0);
    let moves = followed.moves();
    assert!(moves.contains(&"said  refused NO_ASKING".to_owned()), "{moves:?}");
    assert!(moves.contains(&"phase_end BUILD refused TOOL_USE_NONZERO".to_owned()), "{moves:?}");
    let prompts = followed.scene.agent.prompts();
    assert!(prompts[1].contains("NO_ASKING"), "{}", prompts[1]);
    assert!(prompts[2].contains("TOOL_USE_NONZERO"), "{}", prompts[2]);
}

const EVIDENCE: &str = "version: 1
name: evidence
start: WORK
nodes:
  - { id: WORK, kind: phase, files: [notes.md] }
  - { id: DONE, kind: end }
state:
  coverage: { type: number, default: 0 }
edges:
  - id: W1
    from: WORK
    to: DONE
    class: Gate
    guard_expr: state.coverage >= 80 && state.required_files_exist
    guard_type: numeric
    guard_evidence_source: logs/{X}.json:summary.coverage
";

/// A guard reads its evidence at the transition; the digest is in the journal, and what is missing keeps it closed.
#[test]
fn guards_read_their_evidence() {
    let first = fixes_and_tests();
    let low = Batch::codex("t1")
        .shell("mkdir -p logs && printf '{\"summary\":{\"coverage\":40}}' > logs/WORK.json")
        .run(CHECK)
        .message("Measured.")
        .turn_completed(9, 2);
    let high = Batch::codex("t1")
        .shell("printf '{\"summary\":{\"coverage\":91.5}}' > logs/WORK.json && echo done > notes.md")
        .run(CHECK)
        .message("Measured again, and noted.")
        .turn_completed(19, 2);
    let followed = Followed::new(EVIDENCE, vec![first, low, high]);
    let output = followed.run(&[], "Fix the failing test").expect_exit(0);
    let transitions: Vec<Value> =
        followed.steps().into_iter().filter(|step| step["protocol_event"]["type"] == "transition").collect();
    assert_eq!(transitions.len(), 3, "{transitions:?}");
    let error = transitions[0]["protocol_event"]["guard_evidence"]["error"].as_str().unwrap();
    assert!(error.contains("logs/WORK.json"), "{error}");
    assert_eq!(transitions[1]["protocol_event"]["set"]["coverage"], 40);
    assert_eq!(transitions[2]["protocol_event"]["set"]["coverage"], 91.5);
    assert_eq!(transitions[2]["protocol_event"]["guard_evidence"]["sha256"].as_str().unwrap().len(), 64);
    let read = output.events_named("protocol.evidence_read");
    assert_eq!(read.len(), 3);
    followed.assert_same_verdicts();
}

const PARTS: &str = "version: 1
name: parts
start: REPORT
nodes:
  - { id: REPORT, kind: phase, subphases: [7A, 7B] }
  - { id: DONE, kind: end }
edges:
  - { id: R1, from: REPORT, to: DONE, class: Progress }
";

/// `mi` is killed in a sub-phase: `--resume` gives the same state, and that sub-phase begins anew.
#[test]
fn a_killed_run_resumes_at_its_subphase() {
    let part = |name: &str| {
        Batch::codex("t1")
            .write_file("calc.py", FIXED)
            .write_file(&format!("{name}.md"), name)
            .run(CHECK)
            .message("Written; all tests pass.")
            .turn_completed(9, 2)
    };
    let hangs = Batch::codex("t1").command_started("sleep 300").hang();
    let followed = Followed::new(PARTS, vec![part("a"), hangs, part("b")]);
    let file = followed.file();
    let arguments = followed.scene.arguments(&["--protocol", &file], "Fix the failing test");
    let mut running = followed.scene.mi().start(arguments);
    running.wait_for("sleep 300");
    running.kill();
    running.wait();
    let before = followed.steps();
    let output = followed.scene.mi().run(["run", "--json", "--mind", "rules", "--resume"]).expect_exit(0);
    assert_eq!(output.finished()["status"], "done", "{}", output.out());
    let after = followed.steps();
    assert_eq!(after[..before.len()], before[..], "what was recorded stays");
    let resumed = &after[before.len()];
    assert_eq!(
        (&resumed["protocol_event"]["type"], &resumed["verdict"]["subphase"]),
        (&json!("resume"), &json!("7B"))
    );
    let ends: Vec<&Value> =
        after.iter().filter(|step| step["protocol_event"]["type"] == "subphase_end").collect();
    assert_eq!(ends.len(), 2);
    assert!(ends[1]["protocol_event"]["manifest"].to_string().contains("b.md"), "{}", ends[1]);
    followed.assert_same_verdicts();
}

/// The audit of a run stands on what its journal says, event by event.
#[test]
fn audit_and_backtest_read_the_journal() {
    let followed = Followed::new(BUILD, vec![fixes_and_tests(), reviews("APPROVE")]);
    followed.run(&[], "Fix the failing test").expect_exit(0);
    let file = followed.file();
    let report = followed
        .scene
        .mi()
        .run(["protocol", "audit", "--json", &file, "--run", "last"])
        .expect_exit(0)
        .json();
    assert_eq!(report["records"].as_array().unwrap().len(), followed.steps().len());
    assert_eq!((&report["report"]["finished"], &report["report"]["node"]), (&json!(true), &json!("DONE")));
    followed.scene.home.write(
        "strict.yaml",
        BUILD.replace("guard_expr: state.gate_passed }", "guard_expr: state.score != null }"),
    );
    let strict = followed.scene.home.path().join("strict.yaml").display().to_string();
    let tested = followed.scene.mi().run(["protocol", "backtest", "--json", &strict]).expect_exit(0).json();
    assert_eq!(tested["changes"][0]["event"]["edge"], "B1", "{tested}");
    let page = followed
        .scene
        .mi()
        .run(["protocol", "audit", "builtin:autopilot", "--run", "last"])
        .expect_exit(0)
        .out();
    assert!(page.contains("Audit of autopilot"), "{page}");
    // Another file than the run's own: it is said that the run itself was decided by another.
    let audit = |file: &str| followed.scene.mi().run(["protocol", "audit", file]).expect_exit(0).out();
    assert!(audit(&strict).contains("the run itself followed") && !audit(&file).contains("Judged again"));
    assert_eq!(report["followed"]["sha256"], report["report"]["protocol_digest"]);
}

/// An escalation asks the person; with nobody there the run is blocked, and the answer lets it go on.
#[test]
fn an_escalation_waits_for_the_person() {
    let protocol = BUILD.replace(
        "guard_expr: state.gate_passed }",
        "guard_expr: state.gate_passed, on_guard_fail: escalate }",
    );
    let claims = Batch::codex("t1").write_file("calc.py", FIXED).message("Done.").turn_completed(5, 1);
    let checks = Batch::codex("t1").run(CHECK).message("All tests pass.").turn_completed(9, 2);
    let followed = Followed::new(&protocol, vec![claims, checks, reviews("APPROVE")]);
    let output = followed.run(&[], "Fix the failing test").expect_exit(3);
    assert!(
        output.finished()["reason"].as_str().unwrap().contains("cannot be left"),
        "{}",
        output.finished()
    );
    followed.scene.mi().run(["answer", "--json", "Run the tests first"]).expect_exit(0);
    assert!(followed.scene.agent.prompts()[1].contains("Run the tests first"));
    followed.assert_same_verdicts();
}

/// A protocol that does not load, from standard input, or that changed since, stops nothing but this command.
#[test]
fn wrong_protocols_are_refused() {
    let followed = Followed::new("version: 1\nstart: X\nnodes: []\n", vec![fixes_and_tests()]);
    let output = followed.run(&[], "Fix it").expect_exit(1);
    assert!(output.err().contains("p.yaml:2:8"), "{}", output.err());
    followed.scene.run(&["--protocol", "-"], "Fix it").expect_exit(2);
    followed.scene.run(&["--protocol", "none.yaml"], "Fix it").expect_exit(1);
    followed.scene.home.write("p.yaml", BUILD);
    followed.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
    followed.scene.home.write("p.yaml", format!("{BUILD}# changed\n"));
    let changed = followed.scene.mi().run(["run", "--json", "--mind", "rules", "--resume"]).expect_exit(2);
    assert!(
        changed.err().contains("digest") || changed.out().contains("digest"),
        "{}{}",
        changed.err(),
        changed.out()
    );
}

/// The example of the specification drives a run: a rework after a rejection, claims that the reviewer verifies.
#[test]
fn the_example_protocol_can_be_followed() {
    let file = super::protocol::FILE.replace("on_guard_fail: rerun     #", "on_guard_fail: block     #");
    let file: String = file
        .lines()
        .filter(|line| !line.contains("guard_evidence_source:"))
        .map(|line| format!("{line}\n"))
        .collect();
    let part = |name: &str| {
        Batch::codex("t1")
            .write_file(&format!("{name}.md"), name)
            .run(CHECK)
            .message("Part written, all tests pass.")
            .turn_completed(9, 2)
    };
    let approves = Batch::codex("r1")
        .run(CHECK)
        .message("CLAIM C-EXT-023: supported\nVERDICT: APPROVE")
        .turn_completed(5, 1);
    let rework = || Batch::codex("t1").run(CHECK).message("Answered; all tests pass.").turn_completed(9, 2);
    let mut batches = vec![fixes_and_tests(), reviews("REJECT"), rework(), approves];
    batches.extend(["7A", "7B", "7C", "7D", "7E", "7F"].map(part));
    let followed = Followed::new(&file, batches);
    let output = followed.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(output.finished()["status"], "done");
    let moves: Vec<String> =
        followed.moves().into_iter().filter(|told| told.starts_with("transition")).collect();
    assert_eq!(
        moves,
        [
            "transition E131 allowed -",
            "transition E132 refused guard:E132",
            "transition E133 allowed -",
            "transition E132 allowed -",
            "transition E134 allowed -"
        ]
    );
    followed.assert_same_verdicts();
}

/// The loop of `mi run` keeps its own protocol: every recorded run passes the audit without a refusal.
#[test]
fn plain_runs_keep_the_autopilots_own_protocol() {
    let claims = Batch::codex("t1").write_file("calc.py", FIXED).message("Done!").turn_completed(5, 1);
    let checks = Batch::codex("t1").run(CHECK).message("All tests pass.").turn_completed(9, 2);
    let asks = Batch::codex("t1").message("Which database password should I use?").turn_completed(9, 2);
    let runs: [(Vec<Batch>, i32, &str); 3] =
        [(vec![fixes_and_tests()], 0, "DONE"), (vec![claims, checks], 0, "DONE"), (vec![asks], 3, "BLOCKED")];
    for (batches, exit, node) in runs {
        let scene = Scene::new("Prefer small changes.", TempProject::python(), batches);
        scene.run(&["--protocol", "builtin:autopilot"], "Fix the failing test").expect_exit(exit);
        let audit = ["protocol", "audit", "--json", "builtin:autopilot", "--run", "last"];
        let report = scene.mi().run(audit).expect_exit(0).json();
        let refused: Vec<&Value> = report["records"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|record| record["verdict"]["allowed"] == json!(false))
            .collect();
        assert!(refused.is_empty(), "{refused:?}");
        assert_eq!((&report["report"]["node"], &report["report"]["finished"]), (&json!(node), &json!(true)));
    }
}

/// A recorded run, reviews included, goes the same way through the same protocol when it is replayed.
#[test]
fn a_recorded_run_replays_through_its_protocol() {
    let followed =
        Followed::new(BUILD, vec![fixes_and_tests(), reviews("REJECT"), reviews("x"), reviews("APPROVE")]);
    let recording = followed.scene.home.path().join("recording").display().to_string();
    followed.run(&["--record", &recording], "Fix the failing test").expect_exit(0);
    let hands = format!("replay:{recording}");
    let again = Followed::new(BUILD, vec![fixes_and_tests()]);
    let file = again.file();
    let run =
        ["run", "--json", "--mind", "rules", "--hands", &hands, "--protocol", &file, "Fix the failing test"];
    let output = again.scene.mi().run(run).expect_exit(0);
    assert_eq!(output.finished()["status"], "done");
    assert_eq!(again.moves(), followed.moves());
}
