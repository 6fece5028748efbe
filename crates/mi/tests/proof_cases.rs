//! Labelled runs above the real Codex: `done` must be about the task.
//!
//! The cases are in `tests/data/proof/cases`, the runner is `dev/proof/run.py`; here it is called once per shard.
//! A shard whose tools are missing is skipped by name.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

use mi_test_support::{codex, installed, skipped, workspace_dir};
use std::process::{Command, Output};

/// What a shard may get wrong at most. To be lowered whenever the rules become better, never raised.
struct Limits {
    false_done: u32,
    missed_done: u32,
    questions: u32,
}

/// One test per line: its name, the ecosystem, which part of its cases, and what it may get wrong.
macro_rules! shards {
    ($($name:ident: $ecosystem:literal $part:literal, false $false_done:literal, missed $missed:literal, questions $questions:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let limits = Limits { false_done: $false_done, missed_done: $missed, questions: $questions };
                play($ecosystem, $part, &limits);
            }
        )*
    };
}

shards! {
    python_1: "python" "1/4", false 0, missed 1, questions 1;
    python_2: "python" "2/4", false 0, missed 1, questions 1;
    python_3: "python" "3/4", false 0, missed 1, questions 1;
    python_4: "python" "4/4", false 0, missed 1, questions 1;
    unittest: "unittest" "1/1", false 1, missed 1, questions 1;
    node_1: "node" "1/2", false 0, missed 1, questions 1;
    node_2: "node" "2/2", false 0, missed 1, questions 1;
    monorepo: "monorepo" "1/1", false 0, missed 1, questions 1;
    go: "go" "1/1", false 0, missed 1, questions 1;
    rust: "rust" "1/1", false 0, missed 1, questions 1;
    c: "c" "1/1", false 0, missed 1, questions 1;
    shell: "shell" "1/1", false 0, missed 1, questions 1;
    ruby: "ruby" "1/1", false 0, missed 1, questions 1;
    java: "java" "1/1", false 0, missed 1, questions 1;
    php: "php" "1/1", false 0, missed 1, questions 1;
    lua: "lua" "1/1", false 0, missed 1, questions 1;
}

fn play(ecosystem: &str, part: &str, limits: &Limits) {
    let (Some(codex), Some(python)) = (codex(), installed("python3")) else { return };
    let runner = |arguments: &[&str]| -> Output {
        Command::new(&python)
            .arg(workspace_dir().join("dev/proof/run.py"))
            .args(["--mi", env!("CARGO_BIN_EXE_mi"), "--ecosystem", ecosystem, "--part", part, "--jobs", "1"])
            .arg("--codex")
            .arg(&codex.program)
            .args(arguments)
            .output()
            .unwrap()
    };
    let missing = runner(&["--missing"]);
    if !missing.status.success() {
        let reason = text(&missing);
        assert_eq!(missing.status.code(), Some(3), "{reason}");
        skipped(reason.trim());
        return;
    }
    let played = runner(&[
        "--max-false",
        &limits.false_done.to_string(),
        "--max-missed",
        &limits.missed_done.to_string(),
        "--max-questions",
        &limits.questions.to_string(),
    ]);
    assert!(played.status.success(), "{}", text(&played));
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
