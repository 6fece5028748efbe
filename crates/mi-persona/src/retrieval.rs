//! Which cards a task calls for, in which order, and how far to read them (D.13, D.15).

use serde::Serialize;
use std::collections::BTreeSet;

use crate::card::{Status, same_key};
use crate::index::Entry;
use crate::words::keywords;

/// How far a matching card is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Read {
    /// 7 to 10: always, in full.
    Full,
    /// 4 to 6: in full if the task is not trivial.
    IfNonTrivial,
    /// 1 to 3: if the person named it.
    IfNamed,
}

/// What is known about the task besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Trivial,
    NonTrivial,
}

/// One card that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match<'a> {
    #[serde(flatten)]
    pub entry: &'a Entry,
    pub rule: Read,
    /// Whether it is to be read in full now.
    pub read: bool,
    /// Keywords that are both in the task and in the card's title, key or aliases.
    pub words: Vec<String>,
}

/// How far cards of a salience are read.
pub fn rule_of(salience: u8) -> Read {
    match salience {
        7.. => Read::Full,
        4..=6 => Read::IfNonTrivial,
        0..=3 => Read::IfNamed,
    }
}

/// Cards that match a task, by salience, then by the day of their last review, newest first.
pub fn search<'a>(entries: &'a [Entry], task: &str, weight: Weight) -> Vec<Match<'a>> {
    let wanted = keywords(task);
    let lower = same_key(task);
    let mut found: Vec<Match<'a>> = entries
        .iter()
        .filter(|entry| entry.status == Status::Active)
        .filter_map(|entry| matching(entry, &wanted, &lower, weight))
        .collect();
    found.sort_by(|left, right| order(left.entry, right.entry));
    found
}

/// Salience DESC, then last_reviewed DESC; ids decide between equals, so that the order is always the same.
pub fn order(left: &Entry, right: &Entry) -> std::cmp::Ordering {
    (right.salience, &right.last_reviewed)
        .cmp(&(left.salience, &left.last_reviewed))
        .then_with(|| left.id.cmp(&right.id))
}

fn matching<'a>(
    entry: &'a Entry,
    wanted: &BTreeSet<String>,
    task: &str,
    weight: Weight,
) -> Option<Match<'a>> {
    let own: BTreeSet<String> = std::iter::once(&entry.title)
        .chain(std::iter::once(&entry.merge_key))
        .chain(&entry.aliases)
        .flat_map(|text| keywords(text))
        .collect();
    let named = is_named(entry, task);
    let words: Vec<String> = own.intersection(wanted).cloned().collect();
    if words.is_empty() && !named {
        return None;
    }
    let rule = rule_of(entry.salience);
    let read = named
        || match rule {
            Read::Full => true,
            Read::IfNonTrivial => weight == Weight::NonTrivial,
            Read::IfNamed => false,
        };
    Some(Match { entry, rule, read, words })
}

/// The person wrote its id, its key or its whole title.
fn is_named(entry: &Entry, task: &str) -> bool {
    let whole = |name: &str| {
        let name = same_key(name);
        !name.is_empty()
            && task.match_indices(&name).any(|(at, found)| {
                let edge = |letter: Option<char>| {
                    letter.is_none_or(|letter| !letter.is_alphanumeric() || crate::words::is_chinese(letter))
                };
                edge(task[..at].chars().next_back()) && edge(task[at + found.len()..].chars().next())
            })
    };
    whole(entry.id.as_str()) || whole(&entry.merge_key) || whole(&entry.title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::entry;

    fn cards() -> Vec<Entry> {
        let mut old = entry("H-004", 2, "2025-01-01", "Lock files");
        old.aliases = vec!["锁的顺序".to_owned()];
        let mut gone = entry("H-005", 9, "2026-01-01", "Lock nothing");
        gone.status = Status::Archived;
        vec![
            entry("H-001", 6, "2026-01-01", "Lock order"),
            entry("H-002", 7, "2026-01-01", "Lock timeouts"),
            entry("H-003", 7, "2026-02-01", "Locks are cheap"),
            old,
            gone,
            entry("H-006", 8, "", "Naming"),
        ]
    }

    fn ids(task: &str, weight: Weight) -> Vec<(String, bool)> {
        search(&cards(), task, weight).iter().map(|card| (card.entry.id.to_string(), card.read)).collect()
    }

    /// Salience first, then the newest review; archived cards are not found.
    #[test]
    fn d_15_order_is_salience_then_last_review() {
        let found = ids("Change the locks", Weight::Trivial);
        let wanted = [("H-003", true), ("H-002", true), ("H-001", false), ("H-004", false)];
        assert_eq!(found, wanted.map(|(id, read)| (id.to_owned(), read)));
    }

    /// 4–6 are read when the task is not trivial, 1–3 when they are named, in any script.
    #[test]
    fn d_15_reading_depth_follows_salience() {
        let read = |task: &str, weight| {
            let found = ids(task, weight);
            found.into_iter().filter(|(_, read)| *read).map(|(id, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(read("lock order", Weight::NonTrivial), ["H-003", "H-002", "H-001"]);
        assert_eq!(read("see h-004", Weight::Trivial), ["H-004"]);
        assert_eq!(read("about lock-files today", Weight::Trivial), ["H-003", "H-002", "H-004"]);
        assert!(read("检查锁的顺序", Weight::NonTrivial).is_empty());
        assert_eq!(ids("检查锁的顺序", Weight::Trivial), [("H-004".to_owned(), false)]);
        assert!(ids("the of and", Weight::NonTrivial).is_empty());
        assert!(!read("h-0045", Weight::Trivial).contains(&"H-004".to_owned()));
    }
}
