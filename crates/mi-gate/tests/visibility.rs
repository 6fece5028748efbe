//! What exit code 0 of a script says about the command `check` in it.

use mi_gate::command::{Visibility, analyze, exit_code_is_visible};

/// Whether exit 0 speaks for the first command named `check`.
fn shown(script: &str) -> Result<bool, String> {
    let analysis = analyze(script);
    let index = analysis.commands.iter().position(|command| command.program == "check");
    let index = index.ok_or_else(|| format!("no command in {script}"))?;
    Ok(exit_code_is_visible(&analysis, index) == Visibility::Shown)
}

const SHOWN: &[&str] = &[
    "check",
    "check -q tests 2>&1",
    "check > log 2>&1",
    "check &> log",
    "cd x && check",
    "cd x; check",
    "a; b; check",
    "check && echo ok",
    "check && echo ok && echo more",
    "a && check && b",
    "A=1 check",
    "env A=1 check",
    "timeout 60 check",
    "nice -n 5 check",
    "nohup check",
    "time check",
    "sudo -u x check",
    "command check",
    "exec check",
    "stdbuf -oL check",
    "uv run check",
    "npx check",
    "bash -lc 'check'",
    "bash -lc 'cd x && check'",
    "sh -c 'check' && echo ok",
    "bash -e -c 'check; other'",
    "bash -euo pipefail -c 'check | tail'",
    "/usr/local/bin/check",
    "(check)",
    "(cd x && check)",
    "{ check; }",
    "a | check",
    "set -o pipefail; check | tail",
    "set -euo pipefail\ncheck 2>&1 | tee log\necho done",
    "set -e; check; other",
    "set -e\ncheck\nother",
    "set -e; (check; a); b",
    "x=$(check)",
    "x=$(a && check)",
    "check || exit 1",
    "check || exit 1; echo done",
    "check || { echo failed; exit 2; }; echo done",
    "cd x || exit 1; check",
    "check; exit $?",
    "check; rc=$?; echo \"exit $rc\"; exit $rc",
    "if check; then echo ok; else echo bad; exit 1; fi",
    "if ! check; then echo bad; exit 1; fi",
    "set -e; for f in a b; do check; done",
    "for f in a; do check; done",
    "check || false",
    ". .venv/bin/activate && check",
    "check # | tail",
    "check < input.txt",
    "check \"$X\"",
];

const HIDDEN: &[&str] = &[
    "check | tail",
    "check 2>&1 | tail -20",
    "check |& tee log",
    "check || true",
    "check || :",
    "check || echo failed",
    "check; true",
    "check; echo done",
    "check; echo \"exit: $?\"",
    "check\necho $?",
    "true || check",
    "check & wait",
    "check &",
    "! check",
    "if check; then echo ok; fi",
    "if check; then echo ok; else echo bad; fi",
    "if true; then check; fi",
    "while check; do :; done",
    "until check; do sleep 1; done",
    "for f in a b; do check; done",
    "for f in *; do check; done",
    "set -e; for f in *; do check; done",
    "case x in x) check;; esac",
    "echo $(check)",
    "export X=$(check)",
    "x=$(check) other",
    "x=$(check; true)",
    "cat <(check)",
    "trap 'exit 0' EXIT; check",
    "trap 'true' ERR\nset -e\ncheck",
    "set -e; check && a; b",
    "set -e; check || true; b",
    "set -e; ! check; b",
    "set -e; if check; then a; fi; b",
    "set -e; { check && a; }; b",
    "set -e; set +e; check; b",
    "exit 0; check",
    "a && exit; check",
    "[ -f x ] || exit 0; check",
    "bash -n -c check",
    "set -n; check",
    "bash -c 'check; true'",
    "bash -c 'check | tail'",
    "(check; true)",
    "(check || exit 1); true",
    "check() { true; }; check",
    "alias check=true; check",
    "f() { check; }; f",
    "find . -exec check \\;",
    "echo a | xargs check",
    "xargs check < list",
    "eval check; true",
    "coproc check",
    "setsid check",
    "watch check",
    "check; rc=$?; rc=0; exit $rc",
    "check; rc=$?; a; exit 0",
    "check; rc=1; exit $rc",
    "check; exit 0",
    "check | grep -q ok && echo fine",
    ". ./env.sh; check",
    "$X; check",
    "PATH=.:$PATH check",
    "LD_PRELOAD=x.so check",
    "command_not_found_handle() { :; }; check",
    "hash -p /bin/true check; check",
    "check (",
    "a || { check; exit 1; }",
    "check > >(tail) | cat",
];

/// Commands whose success follows from exit 0 are shown.
#[test]
fn clear_scripts_are_shown() {
    let wrong: Vec<_> = SHOWN.iter().filter(|script| shown(script) != Ok(true)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whatever may fail or not run while the script exits with 0 is hidden.
#[test]
fn doubtful_scripts_are_hidden() {
    let wrong: Vec<_> = HIDDEN.iter().filter(|script| shown(script) != Ok(false)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The reason says what to change.
#[test]
fn the_reason_is_named() {
    for (script, expected) in [
        ("check | tail", "it is piped, and the pipe reports the exit code of its last command"),
        ("check || true", "`||` hides its exit code"),
        ("check; true", "another command follows it, and only the last exit code is reported"),
        ("check &", "it runs in the background"),
    ] {
        let visibility = exit_code_is_visible(&analyze(script), 0);
        assert_eq!(visibility, Visibility::Hidden { why: expected.to_owned() }, "{script}");
    }
}

/// Each verdict "shown" holds in a real shell: with a failing `check` the script does not exit with 0.
#[test]
fn a_real_shell_agrees() {
    let folder = std::env::temp_dir().join(format!("mi-gate-visibility-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("x")).unwrap();
    std::fs::create_dir_all(folder.join(".venv/bin")).unwrap();
    std::fs::write(folder.join(".venv/bin/activate"), "").unwrap();
    std::fs::write(folder.join("input.txt"), "").unwrap();
    let plain = ["sudo", "uv run", "npx", "/usr/local"];
    for script in SHOWN.iter().filter(|script| !plain.iter().any(|word| script.contains(word))) {
        // Every name other than `check` succeeds.
        let prelude = "PATH=$PWD/bin:$PATH\n";
        #[expect(clippy::disallowed_methods, reason = "the test asks a real shell")]
        let mut bash = std::process::Command::new("bash");
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        for (name, body) in [
            ("check", "#!/bin/sh\nexit 3\n"),
            ("a", "#!/bin/sh\n"),
            ("b", "#!/bin/sh\n"),
            ("other", "#!/bin/sh\n"),
        ] {
            let path = folder.join("bin").join(name);
            std::fs::write(&path, body).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let status =
            bash.arg("-c").arg(format!("{prelude}{script}")).current_dir(&folder).output().unwrap().status;
        assert_ne!(status.code(), Some(0), "{script}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
