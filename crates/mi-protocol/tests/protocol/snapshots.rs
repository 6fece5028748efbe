//! A run set aside and taken up again.

use crate::{
    example::{EVENTS, FILE},
    support::protocol,
};
use mi_protocol::{Engine, RestoreError};

/// A snapshot at any event continues with the same verdicts.
#[test]
fn a_snapshot_anywhere_gives_the_same_verdicts() {
    let lines: Vec<&str> = EVENTS.lines().collect();
    let mut whole = Engine::new(protocol(FILE));
    let expected: Vec<String> = lines
        .iter()
        .filter_map(|line| whole.apply(line.as_bytes()))
        .map(|verdict| verdict.to_json())
        .collect();
    for cut in 0..=lines.len() {
        let mut first = Engine::new(protocol(FILE));
        let mut verdicts: Vec<String> = lines[..cut]
            .iter()
            .filter_map(|line| first.apply(line.as_bytes()))
            .map(|verdict| verdict.to_json())
            .collect();
        let mut second = Engine::restore(protocol(FILE), &first.snapshot()).expect("a snapshot");
        assert_eq!(second.snapshot(), first.snapshot());
        verdicts.extend(
            lines[cut..]
                .iter()
                .filter_map(|line| second.apply(line.as_bytes()))
                .map(|verdict| verdict.to_json()),
        );
        assert_eq!(verdicts, expected, "cut at {cut}");
    }
}

/// Another file, another version and damage are refused.
#[test]
fn a_foreign_snapshot_is_refused() {
    let snapshot = Engine::new(protocol(FILE)).snapshot();
    let other = protocol(&FILE.replace("research-pipeline", "another"));
    assert!(matches!(Engine::restore(other, &snapshot), Err(RestoreError::OtherProtocol { .. })));
    let newer = snapshot.replace("\"version\": 1", "\"version\": 2");
    assert!(matches!(Engine::restore(protocol(FILE), &newer), Err(RestoreError::Version(2))));
    for damage in [
        ("\"node\": \"P5\"", "\"node\": \"P99\""),
        ("\"PENDING\"", "\"MAYBE\""),
        ("\"open\": null", "\"open\": 7"),
    ] {
        let damaged = snapshot.replace(damage.0, damage.1);
        assert!(
            matches!(Engine::restore(protocol(FILE), &damaged), Err(RestoreError::Misfit(_))),
            "{damage:?}"
        );
    }
    assert!(matches!(Engine::restore(protocol(FILE), "{"), Err(RestoreError::Unreadable(_))));
}

/// Only what an event touched is evaluated again.
#[test]
fn untouched_expressions_are_not_evaluated_again() {
    let file = crate::support::guarded("state.gate_passed && state.tool_calls > 5", "", "");
    let mut engine = Engine::new(protocol(&file));
    let go = crate::support::take("ab");
    for _ in 0..10 {
        engine.apply(go.as_bytes());
        engine.apply(crate::support::set("\"rejection_count\":3").as_bytes());
    }
    assert_eq!(engine.evaluations(), 1);
    engine.apply(crate::support::set("\"tool_calls\":3").as_bytes());
    engine.apply(crate::support::set("\"tool_calls\":3").as_bytes());
    engine.apply(go.as_bytes());
    assert_eq!(engine.evaluations(), 2);
}
