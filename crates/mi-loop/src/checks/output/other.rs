//! Summary lines of the JVM, C, Ruby, PHP, .NET and Swift runners.

use super::{Ran, Reading, count_of, counted, label_of, number};

/// `Tests run: 5, Failures: 0, Errors: 0, Skipped: 1`; lines with a time belong to one class, not to the total.
pub(super) fn maven(lines: &[&str]) -> Option<Reading> {
    let totals = lines.iter().filter(|line| line.contains("Tests run:") && !line.contains("Time elapsed"));
    let readings = totals.map(|line| {
        let label = |names: &[&str]| label_of(line, names).unwrap_or(0);
        let (total, failed, skipped) = (label(&["run"]), label(&["Failures", "Errors"]), label(&["Skipped"]));
        Reading::counts(total.saturating_sub(failed + skipped), failed, skipped)
    });
    let broken = lines.iter().any(|line| line.contains("BUILD FAILURE"));
    let none = |line: &&str| line.contains("No tests to run") || line.contains("Tests are skipped");
    let reading = readings.reduce(Reading::and).or_else(|| lines.iter().any(none).then(Reading::none_ran));
    match (reading, broken) {
        (None, true) => Some(Reading { says_failed: true, ..Reading::default() }),
        (reading, broken) => {
            reading.map(|reading| Reading { says_failed: reading.says_failed || broken, ..reading })
        }
    }
}

/// `> Task :test`, `5 tests completed, 1 failed`, `BUILD SUCCESSFUL`
pub(super) fn gradle(lines: &[&str]) -> Option<Reading> {
    let broken = lines.iter().any(|line| line.starts_with("BUILD FAILED"));
    if let Some(line) = lines.iter().rev().find(|line| line.contains("tests completed")) {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        let (total, failed, skipped) = (count(&["tests"]), count(&["failed"]), count(&["skipped"]));
        let mut reading = Reading::counts(total.saturating_sub(failed + skipped), failed, skipped);
        reading.says_failed |= broken;
        return Some(reading);
    }
    let tasks = lines
        .iter()
        .filter_map(|line| line.trim().strip_prefix("> Task :"))
        .filter(|task| is_test_task(task));
    let (mut ran, mut empty) = (false, false);
    for task in tasks {
        if task.ends_with("NO-SOURCE") || task.ends_with("SKIPPED") { empty = true } else { ran = true }
    }
    match (ran, empty, broken) {
        (_, _, true) => Some(Reading { ran: Ran::Yes, says_failed: true, ..Reading::default() }),
        (true, _, false) => Some(Reading { ran: Ran::Yes, ..Reading::default() }),
        (false, true, false) => Some(Reading::none_ran()),
        (false, false, false) => None,
    }
}

fn is_test_task(task: &str) -> bool {
    let name = task.split_whitespace().next().unwrap_or_default().rsplit(':').next().unwrap_or_default();
    let lower = name.to_lowercase();
    let prepares = ["compile", "process", "classes"].iter().any(|part| lower.contains(part));
    lower.contains("test") && !prepares
}

/// `100% tests passed, 0 tests failed out of 12`
pub(super) fn ctest(lines: &[&str]) -> Option<Reading> {
    if let Some(line) = lines.iter().rev().find(|line| line.contains("tests passed, ")) {
        let of = label_of(line, &["of"])?;
        let failed = line
            .split(", ")
            .nth(1)
            .and_then(|part| counted(part).first().map(|(count, _)| *count))
            .unwrap_or(0);
        let skip =
            |line: &&&str| line.trim_end().ends_with("(Skipped)") || line.trim_end().ends_with("(Disabled)");
        let skipped = lines.iter().filter(skip).count() as u64;
        return Some(Reading::counts(of.saturating_sub(failed + skipped), failed, skipped));
    }
    lines.iter().any(|line| line.contains("No tests were found")).then(Reading::none_ran)
}

/// `12 examples, 0 failures, 1 pending`
pub(super) fn rspec(lines: &[&str]) -> Option<Reading> {
    let line = lines.iter().rev().find(|line| {
        count_of(line, &["example", "examples"]).is_some()
            && count_of(line, &["failure", "failures"]).is_some()
    })?;
    let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
    let failed = count(&["failure", "failures"]);
    let skipped = count(&["pending"]);
    let outside = count(&["error", "errors"]);
    let total = count(&["example", "examples"]);
    Some(Reading::counts(total.saturating_sub(failed + skipped), failed + outside, skipped))
}

