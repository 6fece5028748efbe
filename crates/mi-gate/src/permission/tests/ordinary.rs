//! What developers type every day is rarely asked about; what D.19 asks about is.

use super::*;

/// Looking around in a project is not asked about: at most 3 %.
#[test]
fn d_19_looking_around_is_not_asked_about() {
    let list: Vec<_> = include_str!("../../../tests/data/looking.txt").lines().collect();
    assert!(list.len() >= 250, "{}", list.len());
    let asked: Vec<_> = list
        .iter()
        .map(|script| (script, bash(script, &[])))
        .filter(|(_, decision)| decision.verdict != Allow)
        .map(|(script, decision)| format!("{script}: {} {}", decision.rule, decision.reason))
        .collect();
    assert!(asked.len() * 100 <= list.len() * 3, "{} of {}: {asked:#?}", asked.len(), list.len());
}

/// What developers type all day in every kind of project, written down without a look at the tables: of what the
/// specification does not ask about, at most 3 % prompts, with the built-in rules and with a team's own.
#[test]
fn d_19_everyday_commands_are_rarely_asked_about() {
    let list: Vec<_> = include_str!("../../../tests/data/everyday.txt").lines().collect();
    assert!(list.len() >= 400, "{}", list.len());
    for sets in [vec![], vec![example_rules()]] {
        let decided = list.iter().map(|script| (script, bash(script, &sets)));
        let asked: Vec<_> = decided
            .filter(|(_, decision)| decision.verdict != Allow)
            .map(|(script, decision)| format!("{script}: {} {}", decision.rule, decision.reason))
            .collect();
        assert!(asked.len() * 100 <= list.len() * 3, "{} of {}: {asked:#?}", asked.len(), list.len());
    }
}

/// Edits, tests, commits, deletions, installations, other machines and programs of the project are asked about, and
/// none of what developers do daily is denied.
#[test]
fn d_7_d_19_what_the_specification_asks_about_is_asked() {
    let list: Vec<_> = include_str!("../../../tests/data/asked.txt").lines().collect();
    let other: Vec<_> = list
        .iter()
        .map(|script| (script, bash(script, &[])))
        .filter(|(_, decision)| decision.verdict != Prompt)
        .map(|(script, decision)| format!("{script}: {:?} {}", decision.verdict, decision.rule))
        .collect();
    assert!(other.is_empty(), "{other:#?}");
}

/// A developer's ordinary looking around is left in peace.
#[test]
fn d_19_developers_are_rarely_asked() {
    let list: Vec<_> = include_str!("../../../tests/data/developer.txt").lines().collect();
    assert!(list.len() >= 300, "{}", list.len());
    let asked: Vec<_> = list
        .iter()
        .map(|script| (script, bash(script, &[])))
        .filter(|(_, decision)| decision.verdict != Allow)
        .map(|(script, decision)| format!("{script}: {} {}", decision.rule, decision.reason))
        .collect();
    assert!(asked.len() * 100 <= list.len() * 3, "{} of {}: {asked:#?}", asked.len(), list.len());
}

/// Commands that only read are left in peace.
#[test]
fn d_19_reading_commands_are_not_asked_about() {
    let list: Vec<_> = include_str!("../../../tests/data/reading.txt").lines().collect();
    assert!(list.len() >= 300, "{}", list.len());
    let asked: Vec<_> = list
        .iter()
        .map(|script| (script, bash(script, &[])))
        .filter(|(_, decision)| decision.verdict != Allow)
        .map(|(script, decision)| format!("{script}: {} {}", decision.rule, decision.reason))
        .collect();
    assert!(asked.len() * 100 <= list.len() * 3, "{} of {}: {asked:#?}", asked.len(), list.len());
}
