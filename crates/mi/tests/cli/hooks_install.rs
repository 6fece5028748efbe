//! `mi hooks install|uninstall|status`: the gate goes into configurations and out again; git's hook enforces D.18.

use super::gate_hook::Place;
use mi_test_support::MiOutput;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

fn run(place: &Place, words: &[&str]) -> MiOutput {
    place.mi().run(words)
}

/// Every file below a folder, with its bytes; git's own objects aside.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => {
                let mode = fs::metadata(&path).map_or(0, |data| data.permissions().mode());
                found.push((path.clone(), fs::read(&path).unwrap_or_default(), mode));
            }
        }
    }
    found.sort();
    found
}

const SETTINGS: &str = "{\n    // mine\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}] // keep\n    }\n}\n";
const CONFIG: &str =
    "# my codex\nmodel = \"gpt-5.5\"   # best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
const SCRIPT: &str = "#!/bin/sh\n# mine\nexit 0\n";

fn fill(place: &Place) {
    for (path, text) in [(".claude/settings.json", SETTINGS), (".codex/config.toml", CONFIG)] {
        let own = place.home.user_home().join(path);
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        fs::write(own, text).unwrap();
        place.project.write(path, text);
    }
    let hook = place.project.write(".git/hooks/pre-commit", SCRIPT);
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
}

const CASES: [(&str, &str); 7] = [
    ("claude", "--user"),
    ("claude", "--project"),
    ("codex", "--user"),
    ("codex", "--project"),
    ("opencode", "--user"),
    ("opencode", "--project"),
    ("git", "--project"),
];

/// Both sets of hooks may come and go in any order: the very bytes are left, whatever the file ends with, and an empty
/// file stays one.
#[test]
fn interleaved_installations_leave_the_very_bytes() {
    let (life, gate) = (["install", "codex"], ["hooks", "install", "codex"]);
    let (no_life, no_gate) = (["uninstall", "codex"], ["hooks", "uninstall", "codex"]);
    let orders: [[&[&str]; 4]; 4] = [
        [&life, &gate, &no_life, &no_gate],
        [&life, &gate, &no_gate, &no_life],
        [&gate, &life, &no_life, &no_gate],
        [&gate, &life, &no_gate, &no_life],
    ];
    for text in [Some("model = \"x\"  # c"), Some(""), Some(CONFIG), None] {
        for order in orders {
            for scope in ["--user", "--project"] {
                let place = Place::new();
                let root = match scope {
                    "--user" => place.home.user_home().to_owned(),
                    _ => place.project.path().to_owned(),
                };
                if let Some(text) = text {
                    fs::create_dir_all(root.join(".codex")).unwrap();
                    fs::write(root.join(".codex/config.toml"), text).unwrap();
                }
                for words in order {
                    let words: Vec<&str> = words.iter().copied().chain([scope, "--yes"]).collect();
                    run(&place, &words).expect_exit(0);
                }
                let left: Vec<_> =
                    tree(&root.join(".codex")).into_iter().filter(|file| file.2 != 0).collect();
                let left: Vec<String> =
                    left.into_iter().map(|file| String::from_utf8(file.1).unwrap()).collect();
                assert_eq!(
                    left,
                    text.map(str::to_owned).into_iter().collect::<Vec<_>>(),
                    "{order:?} {scope}"
                );
            }
        }
    }
}

