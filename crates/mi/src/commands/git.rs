//! Calls of git for the council: what was changed, and a delivery as a branch.
//!
//! Holds: a repository's own settings cannot make these calls run programs.

use mi_git::GitRunner;
use mi_process::Limits;
use std::{path::Path, time::Duration};

use super::launch::spawner;
use crate::failure::Failure;

const LIMITS: Limits = Limits { timeout: Duration::from_secs(60), max_output_bytes: 16 << 20 };

/// What git prints; `None` where it fails, as outside of a repository.
pub fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    call(root, arguments, &[]).ok()
}

/// The commit that is checked out.
pub fn head(root: &Path) -> Option<String> {
    // Most folders tell without a process that they are in no repository.
    root.ancestors().find(|folder| folder.join(".git").exists())?;
    ask(root, &["rev-parse", "--verify", "-q", "HEAD"])
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

/// The changes of some paths against a commit; new files are shown whole.
pub fn diff(root: &Path, commit: &str, paths: &[String]) -> Option<String> {
    let mut tracked = vec!["diff", "--no-ext-diff", "--no-textconv", "--binary", commit, "--"];
    tracked.extend(paths.iter().map(String::as_str));
    let mut text = ask(root, &tracked)?;
    let mut listing = vec!["ls-files", "--others", "--exclude-standard", "-z", "--"];
    listing.extend(paths.iter().map(String::as_str));
    for file in ask(root, &listing)?.split('\0').filter(|file| !file.is_empty()) {
        // `--no-index` ends with 1 when files differ, which they do.
        let added =
            ["diff", "--no-ext-diff", "--no-textconv", "--binary", "--no-index", "--", "/dev/null", file];
        text.push_str(&call_ending(root, &added, &[], &[0, 1]).ok()?);
    }
    Some(text)
}

/// Runs git to its end; an error says what it printed.
pub fn call(root: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Result<String, Failure> {
    call_ending(root, arguments, variables, &[0])
}

fn call_ending(
    root: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
    ends: &[i32],
) -> Result<String, Failure> {
    let git = GitRunner::new(spawner()?, root)
        .with_settings(&["core.quotePath=false"])
        .with_limits(LIMITS)
        .cutting_long_output();
    let call = variables.iter().fold(git.call(arguments), |call, (name, value)| call.with(name, value));
    call.accepting(ends).lossy_text().map_err(|error| Failure::of(&error))
}
