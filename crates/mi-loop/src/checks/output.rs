//! What a test runner's output says: how many tests passed, failed and were skipped, or that none ran.
//!
//! Holds: only the runner's own summary lines are read, so a test named "FAILED" changes nothing.
//! Elsewhere: whether the output may be believed at all is judged in [`super`].

mod other;
mod script;

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

use super::Runner;

/// Words of which every summary has at least one. An output of some length that has none is not read line by line.
const SUMMARY_WORDS: [&str; 36] = [
    "passed",
    "failed",
    "skipped",
    "deselected",
    "error in ",
    "errors in ",
    "no tests",
    "collected 0",
    "No test",
    "test result",
    "could not compile",
    "Ran ",
    "Summary [",
    "ok  ",
    "FAIL",
    "[no test",
    "--- PASS",
    "--- SKIP",
    "\"Action\":",
    "Tests",
    "passing",
    "pass ",
    " pass",
    "ok |",
    "1..",
    "failure",
    "assertion",
    "Assertions",
    "example",
    "Total:",
    "Test summary",
    "Executed ",
    "Test run with",
    "# TOTAL",
    "> Task :",
    "completed",
];
static SUMMARY_WORD: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SUMMARY_WORDS).ok());

/// Below this, reading the lines takes less time than putting the search for the words together.
const LONG_BYTES: usize = 4 * 1024;

/// What the summary lines say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub skipped: Option<u64>,
    pub ran: Ran,
    /// The output says that something failed, with or without a count.
    pub says_failed: bool,
}

/// Whether tests ran at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ran {
    Yes,
    No,
    #[default]
    Unknown,
}

impl Reading {
    /// A reading of counts: tests ran when any passed or failed.
    pub(crate) fn counts(passed: u64, failed: u64, skipped: u64) -> Self {
        Self {
            passed: Some(passed),
            failed: Some(failed),
            skipped: Some(skipped),
            ran: if passed + failed > 0 { Ran::Yes } else { Ran::No },
            says_failed: failed > 0,
        }
    }

    pub(crate) fn none_ran() -> Self {
        Self { ran: Ran::No, ..Self::default() }
    }

    pub(crate) fn is_all_skipped(&self) -> bool {
        self.ran == Ran::No && self.skipped.is_some_and(|skipped| skipped > 0)
    }

    /// Both together: the results of two suites in one output.
    pub(crate) fn and(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        let ran = match (self.ran, other.ran) {
            (Ran::Yes, _) | (_, Ran::Yes) => Ran::Yes,
            (Ran::No, _) | (_, Ran::No) => Ran::No,
            (Ran::Unknown, Ran::Unknown) => Ran::Unknown,
        };
        Self {
            passed: sum(self.passed, other.passed),
            failed: sum(self.failed, other.failed),
            skipped: sum(self.skipped, other.skipped),
            ran,
            says_failed: self.says_failed || other.says_failed,
        }
    }
}

/// What `output` says when `runner` wrote it; None when it has no summary of that runner.
pub(crate) fn read(runner: Runner, output: &str) -> Option<Reading> {
    let plain = readable(output)?;
    let lines: Vec<&str> = plain.lines().collect();
    reader_of(runner).map_or_else(|| read_any(&lines), |reader| reader(&lines))
}

/// What `output` says, whichever runner wrote it.
pub fn read_unknown(output: &str) -> Option<Reading> {
    let plain = readable(output)?;
    read_any(&plain.lines().collect::<Vec<_>>())
}

type Reader = fn(&[&str]) -> Option<Reading>;

const OTHERS: [Reader; 18] = [
    script::nextest,
    script::pytest,
    script::unittest,
    script::go,
    script::node_table,
    script::mocha,
    script::node_test,
    script::bun,
    script::deno,
    script::bats,
    other::maven,
    other::ctest,
    other::rspec,
    other::minitest,
    other::phpunit,
    other::dotnet,
    other::swift,
    other::automake,
];

