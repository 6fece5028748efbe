//! Whether a check still holds at the end of its batch.
//!
//! Holds: with digests of the tree, only equality is fresh; without them, only a batch in which nothing that can
//! write came later. An edit while the check ran makes it stale, whatever the digests say.

use serde::{Deserialize, Serialize};

use super::shell::{self, Simple};
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

/// Whether a part of the same script changes files: then the digest at its end is not what the check saw.
pub(super) fn changes_files(part: &Simple) -> bool {
    let logs = part.words.first().is_some_and(|program| program == "tee");
    !logs && (part.writes_file || effects(part).any(|effect| effect == Effect::Writes))
}

/// What the command and those it starts do.
fn effects(part: &Simple) -> impl Iterator<Item = Effect> {
    std::iter::once(&part.words).chain(&part.starts).map(|words| effect_of(words))
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
    let effects: Vec<Effect> = parts.iter().flat_map(effects).collect();
    let redirects = parts.iter().any(|part| part.writes_file);
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

#[cfg(test)]
mod tests {
    use mi_formats::ChangeKind;

    use super::*;
    use crate::facts::FileFact;

    fn command(order: u32, command: &str, tree: Option<&str>) -> CommandFact {
        CommandFact {
            order,
            command: command.to_owned(),
            exit_code: Some(0),
            finished: true,
            output: String::new(),
            tree: tree.map(str::to_owned),
        }
    }

    /// Freshness by digest, by order, and by what ran while the check ran.
    #[test]
    fn freshness() {
        let check = |tree: Option<&str>| command(5, "cargo test", tree);
        let facts = |end: &str, edits: &[u32], later: &[&str]| BatchFacts {
            start_tree: "t0".to_owned(),
            end_tree: end.to_owned(),
            files: edits
                .iter()
                .map(|order| FileFact { order: *order, path: "a.rs".to_owned(), kind: ChangeKind::Update })
                .collect(),
            commands: later.iter().map(|text| command(9, text, None)).collect(),
            ..BatchFacts::default()
        };
        let stale = |why: &str| Freshness::Stale { why: why.to_owned() };
        let edited = "`a.rs` was changed after it";
        for (check, facts, expected) in [
            (check(Some("t1")), facts("t1", &[1], &[]), Freshness::Fresh),
            (check(Some("t1")), facts("t1", &[], &["rm -r target"]), Freshness::Fresh),
            (check(Some("t1")), facts("t2", &[1, 7], &[]), stale(edited)),
            (
                check(Some("t1")),
                facts("t2", &[], &["sed -i s/a/b/ x"]),
                stale("the project's files changed after it"),
            ),
            (check(None), facts("t1", &[1], &[]), Freshness::Fresh),
            (check(None), facts("t1", &[1, 7], &[]), stale(edited)),
            (check(None), facts("t1", &[], &["git status && cat x"]), Freshness::Fresh),
            (
                check(None),
                facts("t1", &[], &["git checkout -- ."]),
                stale("`git checkout -- .` ran after it"),
            ),
            (check(None), facts("t1", &[], &["./generate"]), Freshness::Unknown),
            (check(None), facts("t0", &[], &["./generate"]), Freshness::Fresh),
            (check(None), facts("t1", &[], &["echo x > y"]), Freshness::Unknown),
            (check(Some("")), facts("", &[1], &[]), Freshness::Fresh),
            (check(Some("")), facts("", &[7], &[]), stale(edited)),
        ] {
            assert_eq!(is_fresh(&check, &facts), expected, "{facts:?}");
        }
        let during = BatchFacts { edited_while_running: vec![5], ..facts("t1", &[6], &[]) };
        assert_eq!(is_fresh(&check(Some("t1")), &during), stale("a file was edited while it ran"));
        let running = CommandFact { finished: false, ..check(None) };
        assert_eq!(
            is_fresh(&running, &facts("t1", &[], &[])),
            stale("it was still running when the batch ended")
        );
    }
}
