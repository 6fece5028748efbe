//! Summary lines of the Rust, Python, Go, JavaScript and shell runners.

use super::{Ran, Reading, count_of, counted, label_of, number};

/// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out`, once per test binary.
pub(super) fn cargo(lines: &[&str]) -> Option<Reading> {
    let results = lines.iter().filter_map(|line| line.trim().strip_prefix("test result: "));
    let readings = results.map(|line| {
        let count = |word: &str| count_of(line, &[word]).unwrap_or(0);
        let mut reading = Reading::counts(count("passed"), count("failed"), count("ignored"));
        reading.says_failed |= line.starts_with("FAILED");
        reading
    });
    let compiles = !lines.iter().any(|line| line.starts_with("error: could not compile"));
    let reading = readings.reduce(Reading::and);
    if compiles { reading } else { Some(failed().and(reading.unwrap_or_default())) }
}

/// `Summary [   0.012s] 12 tests run: 11 passed, 1 failed, 2 skipped`
pub(super) fn nextest(lines: &[&str]) -> Option<Reading> {
    let summary =
        lines.iter().rev().find(|line| line.trim_start().starts_with("Summary [") && line.contains("run:"));
    if let Some(line) = summary {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        let failed = count(&["failed", "exec", "timed"]);
        return Some(Reading::counts(count(&["passed"]), failed, count(&["skipped"])));
    }
    lines.iter().any(|line| line.contains("no tests to run")).then(Reading::none_ran)
}

/// `== 1 failed, 4 passed, 1 skipped in 0.12s ==`, also without the frame under `-q`.
pub(super) fn pytest(lines: &[&str]) -> Option<Reading> {
    let mut framed = lines.iter().rev().map(|line| line.trim_matches(['=', ' ']));
    let Some(line) = framed.find(|line| is_pytest_summary(line)) else {
        return lines.contains(&"collected 0 items").then(Reading::none_ran);
    };
    if line.starts_with("no tests ran") {
        return Some(Reading::none_ran());
    }
    let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
    let failed = count(&["failed", "error", "errors"]);
    Some(Reading::counts(count(&["passed", "xpassed"]), failed, count(&["skipped", "xfailed"])))
}

fn is_pytest_summary(line: &str) -> bool {
    let Some((counts, time)) = line.rsplit_once(" in ") else { return false };
    let words =
        ["passed", "failed", "error", "errors", "skipped", "deselected", "xfailed", "xpassed", "warnings"];
    let timed = time.starts_with(|char: char| char.is_ascii_digit()) && time.contains('s');
    timed
        && (counts == "no tests ran" || counted(counts).first().is_some_and(|(_, word)| words.contains(word)))
}

/// `Ran 5 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=2)`.
pub(super) fn unittest(lines: &[&str]) -> Option<Reading> {
    let at = lines
        .iter()
        .rposition(|line| line.starts_with("Ran ") && line.contains(" test") && line.contains(" in "))?;
    let total = counted(lines[at]).first().map_or(0, |(count, _)| *count);
    let end =
        lines[at..].iter().skip(1).map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    let skipped = label_of(end, &["skipped"]).unwrap_or(0);
    let failed = label_of(end, &["failures", "errors"]).unwrap_or(0);
    let mut reading = Reading::counts(total.saturating_sub(failed + skipped), failed, skipped);
    reading.says_failed |= end.starts_with("FAILED");
    Some(reading)
}

/// `ok  pkg 0.003s`, `FAIL pkg`, `? pkg [no test files]`, and with `-v` one `--- PASS` per test.
pub(super) fn go(lines: &[&str]) -> Option<Reading> {
    let starts =
        |prefix: &str| lines.iter().filter(|line| line.trim_start().starts_with(prefix)).count() as u64;
    let packages = lines.iter().filter(|line| line.starts_with("ok  \t") || line.starts_with("ok   "));
    let (mut ran, mut empty) = (0_u64, 0_u64);
    for line in packages {
        if line.contains("[no tests to run]") { empty += 1 } else { ran += 1 }
    }
    empty +=
        lines.iter().filter(|line| line.starts_with('?') && line.contains("[no test files]")).count() as u64;
    let events = |action: &str| {
        let action = format!("\"Action\":\"{action}\"");
        lines.iter().filter(|line| line.contains(&action) && line.contains("\"Test\":")).count() as u64
    };
    let passed = starts("--- PASS:") + events("pass");
    let failed = starts("--- FAIL:") + events("fail");
    let skipped = starts("--- SKIP:") + events("skip");
    let broken = lines.iter().any(|line| line.starts_with("FAIL\t") || *line == "FAIL");
    if passed + failed + skipped > 0 {
        let mut reading = Reading::counts(passed, failed, skipped);
        reading.says_failed |= broken;
        return Some(reading);
    }
    match (ran > 0, broken, empty > 0) {
        (_, true, _) => Some(self::failed()),
        (true, ..) => Some(Reading { ran: Ran::Yes, ..Reading::default() }),
        (false, false, true) => Some(Reading::none_ran()),
        (false, false, false) => None,
    }
}

