//! The real Codex CLI on a scripted model.

use super::FIXED;
use mi_test_support::{CodexHome, FakeModel, Mi, TempHome, TempProject, codex, leftovers_after};
use serde_json::{Value, json};
use std::time::Duration;

struct CodexScene {
    home: TempHome,
    project: TempProject,
    model: FakeModel,
    codex_home: CodexHome,
    variables: Vec<(std::ffi::OsString, std::ffi::OsString)>,
}

impl CodexScene {
    /// None when Codex is not installed; the test is then listed as skipped.
    fn new(values: &str, turns: Value) -> Option<Self> {
        let variables = codex()?.env();
        let model = FakeModel::start(json!({"turns": turns}));
        let codex_home = CodexHome::new(&model);
        let home = TempHome::with_values(values);
        Some(Self { home, project: TempProject::python(), model, codex_home, variables })
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .envs(self.codex_home.env())
            .envs(self.variables.clone())
            .limit(Duration::from_secs(120))
    }
}

fn write(path: &str, content: &str) -> Value {
    json!({"tool": {"name": "$write", "arguments": {"path": path, "content": content}}})
}

fn shell(command: &str) -> Value {
    json!({"tool": {"name": "$shell", "arguments": {"command": command}}})
}

const RUN: [&str; 7] = ["run", "--json", "--mind", "rules", "--hands", "codex", "Fix the failing test"];
const CHECK: &str = "python3 -B -m unittest";

