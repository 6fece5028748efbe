//! The specification's sentences, one example each: the pages in `tests/data/semantics` are read and played.
//!
//! An example is a protocol file without its first lines, and events with the keys that their verdicts must have; a key
//! that is `null` must not be there.

use serde_json::Value;

use crate::support::{play, told};

const PAGES: [(&str, &str); 5] = [
    ("events and refusals", include_str!("../data/semantics/1-events-and-refusals.md")),
    ("state and nodes", include_str!("../data/semantics/2-state-and-nodes.md")),
    ("judging and policies", include_str!("../data/semantics/3-judging-and-policies.md")),
    ("access and claims", include_str!("../data/semantics/4-access-and-claims.md")),
    ("invariants and sub-phases", include_str!("../data/semantics/5-invariants-and-subphases.md")),
];

/// Every example of every page holds, key by key.
#[test]
fn every_sentence_has_an_example_that_holds() {
    let mut wrong = Vec::new();
    let mut examples = 0;
    for (page, text) in PAGES {
        for example in text.split("\n## ").skip(1) {
            examples += 1;
            wrong.extend(differences(example).into_iter().map(|what| format!("{page}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples >= 30, "{examples} examples were found");
}

fn differences(example: &str) -> Vec<String> {
    let title = example.lines().next().unwrap_or_default();
    let file = format!("version: 1\nname: example\n{}", block(example, "yaml"));
    let lines: Vec<(&str, Option<Value>)> = block(example, "events").lines().map(expected).collect();
    let events: Vec<&str> = lines.iter().map(|(event, _)| *event).collect();
    let verdicts = play(&file, &events);
    let wanted: Vec<(&str, Value)> =
        lines.into_iter().filter_map(|(event, keys)| Some((event, keys?))).collect();
    assert_eq!(verdicts.len(), wanted.len(), "{title}: every event has its expectation");
    let pairs = wanted.iter().zip(&verdicts);
    pairs
        .filter(|((_, keys), verdict)| !has_all(verdict, keys))
        .map(|((event, keys), verdict)| {
            format!("{title}\n  {event}\n  wants {keys}\n  got {}", told(verdict))
        })
        .collect()
}

fn block<'t>(example: &'t str, kind: &str) -> &'t str {
    let fence = format!("```{kind}\n");
    let start = example.find(&fence).unwrap_or_else(|| panic!("no {kind} in {example}")) + fence.len();
    &example[start..start + example[start..].find("```").expect("a fence is closed")]
}

fn expected(line: &str) -> (&str, Option<Value>) {
    match line.rsplit_once(" => ") {
        Some((event, keys)) => (event, Some(serde_json::from_str(keys).expect("expectations are JSON"))),
        None => (line, None),
    }
}

fn has_all(verdict: &Value, keys: &Value) -> bool {
    let keys = keys.as_object().expect("expectations are an object");
    keys.iter().all(|(key, value)| verdict.get(key).unwrap_or(&Value::Null) == value)
}
