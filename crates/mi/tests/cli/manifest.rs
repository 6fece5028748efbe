//! `mi manifest`: validating and publishing a folder of agents, skills and vocabulary.

use mi_test_support::{Mi, TempHome, workspace_dir};
use mi_workspace::vocabulary::STARTER;
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

fn mi(home: &TempHome) -> Mi {
    Mi::new(env!("CARGO_BIN_EXE_mi"), home)
}

/// A copy of the set that is shipped, in a folder of its own.
fn starter(home: &TempHome) -> String {
    let (from, to) = (workspace_dir().join("crates/mi-workspace/starter"), home.path().join("set"));
    copy(&from, &to);
    to.to_str().unwrap().to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder without errors: the contract's words, exit 0; with `--json` the same for a program.
#[test]
fn nx_370_a_good_folder_passes() {
    let home = TempHome::new();
    let set = starter(&home);
    let output = mi(&home).run(["manifest", "validate", &set]).expect_exit(0);
    assert_eq!(output.out(), "All 11 validation gates passed.\n");
    let output = mi(&home).run(["manifest", "validate", &set, "--json"]).expect_exit(0).json();
    assert_eq!(output, json!({"ok": true, "errors": 0, "warnings": 0, "findings": []}));
}

/// An error ends in exit 1, in words for a person, for a program, and for GitHub.
#[test]
fn nx_370_errors_end_in_exit_1() {
    let home = TempHome::new();
    let set = starter(&home);
    let meta = Path::new(&set).join("agents/tester/meta.yml");
    fs::write(&meta, fs::read_to_string(&meta).unwrap().replace("no_task_create", "no_such_thing")).unwrap();
    let message = "the capability `no_such_thing` is not in vocabulary/capabilities.yml";
    let output = mi(&home).run(["manifest", "validate", &set]).expect_exit(1);
    assert_eq!(
        output.out(),
        format!("error: agents/tester/meta.yml:12: [G2-capability-integrity] {message}\n")
    );
    let github = mi(&home).env("GITHUB_ACTIONS", "true").run(["manifest", "validate", &set]).expect_exit(1);
    assert_eq!(
        github.out(),
        format!("::error file=agents/tester/meta.yml,line=12::[G2-capability-integrity] {message}\n")
    );
    let output = mi(&home).run(["manifest", "validate", &set, "--json"]).expect_exit(1).json();
    let finding = json!({"file": "agents/tester/meta.yml", "gate": "G2-capability-integrity", "severity": "error", "line": 12, "message": message});
    assert_eq!(output, json!({"ok": false, "errors": 1, "warnings": 0, "findings": [finding]}));
    let made = mi(&home).run(["manifest", "generate", &set]).expect_exit(1);
    assert!(made.err().contains("no manifest was made"), "{}", made.err());
    assert!(!Path::new(&set).join("manifest.json").exists());
}

/// What cannot be looked at is fatal: exit 2, with the path and what to do.
#[test]
fn nx_370_a_missing_folder_ends_in_exit_2() {
    let home = TempHome::new();
    let output = mi(&home).run(["manifest", "validate", "no/such/folder"]).expect_exit(2);
    assert!(output.err().contains("no/such/folder") && output.err().contains("to do:"), "{}", output.err());
    mi(&home).run(["manifest", "generate", "no/such/folder"]).expect_exit(2);
}

/// The manifest stands in the folder, the same bytes every time, with the commit of the repository.
#[test]
fn nx_344_nx_345_generating_is_stable() {
    let home = TempHome::new();
    let set = starter(&home);
    let git = |args: &[&str]| {
        let output = Command::new("git").args(["-C", &set]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"]);
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let path = Path::new(&set).join("manifest.json");
    let mut texts = Vec::new();
    for _ in 0..2 {
        mi(&home).env("npm_package_version", "1.2.3").run(["manifest", "generate", &set]).expect_exit(0);
        texts.push(fs::read(&path).unwrap());
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(texts[0], texts[1]);
    let manifest: Value = serde_json::from_slice(&texts[0]).unwrap();
    assert_eq!(
        (manifest["nexus_core_version"].as_str(), manifest["nexus_core_commit"].as_str()),
        (Some("1.2.3"), Some(commit.as_str()))
    );
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let other = home.path().join("other.json");
    let json = mi(&home)
        .env("GITHUB_SHA", sha)
        .run(["manifest", "generate", &set, "--json", "--out", other.to_str().unwrap()])
        .expect_exit(0)
        .json();
    assert_eq!(json["manifest"]["nexus_core_commit"], sha);
    assert_eq!(serde_json::from_slice::<Value>(&fs::read(&other).unwrap()).unwrap(), json["manifest"]);
    assert!(!path.exists());
}

/// Without a folder, the set that is shipped is published, on standard output.
#[test]
fn nx_340_the_shipped_set_has_a_manifest() {
    let home = TempHome::new();
    let output = mi(&home).run(["manifest", "generate"]).expect_exit(0);
    let manifest: Value = serde_json::from_str(&output.out()).unwrap();
    assert_eq!(manifest["nexus_core_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (manifest["agents"].as_array().unwrap().len(), manifest["skills"].as_array().unwrap().len()),
        (9, 5)
    );
}

/// A skill is shown with its macros expanded for a harness, an agent as it is.
#[test]
fn nx_263_nx_276_skills_and_agents_can_be_shown() {
    let home = TempHome::new();
    let plan = mi(&home).run(["manifest", "show", "nx-plan", "--harness", "claude"]).expect_exit(0).out();
    assert!(plan.contains("nx_plan_decide") && plan.contains("Agent tool") && !plan.contains("{{"), "{plan}");
    let engineer = mi(&home).run(["manifest", "show", "engineer"]).expect_exit(0).out();
    let body = STARTER.iter().find(|(path, _)| *path == "agents/engineer/body.md").unwrap().1;
    assert_eq!(engineer.trim_end(), body.trim_end());
    let unknown = mi(&home).run(["manifest", "show", "nobody"]).expect_exit(2);
    assert!(unknown.err().contains("nx-plan"), "{}", unknown.err());
}
