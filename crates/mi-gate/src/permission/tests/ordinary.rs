//! What developers type every day is rarely asked about; what D.19 asks about is.

use super::*;

/// The share of a list of ordinary commands that may prompt. Commands that run the project's own scripts, recipes and
/// one-liners prompt by design.
const MOST_PERCENT: usize = 8;

/// Holds a list to the share, and prints the measured figure.
fn rarely_prompts(name: &str, list: &str, sets: &[RuleSet]) {
    let list: Vec<&str> = list.lines().collect();
    assert!(list.len() >= 300, "{name}: {}", list.len());
    let asked: Vec<_> = list
        .iter()
        .map(|script| (script, bash(script, sets)))
        .filter(|(_, decision)| decision.verdict != Allow)
        .map(|(script, decision)| format!("{script}: {} {}", decision.rule, decision.reason))
        .collect();
    let (prompts, all) = (asked.len(), list.len());
    println!("{name}: {prompts} of {all} prompt, {}.{} %", prompts * 100 / all, prompts * 1000 / all % 10);
    assert!(prompts * 100 <= all * MOST_PERCENT, "{name}: {prompts} of {all}: {asked:#?}");
}

/// Looking around in a project is rarely asked about.
#[test]
fn d_19_looking_around_is_not_asked_about() {
    rarely_prompts("looking", include_str!("../../../tests/data/looking.txt"), &[]);
}

/// What developers type all day in every kind of project, written down without a look at the tables, with the built-in
/// rules and with a team's own.
#[test]
fn d_19_everyday_commands_are_rarely_asked_about() {
    let list = include_str!("../../../tests/data/everyday.txt");
    rarely_prompts("everyday", list, &[]);
    rarely_prompts("everyday with a team's rules", list, &[example_rules()]);
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
    rarely_prompts("developer", include_str!("../../../tests/data/developer.txt"), &[]);
}

/// Commands that only read are left in peace.
#[test]
fn d_19_reading_commands_are_not_asked_about() {
    rarely_prompts("reading", include_str!("../../../tests/data/reading.txt"), &[]);
}
