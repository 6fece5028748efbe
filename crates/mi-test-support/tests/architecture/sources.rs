//! What the text of a source file may not contain, by room.
//!
//! Test code is free: files under `tests`, `benches` and `examples`, `src/bin/driver.rs` (a program for the
//! crate's own tests), modules declared under `#[cfg(test)]`, and a `#[cfg(test)]` module that ends its file.
//! A test module in the middle of a file is not: nobody looks for the rest of the code behind it.

use crate::rooms::is_brain;

const LONGEST_FILE_LINES: usize = 900;
/// What a brain does without.
const IMPURE: [&str; 8] = [
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "tokio::",
];
const STARTS_PROCESSES: [&str; 3] = ["Command::new", "process::Command", "CommandExt"];
/// `env::consts` and `env::split_paths` read nothing and are not in the list.
const READS_ENVIRONMENT: [&str; 8] = [
    "env::var",
    "env::set_var",
    "env::args",
    "env::current_dir",
    "env::current_exe",
    "env::temp_dir",
    "env::home_dir",
    "use std::env::{",
];

pub(crate) struct SourceFile {
    /// From the crate's folder: `src/lib.rs`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What is wrong in the sources of one crate.
pub(crate) fn check_crate(name: &str, files: &[SourceFile]) -> Vec<String> {
    let test_modules: Vec<String> = files.iter().flat_map(|file| test_modules(&file.text)).collect();
    let mut violations = Vec::new();
    for file in files {
        let place = format!("{name}/{}", file.path);
        violations.extend(check_form(&place, &file.text));
        if name != "mi-test-support" && !is_test_file(&file.path, &test_modules) {
            violations.extend(check_content(name, &place, &file.text));
        }
    }
    violations
}

fn check_form(place: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let root = place.ends_with("/src/lib.rs") || place.ends_with("/src/main.rs");
    if root && !text.starts_with("//! ") {
        violations.push(format!("{place}:1: does not open by saying what it is for (//!)"));
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE_LINES {
        violations.push(format!("{place}: {lines} lines, more than {LONGEST_FILE_LINES}"));
    }
    violations
}

fn check_content(name: &str, place: &str, text: &str) -> Vec<String> {
    let mut rules: Vec<(&str, &[&str])> = Vec::new();
    if is_brain(name) {
        rules.push(("brains are pure", &IMPURE));
    }
    if name != "mi-process" {
        rules.push(("only mi-process starts processes", &STARTS_PROCESSES));
    }
    if name != "mi" {
        rules.push(("only mi reads the environment", &READS_ENVIRONMENT));
    }
    let mut violations = Vec::new();
    for (index, line) in shipped(text).lines().enumerate() {
        // The command-line parser has a type of the same name, which starts nothing.
        let line = line.replace("clap::Command", "");
        for (rule, forbidden) in &rules {
            if let Some(found) = forbidden.iter().find(|pattern| line.contains(**pattern)) {
                violations.push(format!("{place}:{}: `{found}`: {rule}", index + 1));
            }
        }
    }
    violations
}

/// The text without the test module that ends the file.
fn shipped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let opens = |index: usize| {
        lines[index] == "#[cfg(test)]"
            && lines.get(index + 1).is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'))
    };
    let ends_file = |index: usize| {
        let close = lines[index..].iter().position(|line| *line == "}");
        close.is_some_and(|close| lines[index + close + 1..].iter().all(|line| line.trim().is_empty()))
    };
    let cut = (0..lines.len()).find(|index| opens(*index) && ends_file(*index)).unwrap_or(lines.len());
    lines[..cut].join("\n")
}

/// The names declared as `#[cfg(test)] mod name;`.
fn test_modules(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = |pair: &[&str]| {
        let name = pair[1].strip_prefix("mod ")?.strip_suffix(';')?;
        (pair[0] == "#[cfg(test)]").then(|| name.to_owned())
    };
    lines.windows(2).filter_map(declared).collect()
}

fn is_test_file(path: &str, test_modules: &[String]) -> bool {
    if path == "src/bin/driver.rs" {
        return true;
    }
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    let first = parts.next().unwrap_or_default();
    ["tests", "benches", "examples"].contains(&first)
        || parts.any(|part| test_modules.iter().any(|module| module == part))
}

#[cfg(test)]
fn check(name: &str, path: &str, text: &str) -> Vec<String> {
    check_crate(name, &[SourceFile { path: path.to_owned(), text: text.to_owned() }])
}

/// Each text breaks one rule of one room.
#[test]
fn planted_text_is_caught() {
    let cases = [
        ("mi-loop", "//! x\nuse std::fs;\n", "mi-loop/src/a.rs:2: `std::fs`: brains are pure"),
        (
            "mi-model",
            "let t = SystemTime::now();\n",
            "mi-model/src/a.rs:1: `SystemTime::now`: brains are pure",
        ),
        ("mi-gate", "tokio::spawn(x);\n", "mi-gate/src/a.rs:1: `tokio::`: brains are pure"),
        (
            "mi-hands",
            "Command::new(\"sh\")\n",
            "mi-hands/src/a.rs:1: `Command::new`: only mi-process starts processes",
        ),
        (
            "mi",
            "use std::process::Command;\n",
            "mi/src/a.rs:1: `process::Command`: only mi-process starts processes",
        ),
        (
            "mi-journal",
            "std::env::var(\"X\")\n",
            "mi-journal/src/a.rs:1: `env::var`: only mi reads the environment",
        ),
        (
            "mi-process",
            "env::var_os(\"X\")\n",
            "mi-process/src/a.rs:1: `env::var`: only mi reads the environment",
        ),
        (
            "mi-loop",
            "#[cfg(test)]\nmod tests {\n}\n\nuse std::net::TcpStream;\n",
            "mi-loop/src/a.rs:5: `std::net`: brains are pure",
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(check(name, "src/a.rs", text), [expected]);
    }
}

/// A crate says what it is for, and no file is endless.
#[test]
fn planted_form_is_caught() {
    let opening = check("mi-loop", "src/lib.rs", "use x;\n//! late\n");
    assert_eq!(opening, ["mi-loop/src/lib.rs:1: does not open by saying what it is for (//!)"]);
    let length = check("mi-loop", "tests/a.rs", &"\n".repeat(901));
    assert_eq!(length, ["mi-loop/tests/a.rs: 901 lines, more than 900"]);
}

/// Owners do their job, and tests do as they like.
#[test]
fn allowed_text_passes() {
    let cases = [
        ("mi-process", "src/a.rs", "Command::new(program).env(\"A\", \"b\")"),
        ("mi", "src/a.rs", "std::env::args(); clap::Command::new(\"mi\");"),
        ("mi-loop", "src/a.rs", "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"),
        ("mi-hands", "src/a.rs", "std::env::consts::OS; std::env::split_paths(path)"),
        ("mi-hands", "src/bin/driver.rs", "std::env::args_os()"),
        ("mi-loop", "tests/a.rs", "use std::fs;"),
        ("mi-loop", "benches/a.rs", "Instant::now()"),
        ("mi-test-support", "src/a.rs", "Command::new(\"sh\")"),
    ];
    for (name, path, text) in cases {
        assert_eq!(check(name, path, text), Vec::<String>::new(), "{name}/{path}");
    }
    let files = [("src/lib.rs", "//! x\n#[cfg(test)]\nmod cases;\n"), ("src/cases.rs", "use std::fs;\n")]
        .map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() });
    assert_eq!(check_crate("mi-loop", &files), Vec::<String>::new());
}
