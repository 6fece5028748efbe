//! The only place that touches the API: a file and events in, verdicts out.

use mi_protocol::{Engine, Protocol, check, load};
use serde_json::Value;
use std::sync::Arc;

/// A protocol that must load.
pub fn protocol(text: &str) -> Arc<Protocol> {
    let loaded = load(text.as_bytes());
    assert!(loaded.is_ok(), "the protocol does not load: {:#?}\n{text}", loaded.problems);
    Arc::new(loaded.protocol.expect("a file without errors is a protocol"))
}

/// The verdicts of all lines.
pub fn play(file: &str, lines: &[&str]) -> Vec<Value> {
    let mut engine = Engine::new(protocol(file));
    lines.iter().filter_map(|line| engine.apply(line.as_bytes())).map(|verdict| as_json(&verdict)).collect()
}

/// The last verdict, as `allowed node action by reason`; `-` where there is none.
pub fn last(file: &str, lines: &[&str]) -> String {
    told(play(file, lines).last().expect("there is an event"))
}

/// A verdict in one line.
pub fn told(verdict: &Value) -> String {
    let text = |key: &str| verdict.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    let allowed = if verdict["allowed"] == Value::Bool(true) { "allowed" } else { "refused" };
    format!("{allowed} {} {} {} {}", text("node"), text("action"), text("by"), text("reason"))
}

pub fn as_json(verdict: &mi_protocol::Verdict) -> Value {
    serde_json::from_str(&verdict.to_json()).expect("a verdict is JSON")
}

/// The problems of a file as `kind LINE:COLUMN hint`.
pub fn problems(text: &str) -> Vec<String> {
    let (loaded, _) = check(text.as_bytes());
    loaded
        .problems
        .iter()
        .map(|problem| {
            let kind = serde_json::to_value(problem.kind).expect("a kind is a word");
            format!("{} {} {}", kind.as_str().expect("a word"), problem.place, problem.hint)
        })
        .collect()
}

/// Only the kinds and places.
pub fn kinds(text: &str) -> Vec<String> {
    let short = |line: String| line.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
    problems(text).into_iter().map(short).collect()
}
