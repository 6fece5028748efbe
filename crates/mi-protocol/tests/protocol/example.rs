//! The example of the specification.

use serde_json::Value;

use crate::support::{kinds, play};

pub const FILE: &str = include_str!("../data/research.yaml");
pub const EVENTS: &str = include_str!("../data/research-events.jsonl");
const VERDICTS: &str = include_str!("../data/research-verdicts.jsonl");

/// Every key that is expected is there with that value.
#[test]
fn the_example_gives_the_expected_verdicts() {
    let events: Vec<&str> = EVENTS.lines().collect();
    let verdicts = play(FILE, &events);
    let expected: Vec<Value> =
        VERDICTS.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(verdicts.len(), expected.len());
    for (verdict, expected) in verdicts.iter().zip(expected) {
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(verdict.get(key), Some(value), "{key} of {verdict}");
        }
    }
}

/// The example has nothing to complain about.
#[test]
fn the_example_is_free_of_problems() {
    assert_eq!(kinds(FILE), Vec::<String>::new());
}
