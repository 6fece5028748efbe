//! What `mi run` decides, end to end.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, TempProject};
use serde_json::Value;

/// Work that is shown by the project's own check is done, and the proof names the command.
#[test]
fn observed_work_is_done() {
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    let finished = output.finished();
    assert_eq!(finished["status"], "done", "{finished}");
    assert_eq!(finished["batches"], 1);
    assert_eq!(finished["proof"][0]["level"], "observed");
    assert!(finished["proof"][0]["evidence"].to_string().contains(CHECK), "{finished}");
    assert_eq!(finished["mind_calls"], 0);
    assert_eq!(finished["tokens"], 110);
}

/// "Done" without a check is caught: the agent is told to run it, and only then is the run done.
#[test]
fn early_done_is_caught() {
    let claims = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .message("Done! Everything works.")
        .turn_completed(10, 1);
    let checks = Batch::codex("t1").run(CHECK).message("All tests pass.").turn_completed(30, 3);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![claims, checks]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(output.finished()["batches"], 2);
    assert!(scene.agent.prompts()[1].contains("unittest"), "{:?}", scene.agent.prompts());
}

/// A check that ran before the last change proves nothing.
#[test]
fn stale_check_is_run_again() {
    let stale = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .write_file("calc.py", "def add(a, b):\n    return b + a\n")
        .message("Done, tests pass.")
        .turn_completed(10, 1);
    let checks = Batch::codex("t1").run(CHECK).message("Tests pass.").turn_completed(30, 3);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![stale, checks]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(output.finished()["batches"], 2);
}

/// When the agent's events arrive after it already went on, their order decides: the tree looks the same at the
/// check's digest and at the end, and still the check is stale.
#[test]
fn late_events_are_read_in_their_order() {
    let passed = "..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n";
    let broken = serde_json::json!({"type": "item.completed", "item": {"id": "f9", "type": "file_change",
        "changes": [{"path": "calc.py", "kind": "update"}], "status": "completed"}});
    let batch = || {
        Batch::codex("t1")
            .write_file("calc.py", FIXED)
            .shell("printf 'def add(a, b):\\n    return a * b\\n' > calc.py")
            .command(CHECK, passed, 0)
    };
    let edits = batch().event(&broken).message("Done, tests pass.").turn_completed(10, 1);
    let writes = batch().command("sed -i s/+/*/ calc.py", "", 0).message("Done.").turn_completed(10, 1);
    for stale in [edits, writes] {
        let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![stale]);
        let output = scene.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
        let finished = output.finished();
        assert_eq!(finished["proof"][0]["level"], "claimed", "{finished}");
    }
}

/// What a document must say is read in the document; passing tests do not show it.
#[test]
fn documents_are_not_shown_by_tests() {
    let task = "Fix the failing test.\n\nDone when:\n- all tests pass\n- README mentions add()";
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests()]);
    let finished = scene.run(&["--max-batches", "1"], task).expect_exit(3).finished();
    assert_eq!(finished["proof"][0]["level"], "observed", "{finished}");
    assert_eq!(finished["proof"][1]["level"], "claimed", "{finished}");

    let documents = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .shell("echo 'Use `add(a, b)`.' >> README.md")
        .run(CHECK)
        .message("Done, all tests pass.")
        .turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![documents]);
    let finished = scene.run(&["--max-batches", "1"], task).expect_exit(0).finished();
    assert_eq!(finished["proof"][1]["level"], "observed", "{finished}");
}

/// A hidden exit code proves nothing, whatever the output says.
#[test]
fn hidden_exit_code_is_not_believed() {
    let hides = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run("python3 -m unittest 2>&1 | tail -3")
        .message("Done, all tests pass.")
        .turn_completed(10, 1);
    let checks = Batch::codex("t1").run(CHECK).message("Tests pass.").turn_completed(30, 3);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![hides, checks]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(output.finished()["batches"], 2);
}

/// Deleting the failing test is not a fix: the run is not done, and the sign is named.
#[test]
fn deleted_test_is_not_done() {
    let cheats = Batch::codex("t1")
        .write_file("test_calc.py", "import unittest\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertTrue(True)\n")
        .run(CHECK)
        .message("Done, all tests pass.")
        .turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![cheats]);
    let output = scene.run(&["--max-batches", "2"], "Fix the failing test").expect_exit(3);
    let finished = output.finished();
    assert_eq!(finished["status"], "blocked");
    assert_eq!(finished["proof"][0]["level"], "claimed");
    assert!(finished["proof"].to_string().contains("weakened"), "{finished}");
    assert!(scene.agent.prompts()[1].contains("Put them back"), "{:?}", scene.agent.prompts());
}