fn read_any(lines: &[&str]) -> Option<Reading> {
    // A failed summary of cargo has the form of pytest's, so the other readers must not see it.
    let rest: Vec<&str> =
        lines.iter().copied().filter(|line| !line.trim_start().starts_with("test result: ")).collect();
    let all = script::cargo(lines).into_iter().chain(OTHERS.iter().filter_map(|reader| reader(&rest)));
    // Gradle's task lines are weaker than any count, so they only speak when nothing else does.
    all.reduce(Reading::and).or_else(|| other::gradle(lines))
}

fn reader_of(runner: Runner) -> Option<Reader> {
    match runner {
        Runner::CargoTest => Some(script::cargo),
        Runner::Nextest => Some(script::nextest),
        Runner::Pytest => Some(script::pytest),
        Runner::Unittest => Some(script::unittest),
        Runner::GoTest => Some(script::go),
        Runner::Jest | Runner::Vitest => Some(script::node_table),
        Runner::Mocha => Some(script::mocha),
        Runner::NodeTest => Some(script::node_test),
        Runner::Bun => Some(script::bun),
        Runner::Deno => Some(script::deno),
        Runner::Bats => Some(script::bats),
        Runner::Maven => Some(other::maven),
        Runner::Gradle => Some(other::gradle),
        Runner::Ctest => Some(other::ctest),
        Runner::Rspec => Some(other::rspec),
        Runner::Minitest => Some(other::minitest),
        Runner::Phpunit => Some(other::phpunit),
        Runner::Dotnet => Some(other::dotnet),
        Runner::Swift => Some(other::swift),
        Runner::NodeScript | Runner::Make | Runner::Tox | Runner::Project | Runner::Printed => None,
    }
}

/// Every "number word" of a line: `2 failed, 5 passed` gives `(2, failed)`, `(5, passed)`.
pub(crate) fn counted(line: &str) -> Vec<(u64, &str)> {
    let tokens = tokens(line);
    tokens.windows(2).filter_map(|pair| Some((number(pair[0])?, pair[1]))).collect()
}

/// Every "word number" of a line: `Failures: 0` gives `(Failures, 0)`.
pub(crate) fn labelled(line: &str) -> Vec<(&str, u64)> {
    let tokens = tokens(line);
    tokens.windows(2).filter_map(|pair| Some((pair[0], number(pair[1])?))).collect()
}

/// The count that stands before one of `words`, summed; None when no such word has a count.
pub(crate) fn count_of(line: &str, words: &[&str]) -> Option<u64> {
    let found = counted(line).into_iter().filter(|(_, word)| words.contains(word)).map(|(count, _)| count);
    found.reduce(u64::saturating_add)
}

/// The count that stands after one of `labels`, summed.
pub(crate) fn label_of(line: &str, labels: &[&str]) -> Option<u64> {
    let found =
        labelled(line).into_iter().filter(|(label, _)| labels.contains(label)).map(|(_, count)| count);
    found.reduce(u64::saturating_add)
}

/// A count; what does not fit is no count of tests, and sums of what fits cannot overflow.
pub(crate) fn number(text: &str) -> Option<u64> {
    text.parse::<u32>().ok().map(u64::from)
}

fn tokens(line: &str) -> Vec<&str> {
    line.split(|char: char| !char.is_alphanumeric()).filter(|token| !token.is_empty()).collect()
}

/// The text without terminal colours, if it can hold a summary at all.
fn readable(output: &str) -> Option<String> {
    (output.len() < LONG_BYTES || has_summary_word(output)).then(|| without_escapes(output))
}

fn has_summary_word(output: &str) -> bool {
    SUMMARY_WORD.as_ref().is_none_or(|words| words.is_match(output))
}

/// The text without terminal colours.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            plain.push(char);
            continue;
        }
        if chars.next_if_eq(&'[').is_some() {
            for part in chars.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&part) {
                    break;
                }
            }
        }
    }
    plain
}
