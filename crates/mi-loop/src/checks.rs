//! Which commands of a batch are checks, and what each of them proves.
//!
//! [`recognise`] reads one command as the harness reported it. Holds: `Passed` needs a visible exit code 0, a
//! place inside the project, and (for test runners) tests that ran; everything else says why it proves nothing.
//! Elsewhere: whether a check is still fresh is [`fresh`]; which criterion it proves is [`crate::proof`].

mod effect;
mod fresh;
mod named;
mod output;
mod runner;
pub(crate) mod shell;
#[cfg(test)]
mod tests;

use mi_formats::shell::unwrap_shell;
use serde::{Deserialize, Serialize};

pub(crate) use fresh::changed_later;
pub use fresh::{Freshness, is_fresh};
pub use named::runs_command;
pub use output::{Ran, Reading, read_unknown as read_any_output};
use runner::Call;
pub(crate) use runner::{Place, place};

use crate::{
    facts::CommandFact,
    project::{ProjectProfile, family},
};

/// The mark that stands where text was cut; a command with it is never understood.
pub const CUT_MARK: &str = "[… cut …]";

/// One run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    pub runner: Runner,
    pub command: String,
    pub scope: Scope,
    /// True when it runs tests, or is what the person chose instead of tests.
    pub runs_tests: bool,
    /// The only families of languages that it can test; empty when that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub skipped: Option<u64>,
    pub verdict: CheckVerdict,
}

/// What a run of a check shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum CheckVerdict {
    Passed,
    Failed { why: String },
    NoProof { why: String },
}

/// How much of the project a check covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scope", rename_all = "snake_case")]
pub enum Scope {
    Whole,
    Subset {
        why: String,
        /// The tests, files or packages it was narrowed to.
        selects: Vec<String>,
    },
}

/// The program that ran the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    CargoTest,
    Nextest,
    Pytest,
    Unittest,
    GoTest,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    /// `npm test` and its like: the script decides which runner works.
    NodeScript,
    Bun,
    Deno,
    Maven,
    Gradle,
    Ctest,
    Rspec,
    Minitest,
    Phpunit,
    Dotnet,
    Swift,
    Make,
    /// tox and nox.
    Tox,
    Bats,
    /// A command that only the project (or the person) names as its check.
    Project,
    /// Not a check: it only printed what looks like a result.
    Printed,
}

impl Runner {
    /// The family of languages that it tests; None when a script or recipe decides.
    fn family(self) -> Option<&'static str> {
        let ending = match self {
            Self::CargoTest | Self::Nextest => "a.rs",
            Self::Pytest | Self::Unittest | Self::Tox => "a.py",
            Self::GoTest => "a.go",
            Self::Jest | Self::Vitest | Self::Mocha | Self::NodeTest | Self::Bun | Self::Deno => "a.js",
            Self::Maven | Self::Gradle => "a.java",
            Self::Rspec | Self::Minitest => "a.rb",
            Self::Phpunit => "a.php",
            Self::Dotnet => "a.cs",
            Self::Swift => "a.swift",
            Self::NodeScript | Self::Ctest | Self::Make | Self::Bats | Self::Project | Self::Printed => "",
        };
        family(ending)
    }
}

impl CheckRun {
    /// Whether it can test files of this family.
    pub fn fits(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.iter().any(|known| known == family)
    }

    /// Whether it passed.
    pub fn is_passed(&self) -> bool {
        self.verdict == CheckVerdict::Passed
    }

