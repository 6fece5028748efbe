//! D.19's denials, however they are written, and what stands near to them and is not denied.

use super::*;

fn not_denied(list: &str) -> Vec<String> {
    let decided = list.lines().map(|script| (script, bash(script, &[])));
    let milder = decided.filter(|(_, decision)| decision.verdict != Deny);
    milder.map(|(script, decision)| format!("{script}: {:?} {}", decision.verdict, decision.rule)).collect()
}

/// 30: credentials to external systems are denied, whichever way they take through the script.
#[test]
fn d_19_credentials_do_not_leave() {
    let found = not_denied(include_str!("../../../tests/data/denied_credentials.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: deleting production data is denied: files, databases, services.
#[test]
fn d_19_production_data_are_not_deleted() {
    let found = not_denied(include_str!("../../../tests/data/denied_production_data.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: unreviewed commands on production hosts are denied, statements for their databases too.
#[test]
fn d_19_production_hosts_are_left_alone() {
    let found = not_denied(include_str!("../../../tests/data/denied_production_hosts.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: a forced push to main is denied, by settings, by other programs and over the net.
#[test]
fn d_19_main_is_not_rewritten() {
    let found = not_denied(include_str!("../../../tests/data/denied_pushes.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// What developers do with tokens, production builds and their own branches is asked about at most.
#[test]
fn d_19_what_is_near_to_a_denial_is_not_denied() {
    let list = include_str!("../../../tests/data/not_denied.txt");
    let decided = list.lines().map(|script| (script, bash(script, &[])));
    let denied = decided.filter(|(_, decision)| decision.verdict == Deny);
    let found: Vec<String> =
        denied.map(|(script, decision)| format!("{script}: {}", decision.rule)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// A persona with the private memory of Ann and of Bob.
struct Members;

const PERSONA: &str = "/home/a/.mind-incarnation/persona";

impl World for Members {
    fn real_path(&self, absolute: &str) -> Option<String> {
        Plain.real_path(absolute)
    }
    fn project_root(&self, folder: &str) -> Option<String> {
        Plain.project_root(folder)
    }
    fn git_settings(&self, folder: &str) -> GitSettings {
        Plain.git_settings(folder)
    }
    fn names(&self, folder: &str) -> Option<Vec<String>> {
        let names: &[&str] = match folder.strip_prefix(PERSONA)? {
            "" => &[".ann", ".bob", "cards"],
            "/.ann" | "/.bob" => &["private"],
            _ => &["notes.md"],
        };
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }
}

fn among_members(tool: &str, input: Value, cwd: Option<&str>) -> Verdict {
    let context = Context { persona: Some(PERSONA), world: &Members, ..context(&[]) };
    decide(&Action::new(tool, input, cwd), &context).verdict
}

/// 30: another member's private memory is refused, its names as well as its contents.
#[test]
fn d_10_private_memory_of_another_is_not_even_listed() {
    let denied = include_str!("../../../tests/data/denied_private.txt");
    let decided = denied.lines().map(|line| line.replace("$P", PERSONA));
    let milder: Vec<_> = decided
        .map(|script| (among_members("Bash", json!({"command": script}), None), script))
        .filter(|(verdict, _)| *verdict != Deny)
        .collect();
    assert!(milder.is_empty(), "{milder:#?}");
    let bob = format!("{PERSONA}/.bob/private");
    for (tool, input, cwd) in [
        ("Bash", json!({"command": "ls"}), Some(bob.as_str())),
        ("Glob", json!({"pattern": ".*/private/*", "path": PERSONA}), None),
        ("Glob", json!({"pattern": "**/private/*"}), Some(PERSONA)),
        ("Glob", json!({"pattern": "**/private/*", "path": PERSONA}), None),
        ("WebFetch", json!({"url": format!("file://{bob}/notes.md"), "prompt": "x"}), None),
    ] {
        assert_eq!(among_members(tool, input.clone(), cwd), Deny, "{tool} {input} {cwd:?}");
    }
    for script in [
        "ls $P",
        "ls -la $P",
        "ls $P/*",
        "cat $P/.ann/private/x",
        "ls $P/.ann/private",
        "find . -name '*.rs'",
        "tree $P",
        "find ~ -name '*.rs'",
        "cat $HOME/notes.md",
        "cat \"$PWD/f\"",
        "ls $HOME",
        "ls \"$PWD\"",
        "cat \"$(pwd)/f\"",
        "rg private src",
        "echo src/*",
        "ls src/private",
    ] {
        let script = script.replace("$P/", &format!("{PERSONA}/")).replace("$P ", PERSONA);
        let script = script.strip_suffix(" $P").map_or(script.clone(), |start| format!("{start} {PERSONA}"));
        assert_eq!(among_members("Bash", json!({"command": script}), None), Allow, "{script}");
    }
}

/// What a tool of another server is given to run is judged like any command.
#[test]
fn d_19_commands_for_other_servers_are_judged() {
    for (tool, input) in [
        ("mcp__x__run", json!({"command": "git push -f origin main"})),
        ("mcp__x__run", json!({"cmd": "rm -rf /data/production"})),
        ("mcp__pg__query", json!({"sql": "DROP TABLE production.users"})),
        ("mcp__pg__query", json!({"query": "delete from users", "database": "app_production"})),
    ] {
        assert_eq!(ask(tool, input.clone(), &[]).verdict, Deny, "{tool} {input}");
    }
    assert_eq!(ask("mcp__pg__query", json!({"sql": "select 1"}), &[]).verdict, Prompt);
    assert_eq!(ask("mcp__x__run", json!({"command": "ls"}), &[]).verdict, Prompt);
}

/// 30: a known tool with mistyped input is never allowed.
#[test]
fn d_19_mistyped_input_of_known_tools_is_asked_about() {
    for (tool, input) in [
        ("Grep", json!({"pattern": "x", "glob": 1})),
        ("Grep", json!({"pattern": "x", "output_mode": 3})),
        ("Read", json!({"file_path": "f", "offset": "x"})),
        ("Read", json!({"file_path": "f", "limit": []})),
        ("Read", json!({"file_path": "f\u{0}g"})),
        ("TodoWrite", json!({"todos": "x"})),
        ("Bash", json!({"command": "ls", "timeout": "x"})),
        ("LS", json!({})),
    ] {
        let decision = ask(tool, input.clone(), &[]);
        assert_eq!((decision.verdict, decision.rule.as_str()), (Prompt, "mi.unknown-tool"), "{tool} {input}");
        assert!(!decision.reason.contains("not known"), "{}", decision.reason);
    }
}
