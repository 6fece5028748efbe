//! Scripts that are a project's check themselves: `verify.sh`, `run_tests.sh`, what a Makefile or package.json runs.

use super::{TamperKind, TamperSign, compare::Inventories, strength::fingerprint};

/// Whether a file is a shell script by its name.
pub(super) fn is_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".sh") || name.ends_with(".bash") || !name.contains('.') && is_check_name(name)
}

/// Whether a script's name says that it checks something.
fn is_check_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let words = ["verify", "check", "checks", "test", "tests", "runtests", "validate", "ci", "smoke"];
    stem.split(['-', '_']).any(|word| words.contains(&word))
}

/// What the script does, as one number; None for what is no shell script.
pub(super) fn content(path: &str, content: &str) -> Option<u32> {
    let is_shell = path.ends_with("sh") || content.starts_with("#!");
    let lines = content.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    (is_script(path) && is_shell).then(|| fingerprint(&lines.collect::<Vec<_>>().join("\n")))
}

/// Scripts that a command line starts.
pub(super) fn started_by(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|char: char| char.is_whitespace() || "\"';&|()@".contains(char));
    words.map(|word| word.trim_start_matches("./")).filter(|word| word.ends_with(".sh"))
}

/// Checks that are scripts and do something else now.
pub(super) fn changed(before: &Inventories, after: &Inventories, task: &str) -> Vec<TamperSign> {
    let is_started = |path: &str| before.values().any(|file| file.starts.contains(path));
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_check = |path: &str| is_started(path) || is_check_name(&name(path));
    let own = before.iter().filter(|(path, file)| file.script.is_some() && is_check(path));
    own.filter(|(path, _)| !task.contains(&name(path)))
        .filter(|(path, old)| after.get(*path).is_some_and(|new| new.script != old.script))
        .map(|(path, _)| TamperSign {
            kind: TamperKind::CheckScript,
            path: path.clone(),
            what: "the check's own script was changed".to_owned(),
        })
        .collect()
}
