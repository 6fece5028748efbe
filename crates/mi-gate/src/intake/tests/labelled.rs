//! `labelled.txt`: messages of both languages with what must be read in them, kept as data so that more can be added.

use super::*;

/// Every message of a key is read as its label says; all that are not are told at once.
fn check(key: &str, read: impl Fn(&Intake, &str) -> String) {
    let lines = include_str!("labelled.txt").lines().filter(|line| !line.starts_with('#'));
    let labelled: Vec<(&str, &str)> = lines
        .filter_map(|line| line.split_once(" | "))
        .filter_map(|(label, message)| Some((label.strip_prefix(key)?.strip_prefix(' ')?, message)))
        .collect();
    assert!(!labelled.is_empty(), "{key}");
    let wrong: Vec<String> = labelled
        .into_iter()
        .map(|(label, message)| (label, read(&say(message), label), message))
        .filter(|(label, found, _)| label != found)
        .map(|(label, found, message)| format!("{key} {found}, not {label}: {message}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Names as JSON has them, joined; `-` for none.
fn names(list: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(list).unwrap();
    let names: Vec<&str> = value.as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

fn yes(holds: bool) -> String {
    (if holds { "yes" } else { "no" }).to_owned()
}

/// Words mean what the sentence around them makes of them.
#[test]
fn d_03_labelled_triggers() {
    check("triggers", |reading, _| names(&reading.triggers));
}

/// A word in a question or in brackets orders nothing.
#[test]
fn d_03_labelled_modes() {
    check("mode", |reading, _| serde_json::to_value(reading.mode).unwrap().as_str().unwrap().to_owned());
}

/// Haste shortens neither security nor deployment; names of things are no levels.
#[test]
fn d_21_labelled_speeds() {
    check("speed", |reading, _| names(&reading.speed));
}

/// A suggestion is made of what the person decided, not of words that look like it.
#[test]
fn d_09_labelled_signals() {
    check("signal", |reading, _| yes(reading.cognitive.signal));
}

/// What is done closes; what must be done does not.
#[test]
fn d_12_labelled_saves() {
    check("save", |reading, _| yes(reading.autosave.trigger));
}

/// The factors of D.6 are seen in plain words.
#[test]
fn d_06_labelled_risks() {
    check("risk", |reading, _| reading.risk.score.map_or("none".to_owned(), |score| score.to_string()));
}

/// Changes are counted as they are asked for.
#[test]
fn d_05_labelled_batches() {
    check("batch", |reading, label| match reading.batch.count {
        0..=5 if label == "small" => label.to_owned(),
        count => count.to_string(),
    });
}

/// Much work needs a word about when it is done.
#[test]
fn d_06_labelled_gates() {
    check("blocked", |reading, _| yes(reading.spec_gate.blocked));
}
