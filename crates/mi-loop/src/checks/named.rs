//! Commands that the project, the person or the task names as a check.

use super::{
    Runner, Scope,
    runner::{Call, Place, outside, place},
    shell::{self, Simple},
};
use crate::project::{ProjectCheck, ProjectProfile, STRATEGY_SOURCE, TASK_SOURCE};

/// Flags that may be added to a named check without changing what it proves.
const HARMLESS: [&str; 24] = [
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "-vvv",
    "--verbose",
    "-s",
    "--silent",
    "--color",
    "--no-color",
    "--color=always",
    "--color=never",
    "--color=no",
    "--nocapture",
    "--no-cache",
    "--",
    "-x",
    "--no-daemon",
    "--console=plain",
    "--offline",
    "--locked",
    "--frozen",
    "--tb=short",
    "--no-progress",
];

/// Whether `command`, or a part of it whose exit code shows, runs `check` with at most harmless additions.
pub fn runs_command(command: &str, check: &str) -> bool {
    let Some(parts) = shell::read(&mi_formats::shell::unwrap_shell(command.trim())) else { return false };
    let Some(wanted) = shell::read(check) else { return false };
    (0..parts.len()).any(|from| {
        let run = &parts[from..];
        begins_with(run, &wanted) && run.iter().take(wanted.len()).all(|part| part.hidden.is_none())
    })
}

/// The named check that these words run.
pub(crate) fn matching<'a>(words: &[String], project: &'a ProjectProfile) -> Option<&'a ProjectCheck> {
    project.checks.iter().find(|check| {
        speaks_of(check, words)
            && shell::words(&check.command)
                .is_some_and(|wanted| extra_words(words, &wanted).is_some_and(|extra| extra.is_empty()))
    })
}

/// Whether the person chose this check, rather than a file of the project.
pub(crate) fn is_persons_word(check: &ProjectCheck) -> bool {
    check.source == STRATEGY_SOURCE || check.source == TASK_SOURCE
}

/// The named check that begins with the first of `parts`, if no known runner was found there.
pub(crate) fn identify(parts: &[Simple], project: &ProjectProfile) -> Option<Call> {
    let first = parts.first()?;
    project.checks.iter().filter(|check| speaks_of(check, &first.words)).find_map(|check| {
        let wanted = shell::read(&check.command)?;
        let narrowed = match <&[Simple; 1]>::try_from(wanted.as_slice()) {
            Ok([one]) => extra_words(&first.words, &one.words)?,
            Err(_) => begins_with(parts, &wanted).then(Vec::new)?,
        };
        let run = parts.get(..wanted.len().max(1))?;
        let place = place(&run.last()?.directory, &project.root);
        Some(Call {
            runner: Runner::Project,
            scope: scope(narrowed, wanted.len(), &place),
            runs_tests: check.runs_tests,
            families: Vec::new(),
            needs_counts: false,
            hidden: run.iter().find_map(|part| part.hidden.clone()).or_else(|| check.hides_failure()),
            obstacle: outside(&place).or_else(|| check.is_agents_word()),
        })
    })
}

/// Whether the check may begin with these words: cheap, and asked before the check itself is read.
fn speaks_of(check: &ProjectCheck, words: &[String]) -> bool {
    without_wrapper(words).first().is_some_and(|program| check.command.contains(plain(program)))
}

fn scope(extra: Vec<String>, length: usize, place: &Place) -> Scope {
    if let (1, Place::Inside(folder)) = (length, place) {
        return Scope::Subset { why: format!("it ran only in `{folder}`"), selects: vec![folder.clone()] };
    }
    if extra.is_empty() {
        return Scope::Whole;
    }
    Scope::Subset { why: format!("`{}` was added to the project's check", extra.join(" ")), selects: extra }
}

fn begins_with(parts: &[Simple], wanted: &[Simple]) -> bool {
    let same = |(part, wanted): (&Simple, &Simple)| {
        extra_words(&part.words, &wanted.words).is_some_and(|extra| extra.is_empty())
    };
    !wanted.is_empty() && parts.len() >= wanted.len() && parts.iter().zip(wanted).all(same)
}

/// The words that `run` has beyond `wanted`, harmless flags left out; None when it is another command.
fn extra_words(run: &[String], wanted: &[String]) -> Option<Vec<String>> {
    let run = without_wrapper(run);
    let wanted = without_wrapper(wanted);
    let (program, rest) = run.split_first()?;
    let (wanted_program, wanted_rest) = wanted.split_first()?;
    if plain(program) != plain(wanted_program) {
        return None;
    }
    let mut missing = wanted_rest.iter().peekable();
    let mut extra = Vec::new();
    for word in rest {
        if missing.next_if(|next| *next == word).is_none() {
            extra.push(word.clone());
        }
    }
    let is_whole = missing.peek().is_none();
    extra.retain(|word| !HARMLESS.contains(&word.as_str()));
    is_whole.then_some(extra)
}

fn without_wrapper(words: &[String]) -> &[String] {
    let shell_script = |words: &[String]| {
        matches!(words.first().map(String::as_str), Some("bash" | "sh" | "time" | "env" | "npx"))
            && words.get(1).is_some_and(|word| !word.starts_with('-') && !word.contains('='))
    };
    if shell_script(words) { &words[1..] } else { words }
}

/// `./run.sh` and `run.sh` are the same file in the root; `python3` is `python`.
fn plain(program: &str) -> &str {
    match program.strip_prefix("./").unwrap_or(program) {
        "python3" => "python",
        "pip3" => "pip",
        other => other,
    }
}
