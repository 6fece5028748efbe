//! Plans the cheapest check that is still missing.
//!
//! Holds: nothing is planned while a fresh pass or an unfixed failure stands; a project without tests and without a
//! chosen strategy is asked about once; the instruction never invites weaker tests.
//! Elsewhere: what a failure leads to is decided in `decide`; the seed's order of actions is the live loop's.

use mi_model::record::CheckPlan;

use crate::{
    checks::{Scope, runs_command},
    criteria::{Criterion, CriterionKind, Expectation},
    project::{ProjectCheck, STRATEGY_SOURCE},
    proof::{History, SeenCheck, claims_done, is_observed, prove},
    report::{BatchReport, HandsEnd},
};

/// A plan, the rule that made it, and whether a model may know better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub plan: CheckPlan,
    pub rule: &'static str,
    /// True when the rules only guess; a model, if there is one, decides.
    pub undecided: bool,
}

/// What else is going on, found by the other rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Situation {
    /// The agent asked something and waits.
    pub has_open_question: bool,
    /// The person is about to be asked because of a risk.
    pub waits_for_person: bool,
}

/// The check that should run next. `history` already contains `report`.
pub fn plan_checks(
    report: &BatchReport,
    history: &History,
    criteria: &[Criterion],
    strategy: Option<&str>,
    situation: Situation,
) -> Planned {
    let strategy = strategy.map(str::trim).filter(|strategy| !strategy.is_empty());
    if let Some(skipped) = nothing_to_plan(report, history, criteria, situation) {
        return skipped;
    }
    if let Some(command) = missing_command(history, criteria) {
        return run("plan.task_command", &command, "the task names it");
    }
    if let Some(command) = history.missing_chosen() {
        return run("plan.strategy", command, STRATEGY_SOURCE);
    }
    if let Some(family) = untested(history).filter(|_| fresh_pass(history).is_some()) {
        return run_tests_of(family);
    }
    let chosen = report.project.main_check();
    match (chosen, strategy) {
        (Some(check), _) => run_check(check),
        (None, Some(strategy)) => leave_to_person(strategy),
        (None, None) if report.project.has_tests => guess(),
        (None, None) => ask_for_strategy(report),
    }
}

fn nothing_to_plan(
    report: &BatchReport,
    history: &History,
    criteria: &[Criterion],
    situation: Situation,
) -> Option<Planned> {
    let finished = report.end == HandsEnd::Completed;
    let claims = claims_done(&report.facts.last_message);
    let (rule, note) = match () {
        () if !finished => ("plan.not_finished", "the agent did not finish its turn".to_owned()),
        () if situation.waits_for_person => {
            ("plan.person_first", "a person has to be asked first".to_owned())
        }
        () if situation.has_open_question && !claims => {
            ("plan.question_first", "the agent waits for an answer".to_owned())
        }
        () if missing_command(history, criteria).is_none()
            && history.missing_chosen().is_none()
            && untested(history).is_none()
            && fresh_pass(history).is_some() =>
        {
            let command = fresh_pass(history).unwrap_or_default();
            ("plan.fresh", format!("`{command}` passed after the last change"))
        }
        () if is_observed(&prove(criteria, history)) => {
            ("plan.proven", "every criterion is observed".to_owned())
        }
        () if !report.tamper.is_empty() => {
            ("plan.weakened", "checks were weakened; run now they prove nothing".to_owned())
        }
        () => match history.standing_failure(criteria) {
            Some(seen) => ("plan.failed", format!("`{}` fails on the present tree", seen.run.command.trim())),
            None if !history.has_changed() && !claims => {
                ("plan.nothing_to_check", "nothing changed and nothing is claimed".to_owned())
            }
            None => return None,
        },
    };
    let plan = CheckPlan { notes: note, ..CheckPlan::default() };
    Some(Planned { plan, rule, undecided: false })
}

/// The command of a whole check that passed on the present tree.
fn fresh_pass(history: &History) -> Option<String> {
    let seen = history.standing_check(|seen| seen.run.runs_tests && seen.run.scope == Scope::Whole)?;
    Some(seen.run.command.trim().to_owned())
}