/// The diff is shown, installing twice is installing once, and uninstalling leaves the very bytes, with and without
/// files before, and with the other set of hooks beside it.
#[test]
fn d_17_hooks_are_put_in_and_taken_out() {
    for (agent, scope) in CASES {
        for (with_files, with_lifecycle) in [(false, false), (true, false), (true, true)] {
            let place = Place::new();
            if with_files {
                fill(&place);
            }
            if with_lifecycle && agent != "git" {
                run(&place, &["install", agent, scope, "--yes"]).expect_exit(0);
            }
            let all = || (tree(&place.home.user_home()), tree(place.project.path()));
            let before = all();
            let dry = run(&place, &["hooks", "install", agent, scope, "--dry-run"]).expect_exit(0);
            assert!(dry.out().contains("+") && dry.out().contains("hook"), "{dry}");
            assert_eq!(all(), before, "a dry run writes nothing");
            let shown = run(&place, &["hooks", "install", agent, scope]).expect_exit(0);
            assert_eq!(shown.out(), dry.out(), "the diff is shown first");
            let installed = all();
            assert_ne!(installed, before, "{agent} {scope}");
            let again = run(&place, &["hooks", "install", agent, scope]).expect_exit(0);
            assert!(again.err().contains("nothing to do"), "{again}");
            assert_eq!(all(), installed);
            run(&place, &["hooks", "uninstall", agent, scope]).expect_exit(0);
            assert_eq!(all(), before, "{agent} {scope} {with_files} {with_lifecycle}");
            let again = run(&place, &["hooks", "uninstall", agent, scope]).expect_exit(0);
            assert!(again.err().contains("nothing to do"), "{again}");
        }
    }
}

/// No folder that was made for the hooks is left, and a hook that was switched off is switched off again.
#[test]
fn d_17_uninstalling_leaves_no_folder_and_no_right_of_ours() {
    let folders = [".claude", ".codex", ".opencode", ".config/opencode"];
    for (agent, scope) in CASES {
        let place = Place::new();
        let (home, project) = (place.home.user_home(), place.project.path().to_owned());
        let hook = place.project.write(".git/hooks/pre-commit", SCRIPT);
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
        run(&place, &["hooks", "install", agent, scope]).expect_exit(0);
        run(&place, &["hooks", "uninstall", agent, scope]).expect_exit(0);
        let left: Vec<_> =
            folders.iter().filter(|name| home.join(name).exists() || project.join(name).exists()).collect();
        assert!(left.is_empty(), "{agent} {scope}: {left:?}");
        assert_eq!(fs::metadata(&hook).unwrap().permissions().mode() & 0o777, 0o644, "{agent} {scope}");
    }
}

/// Whichever set is taken out first, the other one stays, trusted.
#[test]
fn d_17_gate_stays_when_the_lifecycle_goes() {
    for with_files in [true, false] {
        let place = Place::new();
        if with_files {
            fill(&place);
        }
        let before = (tree(&place.home.user_home()), tree(place.project.path()));
        for agent in ["claude", "codex", "opencode"] {
            run(&place, &["install", agent, "--yes"]).expect_exit(0);
            run(&place, &["hooks", "install", agent]).expect_exit(0);
            run(&place, &["uninstall", agent, "--yes"]).expect_exit(0);
            let status = run(&place, &["hooks", "status", agent, "--user", "--json"]).expect_exit(0).json();
            assert_eq!(status["places"][0]["active"], true, "{status}");
            run(&place, &["hooks", "uninstall", agent]).expect_exit(0);
        }
        assert_eq!((tree(&place.home.user_home()), tree(place.project.path())), before, "{with_files}");
    }
}

/// A status says what is installed, and what would not work.
#[test]
fn d_17_status_tells_what_would_be_skipped() {
    let place = Place::new();
    let places = run(&place, &["hooks", "status", "--json"]).expect_exit(0).json();
    assert_eq!(places["places"].as_array().unwrap().len(), 7, "{places}");
    assert!(places["places"].as_array().unwrap().iter().all(|row| row["installed"] == false), "{places}");
    run(&place, &["hooks", "install", "codex"]).expect_exit(0);
    let config = place.home.user_home().join(".codex/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("trusted_hash = \"sha256:", "trusted_hash = \"sha256:0")).unwrap();
    let said = run(&place, &["hooks", "status", "codex", "--user"]).expect_exit(0);
    assert!(said.out().contains("does not trust it"), "{said}");
    run(&place, &["hooks", "install", "codex"]).expect_exit(0);
    let said = run(&place, &["hooks", "status", "codex", "--user"]).expect_exit(0);
    assert!(said.out().contains("codex     user     installed\n"), "{said}");
    run(&place, &["hooks", "install", "claude", "--project"]).expect_exit(0);
    let bare =
        place.mi().env("PATH", "/nowhere").run(["hooks", "status", "claude", "--project"]).expect_exit(0);
    assert!(bare.out().contains("`mi` is not on PATH"), "{bare}");
    run(&place, &["hooks", "install", "git", "--user"]).expect_exit(2);
}