    /// `12 passed, 1 skipped`, or nothing when the output has no counts.
    pub fn counts(&self) -> String {
        let named = [(self.passed, "passed"), (self.failed, "failed"), (self.skipped, "skipped")];
        let shown = named.iter().filter_map(|(count, name)| {
            let count = count.filter(|count| *count > 0 || *name == "passed")?;
            Some(format!("{count} {name}"))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// The check that `command` ran, if it ran one.
pub fn recognise(command: &CommandFact, project: &ProjectProfile) -> Option<CheckRun> {
    let script = unwrap_shell(command.command.trim());
    if script.contains(CUT_MARK) {
        return not_understood(command, &script, "its text was cut");
    }
    let parts = match shell::understand(&script) {
        Ok(parts) => parts,
        Err(why) => return not_understood(command, &script, &why),
    };
    let calls = parts.iter().enumerate().filter_map(|(index, part)| {
        let following = parts.get(index..).unwrap_or_default();
        let mut call = runner::identify(part, project).or_else(|| named::identify(following, project))?;
        let earlier = parts.get(..index).unwrap_or_default();
        call.obstacle = call.obstacle.or_else(|| runner::doubtful_variables(earlier, part, &project.root));
        let is_check =
            |at: usize| named::identify(following.get(at..).unwrap_or_default(), project).is_some();
        let changed_later =
            (1..following.len()).any(|at| effect::changes_files(&following[at]) && !is_check(at));
        if changed_later && call.obstacle.is_none() {
            call.obstacle = Some("a later part of the same command may change files".to_owned());
        }
        Some(call)
    });
    let calls: Vec<Call> = calls.collect();
    let families = families(&calls);
    match best(calls) {
        Some(call) => Some(judge(command, project, Call { families, ..call }, parts.len())),
        None => printed(command),
    }
}

/// Whether a command looks like a check, so that the tree is worth a digest when it ends.
pub fn is_check_like(command: &str, project: &ProjectProfile) -> bool {
    let fact = CommandFact {
        order: 0,
        command: command.to_owned(),
        exit_code: None,
        finished: false,
        output: String::new(),
        tree: None,
    };
    recognise(&fact, project).is_some()
}

/// What all checks of one script together can test; nothing when one of them may test anything.
fn families(calls: &[Call]) -> Vec<&'static str> {
    let sound = || calls.iter().filter(|call| call.obstacle.is_none() && call.hidden.is_none());
    if sound().any(|call| call.families.is_empty()) {
        return Vec::new();
    }
    sound().flat_map(|call| call.families.iter().copied()).collect()
}

/// Of several checks in one script, the one that covers most.
fn best(calls: Vec<Call>) -> Option<Call> {
    let rank = |call: &Call| (call.runs_tests, call.scope == Scope::Whole, call.obstacle.is_none());
    calls.into_iter().reduce(|kept, call| if rank(&call) > rank(&kept) { call } else { kept })
}

fn judge(command: &CommandFact, project: &ProjectProfile, call: Call, parts: usize) -> CheckRun {
    let reading = output::read(call.runner, &command.output);
    let verdict = verdict(command, project, &call, reading, parts);
    let reading = reading.unwrap_or_default();
    CheckRun {
        runner: call.runner,
        command: command.command.clone(),
        scope: call.scope,
        runs_tests: call.runs_tests,
        families: call.families.into_iter().map(str::to_owned).collect(),
        passed: reading.passed,
        failed: reading.failed,
        skipped: reading.skipped,
        verdict,
    }
}

fn verdict(
    command: &CommandFact,
    project: &ProjectProfile,
    call: &Call,
    reading: Option<Reading>,
    parts: usize,
) -> CheckVerdict {
    let code = match (command.finished, command.exit_code) {
        (false, _) => return no_proof("it was still running when the batch ended"),
        (true, None) => {
            return no_proof("the agent's harness reported no exit code");
        }
        (true, Some(code)) => code,
    };
    if let Some(why) = call.obstacle.clone().or_else(|| runner::elsewhere(&command.output, project)) {
        return CheckVerdict::NoProof { why };
    }
    let reading = reading.unwrap_or_default();
    if let (Some(why), false) = (&call.hidden, reading.says_failed) {
        return CheckVerdict::NoProof { why: format!("its exit code is hidden: {why}") };
    }
    if code != 0 {
        return failed_with(code, call, &reading, parts);
    }
    if reading.says_failed {
        return failed(format!("exit code 0, but the output says that {} failed", failures(&reading)));
    }
    passed_if_it_ran(command, call, &reading)
}

/// What exit code 0 shows, given what the output says about the tests.
fn passed_if_it_ran(command: &CommandFact, call: &Call, reading: &Reading) -> CheckVerdict {
    if reading.is_all_skipped() {
        return no_proof("every test was skipped");
    }
    match reading.ran {
        Ran::Yes => CheckVerdict::Passed,
        Ran::No => no_proof("it ran no test"),
        Ran::Unknown => match runner::script_without_a_check(call.runner, &command.output) {
            Some(why) => CheckVerdict::NoProof { why },
            None if call.needs_counts => no_proof("its output does not show that a test ran"),
            None => CheckVerdict::Passed,
        },
    }
}

fn failed_with(code: i32, call: &Call, reading: &Reading, parts: usize) -> CheckVerdict {
    let none_collected =
        (call.runner == Runner::Pytest && code == 5) || (call.runner == Runner::Nextest && code == 4);
    match code {
        _ if none_collected => no_proof("it ran no test"),
        126 | 127 => no_proof(&format!("it could not be started (exit code {code})")),
        _ if reading.says_failed => failed(format!("exit code {code}, {} failed", failures(reading))),
        _ if reading.ran == Ran::Yes && parts > 1 => {
            failed(format!("exit code {code}: the tests passed, but another part of the command failed"))
        }
        _ => failed(format!("exit code {code}")),
    }
}

fn failures(reading: &Reading) -> String {
    match reading.failed {
        Some(1) => "1 test".to_owned(),
        Some(count) if count > 0 => format!("{count} tests"),
        _ => "something".to_owned(),
    }
}

/// A script whose syntax goes too far: when it speaks of a runner, it is a check that proves nothing.
fn not_understood(command: &CommandFact, script: &str, why: &str) -> Option<CheckRun> {
    let runner = runner::mentioned(script)?;
    let reading = output::read(runner, &command.output).unwrap_or_default();
    let verdict = if command.finished && reading.says_failed {
        failed(format!("the output says that {} failed", failures(&reading)))
    } else {
        no_proof(&format!("the command is too involved to tell what its exit code means: {why}"))
    };
    Some(run_without_scope(command, runner, &reading, verdict))
}

/// A command that is no runner but printed what looks like a result.
fn printed(command: &CommandFact) -> Option<CheckRun> {
    let reading = output::read_unknown(&command.output).filter(|reading| reading.ran == Ran::Yes)?;
    let verdict =
        no_proof("it only printed a result; it is not a test runner, and the project does not name it");
    Some(run_without_scope(command, Runner::Printed, &reading, verdict))
}

fn run_without_scope(
    command: &CommandFact,
    runner: Runner,
    reading: &Reading,
    verdict: CheckVerdict,
) -> CheckRun {
    CheckRun {
        runner,
        command: command.command.clone(),
        scope: Scope::Subset { why: "what it covers is not known".to_owned(), selects: Vec::new() },
        runs_tests: runner != Runner::Printed,
        families: Vec::new(),
        passed: reading.passed,
        failed: reading.failed,
        skipped: reading.skipped,
        verdict,
    }
}

fn no_proof(why: &str) -> CheckVerdict {
    CheckVerdict::NoProof { why: why.to_owned() }
}

fn failed(why: String) -> CheckVerdict {
    CheckVerdict::Failed { why }
}

/// Whether a command calls a test runner that is known by name.
pub(crate) fn calls_known_runner(command: &str) -> bool {
    shell::read(command).is_some_and(|parts| hold_known_runner(&parts))
}

/// Whether one of the commands calls a test runner that is known by name.
pub(crate) fn hold_known_runner(parts: &[shell::Simple]) -> bool {
    let none = ProjectProfile::default();
    parts.iter().any(|part| runner::identify(part, &none).is_some())
}

/// Whether one of the commands calls a known runner over the whole project.
pub(crate) fn covers_project(parts: &[shell::Simple], project: &ProjectProfile) -> bool {
    let whole = |call: Call| call.scope == Scope::Whole && call.obstacle.is_none() && call.hidden.is_none();
    parts.iter().any(|part| runner::identify(part, project).is_some_and(whole))
}

/// Whether a script cannot fail.
pub(crate) fn trivial_script(script: &str) -> bool {
    runner::is_trivial_script(script)
}

/// What an output says about tests, if it has the summary of a test runner: of this one, or of any that is known.
pub fn read_result(runner: Option<Runner>, output: &str) -> Option<Reading> {
    runner.map_or_else(|| output::read_unknown(output), |runner| output::read(runner, output))
}

/// Whether a command is a check whose output was not understood: it ended well, said something, and still shows nothing.
pub(crate) fn is_unread(command: &CommandFact, project: &ProjectProfile) -> bool {
    let Some(run) = recognise(command, project) else { return false };
    let is_open = matches!(run.verdict, CheckVerdict::NoProof { .. }) && command.exit_code == Some(0);
    is_open && !command.output.trim().is_empty() && read_result(Some(run.runner), &command.output).is_none()
}

/// Whether an output has the summary of a test runner.
pub(crate) fn reads_like_a_result(output: &str) -> bool {
    output::read_unknown(output).is_some()
}