/// The family of languages that changed and that no whole check tested.
fn untested(history: &History) -> Option<&String> {
    history.untested(|seen| seen.run.runs_tests && seen.run.scope == Scope::Whole)
}

/// The first command that the task names and that has not passed on the present tree.
fn missing_command(history: &History, criteria: &[Criterion]) -> Option<String> {
    criteria.iter().find_map(|criterion| match &criterion.kind {
        CriterionKind::Command(named) => {
            let runs = |seen: &&SeenCheck| runs_command(&seen.run.command, &named.command);
            // What a command has to print or to return is judged by the proof, once it ran.
            let passed = match named.expect {
                Expectation::Passes => history.standing_check(runs),
                Expectation::Prints(_) | Expectation::Exits(_) => history.newest_current(runs),
            };
            passed.is_none().then(|| named.command.clone())
        }
        _ => None,
    })
}

fn run_check(check: &ProjectCheck) -> Planned {
    let rule = if check.source == STRATEGY_SOURCE { "plan.strategy" } else { "plan.project_check" };
    run(rule, &check.command, &check.source)
}

fn run(rule: &'static str, command: &str, source: &str) -> Planned {
    let input = format!(
        "Run `{command}` from the project root, as it stands: no filter, no pipe, nothing after it, so that its result and exit \
         code show. If something fails, fix the cause in the code and run it again until it passes. Do not delete, skip or \
         weaken tests, and do not change their configuration to ignore failures."
    );
    let plan = CheckPlan {
        should_run_checks: true,
        check_goals: vec!["show that the project's check passes on the present files".to_owned()],
        commands_hints: vec![command.to_owned()],
        codex_check_input: input,
        notes: format!("cheapest check known ({source})"),
        ..CheckPlan::default()
    };
    Planned { plan, rule, undecided: false }
}

/// A strategy without a command is the person's own look, which they are asked for at the end; a model may find a check.
fn leave_to_person(strategy: &str) -> Planned {
    let notes = format!("the person checks it: {}", mi_model::shorten(strategy, 200));
    let plan = CheckPlan { notes, ..CheckPlan::default() };
    Planned { plan, rule: "plan.strategy_words", undecided: true }
}

fn guess() -> Planned {
    let plan = CheckPlan {
        should_run_checks: true,
        check_goals: vec!["run the project's tests".to_owned()],
        codex_check_input: "Run all of this project's tests from its root with its own test runner, without a filter or a pipe, so \
                            that the result and the exit code show. Fix what fails; do not delete, skip or weaken tests."
            .to_owned(),
        notes: "the project has tests, but no command for them is known".to_owned(),
        ..CheckPlan::default()
    };
    Planned { plan, rule: "plan.unknown_runner", undecided: true }
}

/// A check passed, but of another language than what was changed.
fn run_tests_of(family: &str) -> Planned {
    let plan = CheckPlan {
        should_run_checks: true,
        check_goals: vec![format!("run the tests of the {family} files")],
        codex_check_input: format!(
            "{family} files were changed, and their tests did not run. Run all of this project's {family} tests from its root with \
             their own test runner, without a filter or a pipe, so that the result and the exit code show. Fix what fails; do not \
             delete, skip or weaken tests."
        ),
        notes: format!("what passed does not test {family}"),
        ..CheckPlan::default()
    };
    Planned { plan, rule: "plan.other_language", undecided: false }
}

fn ask_for_strategy(report: &BatchReport) -> Planned {
    let known: Vec<String> =
        report.project.checks.iter().map(|check| format!("`{}`", check.command)).collect();
    let example =
        if known.is_empty() { "`python3 app.py --self-test`".to_owned() } else { known.join(" or ") };
    let plan = CheckPlan {
        needs_testless_strategy: true,
        testless_strategy_question: format!(
            "This project has no tests that mi can find. How should its work be verified? Answer with ONE command in backticks \
             that fails when something is wrong (for example {example}), or describe in a sentence or two how to check it."
        ),
        notes: "no tests and no strategy for this project".to_owned(),
        ..CheckPlan::default()
    };
    Planned { plan, rule: "plan.testless", undecided: false }
}

#[cfg(test)]
mod tests;
