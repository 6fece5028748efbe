//! Where the gate finds the person's rules is fixed when it is installed: what a repository sets in an agent's
//! environment leads it nowhere else.

use super::gate_hook::Place;
use mi_test_support::MiOutput;
use serde_json::{Value, json};
use std::{fs, path::Path};

const NO_LS: &str =
    "version: 1\nrules:\n  - {id: no-ls, decision: deny, match: {command: ls}, reason: not here}\n";

fn call(place: &Place, tool: &str, input: &Value) -> String {
    json!({
        "session_id": "s1", "cwd": place.project.path(), "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "t1",
    })
    .to_string()
}

/// A hook as it is installed, in an environment that a repository made.
fn fixed(place: &Place, elsewhere: &Path, member: &str, input: String) -> MiOutput {
    let home = place.home.path();
    place
        .mi()
        .env("MI_HOME", elsewhere)
        .env("PERSONA", elsewhere.join("persona"))
        .env("MI_MEMBER", "bob")
        .env("MI_NOW", "yesterday")
        .stdin(input)
        .run([
            "hook",
            "pre-tool-use",
            "--harness",
            "claude",
            "--gate",
            "--home",
            home.to_str().unwrap(),
            "--member",
            member,
        ])
}

/// Rules of the person and the memory of other members stay guarded, whatever the environment says.
#[test]
fn d_17_the_environment_does_not_move_the_gate() {
    let place = Place::new();
    let (home, elsewhere) = (place.home.path(), place.home.user_home().join("elsewhere"));
    fs::create_dir_all(home.join("persona/.bob/private")).unwrap();
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(home.join("gate.yaml"), NO_LS).unwrap();
    let denied = fixed(&place, &elsewhere, "ann", call(&place, "Bash", &json!({"command": "ls"})));
    assert!(denied.out().contains("\"deny\"") && denied.out().contains("no-ls"), "{denied}");
    let memory = home.join("persona/.bob/private/notes.md");
    let denied = fixed(&place, &elsewhere, "ann", call(&place, "Read", &json!({"file_path": memory})));
    assert!(denied.out().contains("\"deny\"") && denied.out().contains("mi.private-memory"), "{denied}");
    // Without a fixed home the environment counts, as for every other command.
    let open = place.mi().env("MI_HOME", &elsewhere).stdin(call(&place, "Bash", &json!({"command": "ls"})));
    let open = open.run(["hook", "pre-tool-use", "--harness", "claude", "--gate"]);
    assert_eq!(open.out(), "", "{open}");
    // The records of the calls are in the home, none is elsewhere.
    assert!(home.join("gate/decisions.jsonl").exists());
    let lines = fs::read_to_string(home.join("gate/decisions.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

/// A home without its value is a mistake, and before a tool a mistake is a denial.
#[test]
fn d_17_a_home_without_a_value_is_denied() {
    let place = Place::new();
    let input = call(&place, "Bash", &json!({"command": "ls"}));
    let said =
        place.mi().stdin(input).run(["hook", "pre-tool-use", "--harness", "claude", "--gate", "--home"]);
    assert_eq!(said.code(), Some(2), "{said}");
    assert!(said.err().contains("--home needs a value"), "{said}");
}

/// Every agent's installed command carries the home; a file that a project shares carries none.
#[test]
fn d_17_installed_hooks_carry_the_home() {
    let place = Place::new();
    let (user, home) = (place.home.user_home(), place.home.path());
    let home = home.to_str().unwrap();
    for (agent, file) in [
        ("claude", user.join(".claude/settings.json")),
        ("codex", user.join(".codex/config.toml")),
        ("opencode", user.join(".config/opencode/plugin/mi-gate.js")),
    ] {
        let said = place.mi().env("MI_MEMBER", "ann").run(["hooks", "install", agent, "--user", "--yes"]);
        assert_eq!(said.code(), Some(0), "{said}");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(
            text.contains("--home") && text.contains(home) && text.contains("--member"),
            "{agent}: {text}"
        );
        let said = place.mi().run(["hooks", "uninstall", agent, "--user", "--yes"]);
        assert_eq!(said.code(), Some(0), "{said}");
        let left = fs::read_to_string(&file).unwrap_or_default();
        assert!(!left.contains("--home"), "{agent}: {left}");
    }
    let said = place.mi().run(["hooks", "install", "claude", "--project", "--yes"]);
    assert_eq!(said.code(), Some(0), "{said}");
    let text = fs::read_to_string(place.project.path().join(".claude/settings.json")).unwrap();
    assert!(text.contains("mi hook pre-tool-use") && !text.contains("--home"), "{text}");
}

/// Git's own folder is shared with nobody: its hook carries a home that is not the usual one, and keeps to it. A script
/// among the project's files carries neither a home nor a place on this machine.
#[test]
fn d_18_git_hook_carries_a_home_of_its_own_place() {
    let place = Place::new();
    let path = place.home.path();
    let home = path.to_str().unwrap();
    let script = || fs::read_to_string(place.project.path().join(".git/hooks/pre-commit")).unwrap();
    let shown = place.mi().run(["hooks", "install", "git", "--dry-run"]).expect_exit(0);
    assert!(shown.err().contains(&format!("this one carries your home `{home}`")), "{shown}");
    place.mi().run(["hooks", "install", "git", "--yes"]).expect_exit(0);
    assert!(script().contains(&format!("--harness git --home {home} || exit 1")), "{}", script());
    // What was fixed counts, whatever the environment of the commit says.
    let elsewhere = place.home.user_home().join("elsewhere");
    for number in 0..6 {
        place.project.write(&format!("many/{number}.txt"), "x\n");
    }
    place.project.git(&["add", "."]);
    let asked = place.mi().env("MI_HOME", &elsewhere).run(["hook", "pre-commit", "--home", home]);
    assert_eq!((asked.code(), elsewhere.exists()), (Some(3), false), "{asked}");
    let broken = place.mi().run(["hook", "pre-commit", "--harness", "git", "--home"]);
    assert_eq!(broken.code(), Some(2), "{broken}");
    place.mi().run(["hooks", "uninstall", "git", "--yes"]).expect_exit(0);
    // The usual home is not written down.
    let usual = place.home.user_home().join(".mind-incarnation");
    let shown = place.mi().env("MI_HOME", &usual).run(["hooks", "install", "git", "--yes"]).expect_exit(0);
    assert!(shown.err().contains("your usual home") && !script().contains("--home"), "{shown}");
    let status = place.mi().env("MI_HOME", &usual).run(["hooks", "status", "git", "--json"]).json();
    assert_eq!(status["places"][0]["active"], true, "{status}");
    place.mi().env("MI_HOME", &usual).run(["hooks", "uninstall", "git", "--yes"]).expect_exit(0);
    // A folder of hooks that the project shares.
    place.project.git(&["config", "core.hooksPath", ".githooks"]);
    let shown = place.mi().run(["hooks", "install", "git", "--json"]).expect_exit(0).json();
    assert!(shown["note"].as_str().unwrap().contains("no home is written into it"), "{shown}");
    let text = fs::read_to_string(place.project.path().join(".githooks/pre-commit")).unwrap();
    assert!(text.contains("\nmi hook pre-commit --harness git || exit 1\n"), "{text}");
}

/// A project's file may be committed: it names no home, and the person is told whose counts.
#[test]
fn d_17_shared_files_carry_no_home_and_say_so() {
    let place = Place::new();
    for agent in ["claude", "codex", "opencode"] {
        let shown = place.mi().run(["hooks", "install", agent, "--project", "--dry-run"]).expect_exit(0);
        assert!(shown.err().contains("no home is written into it"), "{shown}");
        let own = place.mi().run(["hooks", "install", agent, "--user", "--dry-run"]).expect_exit(0);
        assert!(own.err().contains("the hooks carry your home"), "{own}");
    }
}
