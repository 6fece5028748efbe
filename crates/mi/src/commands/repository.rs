//! Asking git, in a repository whose own settings run nothing.

use mi_git::{GitRunner, RunGitError};
use mi_process::Limits;
use std::{path::Path, time::Duration};

use super::launch;
use crate::failure::Failure;

/// Paths in diffs are the same on every machine.
const SETTINGS: [&str; 2] = ["core.quotePath=true", "diff.noprefix=false"];
const LIMITS: Limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: 128 << 20 };

/// How a diff is made, so that every machine counts the same.
pub const DIFF: [&str; 9] = [
    "-U0",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--diff-algorithm=myers",
];

/// What git prints; its own words where it refuses. A hook of git is given a repository and an index, and they count.
pub fn git(folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let git = GitRunner::of_this_process(launch::spawner()?, folder);
    let git = git.with_settings(&SETTINGS).with_limits(LIMITS);
    git.call(arguments).lossy_text().map_err(|error| match &error {
        RunGitError::Failed { command, message, .. } => refused(folder, command, message),
        RunGitError::Missing
        | RunGitError::Start { .. }
        | RunGitError::TimedOut { .. }
        | RunGitError::TooMuchOutput { .. }
        | RunGitError::NotUtf8 { .. } => Failure::of(&error),
    })
}

fn refused(folder: &Path, command: &str, said: &str) -> Failure {
    let why = mi_model::shorten(said.lines().next().unwrap_or("it failed"), 300);
    // Outside of a repository `git diff` compares folders, and complains about options that it then does not know.
    let outside = ["not a git repository", "unknown option `cached'"];
    if outside.iter().any(|words| said.to_lowercase().contains(words)) {
        return Failure::new(format!("{} is in no git repository", folder.display()))
            .todo("go into one, or name it with --cd");
    }
    Failure::new(format!("ask git ({command}): {why}"))
        .todo("run it inside a git repository, with commits that are there")
}

/// The diff of what is staged.
pub fn staged(folder: &Path) -> Result<String, Failure> {
    git(folder, &[&["diff", "--cached"], &DIFF[..]].concat())
}

/// The commit that is checked out.
pub fn head(folder: &Path) -> Result<String, Failure> {
    Ok(git(folder, &["rev-parse", "--verify", "HEAD"])?.trim().to_owned())
}

/// Changed and untracked paths.
pub fn uncommitted(folder: &Path) -> Result<Vec<String>, Failure> {
    let text = git(folder, &["status", "--porcelain=v1", "-z", "--untracked-files=all"])?;
    Ok(text
        .split('\0')
        .filter_map(|entry| Some(entry.get(3..)?.to_owned()))
        .filter(|path| !path.is_empty())
        .collect())
}
