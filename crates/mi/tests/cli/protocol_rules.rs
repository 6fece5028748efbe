//! `mi run --protocol` with rules about files: what was read, written and approved stands in the journal and is held to.

use super::{CHECK, FIXED, Scene};
use mi_test_support::{Batch, TempProject};
use serde_json::{Value, json};

/// A draft of two files that a reviewer looks at, and a file that nobody may read.
const DRAFT: &str = "version: 1
name: draft
start: DRAFT
nodes:
  - { id: DRAFT, kind: phase, files: [notes.md, plan.md], checks: ['python3 -m unittest'] }
  - { id: REVIEW, kind: phase, validator: true }
  - { id: DONE, kind: end }
edges:
  - { id: D1, from: DRAFT, to: REVIEW, class: Gate, guard_expr: state.gate_passed && state.required_files_exist }
  - { id: R1, from: REVIEW, to: DONE, class: Gate, guard_expr: 'state.validator_verdict == \"APPROVE\"' }
  - { id: R2, from: REVIEW, to: DRAFT, class: Loop, guard_expr: 'state.attempt_count <= 3' }
access_rules:
  - { actor: worker, resource_path: 'private/**', access_mode: read, access_allowed: false, reason: file-ban }
  - { actor: '*', resource_path: '**', access_mode: read, access_allowed: true }
";

fn works(files: &[(&str, &str)], reads: &str) -> Batch {
    let start = Batch::codex("t1").write_file("calc.py", FIXED);
    let written = files.iter().fold(start, |batch, (path, content)| batch.write_file(path, content));
    let read = if reads.is_empty() { written } else { written.command(reads, "text", 0) };
    read.run(CHECK).message("Written; all tests pass.").turn_completed(9, 2)
}

fn reviews(says: &str) -> Batch {
    Batch::codex("r1").command("cat private/key.md", "text", 0).run(CHECK).message(says).turn_completed(5, 1)
}

struct Drafted {
    scene: Scene,
}

impl Drafted {
    fn new(batches: Vec<Batch>) -> Self {
        let scene = Scene::new("Prefer small changes.", TempProject::python(), batches);
        scene.home.write("p.yaml", DRAFT);
        Self { scene }
    }

    fn file(&self) -> String {
        self.scene.home.path().join("p.yaml").display().to_string()
    }

    fn run(&self, more: &[&str]) -> Vec<Value> {
        let file = self.file();
        let all: Vec<&str> = ["--protocol", &file].into_iter().chain(more.iter().copied()).collect();
        self.scene.run(&all, "Fix the failing test");
        self.steps()
    }

    fn steps(&self) -> Vec<Value> {
        let log = ["log", "--json", "--run", "last", "--kind", "protocol", "-n", "1000"];
        let out = self.scene.mi().run(log).expect_exit(0).out();
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Events of one type, as `what allowed by reason`.
fn told(steps: &[Value], kind: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let of_kind = steps.iter().filter(|step| step["protocol_event"]["type"] == kind);
    of_kind
        .map(|step| {
            let (event, verdict) = (&step["protocol_event"], &step["verdict"]);
            let what = match kind {
                "access" => {
                    format!("{} {} {}", text(&event["actor"]), text(&event["mode"]), text(&event["path"]))
                }
                "approved" => event["items"].to_string(),
                _ => text(&event["edge"]),
            };
            let allowed = if verdict["allowed"] == json!(true) { "allowed" } else { "refused" };
            format!("{what}: {allowed} {} {}", text(&verdict["by"]), text(&verdict["reason"]))
        })
        .collect()
}

/// A banned read is recorded as refused and told to the agent; the reviewer, whom the ban does not name, may read.
#[test]
fn a_banned_read_is_recorded_and_told() {
    let both = [("notes.md", "n"), ("plan.md", "p")];
    let batches = vec![
        works(&both, "bash -lc 'cat private/key.md README.md'"),
        works(&[], ""),
        reviews("VERDICT: APPROVE"),
    ];
    let drafted = Drafted::new(batches);
    let steps = drafted.run(&[]);
    assert_eq!(
        told(&steps, "access"),
        [
            "worker read README.md: allowed - -",
            "worker read private/key.md: refused access:worker file-ban",
            "validator read private/key.md: allowed - -",
        ]
    );
    let prompts = drafted.scene.agent.prompts();
    assert!(prompts[1].contains("you may not read `private/key.md`"), "{}", prompts[1]);
    assert_eq!(told(&steps, "transition").last().map(String::as_str), Some("R1: allowed - -"));
}

/// A reviewer approves one of two files: the next draft has to keep it, also when the run is taken up in the middle.
#[test]
fn what_a_reviewer_approved_is_kept_across_a_resume() {
    let first = works(&[("notes.md", "n"), ("plan.md", "p")], "");
    let loses = works(&[("notes.md", "other"), ("plan.md", "q")], "");
    let keeps = works(&[("notes.md", "n"), ("plan.md", "q")], "");
    let rejects = reviews("The plan is too short.\nVERDICT: REJECT\nAPPROVED: `notes.md`, nothing-else.md");
    let drafted = Drafted::new(vec![first, rejects, loses, keeps, reviews("VERDICT: APPROVE")]);
    let before = drafted.run(&["--max-batches", "2"]);
    assert_eq!(told(&before, "approved"), ["[\"notes.md\"]: allowed - -"]);
    assert!(drafted.scene.agent.prompts()[1].contains("APPROVED: which of `notes.md`, `plan.md`"));
    let resumed = ["run", "--json", "--mind", "rules", "--resume", "--max-batches", "9"];
    let output = drafted.scene.mi().run(resumed).expect_exit(0);
    assert_eq!(output.finished()["status"], "done", "{}", output.out());
    let after = drafted.steps();
    assert_eq!(after[..before.len()], before[..], "what was recorded stays");
    assert_eq!(
        told(&after, "output"),
        ["-: allowed - -", "-: refused RERUN_DELTA approved_lost", "-: allowed - -"]
    );
    let events: Vec<String> = after.iter().map(|step| step["protocol_event"].to_string()).collect();
    drafted.scene.home.write("again.jsonl", events.join("\n"));
    let again = drafted.scene.home.path().join("again.jsonl").display().to_string();
    let out = drafted
        .scene
        .mi()
        .run(["protocol", "simulate", "--json", &drafted.file(), &again])
        .expect_exit(0)
        .out();
    let judged: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let recorded: Vec<Value> = after.iter().map(|step| step["verdict"].clone()).collect();
    assert_eq!(judged, recorded);
}
