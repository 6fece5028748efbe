//! Files of rules, made up and broken: nothing panics, and a file that is not taken is never milder than one that is.

use mi_gate::permission::{
    Action, Context, Examples, Layer, NoWorld, RuleSet, Verdict, decide, load, load_or_guard,
};
use proptest::prelude::*;
use serde_json::json;

const COMMANDS: [&str; 4] = ["make", "deploy", "npm", "rsync"];

fn verdict(set: RuleSet, command: &str) -> Verdict {
    let sets = [set];
    let action = Action::new("Bash", json!({"command": command}), Some("/project"));
    decide(&action, &Context::new(&sets, &NoWorld)).verdict
}

/// Rules that deny some commands, as a file.
fn file(commands: &[&str]) -> String {
    let rules: String = commands
        .iter()
        .enumerate()
        .map(|(index, command)| {
            format!(
                "  - id: r{index}\n    decision: deny\n    reason: no\n    match: {{command: {command}}}\n"
            )
        })
        .collect();
    format!("version: 1\nrules:\n{rules}")
}

fn some_commands() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(COMMANDS.to_vec(), 1..=COMMANDS.len())
}

proptest! {
    /// Any text is taken or refused with a reason, and refusing it leaves a guard.
    #[test]
    fn any_text_is_taken_or_guards(text in ".{0,200}|(version: 1\n)?rules:\n(  - [a-z]{1,8}: .{0,20}\n){0,4}") {
        let guarded = load_or_guard("f", &text, Layer::User, Examples::Run);
        match load("f", &text, Layer::User) {
            Ok(set) => prop_assert!(guarded.problem.is_none() && guarded.rules.len() == set.rules.len()),
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                prop_assert!(guarded.problem.is_some());
            }
        }
    }

    /// What a file denies is denied, too, after something in it broke.
    #[test]
    fn a_broken_file_denies_at_least_as_much(commands in some_commands(), broken in any::<prop::sample::Index>(), piece in "[a-zA-Z0-9:{}\\[\\]\"'#&*!|>%@ \n-]{1,6}") {
        let text = file(&commands);
        let whole = load("f", &text, Layer::User).unwrap_or_else(|error| panic!("{error}"));
        let at = broken.index(text.len());
        let changed = format!("{}{piece}{}", &text[..at], &text[at..]);
        let guard = load_or_guard("f", &changed, Layer::User, Examples::Run);
        // A change that leaves a valid file makes another file of it, which is not a broken one.
        if guard.problem.is_some() && !names_changed(&commands, &changed) {
            for command in &commands {
                let line = format!("{command} all");
                prop_assert_eq!(verdict(whole.clone(), &line), Verdict::Deny);
                prop_assert_eq!(verdict(guard.clone(), &line), Verdict::Deny, "{}\n{:?}", changed, guard);
            }
        }
    }
}

/// Whether a matcher reads differently now: then another command is guarded, as it says.
fn names_changed(commands: &[&str], text: &str) -> bool {
    commands.iter().any(|command| !text.contains(&format!("match: {{command: {command}}}")))
}

/// Braces in a path mean each of their words, `..` the folder above; a path that can never fit is refused and guards them all.
#[test]
fn d_19_paths_of_rules_are_understood_or_refused() {
    let rules = |path: &str| {
        format!(
            "version: 1\nrules:\n  - id: r\n    decision: deny\n    reason: no\n    match: {{write: \"{path}\"}}\n"
        )
    };
    let writes = |set: RuleSet, path: &str| {
        let sets = [set];
        let action = Action::new("Write", json!({"file_path": path, "content": "x"}), Some("/home/project"));
        decide(&action, &Context::new(&sets, &NoWorld)).verdict
    };
    for (pattern, path, verdict) in [
        ("{a,b}", "/home/project/b", Verdict::Deny),
        ("src/*.{rs,toml}", "/home/project/src/x.toml", Verdict::Deny),
        ("src/*.{rs,toml}", "/home/project/src/x.md", Verdict::Prompt),
        ("../x", "/home/x", Verdict::Deny),
        ("../x", "/home/project/x", Verdict::Prompt),
    ] {
        let set = load("f", &rules(pattern), Layer::User).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(writes(set, path), verdict, "{pattern} {path}");
    }
    for pattern in ["", "{a,b", &"{a,b}".repeat(20)] {
        assert!(load("f", &rules(pattern), Layer::User).is_err(), "{pattern}");
        let guard = load_or_guard("f", &rules(pattern), Layer::User, Examples::Run);
        assert_eq!(writes(guard, "/home/project/a"), Verdict::Deny, "{pattern}");
    }
}
