//! What is planned after a batch.

use super::*;
use crate::{
    criteria::criteria,
    project::ProjectProfile,
    proof::tests::{Edit, FAIL, PASS, Play, Run, Say},
    tamper::TamperSign,
};

fn planned(play: Play, strategy: Option<&str>, situation: Situation) -> Planned {
    let criteria = criteria(play.task);
    let report = play.last.expect("one batch");
    plan_checks(&report, &play.history, &criteria, strategy, situation)
}

fn rule(play: Play) -> &'static str {
    planned(play, None, Situation::default()).rule
}

/// A check is planned when it is missing or stale, and only then.
#[test]
fn rules() {
    let play = |steps| Play::new("Fix the parser").batch(steps);
    for (steps, expected) in [
        (&[Edit("a.rs"), Say("Done.")][..], "plan.project_check"),
        (&[Edit("a.rs"), Say("More to do.")], "plan.project_check"),
        (&[Run("cargo test", 0, PASS), Edit("a.rs"), Say("Done.")], "plan.project_check"),
        (&[Edit("a.rs"), Run("cargo test | tail", 0, PASS), Say("Done.")], "plan.project_check"),
        (&[Edit("a.rs"), Run("cargo test one", 0, PASS), Say("Done.")], "plan.project_check"),
        (&[Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")], "plan.fresh"),
        (&[Edit("a.rs"), Run("cargo test", 101, FAIL), Say("Done.")], "plan.failed"),
        (
            &[Edit("a.rs"), Run("cargo test", 101, FAIL), Run("cargo test one", 0, PASS), Say("It passes.")],
            "plan.failed",
        ),
        (
            &[Edit("a.rs"), Run("cargo test", 101, FAIL), Run("cargo test", 0, PASS), Say("Flaky.")],
            "plan.fresh",
        ),
        (&[Run("ls", 0, ""), Say("Looking around.")], "plan.nothing_to_check"),
        (&[Say("Done.")], "plan.project_check"),
    ] {
        assert_eq!(rule(play(steps)), expected);
    }
}

/// What is proven needs no further check, a failed command of the task goes back, and weakened tests come first.
#[test]
fn no_check_is_needed() {
    let lint = "Make `make lint` pass";
    let steps = [Edit("a.rs"), Run("make lint", 0, ""), Say("Done.")];
    assert_eq!(rule(Play::new(lint).batch(&steps)), "plan.proven");
    let failed = [Edit("a.rs"), Run("make lint", 2, "a.rs: bad"), Say("Done.")];
    assert_eq!(rule(Play::new(lint).batch(&failed)), "plan.failed");
    let mut weakened = Play::new("Fix the parser").batch(&[Edit("a.rs"), Say("Done.")]);
    if let Some(report) = &mut weakened.last {
        let (path, what) = ("a.rs".to_owned(), "tests removed: `adds`".to_owned());
        report.tamper = vec![TamperSign { path, what, ..TamperSign::default() }];
    }
    assert_eq!(rule(weakened), "plan.weakened");
}

/// The instruction names the command and forbids weaker tests.
#[test]
fn instruction() {
    let play = Play::new("Fix the parser").batch(&[Edit("a.rs"), Say("Done.")]);
    let plan = planned(play, None, Situation::default()).plan;
    assert!(plan.should_run_checks && !plan.needs_testless_strategy);
    assert!(plan.codex_check_input.starts_with("Run `cargo test` from the project root"));
    assert!(plan.codex_check_input.contains("Do not delete, skip or weaken tests"));
    assert_eq!(plan.commands_hints, ["cargo test"]);
}

/// Without tests the person is asked once; their answer is then planned.
#[test]
fn testless() {
    let bare = |project: ProjectProfile| {
        let mut play = Play::new("Fix the script");
        play.project = project;
        play.batch(&[Edit("app.sh"), Say("Done.")])
    };
    let asked = planned(bare(ProjectProfile::default()), None, Situation::default());
    assert_eq!(
        (asked.rule, asked.plan.needs_testless_strategy, asked.undecided),
        ("plan.testless", true, false)
    );
    assert!(asked.plan.testless_strategy_question.contains("ONE command in backticks"));
    let strategy = "Run `sh app.sh --check`";
    let project = crate::project::with_strategy(ProjectProfile::default(), strategy);
    let chosen = planned(bare(project), Some(strategy), Situation::default());
    assert_eq!(
        (chosen.rule, chosen.plan.commands_hints),
        ("plan.strategy", vec!["sh app.sh --check".to_owned()])
    );
    let words = planned(bare(ProjectProfile::default()), Some("open it and look"), Situation::default());
    assert_eq!((words.rule, words.undecided), ("plan.strategy_words", true));
    let unknown = ProjectProfile { has_tests: true, ..ProjectProfile::default() };
    let guessed = planned(bare(unknown), None, Situation::default());
    assert_eq!((guessed.rule, guessed.undecided), ("plan.unknown_runner", true));
}

/// Questions, people and unfinished turns come first.
#[test]
fn other_things_first() {
    let asking = || Play::new("Fix the parser").batch(&[Edit("a.rs"), Say("Tabs or spaces?")]);
    let question = Situation { has_open_question: true, ..Situation::default() };
    assert_eq!(planned(asking(), None, question).rule, "plan.question_first");
    let person = Situation { waits_for_person: true, ..Situation::default() };
    assert_eq!(planned(asking(), None, person).rule, "plan.person_first");
    let mut died = asking();
    if let Some(report) = &mut died.last {
        report.end = HandsEnd::Died { message: "signal 9".to_owned() };
    }
    assert_eq!(rule(died), "plan.not_finished");
}

/// A command that the task names is planned before the project's own check.
#[test]
fn task_commands() {
    let task = "Done when:\n- `make lint` passes\n- all tests pass";
    let steps = [Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")];
    let missing = planned(Play::new(task).batch(&steps), None, Situation::default());
    assert_eq!(
        (missing.rule, missing.plan.commands_hints),
        ("plan.task_command", vec!["make lint".to_owned()])
    );
    let both = [Edit("a.rs"), Run("cargo test", 0, PASS), Run("make lint", 0, ""), Say("Done.")];
    assert_eq!(rule(Play::new(task).batch(&both)), "plan.fresh");
}
