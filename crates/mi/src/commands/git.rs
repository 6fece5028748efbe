//! Calls of git for the council: what was changed, and a delivery as a branch.
//!
//! Holds: a repository's own settings cannot make these calls run programs.

use mi_process::{Environment, Limits, RunEnd, SpawnSpec, Stdin, run_to_end};
use std::{ffi::OsString, path::Path, time::Duration};

use super::launch::spawner;
use crate::failure::Failure;

/// Options under which a repository's own settings start no programs.
const QUIET: [&str; 8] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "commit.gpgSign=false",
];
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
    let what = || format!("run git {}", arguments.first().copied().unwrap_or_default());
    let own = |text: &str| OsString::from(text);
    let spec = SpawnSpec {
        program: "git".into(),
        args: QUIET.iter().chain(arguments).map(|text| own(text)).collect(),
        cwd: root.to_owned(),
        environment: Environment::Inherit {
            set: variables.iter().map(|(name, value)| (own(name), own(value))).collect(),
            remove: Vec::new(),
        },
        stdin: Stdin::Null,
    };
    let output =
        run_to_end(&spawner()?, &spec, LIMITS, None).map_err(|error| Failure::new(what()).because(&error))?;
    match output.end {
        RunEnd::Exited(mi_process::ExitStatus::Code(code)) if ends.contains(&code) => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        _ => Err(Failure::new(format!("{}: {}", what(), String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