/// Codex fixes the code, runs the tests, and the run is done in one batch.
#[test]
fn real_codex_happy_path() {
    let turns = json!([write("calc.py", FIXED), shell(CHECK), {"say": "Fixed; all tests pass."}]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    let output = scene.mi().run(RUN).expect_exit(0);
    assert_eq!(output.finished()["status"], "done", "{}", output.out());
    assert_eq!(output.finished()["batches"], 1);
    assert!(output.finished()["tokens"].as_u64() > Some(0));
    assert_eq!(scene.project.read("calc.py"), FIXED);
}

/// Codex says "done" too early; the second batch goes on in the same thread and shows it.
#[test]
fn real_codex_early_done_is_caught() {
    let turns = json!([write("calc.py", FIXED), {"say": "Done."}, shell(CHECK), {"say": "All tests pass."}]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    let output = scene.mi().run(RUN).expect_exit(0);
    assert_eq!(output.finished()["batches"], 2, "{}", output.out());
    let threads: Vec<Value> =
        output.events_named("batch.ended").iter().map(|event| event["thread_id"].clone()).collect();
    assert_eq!(threads[0], threads[1], "the second batch resumes the first one's thread");
    // The scripted model reports 120 tokens a request; codex sums over the thread, mi must not.
    assert_eq!(output.finished()["tokens"], 480);
}

/// Codex asks; the values answer; Codex goes on.
#[test]
fn real_codex_question_is_answered() {
    let turns = json!([
        {"say": "Should I also change the public API while I'm here?"},
        write("calc.py", FIXED),
        shell(CHECK),
        {"say": "Fixed; all tests pass."},
    ]);
    let Some(scene) = CodexScene::new("Prefer behaviour-preserving refactors.", turns) else { return };
    let output = scene.mi().run(RUN).expect_exit(0);
    assert_eq!(output.events_named("question.auto_answered")[0]["auto_answer"]["should_answer"], true);
    let requests = scene.model.model_requests();
    let asked_on = requests.iter().any(|request| request.to_string().contains("public API"));
    assert!(asked_on, "the answer reaches the model");
}

/// A model that fails for good blocks the run, with the agent's own words.
#[test]
fn real_codex_failing_model_is_blocked() {
    let turns = json!([shell("echo one"), {"status": 500, "error": "boom", "repeat": 0}]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    let output = scene.mi().run(RUN).expect_exit(3);
    let finished = output.finished();
    assert_eq!(finished["status"], "blocked");
    assert!(finished["reason"].to_string().contains("failed"), "{finished}");
}

/// A running command that pushes is stopped, nothing of it is left, and the person is asked.
#[test]
fn real_codex_is_interrupted_at_a_risky_command() {
    let marker = format!("mi-interrupt-{}", std::process::id());
    let turns =
        json!([shell(&format!("git push --force origin main; sleep 300 # {marker}")), {"say": "Pushed."}]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    scene.home.write_mindspec(&json!({
        "values_text": "Prefer small changes.",
        "interrupt": {"mode": "on_high_risk", "signal_sequence": ["SIGINT", "SIGTERM", "SIGKILL"], "escalation_ms": [2000, 5000]},
    }));
    let output = scene.mi().run(RUN).expect_exit(3);
    assert_eq!(output.events_named("agent.interrupted")[0]["category"], "push", "{}", output.out());
    assert!(output.finished()["reason"].to_string().contains("git push"), "{}", output.finished());
    assert_eq!(leftovers_after(&marker, Duration::from_secs(3)), []);
}

/// `mi` is killed in the middle of a batch: the agent dies with it, and `--resume` goes on in its thread.
#[test]
fn real_codex_run_is_resumed_after_kill() {
    let marker = format!("mi-killed-{}", std::process::id());
    let turns = json!([
        shell(&format!("sleep 300 # {marker}")),
        write("calc.py", FIXED),
        shell(CHECK),
        {"say": "Fixed; all tests pass."},
    ]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    let mut running = scene.mi().start(RUN);
    running.wait_for("agent.command_started");
    running.kill();
    running.wait();
    assert_eq!(leftovers_after(&marker, Duration::from_secs(2)), [], "nothing outlives mi by more than 2 s");
    let status = scene.mi().run(["status", "--json"]).expect_exit(0).json();
    assert_eq!(status["next"], "mi run --resume", "{status}");
    let output = scene.mi().run(["run", "--json", "--mind", "rules", "--resume"]).expect_exit(0);
    assert_eq!(output.finished()["status"], "done", "{}", output.out());
    let sent = output.events_named("batch.started");
    assert!(
        !sent[0]["thread_id"].as_str().unwrap_or_default().is_empty(),
        "the same thread goes on: {sent:?}"
    );
    let verified = scene.mi().run(["verify", "--json"]).expect_exit(0).json();
    assert_eq!(verified["ok"], true, "{verified}");
}

/// The real Codex goes through a protocol: it works, and a second conversation of its own looks at the work in a sandbox
/// that lets it change nothing.
#[test]
fn real_codex_follows_a_protocol_and_is_reviewed_read_only() {
    let turns = json!([
        write("calc.py", FIXED),
        shell(CHECK),
        {"say": "Fixed; all tests pass."},
        shell("touch meddled.txt"),
        shell(CHECK),
        {"say": "It does what was asked.\nVERDICT: APPROVE\nSCORE: 90"},
    ]);
    let Some(scene) = CodexScene::new("Prefer small changes.", turns) else { return };
    let file = scene.home.write("p.yaml", super::protocol_run::BUILD.replace("python3 -m unittest", CHECK));
    let file = file.display().to_string();
    let run =
        ["run", "--json", "--mind", "rules", "--hands", "codex", "--protocol", &file, "Fix the failing test"];
    let output = scene.mi().run(run).expect_exit(0);
    assert_eq!(output.finished()["status"], "done", "{}", output.out());
    let threads: Vec<Value> =
        output.events_named("batch.ended").iter().map(|event| event["thread_id"].clone()).collect();
    assert_eq!(threads.len(), 2);
    assert_ne!(threads[0], threads[1], "the reviewer has a conversation of its own");
    assert!(!scene.project.path().join("meddled.txt").exists(), "the reviewer can change nothing");
    let verdicts = output.events_named("protocol.judged");
    let approved = verdicts.iter().find(|event| event["protocol_event"]["set"]["score"] == 90.0);
    assert!(
        approved.is_some_and(|event| event["protocol_event"]["set"]["validator_verdict"] == "APPROVE"),
        "{verdicts:?}"
    );
    assert_eq!(verdicts.last().unwrap()["verdict"]["node"], "DONE");
}

/// Codex as the other AI of `mi consult`: it cannot write, its answer is checked, and nothing is applied.
#[test]
fn d_06_real_codex_is_consulted_read_only() {
    let answer =
        json!({"verdict": "pass", "suggestions": [{"file": "calc.py", "text": "add(a, b) is wrong"}]});
    let turns = json!([shell("touch made-by-codex; echo tried"), {"say": answer.to_string()}]);
    let Some(scene) = CodexScene::new("x", turns) else { return };
    let before = scene.project.read("calc.py");
    let output = scene
        .mi()
        .run(["consult", "--by", "codex", "--mode", "review", "--file", "calc.py", "--json", "Is add right?"])
        .expect_exit(0);
    assert_eq!(output.json()["annotation"], "[外部审查通过]", "{}", output.out());
    assert_eq!(scene.project.read("calc.py"), before);
    let sent = scene.model.model_requests()[0].to_string();
    assert!(sent.contains("Is add right?") && sent.contains("def add"), "{sent}");
    assert!(!scene.project.path().join("made-by-codex").exists());
}
