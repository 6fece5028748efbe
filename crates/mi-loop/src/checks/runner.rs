//! Which test runner a simple command calls, where, and how much of the project it covers.

mod program;
mod rules;
mod scope;
mod surroundings;

use super::{
    Runner, Scope,
    shell::{Simple, join, read},
};
use crate::project::{ProjectCheck, ProjectProfile};

pub(crate) use scope::{Place, place};
pub(crate) use surroundings::doubtful_variables;

/// One call of a check, before its result is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) runner: Runner,
    pub(crate) scope: Scope,
    pub(crate) runs_tests: bool,
    /// The only families of languages that it can test; empty when that is not known.
    pub(crate) families: Vec<&'static str>,
    /// True when exit code 0 alone does not show that a test ran.
    pub(crate) needs_counts: bool,
    pub(crate) hidden: Option<String>,
    /// Why the call proves nothing whatever its result.
    pub(crate) obstacle: Option<String>,
}

/// The known runner that `part` calls, if it calls one.
pub(crate) fn identify(part: &Simple, project: &ProjectProfile) -> Option<Call> {
    let found = program::find(&part.words)?;
    let directory =
        found.directory.as_deref().map_or_else(|| part.directory.clone(), |to| join(&part.directory, to));
    let reading = rules::read(found.runner, &found.arguments);
    let check = super::named::matching(&without_preparation(found.runner, &part.words), project);
    let is_named = check.is_some_and(|check| check.runs_tests && !check.is_new);
    let place = place(&directory, &project.root);
    let chosen = check.is_some_and(super::named::is_persons_word) && place == Place::Root;
    let scope = if chosen {
        Scope::Whole
    } else {
        scope::of(found.runner, &reading, &found, &place, project, is_named)
    };
    let obstacle = reading
        .never_runs
        .map(|option| format!("`{option}` makes it run no test"))
        .or_else(|| reading.ignores_failure.map(|option| format!("`{option}` makes it pass whatever fails")))
        .or_else(|| outside(&place))
        .or_else(|| check.and_then(ProjectCheck::is_agents_word))
        .or_else(|| surroundings::argument_outside(&found.arguments, &directory, &project.root));
    Some(Call {
        runner: found.runner,
        scope,
        runs_tests: true,
        families: families(found.runner, check),
        needs_counts: !(is_named && matches!(found.runner, Runner::NodeScript | Runner::Make | Runner::Tox)),
        hidden: part.hidden.clone().or_else(|| check.and_then(ProjectCheck::hides_failure)),
        obstacle,
    })
}

/// `make clean test` is the check `make test`, from the beginning.
fn without_preparation(runner: Runner, words: &[String]) -> Vec<String> {
    let is_preparation =
        |word: &&String| runner == Runner::Make && ["clean", "all", "build"].contains(&word.as_str());
    words.iter().filter(|word| !is_preparation(word)).cloned().collect()
}

/// What a runner can test; for a script that the project names, what the runners in it can.
fn families(runner: Runner, check: Option<&ProjectCheck>) -> Vec<&'static str> {
    let script = check.map(|check| check.script.as_str()).filter(|script| !script.is_empty());
    let Some(script) = script.filter(|_| runner.family().is_none()) else {
        return runner.family().into_iter().collect();
    };
    let parts: Vec<Simple> = script.lines().flat_map(|line| read(line).unwrap_or_default()).collect();
    let called: Vec<_> = parts.iter().map(|part| program::find(&part.words)?.runner.family()).collect();
    // One program that is not known may test anything.
    called.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Whether these words call a known runner.
pub(crate) fn is_runner(words: &[String]) -> bool {
    program::find(words).is_some()
}

/// Why a command at this place proves nothing about the project.
pub(crate) fn outside(place: &Place) -> Option<String> {
    match place {
        Place::Root | Place::Inside(_) => None,
        Place::Outside(path) => Some(format!("it ran in `{path}`, not in the project")),
        Place::Unknown => Some("the directory it ran in is not known".to_owned()),
    }
}

/// Why the output shows that the runner worked on other files than the project's.
pub(crate) fn elsewhere(output: &str, project: &ProjectProfile) -> Option<String> {
    if project.root.is_empty() {
        return None;
    }
    let mut paths = output.lines().filter_map(reported_root);
    paths
        .find(|path| !related(path, &project.root))
        .map(|path| format!("its output shows that it ran in `{path}`"))
}

/// The directory that pytest, cargo or vitest name as theirs.
fn reported_root(line: &str) -> Option<&str> {
    if let Some(path) = line.strip_prefix("rootdir: ") {
        return path.split(',').next();
    }
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("RUN ") {
        return rest.split_whitespace().last().filter(|path| path.starts_with('/'));
    }
    None
}

/// Whether one of two paths contains the other: a runner may take a parent of the project as its root.
fn related(path: &str, root: &str) -> bool {
    let inside = |inner: &str, outer: &str| {
        let outer = outer.trim_end_matches('/');
        inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    !path.starts_with('/') || inside(path, root) || inside(root, path)
}

/// Why a script's silence is no pass: it printed what it runs, and that checks nothing.
pub(crate) fn script_without_a_check(runner: Runner, output: &str) -> Option<String> {
    let nothing = |line: &str| {
        let script = line.strip_prefix("> ").or_else(|| line.strip_prefix("$ ")).unwrap_or_default().trim();
        is_trivial_script(script)
    };
    let idle = |line: &str| {
        (line.starts_with("make")
            && (line.contains("Nothing to be done for") || line.contains("is up to date")))
            || line.starts_with("Error: no test specified")
    };
    match runner {
        Runner::NodeScript if output.lines().any(nothing) => Some("its script checks nothing".to_owned()),
        Runner::Make | Runner::NodeScript if output.lines().any(idle) => {
            Some("it had nothing to run".to_owned())
        }
        _ => None,
    }
}

/// Whether a test script cannot fail: `true`, `exit 0`, `echo …`.
pub(crate) fn is_trivial_script(script: &str) -> bool {
    let script = script.trim().trim_end_matches(';').trim_start_matches('@').trim();
    let prints =
        script == ":" || script == "true" || script == "exit 0" || script.split(' ').next() == Some("echo");
    let goes_on = script.contains("&&") || script.contains('|') || script.contains(';');
    prints && (!goes_on || script.ends_with("exit 0") || script.ends_with("true"))
}

/// The runner that a script too involved to read speaks of.
pub(crate) fn mentioned(script: &str) -> Option<Runner> {
    let pieces = script.split(['\n', ';', '|', '&', '(', ')', '{', '}']);
    let leading = ["if", "then", "else", "do", "while", "until", "!", "time"];
    let is_leading = |word: &&str| leading.contains(word) || word.contains('=');
    pieces.into_iter().find_map(|piece| {
        let words = piece.split_whitespace().skip_while(is_leading).map(str::to_owned);
        program::find(&words.collect::<Vec<_>>()).map(|found| found.runner)
    })
}