/// `12 runs, 24 assertions, 0 failures, 0 errors, 1 skips`; test-unit says `tests` instead of `runs`.
pub(super) fn minitest(lines: &[&str]) -> Option<Reading> {
    let is_total = |line: &&&str| {
        let words: Vec<&str> = counted(line).into_iter().map(|(_, word)| word).collect();
        matches!(words.as_slice(), ["runs" | "run" | "tests", "assertions", "failures", "errors", ..])
    };
    let line = lines.iter().rev().find(is_total)?;
    let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
    let failed = count(&["failures", "errors"]);
    let skipped = count(&["skips", "pendings", "omissions"]);
    Some(Reading::counts(count(&["runs", "run", "tests"]).saturating_sub(failed + skipped), failed, skipped))
}

/// `OK (12 tests, 24 assertions)`, or `Tests: 2, Assertions: 2, Failures: 1.`
pub(super) fn phpunit(lines: &[&str]) -> Option<Reading> {
    if let Some(line) = lines.iter().rev().find(|line| line.starts_with("OK (") && line.contains("assertion"))
    {
        return Some(Reading::counts(count_of(line, &["test", "tests"]).unwrap_or(0), 0, 0));
    }
    if let Some(line) =
        lines.iter().rev().find(|line| line.starts_with("Tests: ") && line.contains("Assertions: "))
    {
        let label = |names: &[&str]| label_of(line, names).unwrap_or(0);
        let failed = label(&["Failures", "Errors"]);
        let skipped = label(&["Skipped", "Incomplete"]);
        return Some(Reading::counts(label(&["Tests"]).saturating_sub(failed + skipped), failed, skipped));
    }
    lines.iter().any(|line| line.starts_with("No tests executed!")).then(Reading::none_ran)
}

/// `Passed!  - Failed: 0, Passed: 5, Skipped: 0, Total: 5`, once per test project, or the terminal logger's summary.
pub(super) fn dotnet(lines: &[&str]) -> Option<Reading> {
    let projects = lines.iter().map(|line| line.trim()).filter(|line| {
        (line.starts_with("Passed!") || line.starts_with("Failed!") || line.starts_with("Skipped!"))
            && line.contains("Total:")
    });
    let readings = projects.map(|line| {
        let label = |name: &str| label_of(line, &[name]).unwrap_or(0);
        Reading::counts(label("Passed"), label("Failed"), label("Skipped"))
    });
    if let Some(reading) = readings.reduce(Reading::and) {
        return Some(reading);
    }
    if let Some(line) = lines.iter().rev().find(|line| line.trim().starts_with("Test summary: total:")) {
        let label = |name: &str| label_of(line, &[name]).unwrap_or(0);
        return Some(Reading::counts(label("succeeded"), label("failed"), label("skipped")));
    }
    lines.iter().any(|line| line.contains("No test is available")).then(Reading::none_ran)
}

/// XCTest's `Executed 5 tests, with 0 failures` (the widest suite counts) and swift-testing's `Test run with 5 tests`.
pub(super) fn swift(lines: &[&str]) -> Option<Reading> {
    let suites =
        lines.iter().filter(|line| line.trim_start().starts_with("Executed ") && line.contains("test"));
    let classic = suites.map(|line| {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        let total = counted(line).first().map_or(0, |(count, _)| *count);
        let (failed, skipped) = (count(&["failure", "failures"]), skipped_in(line));
        Reading::counts(total.saturating_sub(failed + skipped), failed, skipped)
    });
    let classic = classic.max_by_key(|reading| reading.passed.unwrap_or(0) + reading.failed.unwrap_or(0));
    let modern = lines.iter().rev().find(|line| line.contains("Test run with ")).map(|line| {
        let total = count_of(line, &["test", "tests"]).unwrap_or(0);
        if line.contains("failed") {
            let failed = count_of(line, &["issue", "issues"]).unwrap_or(1).max(1);
            Reading::counts(total.saturating_sub(failed), failed, 0)
        } else {
            Reading::counts(total, 0, 0)
        }
    });
    match (classic, modern) {
        (Some(classic), Some(modern)) => Some(classic.and(modern)),
        (one, other) => one.or(other),
    }
}

fn skipped_in(line: &str) -> u64 {
    let before = line.split(" skipped").next().filter(|_| line.contains(" skipped")).unwrap_or_default();
    counted(before).last().map_or(0, |(count, _)| *count)
}

/// Automake's `# TOTAL: 5`, `# PASS:  5`, `# FAIL:  0`
pub(super) fn automake(lines: &[&str]) -> Option<Reading> {
    let value = |name: &str| {
        let of_line =
            |line: &&str| number(line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(':')?.trim());
        lines.iter().rev().find_map(of_line)
    };
    value("TOTAL")?;
    let sum = |names: &[&str]| names.iter().filter_map(|name| value(name)).fold(0, u64::saturating_add);
    Some(Reading::counts(sum(&["PASS", "XFAIL"]), sum(&["FAIL", "XPASS", "ERROR"]), sum(&["SKIP"])))
}