/// A failing check goes back to the agent with what failed.
#[test]
fn failing_check_is_sent_back() {
    let fails = Batch::codex("t1").run(CHECK).message("The test fails.").turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fails, fixes_and_tests()]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(output.finished()["batches"], 2);
    assert!(scene.agent.prompts()[1].contains("failed"), "{:?}", scene.agent.prompts());
}

/// A question that the values cover is answered in the person's name, and the record says from where.
#[test]
fn covered_question_is_answered() {
    let asks = Batch::codex("t1")
        .message("Should I also change the public API while I'm here?")
        .turn_completed(10, 1);
    let scene = Scene::new(
        "Prefer behaviour-preserving refactors.",
        TempProject::python(),
        vec![asks, fixes_and_tests()],
    );
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    let answered = &output.events_named("question.auto_answered")[0];
    assert_eq!(answered["auto_answer"]["should_answer"], true);
    assert!(answered["sources"].to_string().contains("behaviour-preserving"), "{answered}");
    assert!(scene.agent.prompts()[1].to_lowercase().contains("no"), "{:?}", scene.agent.prompts());
}

/// A question nobody wrote the answer to waits for the person; `mi answer` goes on by itself.
#[test]
fn open_question_blocks_and_answer_goes_on() {
    let asks =
        Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![asks, fixes_and_tests()]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(3);
    assert_eq!(output.finished()["status"], "blocked");
    let inbox = scene.mi().run(["inbox", "--json"]).expect_exit(0).json();
    assert!(inbox[0]["question"].to_string().contains("designs"), "{inbox}");
    let status = scene.mi().run(["status", "--json"]).expect_exit(0).json();
    assert_eq!(status["next"], "mi answer 'TEXT'");

    let output = scene.mi().run(["answer", "--json", "The second one."]).expect_exit(0);
    assert_eq!(output.finished()["status"], "done");
    assert_eq!(output.finished()["batches"], 2);
    assert!(scene.agent.prompts()[1].contains("The second one."), "{:?}", scene.agent.prompts());
    let inbox = scene.mi().run(["inbox", "--json"]).expect_exit(0).json();
    assert_eq!(inbox.as_array().map(Vec::len), Some(0), "{inbox}");
}

/// An answer is remembered: the same question in a later run is not asked again.
#[test]
fn earlier_answer_is_reused() {
    let asks = Batch::codex("t1").message("Which Postgres version do you run?").turn_completed(10, 1);
    let scene = Scene::new(
        "Prefer small changes.",
        TempProject::python(),
        vec![asks.clone(), fixes_and_tests(), asks, fixes_and_tests()],
    );
    scene.run(&[], "Fix the failing test").expect_exit(3);
    scene.mi().run(["answer", "--json", "Postgres 15"]).expect_exit(0);
    let output = scene.run(&[], "Run the tests again").expect_exit(0);
    let answered = &output.events_named("question.auto_answered")[0];
    assert!(answered["auto_answer"]["codex_answer_input"].to_string().contains("15"), "{answered}");
}

/// A project without tests asks once how it is checked; the strategy is kept and its command proves the work.
#[test]
fn testless_strategy_is_asked_once() {
    let writes = || {
        Batch::codex("t1").write_file("hello.sh", "echo hello world\n").message("Done.").turn_completed(10, 1)
    };
    let checks =
        || Batch::codex("t1").run("sh hello.sh").message("It prints hello world.").turn_completed(30, 3);
    let scene = Scene::new(
        "Prefer small changes.",
        TempProject::no_tests(),
        vec![
            writes(),
            checks(),
            Batch::codex("t2").write_file("hello.sh", "echo hi\n").message("Done.").turn_completed(10, 1),
            checks(),
        ],
    );
    let output = scene.run(&[], "Change the greeting").expect_exit(3);
    assert_eq!(output.events_named("question.asked")[0]["purpose"], "testless_strategy");
    let output = scene.mi().run(["answer", "--json", "Run `sh hello.sh`"]).expect_exit(0);
    assert_eq!(output.finished()["proof"][0]["level"], "observed");
    let plans: Vec<Value> = output.events_named("checks.planned");
    assert!(plans.iter().any(|plan| plan["batch_id"] == "b0.after_testless"), "{plans:?}");

    let again = scene.run(&[], "Change the greeting to hi").expect_exit(0);
    assert!(again.events_named("question.asked").is_empty(), "asked twice");
}

