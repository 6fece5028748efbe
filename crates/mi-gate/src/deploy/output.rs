//! What a test command of nobody's known kind says about tests that failed or were left out (D.16): numbers beside such words.

/// Numbers of tests that the output names as failed, as left out and as passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Named {
    pub failed: u64,
    pub skipped: u64,
    /// None where no number is named.
    pub passed: Option<u64>,
}

/// Words for tests that did not run. All but the first mean other things too, so their line must be about tests or be a
/// line of a protocol (`# skip 1`).
const SKIPPED: [&str; 6] = ["skipped", "skip", "ignored", "pending", "todo", "xfailed"];
const FAILED: [&str; 2] = ["failed", "failures"];
const PASSED: [&str; 2] = ["passed", "passing"];

/// Reads `3 passed, 1 skipped`, `OK (skipped=1)`, `# skipped 2` and the like; the largest number of each counts.
pub fn named_in(output: &str) -> Named {
    let mut named = Named::default();
    for line in output.lines() {
        let line = line.to_lowercase();
        let is_about_tests =
            line.starts_with("# ") || ["pass", "test", "ok"].iter().any(|word| line.contains(word));
        let words: Vec<&str> = line.split(|letter: char| !letter.is_alphanumeric()).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let number = || number_beside(&line, &words, at);
            if *word == "skipped" || is_about_tests && SKIPPED.contains(word) {
                named.skipped = named.skipped.max(number());
            } else if is_about_tests && FAILED.contains(word) {
                named.failed = named.failed.max(number());
            } else if PASSED.contains(word) {
                named.passed = named.passed.max(stated(&line, &words, at));
            }
        }
        if ["no tests ran", "no tests to run", "no tests found"].iter().any(|words| line.contains(words)) {
            named.passed = named.passed.or(Some(0));
        }
    }
    named
}

fn number_beside(line: &str, words: &[&str], at: usize) -> u64 {
    stated(line, words, at).unwrap_or(0)
}

/// The number before the word; where the line writes `word=1`, `word: 1` or `# word 1`, the one after it.
fn stated(line: &str, words: &[&str], at: usize) -> Option<u64> {
    let read = |at: Option<usize>| at.and_then(|at| words.get(at)).and_then(|word| word.parse().ok());
    let word = words[at];
    let is_key = [format!("{word}="), format!("{word}:"), format!("# {word} ")];
    match is_key.iter().any(|key| line.contains(key.as_str())) {
        true => read(Some(at + 1)),
        false => read(at.checked_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are found where runners put them; prose and zeroes are none.
    #[test]
    fn d_16_left_out_tests_are_found_in_any_output() {
        for (output, failed, skipped, passed) in [
            ("3 passed, 1 skipped", 0, 1, Some(3)),
            ("OK (skipped=2)", 0, 2, None),
            ("ok 1\n# tests 3\n# skipped 1", 0, 1, None),
            ("# tests 3\n# skip 1", 0, 1, None),
            ("Tests: 4, Skipped: 1, Failed: 0", 0, 1, None),
            ("test result: ok. 3 passed; 0 failed; 2 ignored", 0, 2, Some(3)),
            ("=== 5 passed, 1 xfailed ===", 0, 1, Some(5)),
            ("5 tests, 1 failed", 1, 0, None),
            ("12 passed, 0 failed, 0 skipped", 0, 0, Some(12)),
            ("0 passed", 0, 0, Some(0)),
            ("no tests ran", 0, 0, Some(0)),
            ("removed 3 ignored files", 0, 0, None),
            ("all tests passed", 0, 0, None),
            ("all good", 0, 0, None),
        ] {
            assert_eq!(named_in(output), Named { failed, skipped, passed }, "{output}");
        }
    }
}
