//! Whether a check still holds at the end of its batch.
//!
//! Holds: an edit or a writing command after the check, or an edit while it ran, makes it stale, whatever digests
//! say. Unequal digests are stale. Equal digests are fresh if the first was taken in time; else, and without
//! digests, only a batch in which nothing that can write came later is fresh.

use serde::{Deserialize, Serialize};

use super::effect::{Effect, effect};
use crate::{
    facts::{BatchFacts, CommandFact},
    project::inputs::{self, Standing},
};

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
    if let Some(why) = changed_later(check, facts) {
        return stale(&why);
    }
    let digest = check.tree.as_deref().filter(|tree| !tree.is_empty() && !facts.end_tree.is_empty());
    match digest {
        Some(tree) if tree != facts.end_tree => stale("the project's files changed after it"),
        Some(_) if !facts.late_trees.contains(&check.order) => Freshness::Fresh,
        _ => by_order(check, facts),
    }
}

/// What was changed after the check by the order of the stream, whatever digests say: a digest may be taken late.
pub(crate) fn changed_later(check: &CommandFact, facts: &BatchFacts) -> Option<String> {
    let is_input = |path: &str| {
        !path.starts_with('/') && !path.starts_with("../") && inputs::standing(path) == Standing::Input
    };
    let edited = facts.files.iter().find(|file| file.order > check.order && is_input(&file.path));
    if let Some(file) = edited {
        return Some(format!("`{}` was changed after it", file.path));
    }
    let writer =
        later(check, facts).find(|command| effect(&command.command, &facts.root) == Effect::Writes)?;
    Some(format!("`{}` ran after it", first_line(&writer.command)))
}

fn later<'a>(check: &CommandFact, facts: &'a BatchFacts) -> impl Iterator<Item = &'a CommandFact> {
    let order = check.order;
    facts.commands.iter().filter(move |command| command.order > order)
}

/// Without a digest that can be trusted: fresh when nothing that may write stands after the check.
fn by_order(check: &CommandFact, facts: &BatchFacts) -> Freshness {
    let reads = |command: &CommandFact| effect(&command.command, &facts.root) == Effect::Reads;
    let same_tree = !facts.start_tree.is_empty() && facts.start_tree == facts.end_tree;
    let untouched = facts.files.is_empty()
        && facts.commands.iter().filter(|command| command.order < check.order).all(reads);
    let quiet = facts.left_out == 0 && later(check, facts).all(reads);
    if quiet || same_tree && untouched { Freshness::Fresh } else { Freshness::Unknown }
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
            (check(Some("t1")), facts("t1", &[1, 7], &[]), stale(edited)),
            (
                check(Some("t1")),
                facts("t1", &[], &["sed -i s/a/b/ x"]),
                stale("`sed -i s/a/b/ x` ran after it"),
            ),
            (
                check(Some("t1")),
                facts("t2", &[], &["./generate"]),
                stale("the project's files changed after it"),
            ),
            (check(Some("t1")), facts("t1", &[], &["./generate"]), Freshness::Fresh),
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
            (check(None), facts("t1", &[], &["echo x > y"]), stale("`echo x > y` ran after it")),
            (check(Some("")), facts("", &[1], &[]), Freshness::Fresh),
            (check(Some("")), facts("", &[7], &[]), stale(edited)),
        ] {
            assert_eq!(is_fresh(&check, &facts), expected, "{facts:?}");
        }
        let late = |end: &str, later: &[&str]| BatchFacts { late_trees: vec![5], ..facts(end, &[1], later) };
        for (facts, expected) in [
            (late("t1", &["git status"]), Freshness::Fresh),
            (late("t1", &["./generate"]), Freshness::Unknown),
            (late("t2", &[]), stale("the project's files changed after it")),
        ] {
            assert_eq!(is_fresh(&check(Some("t1")), &facts), expected, "{facts:?}");
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
