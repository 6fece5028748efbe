//! Labelled runs above the real Codex: `done` must be about the task.
//!
//! The cases are in `tests/data/proof/cases`, the runner is `dev/proof/run.py`; here it is called once per shard.
//! A shard whose tools are missing is skipped by name.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

use mi_test_support::{codex, installed, skipped, workspace_dir};
use std::process::{Command, Output};

/// One test per line: its name, the ecosystem, and which part of its cases.
macro_rules! shards {
    ($($name:ident: $ecosystem:literal $part:literal;)*) => {
        $(
            #[test]
            fn $name() {
                play($ecosystem, $part);
            }
        )*
    };
}

shards! {
    python_1: "python" "1/6";
    python_2: "python" "2/6";
    python_3: "python" "3/6";
    python_4: "python" "4/6";
    python_5: "python" "5/6";
    python_6: "python" "6/6";
    unittest: "unittest" "1/1";
    node_1: "node" "1/3";
    node_2: "node" "2/3";
    node_3: "node" "3/3";
    monorepo: "monorepo" "1/1";
    go: "go" "1/1";
    rust: "rust" "1/1";
    c: "c" "1/1";
    shell_1: "shell" "1/3";
    shell_2: "shell" "2/3";
    shell_3: "shell" "3/3";
    ruby: "ruby" "1/1";
    java: "java" "1/1";
    php: "php" "1/1";
    lua: "lua" "1/1";
}

fn play(ecosystem: &str, part: &str) {
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
    let played = runner(&[]);
    assert!(played.status.success(), "{}", text(&played));
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