/// A script that no shell reads, and a broken configuration, are left alone.
#[test]
fn d_17_what_cannot_be_read_is_not_written() {
    let place = Place::new();
    place.project.write(".git/hooks/pre-commit", "#!/usr/bin/python3\n");
    let said = run(&place, &["hooks", "install", "git"]).expect_exit(1);
    assert!(said.err().contains("a shell script"), "{said}");
    let file = place.home.user_home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{ broken").unwrap();
    let said = run(&place, &["hooks", "install", "claude"]).expect_exit(1);
    assert!(said.err().contains("settings.json") && said.err().contains("line 1"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ broken");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("nowhere.json", &file).unwrap();
    let said = run(&place, &["hooks", "install", "claude"]).expect_exit(1);
    assert!(said.err().contains("a link to a file that is not there"), "{said}");
    assert!(file.is_symlink(), "the link stays");
}

/// An uninstallation that finds nothing of ours leaves every byte, also in a file whose lists of hooks are empty (D.17).
#[test]
fn d_17_nothing_of_ours_is_nothing_to_take_out() {
    let place = Place::new();
    let file = place.home.user_home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for text in ["{\"hooks\":[]}\n", "{\"hooks\":{\"PreToolUse\":[]}}", "{\r\n  \"hooks\": {}\r\n}\r\n"] {
        fs::write(&file, text).unwrap();
        run(&place, &["hooks", "uninstall", "claude"]).expect_exit(0);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

/// `git commit` is stopped where the matrix wants a review, and goes on after the person acknowledged these very files.
#[test]
fn d_18_pre_commit_enforces_the_matrix() {
    let place = Place::new();
    run(&place, &["hooks", "install", "git"]).expect_exit(0);
    let commit = || {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "x"]);
        command.env_clear().envs(mi_test_support::sealed_environment(&place.home));
        let output = command.current_dir(place.project.path()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    place.project.write("one.txt", "1\n");
    place.project.git(&["add", "."]);
    assert!(commit().0, "two units pass");
    for number in 0..6 {
        place.project.write(&format!("many/{number}.txt"), "x\n");
    }
    place.project.git(&["add", "."]);
    let (passed, said) = commit();
    assert!(!passed && said.contains("must be reviewed") && said.contains("split"), "{said}");
    let id = said.split("mi ack ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    place.project.write("many/7.txt", "y\n");
    place.project.git(&["add", "."]);
    run(&place, &["ack", &id]).expect_exit(0);
    assert!(!commit().0, "other files than those that were acknowledged");
    place.project.git(&["rm", "-q", "--cached", "many/7.txt"]);
    let (passed, said) = commit();
    assert!(passed, "{said}");
    // What is staged has one score, whoever asks for it (D.6).
    place.project.write("auth/login.py", "x\n");
    place.project.write("db/migrations/1.sql", "ALTER TABLE a ADD COLUMN b int;\n");
    place.project.git(&["add", "auth", "db"]);
    let reading = run(&place, &["intake", "--json", "--staged", "commit this"]).expect_exit(0).json();
    assert_eq!(reading["risk"]["score"], 3, "{reading}");
    assert_eq!(reading["triggers"], serde_json::json!(["money_security_irreversible", "architecture"]));
    let (_, said) = commit();
    assert!(said.contains("2 change units at risk 3"), "{said}");
}
