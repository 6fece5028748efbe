//! Two processes on one project, killed and started again: a small version of `examples/kill_workspace.rs`.

mod check;

use std::path::PathBuf;

/// The examples are built with the tests, next to them.
fn child() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().find(|folder| folder.join("examples").is_dir()).unwrap();
    profile.join("examples/workspace_child")
}

/// Nothing that was acknowledged is lost and no reader ever finds half a file.
#[test]
fn nx_017_two_processes_and_kills_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let report = check::kill_and_check(&child(), folder.path(), 400).unwrap();
    assert!(report.acknowledged >= 400 && report.kills >= 2, "{report}");
}
