//! Reads what one run of a check says: green, red by a failed test, red because something no longer compiles, or unknown.
//!
//! Holds: time-outs, lack of memory and missing programs are unknown, never red.

use mi_loop::checks::{Ran, read_any_output};
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::LazyLock};

use crate::language::STUB_MESSAGE;

/// How the process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowEnded {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    OutOfMemory,
    /// It had more processes and threads than it may have.
    TooManyTasks,
}

/// How much a red run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// A file no longer parses: the part cannot be taken back by itself, which shows nothing about it.
    Broken,
    /// A test file no longer imports, collects or compiles: only the name is needed.
    Weak,
    /// A test failed by what it asserts, or the output was wrong.
    Strong,
}

/// What a run of a check says about the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "of", rename_all = "snake_case")]
pub enum Verdict {
    Green,
    Red(Strength),
    Unknown(String),
}

/// One run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutcome {
    pub exit: Option<i32>,
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    /// Names of failed tests, as the runner prints them.
    pub failing: Vec<String>,
    pub verdict: Verdict,
    /// Something did not compile, import or collect, so that tests are missing from the names.
    #[serde(default)]
    pub is_stopped: bool,
    /// The run was repeated and said the same.
    #[serde(default)]
    pub is_repeated: bool,
    /// Tests that both passed and failed on this tree.
    #[serde(default)]
    pub flaky: Vec<String>,
    /// The output shows that a stub was reached, so the red is due to the change and not to chance.
    pub reached_stub: bool,
    /// Everything that was printed, without blanks, as one number: for commands whose output is what the person looks at.
    #[serde(default)]
    pub output_sign: u64,
    /// The end of what a red run printed, to see what it speaks of.
    #[serde(default)]
    pub tail: String,
}

/// At most this many failed tests are kept by name.
const NAMES_KEPT: usize = 200;
const TAIL_KEPT: usize = 16 << 10;

/// Reads a run from its whole output and its end.
pub fn read_outcome(output: &str, end: HowEnded) -> CheckOutcome {
    let plain = strip_escapes(output);
    let counts = read_any_output(&plain);
    let failing = failed_tests(&plain);
    let exit = match end {
        HowEnded::Exited(code) => Some(code),
        HowEnded::Signalled(number) => Some(128 + number),
        HowEnded::TimedOut | HowEnded::OutOfMemory | HowEnded::TooManyTasks => None,
    };
    let ran_none = counts.is_some_and(|counts| counts.ran == Ran::No);
    let verdict = match end {
        HowEnded::TimedOut => {
            Verdict::Unknown("it did not end within its time; --time and --budget set it".to_owned())
        }
        HowEnded::OutOfMemory => Verdict::Unknown("it needs more memory than --memory allows".to_owned()),
        HowEnded::TooManyTasks => {
            Verdict::Unknown("it had more processes and threads than --pids allows".to_owned())
        }
        HowEnded::Signalled(9) => Verdict::Unknown("it was killed, probably for lack of memory".to_owned()),
        HowEnded::Exited(0) if ran_none => Verdict::Unknown("no test ran".to_owned()),
        HowEnded::Exited(0) => Verdict::Green,
        HowEnded::Exited(126 | 127) if failing.is_empty() => Verdict::Unknown(missing_program(&plain)),
        HowEnded::Exited(1) if is_module_missing(&plain) => Verdict::Unknown(missing_program(&plain)),
        HowEnded::Exited(5) if ran_none => Verdict::Unknown("no test ran".to_owned()),
        HowEnded::Exited(_) if is_out_of_memory(&plain) => {
            Verdict::Unknown("it ran out of memory".to_owned())
        }
        HowEnded::Exited(_) if plain.contains("No space left on device") => {
            Verdict::Unknown("the disk is full".to_owned())
        }
        HowEnded::Exited(_) if wants_network(&plain) => {
            Verdict::Unknown("it needs a network, and the box has none".to_owned())
        }
        HowEnded::Exited(_) | HowEnded::Signalled(_) => Verdict::Red(strength(&plain, &failing)),
    };
    CheckOutcome {
        exit,
        passed: counts.and_then(|counts| counts.passed),
        failed: counts.and_then(|counts| counts.failed),
        failing,
        verdict,
        is_stopped: STOPPED.iter().any(|sign| plain.contains(sign)),
        is_repeated: false,
        flaky: Vec::new(),
        reached_stub: plain.contains(STUB_MESSAGE),
        output_sign: output_sign(&plain),
        tail: match end {
            HowEnded::Exited(0) => String::new(),
            _ => plain[plain.ceil_char_boundary(plain.len().saturating_sub(TAIL_KEPT))..].to_owned(),
        },
    }
}

