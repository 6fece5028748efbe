//! The facts of the six items: tests are run, git is asked, files are read, the person's records are looked up.

use mi_gate::deploy::{Facts, TestRun, named_in, names, names_with_value};
use mi_loop::{
    checks::{Ran, Runner, read_result, recognise},
    facts::CommandFact,
    project::ProjectProfile,
};
use mi_process::{Limits, Output, RunEnd, run_to_end};
use std::time::Duration;

use super::{Place, record};
use crate::{
    commands::{launch, minds, repository},
    failure::Failure,
};

/// How long the tests may take.
const TESTS: Duration = Duration::from_secs(60 * 60);
const MOST_OUTPUT_BYTES: usize = 4 << 20;

pub(super) fn gather(place: &Place<'_>) -> Result<Facts, Failure> {
    let tests = place.target.tests.as_deref().map(|command| tests(place, command)).transpose()?;
    Ok(Facts {
        commit: place.commit.clone(),
        tests,
        // After the tests: they may leave something behind.
        uncommitted: Some(repository::uncommitted(place.root())?),
        reviewed_commit: record::reviewed(place)?,
        missing_variables: missing_variables(place),
        rollback_plan: place.read(place.target.rollback_plan.as_deref()),
        window_confirmed: record::window_is_open(place)?,
    })
}

/// Runs a command of the plan in the project.
pub(super) fn run(place: &Place<'_>, command: &str, timeout: Duration) -> Result<Output, Failure> {
    let limits = Limits { timeout, max_output_bytes: MOST_OUTPUT_BYTES };
    run_to_end(&launch::spawner()?, &minds::shell(command, place.root.clone()), limits, None)
        .map_err(|error| Failure::of(&error))
}

fn tests(place: &Place<'_>, command: &str) -> Result<TestRun, Failure> {
    place.app.talk(&format!("mi: running the tests: {command}"));
    let output = run(place, command, TESTS)?;
    let text = [&output.stdout[..], b"\n", &output.stderr[..]].concat();
    let passed = output.end.is_success();
    let exit_code = match output.end {
        RunEnd::Exited(mi_process::ExitStatus::Code(code)) => Some(code),
        _ => None,
    };
    let fact = CommandFact {
        order: 0,
        command: command.to_owned(),
        exit_code,
        finished: true,
        output: String::from_utf8_lossy(&text).into_owned(),
        tree: None,
    };
    let known = recognise(&fact, &ProjectProfile::default()).map(|run| run.runner);
    let reading = read_result(known.filter(|runner| *runner != Runner::Printed), &fact.output);
    // What no known runner wrote may still say in words what failed and what was left out.
    let (named, reading) = (named_in(&fact.output), reading.unwrap_or_default());
    let none_ran = (reading.ran == Ran::No).then_some(0);
    Ok(TestRun {
        command: command.to_owned(),
        commit: place.commit.clone(),
        failed: reading.failed.unwrap_or(named.failed).max(u64::from(!passed || reading.says_failed)),
        skipped: reading.skipped.unwrap_or(named.skipped),
        passed: reading.passed.or(none_ran).or(named.passed),
    })
}

/// Names that the target needs and does not have; unknown where there is no manifest.
fn missing_variables(place: &Place<'_>) -> Option<Vec<String>> {
    let needed = names(&place.read(place.target.environment.as_deref())?);
    let set = match place.target.environment_file.as_deref() {
        Some(file) => names_with_value(&place.read(Some(file))?),
        None => place
            .app
            .environment
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, _)| name.clone())
            .collect(),
    };
    Some(needed.into_iter().filter(|name| !set.contains(name)).collect())
}