/// Every limit ends a run as blocked, with what was left.
#[test]
fn limits_are_blocked_with_what_was_left() {
    let talks = Batch::codex("t1").run("true").message("Working on it.").turn_completed(900, 100);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![talks]);
    let output = scene.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
    let finished = output.finished();
    assert!(
        finished["reason"].to_string().contains("1 batches")
            || finished["reason"].to_string().contains("--max-batches"),
        "{finished}"
    );
    assert!(finished["left"].to_string().contains("Fix the failing test"), "{finished}");
    let output = scene.run(&["--max-tokens", "500"], "Fix the failing test").expect_exit(3);
    assert!(output.finished()["reason"].to_string().contains("--max-tokens"), "{}", output.finished());
}

/// A blocked run goes on with other limits.
#[test]
fn blocked_run_is_resumed_with_other_limits() {
    let talks = Batch::codex("t1").run(CHECK).message("It fails.").turn_completed(900, 100);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![talks, fixes_and_tests()]);
    scene.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
    let hands = scene.agent.hands();
    let output =
        scene.mi().run(["run", "--json", "--mind", "rules", "--hands", &hands, "--resume"]).expect_exit(0);
    assert_eq!(output.finished()["batches"], 2);
}

/// An agent that says the same again and again is stopped and the person is asked.
#[test]
fn loops_are_found() {
    let same = Batch::codex("t1").run("true").message("Still working at 12:00:01.").turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![same]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(3);
    assert_eq!(output.events_named("loop.detected").len(), 1);
    assert!(output.finished()["batches"].as_u64() < Some(6), "{}", output.finished());
}

/// What went out of the project is judged, learned from, and asked about; the rule can be taken back.
#[test]
fn risky_effect_is_judged_and_learned() {
    let pushes = Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .command("git push --force origin main", "", 0)
        .message("Pushed.")
        .turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![pushes]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(3);
    let risk = &output.events_named("risk.judged")[0];
    assert_eq!(risk["risk"]["category"], "push");
    assert_eq!(output.events_named("question.asked")[0]["purpose"], "risk");
    let learned = scene.mi().run(["learned", "list", "--json"]).expect_exit(0).json();
    let id = learned[0]["id"].as_str().expect("a rule was learned").to_owned();
    scene.mi().run(["learned", "disable", &id, "--scope", "project"]).expect_exit(0);
    assert_eq!(scene.mi().run(["learned", "list", "--json"]).json().as_array().map(Vec::len), Some(0));
}

/// A question of an older run still waits after a newer run, and can be answered.
#[test]
fn older_question_still_waits_after_a_newer_run() {
    let asks =
        Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(10, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![asks, fixes_and_tests()]);
    scene.run(&[], "Fix the failing test").expect_exit(3);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    assert_eq!(scene.mi().run(["inbox", "--json"]).json().as_array().map(Vec::len), Some(1));
    scene.mi().run(["answer", "--json", "The first."]).expect_exit(0);
    assert_eq!(scene.mi().run(["inbox", "--json"]).json().as_array().map(Vec::len), Some(0));
}

/// `--resume` goes on with the hands and the mind that the run had.
#[test]
fn resume_keeps_the_hands() {
    let fails = Batch::codex("t1").run(CHECK).message("It fails.").turn_completed(1, 1);
    let scene = Scene::new("x", TempProject::python(), vec![fails, fixes_and_tests()]);
    scene.run(&["--max-batches", "1"], "Fix the failing test").expect_exit(3);
    scene.mi().run(["run", "--json", "--resume"]).expect_exit(0);
}

/// A warning that some tool prints between the events does not hide the agent's question.
#[test]
fn stray_text_does_not_hide_a_question() {
    let asks = Batch::codex("t1")
        .message("Which of the two designs do you like better?")
        .line("npm warn deprecated something")
        .turn_completed(1, 1);
    let scene = Scene::new("x", TempProject::python(), vec![asks]);
    let output = scene.run(&[], "Fix the failing test").expect_exit(3);
    assert!(output.finished()["reason"].to_string().contains("designs"), "{}", output.finished());
}
