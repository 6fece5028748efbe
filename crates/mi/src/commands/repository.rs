//! Asking git, in a repository whose own settings run nothing.

use mi_process::{Environment, Limits, SpawnSpec, Stdin, run_to_end};
use std::{path::Path, time::Duration};

use super::launch;
use crate::failure::Failure;

/// Settings of a repository that would start programs are switched off for our own questions.
const QUIET: [&str; 10] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.pager=cat",
    "-c",
    "core.quotePath=true",
    "-c",
    "diff.noprefix=false",
];

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

/// What git prints; its own words where it refuses.
pub fn git(folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let spec = SpawnSpec {
        program: "git".into(),
        args: QUIET.iter().chain(arguments).map(Into::into).collect(),
        // Programs are started by a supervisor, which has a working directory of its own.
        cwd: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()),
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() }
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("LC_ALL", "C"),
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: 128 * 1024 * 1024 };
    let output = run_to_end(&launch::spawner()?, &spec, limits, None).map_err(|error| Failure::of(&error))?;
    if !output.end.is_success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = mi_model::shorten(said.lines().next().unwrap_or("it failed"), 300);
        let what = arguments.first().copied().unwrap_or_default();
        // Outside of a repository `git diff` compares folders, and complains about options that it then does not know.
        let outside = ["not a git repository", "unknown option `cached'"];
        if outside.iter().any(|words| said.to_lowercase().contains(words)) {
            return Err(Failure::new(format!("{} is in no git repository", folder.display()))
                .todo("go into one, or name it with --cd"));
        }
        return Err(Failure::new(format!("ask git ({what}): {why}"))
            .todo("run it inside a git repository, with commits that are there"));
    }
    if output.left_out_bytes > 0 {
        return Err(Failure::new("ask git: its answer is larger than 128 MiB"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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
