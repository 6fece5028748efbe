//! Whether a check still holds at the end of its batch.
//!
//! Holds: with digests of the tree, only equality is fresh; without them, only a batch in which nothing that can
//! write came later. An edit while the check ran makes it stale, whatever the digests say.

use serde::{Deserialize, Serialize};

use super::shell;
use crate::facts::{BatchFacts, CommandFact};

/// Whether what a check saw is what is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "freshness", rename_all = "snake_case")]
pub enum Freshness {
    Fresh,
    Stale {
        why: String,
    },
    /// Nothing tells whether the tree changed.
    Unknown,
}

/// Whether `check` still holds at the end of its batch.
pub fn is_fresh(check: &CommandFact, facts: &BatchFacts) -> Freshness {
    if !check.finished {
        return stale("it was still running when the batch ended");
    }
    if facts.edited_while_running.contains(&check.order) {
        return stale("a file was edited while it ran");
    }
    let digest = check.tree.as_deref().filter(|tree| !tree.is_empty() && !facts.end_tree.is_empty());
    match digest {
        Some(tree) if tree == facts.end_tree => Freshness::Fresh,
        Some(_) => stale(&what_changed(check, facts)),
        None => by_order(check, facts),
    }
}

fn by_order(check: &CommandFact, facts: &BatchFacts) -> Freshness {
    if let Some(file) = facts.files.iter().find(|file| file.order > check.order) {
        return stale(&format!("`{}` was changed after it", file.path));
    }
    let unchanged =
        !facts.start_tree.is_empty() && facts.start_tree == facts.end_tree && facts.files.is_empty();
    let later = || facts.commands.iter().filter(|command| command.order > check.order);
    if let Some(writer) = later().find(|command| effect(&command.command) == Effect::Writes)
        && !unchanged
    {
        return stale(&format!("`{}` ran after it", first_line(&writer.command)));
    }
    let quiet = facts.left_out == 0 && later().all(|command| effect(&command.command) == Effect::Reads);
    if unchanged || quiet { Freshness::Fresh } else { Freshness::Unknown }
}

fn what_changed(check: &CommandFact, facts: &BatchFacts) -> String {
    match facts.files.iter().find(|file| file.order > check.order) {
        Some(file) => format!("`{}` was changed after it", file.path),
        None => "the project's files changed after it".to_owned(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Writes,
    Unknown,
}

/// Whether a command changes files of the project, as far as its name tells.
fn effect(command: &str) -> Effect {
    let Some(parts) = shell::read(command) else { return Effect::Unknown };
    let effects: Vec<Effect> = parts.iter().map(|part| effect_of(&part.words)).collect();
    let redirects = command.contains('>') && !command.contains("2>&1") && !command.contains("/dev/null");
    if effects.contains(&Effect::Writes) {
        Effect::Writes
    } else if redirects || effects.contains(&Effect::Unknown) {
        Effect::Unknown
    } else {
        Effect::Reads
    }
}

fn effect_of(words: &[String]) -> Effect {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |option: &str| words.iter().any(|word| word.starts_with(option));
    match words.as_slice() {
        [] => Effect::Reads,
        ["sed", ..] if has("-i") => Effect::Writes,
        ["find", ..] if has("-delete") || has("-exec") => Effect::Unknown,
        [
            "git",
            "status" | "diff" | "log" | "show" | "rev-parse" | "branch" | "blame" | "grep" | "ls-files",
            ..,
        ] => Effect::Reads,
        [
            "git",
            "checkout" | "restore" | "reset" | "stash" | "apply" | "am" | "merge" | "rebase" | "pull"
            | "revert" | "cherry-pick" | "clean" | "rm" | "mv",
            ..,
        ] => Effect::Writes,
        ["git", "add" | "commit" | "tag", ..] => Effect::Reads,
        [
            "rm" | "mv" | "cp" | "tee" | "patch" | "touch" | "truncate" | "install" | "apply_patch" | "rsync"
            | "ln",
            ..,
        ] => Effect::Writes,
        ["cargo", "fmt", ..] if !has("--check") => Effect::Writes,
        ["cargo", "test" | "check" | "clippy" | "build" | "nextest" | "fmt" | "tree" | "metadata", ..] => {
            Effect::Reads
        }
        [
            "ls" | "cat" | "head" | "tail" | "grep" | "rg" | "wc" | "pwd" | "echo" | "printf" | "true"
            | "test" | "[" | "cd" | "sed" | "find" | "tree" | "file" | "stat" | "diff" | "cmp" | "which"
            | "type" | "sleep" | "date" | "sort" | "uniq" | "cut" | "awk" | "jq" | "nl" | "less" | "export"
            | "set" | "source" | "pytest",
            ..,
        ] => Effect::Reads,
        ["go", "test" | "vet" | "build" | "version", ..] => Effect::Reads,
        _ => Effect::Unknown,
    }
}

fn first_line(command: &str) -> String {
    command.lines().next().unwrap_or_default().chars().take(80).collect()
}

fn stale(why: &str) -> Freshness {
    Freshness::Stale { why: why.to_owned() }
}