/// FNV-1a over what is not blank.
fn output_sign(output: &str) -> u64 {
    let bytes = output.bytes().filter(|byte| !byte.is_ascii_whitespace());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sign, byte| (sign ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn missing_program(output: &str) -> String {
    let line = output
        .lines()
        .rev()
        .find(|line| line.contains("not found") || line.contains("No module named"))
        .unwrap_or("a program it needs is missing");
    line.trim().to_owned()
}

/// `python -m pytest` without pytest says one line and no traceback.
fn is_module_missing(output: &str) -> bool {
    let mut lines = output.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|line| line.contains(": No module named ")) && lines.next().is_none()
}

fn is_out_of_memory(output: &str) -> bool {
    [
        "MemoryError",
        "Cannot allocate memory",
        "JavaScript heap out of memory",
        "OutOfMemoryError",
        "memory allocation of",
    ]
    .iter()
    .any(|sign| output.contains(sign))
}

fn wants_network(output: &str) -> bool {
    [
        "Could not resolve host",
        "Temporary failure in name resolution",
        "Name or service not known",
        "Network is unreachable",
        "ENETUNREACH",
        "EAI_AGAIN",
        "no such host",
        "dial tcp: lookup",
    ]
    .iter()
    .any(|sign| output.contains(sign))
}

/// Signs that the tests could not even start, or that a name they use is missing.
const BROKEN: [&str; 34] = [
    "attempt to call a nil value",
    "error during collection",
    "errors during collection",
    "ERROR collecting",
    "ImportError",
    "ModuleNotFoundError",
    "_FailedTest",
    "SyntaxError",
    "IndentationError",
    "has no attribute",
    "NameError",
    "could not compile",
    "error[E",
    "[build failed]",
    "[setup failed]",
    "undefined: ",
    "Cannot find module",
    "does not provide an export named",
    "is not a function",
    "is not a constructor",
    "ReferenceError",
    "Failed to resolve import",
    "error TS",
    "undefined reference",
    "implicit declaration",
    "fatal error:",
    "error: expected",
    "COMPILATION ERROR",
    "cannot find symbol",
    "LoadError",
    "NoMethodError",
    "undefined method",
    "uninitialized constant",
    "command not found",
];

/// Signs that nothing of a file, package or program could run.
const STOPPED: [&str; 8] = [
    "during collection",
    "could not compile",
    "[build failed]",
    "[setup failed]",
    "COMPILATION ERROR",
    "undefined reference",
    "_FailedTest",
    "ERROR collecting",
];

/// Signs that a file does not parse.
const UNPARSABLE: [&str; 25] = [
    "SyntaxError",
    "IndentationError",
    "TabError",
    "unclosed delimiter",
    "unexpected closing delimiter",
    "mismatched closing delimiter",
    "expected one of",
    "expected item",
    "expected expression",
    "syntax error",
    "Parse error",
    "non-declaration statement outside function",
    "expected declaration",
    "expected identifier",
    "expected \u{2018}",
    "or record expected",
    "interface, or enum expected",
    "reached end of file while parsing",
    "illegal start of",
    "' expected",
    "expected near",
    "<eof> expected",
    "unterminated",
    "unexpected end of file",
    "Unexpected token",
];

/// Signs that a test came as far as asserting something.
const ASSERTED: [&str; 26] = [
    "AssertionError",
    "assert ",
    "assertion",
    "Assertion",
    "Expected",
    "expected",
    "panicked at",
    "FAIL: ",
    "--- FAIL",
    "to equal",
    "toBe",
    "Failure:",
    "not equal",
    "Got:",
    "got ",
    "want ",
    "ERR_ASSERTION",
    "***Failed",
    "(Failed)",
    "ValueError",
    "TypeError:",
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "not ok ",
    "Subprocess aborted",
];

/// Signs that a test compared something and found it wrong.
const COMPARED: [&str; 9] = [
    "AssertionError",
    "assertion",
    "Assertion",
    "ERR_ASSERTION",
    "panicked at",
    "to equal",
    "toBe",
    "not equal",
    "Got:",
];

fn strength(output: &str, failing: &[String]) -> Strength {
    if output.contains(STUB_MESSAGE) {
        return Strength::Strong;
    }
    let is_unparsable = UNPARSABLE.iter().any(|sign| output.contains(sign));
    let broken = is_unparsable || BROKEN.iter().any(|sign| output.contains(sign));
    if !broken {
        return Strength::Strong;
    }
    // Some tests may assert while another file no longer imports; the assertion is what counts.
    let is_stopped = STOPPED.iter().any(|sign| output.contains(sign));
    // Of a file that does not parse a runner says `not ok` too.
    let signs: &[&str] = if is_unparsable { &COMPARED } else { &ASSERTED };
    let asserts = signs.iter().any(|sign| {
        output.lines().any(|line| line.contains(sign) && !BROKEN.iter().any(|broken| line.contains(broken)))
    });
    let is_syntax =
        |sign: &str| UNPARSABLE.contains(&sign) || ["fatal error:", "error: expected"].contains(&sign);
    let names_missing = BROKEN.iter().any(|sign| !is_syntax(sign) && output.contains(sign));
    if !is_stopped && asserts && !names_missing && !failing.is_empty() {
        Strength::Strong
    } else if is_unparsable {
        Strength::Broken
    } else {
        Strength::Weak
    }
}

/// The names of failed tests in the output of any runner.
fn failed_tests(output: &str) -> Vec<String> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$",
            r"^(?:FAIL|ERROR): (\w+) \(",
            r"^\s*--- FAIL: (\S+)",
            r"^test (\S+) \.\.\. FAILED",
            r"^\s*FAIL \[[^\]]*\]\s+(?:\([^)]*\)\s+)?(\S+ \S+)",
            r"^\s*not ok \d+ (?:- )?(.+?)(?: # .*)?$",
            r"^\s*✖ (.+?)(?: \([\d.]+m?s\))?$",
            r"^\s*[×✕✗] (.+?)(?: \d+m?s)?$",
            r"^ FAIL  (.+ > .+)$",
            r"^\s*● (.+ › .+)$",
            r"^\s*\d+ - (\S+) \((?:Failed|Subprocess aborted|SEGFAULT|ILLEGAL|Timeout)",
            r"^rspec (\./\S+)",
            r"^\s*(?:Failure|Error):\s*$",
            r"^(\w+#test_\S+?)(?: \[|:$)",
            r"^---- (\S+) stdout ----$",
            r"^\d+\) (\w+::\w+)$",
            r"^\[ERROR\]\s+(\w+\.\w+):\d+",
            r"^\s*Failed (\S+) \[",
            r"^# (test_\S+) failed$",
        ]
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    let mut names = BTreeSet::new();
    for line in output.lines().filter(|line| line.len() < 400) {
        for regex in PATTERNS.iter() {
            if let Some(name) = regex.captures(line).and_then(|found| found.get(1)) {
                let name = name.as_str().trim();
                if name != "failing tests:" && !name.is_empty() && names.len() < NAMES_KEPT {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    names.into_iter().collect()
}

fn strip_escapes(text: &str) -> String {
    static ESCAPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").ok());
    match &*ESCAPE {
        Some(regex) => regex.replace_all(text, "").into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn red(output: &str) -> (Strength, Vec<String>) {
        let outcome = read_outcome(output, HowEnded::Exited(1));
        match outcome.verdict {
            Verdict::Red(strength) => (strength, outcome.failing),
            other => panic!("{other:?}"),
        }
    }

    /// A failed assertion is strong, a module that no longer imports is weak; names come from the runner's own lines.
    #[test]
    fn red_runs_are_strong_or_weak() {
        let pytest = "E       assert 1.5 == 2\nFAILED tests/test_a.py::test_mean - assert 1.5 == 2\n1 failed, 1 passed in 0.02s\n";
        assert_eq!(red(pytest), (Strength::Strong, vec!["tests/test_a.py::test_mean".to_owned()]));
        let collect = "ERROR collecting tests/test_a.py\nE   ImportError: cannot import name 'median'\nERROR tests/test_a.py\n1 error in 0.1s\n";
        assert_eq!(red(collect).0, Strength::Weak);
        let go = "./a_test.go:6:5: undefined: Half\nFAIL\texample.com/calc [build failed]\n";
        assert_eq!(red(go).0, Strength::Weak);
        let go = "--- FAIL: TestTen (0.00s)\n    a_test.go:7: got 3\nFAIL\n";
        assert_eq!(red(go), (Strength::Strong, vec!["TestTen".to_owned()]));
        let cargo = "test tests::ten ... FAILED\nthread 'tests::ten' panicked at src/lib.rs:9:9:\nassertion `left == right` failed\n";
        assert_eq!(red(cargo), (Strength::Strong, vec!["tests::ten".to_owned()]));
        assert_eq!(
            red("error[E0425]: cannot find function `half`\nerror: could not compile `calc`\n").0,
            Strength::Weak
        );
        let node = "not ok 1 - half\n  ---\n  error: 'half is not a function'\n";
        assert_eq!(red(node).0, Strength::Weak);
        let node = "calc.js:6\n}\n^\nSyntaxError: Unexpected token '}'\nnot ok 1 - calc.test.js\n";
        assert_eq!(red(node).0, Strength::Broken);
    }

    /// What keeps a check from telling is unknown, not red.
    #[test]
    fn time_memory_and_missing_programs_are_unknown() {
        let cases = [
            ("", HowEnded::TimedOut),
            ("", HowEnded::OutOfMemory),
            ("sh: 1: pytest: not found\n", HowEnded::Exited(127)),
            ("MemoryError\n", HowEnded::Exited(1)),
            ("/usr/bin/python3: No module named pytest\n", HowEnded::Exited(1)),
            ("collected 0 items\n\nno tests ran in 0.00s\n", HowEnded::Exited(5)),
        ];
        for (output, end) in cases {
            let verdict = read_outcome(output, end).verdict;
            assert!(matches!(verdict, Verdict::Unknown(_)), "{output:?} {end:?}: {verdict:?}");
        }
    }
}