/// Jest's `Tests: 1 failed, 4 passed, 5 total`, vitest's `Tests  1 failed | 4 passed (5)`, pest's `Tests: 2 passed`.
pub(super) fn node_table(lines: &[&str]) -> Option<Reading> {
    let tests = lines.iter().map(|line| line.trim()).filter(|line| {
        let rest = line.strip_prefix("Tests").map(|rest| rest.trim_start_matches(':'));
        let results = ["passed", "failed", "skipped", "todo", "total"];
        rest.is_some_and(|rest| {
            rest.starts_with(' ') && counted(rest).iter().any(|(_, word)| results.contains(word))
        })
    });
    let readings = tests.map(|line| {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        Reading::counts(count(&["passed"]), count(&["failed"]), count(&["skipped", "todo", "pending"]))
    });
    let suites_failed = lines.iter().map(|line| line.trim()).any(|line| {
        (line.starts_with("Test Suites:") || line.starts_with("Test Files "))
            && count_of(line, &["failed"]).is_some()
    });
    let reading = readings.reduce(Reading::and).map(|mut reading| {
        reading.says_failed |= suites_failed;
        reading
    });
    let says_none = |line: &&str| line.contains("No tests found") || line.contains("No test files found");
    reading.or_else(|| lines.iter().any(says_none).then(Reading::none_ran))
}

/// `5 passing (12ms)`, `1 failing`, `2 pending`
pub(super) fn mocha(lines: &[&str]) -> Option<Reading> {
    let alone = |word: &str| {
        let of_line = |line: &&str| {
            let rest = line.trim();
            let (count, after) = rest.split_once(' ')?;
            let stands_alone =
                after == word || after.strip_prefix(word).is_some_and(|rest| rest.starts_with(" ("));
            if stands_alone { number(count) } else { None }
        };
        lines.iter().rev().find_map(of_line)
    };
    let passed = alone("passing")?;
    Some(Reading::counts(passed, alone("failing").unwrap_or(0), alone("pending").unwrap_or(0)))
}

/// `# pass 5` (TAP) or `ℹ pass 5` (spec reporter).
pub(super) fn node_test(lines: &[&str]) -> Option<Reading> {
    let value = |name: &str| {
        let of_line = |line: &&str| {
            let rest = line.trim().strip_prefix("# ").or_else(|| line.trim().strip_prefix("ℹ "))?;
            number(rest.strip_prefix(name)?.strip_prefix(' ')?.trim())
        };
        lines.iter().rev().find_map(of_line)
    };
    let passed = value("pass")?;
    let failed = value("fail").unwrap_or(0) + value("cancelled").unwrap_or(0);
    Some(Reading::counts(passed, failed, value("skipped").unwrap_or(0) + value("todo").unwrap_or(0)))
}

/// ` 5 pass`, ` 0 fail`, `Ran 5 tests across 1 files.`
pub(super) fn bun(lines: &[&str]) -> Option<Reading> {
    lines.iter().find(|line| line.starts_with("Ran ") && line.contains(" across "))?;
    let alone = |word: &str| {
        let of_line = |line: &&str| number(line.trim().strip_suffix(word)?.trim_end());
        lines.iter().rev().find_map(of_line)
    };
    Some(Reading::counts(alone("pass")?, alone("fail").unwrap_or(0), alone("skip").unwrap_or(0)))
}

/// `ok | 5 passed | 0 failed (12ms)` or `FAILED | …`
pub(super) fn deno(lines: &[&str]) -> Option<Reading> {
    let is_summary = |line: &&&str| line.starts_with("ok | ") || line.starts_with("FAILED | ");
    if let Some(line) = lines.iter().rev().find(is_summary) {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        return Some(Reading::counts(count(&["passed"]), count(&["failed"]), count(&["ignored"])));
    }
    lines.iter().any(|line| line.contains("No test modules found")).then(Reading::none_ran)
}

/// TAP (`1..5`, `ok 1 name`, `not ok 2 name`, `ok 3 # skip`) or the pretty `5 tests, 0 failures, 1 skipped`.
pub(super) fn bats(lines: &[&str]) -> Option<Reading> {
    let pretty = |line: &&&str| {
        let words: Vec<&str> = counted(line).into_iter().map(|(_, word)| word).collect();
        matches!(words.as_slice(), ["test" | "tests", "failure" | "failures", ..])
            && !line.contains("assertions")
    };
    if let Some(line) = lines.iter().rev().find(pretty) {
        let count = |words: &[&str]| count_of(line, words).unwrap_or(0);
        let (total, failed) = (count(&["test", "tests"]), count(&["failure", "failures"]));
        let skipped = count(&["skipped", "excluded"]);
        return Some(Reading::counts(total.saturating_sub(failed + skipped), failed, skipped));
    }
    let planned =
        |line: &&str| line.trim().strip_prefix("1..").is_some_and(|rest| rest.parse::<u64>().is_ok());
    if !lines.iter().any(planned) || lines.iter().any(|line| line.starts_with("# pass ")) {
        return None;
    }
    let numbered = |line: &str, prefix: &str| {
        let rest = line.strip_prefix(prefix)?;
        number(rest.split_whitespace().next()?)
    };
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for line in lines {
        if numbered(line, "not ok ").is_some() {
            failed += 1;
        } else if numbered(line, "ok ").is_some() {
            if line.to_lowercase().contains("# skip") { skipped += 1 } else { passed += 1 }
        }
    }
    Some(Reading::counts(passed, failed, skipped))
}

fn failed() -> Reading {
    Reading { ran: Ran::Yes, says_failed: true, ..Reading::default() }
}
