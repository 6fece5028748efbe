//! The real git, started as `mi` starts it.

use mi_git::{GitRunner, RunGitError};
use mi_process::{Environment, Limits, Spawner};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

fn git(folder: &Path) -> GitRunner {
    let git = GitRunner::new(Spawner::new(env!("CARGO_BIN_EXE_mi-git-driver")), folder);
    git.with_settings(&["user.name=Test", "user.email=test@localhost"])
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("make a folder");
    git(folder.path()).call(&["init", "--quiet"]).bytes().expect("make a repository");
    folder
}

/// A repository whose hooks, monitor and signing would run a program commits without starting any of them.
#[test]
fn nothing_of_the_repository_runs() {
    let folder = repository();
    let (root, mark) = (folder.path(), folder.path().join("mark"));
    let program = root.join(".git/hooks/pre-commit");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, format!("#!/bin/sh\necho ran >>'{}'\nexit 1\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = program.to_string_lossy().into_owned();
    for (name, value) in [
        ("core.fsmonitor", path.as_str()),
        ("core.pager", &path),
        ("core.editor", &path),
        ("gpg.program", &path),
        ("commit.gpgSign", "true"),
        ("tag.gpgSign", "true"),
    ] {
        git(root).call(&["config", name, value]).bytes().unwrap();
    }
    fs::write(root.join("a"), "a\n").unwrap();
    git(root).call(&["add", "a"]).bytes().unwrap();
    git(root).call(&["commit", "--quiet", "-m", "First"]).bytes().unwrap();
    git(root).call(&["commit", "--quiet", "--amend", "--allow-empty"]).bytes().unwrap();
    git(root).call(&["status"]).bytes().unwrap();
    assert_eq!(git(root).call(&["log", "--format=%s"]).text().unwrap(), "First\n");
    assert!(!mark.exists());
    let hooks = ["rev-parse", "--git-path", "hooks/pre-commit"];
    assert_eq!(git(root).call(&hooks).text().unwrap(), "/dev/null/pre-commit\n");
    assert_eq!(git(root).showing_hooks_path().call(&hooks).text().unwrap(), ".git/hooks/pre-commit\n");
}

/// The folder decides about the repository, whatever the variables say; a call may name an index of its own.
#[test]
fn variables_name_no_other_repository() {
    let (folder, other) = (repository(), repository());
    let elsewhere = Environment::Inherit { set: Vec::new(), remove: Vec::new() }
        .with("GIT_DIR", other.path().join(".git"))
        .with("GIT_INDEX_FILE", other.path().join("index"));
    let spawner = Spawner::new(env!("CARGO_BIN_EXE_mi-git-driver"));
    let git = GitRunner::with_environment(spawner, elsewhere, folder.path());
    let top = git.call(&["rev-parse", "--show-toplevel"]).text().unwrap();
    assert_eq!(Path::new(top.trim()), folder.path().canonicalize().unwrap());
    let index = folder.path().join("own-index");
    git.call(&["read-tree", "--empty"]).with("GIT_INDEX_FILE", &index).bytes().unwrap();
    assert!(index.exists() && !other.path().join("index").exists());
}

/// Each way to fail is a variant of its own, with the command and git's words in it.
#[test]
fn failures_are_told_apart() {
    let folder = repository();
    let root = folder.path();
    let spawner = Spawner::new(env!("CARGO_BIN_EXE_mi-git-driver"));
    let no_path = Environment::Exactly(vec![("PATH".into(), "/nowhere".into())]);
    let missing = GitRunner::with_environment(spawner, no_path, root);
    assert!(matches!(missing.call(&["status"]).bytes(), Err(RunGitError::Missing)));

    let failed = git(root).call(&["-c", "a.b=c", "rev-parse", "--verify", "nothing"]).bytes().unwrap_err();
    assert_eq!(failed.to_string(), "git rev-parse: fatal: Needed a single revision");
    assert!(matches!(failed, RunGitError::Failed { code: Some(128), .. }));

    fs::write(root.join("a"), vec![b'x'; 5000]).unwrap();
    let shown = ["diff", "--no-index", "--", "/dev/null", "a"];
    assert!(matches!(git(root).call(&shown).bytes(), Err(RunGitError::Failed { code: Some(1), .. })));
    assert!(git(root).call(&shown).accepting(&[0, 1]).bytes().unwrap().len() > 5000);
    let small = git(root).with_limits(Limits { timeout: Duration::from_secs(60), max_output_bytes: 100 });
    let too_much = small.call(&shown).accepting(&[0, 1]).bytes().unwrap_err();
    assert_eq!(too_much.to_string(), "git diff: it printed more than 100 bytes");
    let cut = small.cutting_long_output();
    assert_eq!(cut.call(&shown).accepting(&[0, 1]).bytes().unwrap().len(), 100);

    let input =
        || git(root).call(&["hash-object", "-w", "--stdin"]).with_input(b"\xff".to_vec()).text().unwrap();
    let blob = input();
    let show = ["cat-file", "blob", blob.trim()];
    assert!(matches!(git(root).call(&show).text(), Err(RunGitError::NotUtf8 { .. })));
    assert_eq!(git(root).call(&show).lossy_text().unwrap(), "\u{fffd}");
}
