//! Two processes on one project, killed and started again: a small version of `examples/kill_workspace.rs`.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod check;

use std::path::{Path, PathBuf};

/// The examples are built with the tests, next to them.
fn child() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join("workspace_child");
    assert!(
        program.exists(),
        "{} is missing: run all tests of the crate, not one test target",
        program.display()
    );
    program
}

/// Nothing that was acknowledged is lost and no reader ever finds half a file.
#[test]
fn nx_017_two_processes_and_kills_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let report = check::kill_and_check(&child(), folder.path(), 400).unwrap();
    assert!(report.acknowledged >= 400 && report.kills >= 2, "{report}");
}
