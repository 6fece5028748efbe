//! Events that are none, come at the wrong time or name what is not there: refused by the engine, nothing changed.

use crate::support::{guarded, last, play, protocol, set, small, take};
use mi_protocol::Engine;

const FIELDS: &str = "state:\n  kind: { type: enum, values: [x, y], default: x }\n  level: { type: integer, default: 1, min: 0, max: 5 }\n  \
    tags: { type: list, default: [] }\nclaims:\n  - { claim_id: C, source: s, trust_level: external_unverified, evidence_ids: [OLD] }\n";

/// Every reason, by example.
#[test]
fn the_engine_names_its_reason() {
    let cases: &[(&str, &str)] = &[
        ("not json", "bad_event"),
        ("[]", "bad_event"),
        ("\"update\"", "bad_event"),
        ("{}", "bad_event"),
        (r#"{"type":5}"#, "bad_event"),
        (r#"{"type":"transition"}"#, "bad_event"),
        (r#"{"type":"transition","edge":null}"#, "bad_event"),
        (r#"{"type":"transition","edge":["ab"]}"#, "bad_event"),
        (r#"{"type":"evidence","id":"1","claim":"C","source":"s","supports":"yes"}"#, "bad_event"),
        (r#"{"type":"output","path":"p","digest":"d","items":["x"]}"#, "bad_event"),
        (r#"{"type":"approved","items":{"x":"1"}}"#, "bad_event"),
        (r#"{"type":"subphase_end","phase":"A","subphase":"7A"}"#, "bad_event"),
        (r#"{"type":"update","set":[1]}"#, "bad_event"),
        (r#"{"type":"update","set":{"level":1,"level":2}}"#, "bad_event"),
        (r#"{"type":"update","type":"tick"}"#, "bad_event"),
        (r#"{"type":"update","set":{"score":1e999}}"#, "bad_event"),
        (r#"{"type":"phase_begin","phase":"A"}"#, "unknown_event"),
        (r#"{"type":"phase_start","phase":"Z"}"#, "unknown_node"),
        (r#"{"type":"subphase_start","phase":"A","subphase":"7A"}"#, "unknown_node"),
        (r#"{"type":"phase_start","phase":"B"}"#, "wrong_node"),
        (r#"{"type":"transition","edge":"zz"}"#, "unknown_edge"),
        (r#"{"type":"transition","edge":"bend"}"#, "wrong_node"),
        (r#"{"type":"phase_end","phase":"A"}"#, "out_of_order"),
        (r#"{"type":"evidence","id":"1","claim":"D","source":"s","supports":true}"#, "unknown_claim"),
        (r#"{"type":"evidence","id":"OLD","claim":"C","source":"t","supports":true}"#, "duplicate_evidence"),
        (r#"{"type":"update","set":{"nothing":1}}"#, "unknown_field"),
        (r#"{"type":"update","set":{"level":"1"}}"#, "bad_type"),
        (r#"{"type":"update","set":{"level":1.5}}"#, "bad_type"),
        (r#"{"type":"update","set":{"level":6}}"#, "bad_type"),
        (r#"{"type":"update","set":{"level":null}}"#, "bad_type"),
        (r#"{"type":"update","set":{"kind":"z"}}"#, "bad_type"),
        (r#"{"type":"update","set":{"tags":["a",1]}}"#, "bad_type"),
        (r#"{"type":"update","set":{"tags":{"a":1}}}"#, "bad_type"),
        (r#"{"type":"update","set":{"tool_calls":-1}}"#, "bad_type"),
        (r#"{"type":"update","set":{"tool_calls":9223372036854775808}}"#, "bad_type"),
        (r#"{"type":"update","set":{"attempt_count":5}}"#, "read_only_field"),
        (r#"{"type":"tick","set":{"phase_id":"B"}}"#, "read_only_field"),
    ];
    for (line, reason) in cases {
        assert_eq!(last(&small(FIELDS), &[line]), format!("refused A - engine {reason}"), "{line}");
    }
    let invalid = Engine::new(protocol(&small(""))).apply(b"{\"type\":\"tick\",\"x\":\"\xff\"}");
    assert_eq!(invalid.and_then(|verdict| verdict.reason).as_deref(), Some("bad_event"));
    let nested = format!(
        "{{\"type\":\"update\",\"set\":{{\"level\":{}1{}}}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert_eq!(last(&small(FIELDS), &[&nested]), "refused A - engine bad_event");
}

/// A refusal by the engine changes nothing, not even with a good `set` beside it.
#[test]
fn an_engine_refusal_changes_nothing() {
    let mut engine = Engine::new(protocol(&small(FIELDS)));
    let before = engine.snapshot();
    let lines = [
        r#"{"type":"transition","edge":"bend","set":{"level":3}}"#,
        r#"{"type":"update","set":{"level":3,"kind":"z"}}"#,
        r#"{"type":"phase_end","phase":"A","set":{"level":3}}"#,
    ];
    for line in lines {
        engine.apply(line.as_bytes());
    }
    assert_eq!(engine.snapshot(), before.replace("\"at\": 0", "\"at\": 3"));
}

/// Blank lines have no verdict and are counted.
#[test]
fn blank_lines_are_counted() {
    let verdicts = play(&small(""), &["", "  ", &set(""), "\t", &set("")]);
    let at: Vec<u64> = verdicts.iter().filter_map(|verdict| verdict["at"].as_u64()).collect();
    assert_eq!(at, [3, 5]);
}

/// What a refusing rule leaves behind: the `set` of the event, and nothing stale after a node was entered.
#[test]
fn set_is_kept_and_stale_values_are_dropped() {
    let mut engine = Engine::new(protocol(&crate::support::guarded("state.score == 2.0", "", "")));
    engine.apply(br#"{"type":"transition","edge":"ab","set":{"rejection_count":4,"gate_passed":true}}"#);
    assert_eq!(engine.field("rejection_count").map(ToString::to_string).as_deref(), Some("4"));
    assert_eq!(engine.field("gate_passed").map(ToString::to_string).as_deref(), Some("true"));
    engine.apply(br#"{"type":"transition","edge":"ab","set":{"score":2}}"#);
    assert_eq!(engine.node(), "B");
    assert_eq!(engine.field("gate_passed").map(ToString::to_string).as_deref(), Some("false"));
    assert_eq!(engine.field("rejection_count").map(ToString::to_string).as_deref(), Some("4"));
}

/// Guard actions: who stays, who moves, and what the next attempt is called.
#[test]
fn guard_actions_move_or_stay() {
    let file = |action: &str| {
        crate::support::guarded("state.gate_passed", &format!(", on_guard_fail: {action}"), "")
    };
    let go = crate::support::take("ab");
    assert_eq!(last(&file("block"), &[&go]), "refused A block guard:ab -");
    assert_eq!(last(&file("escalate"), &[&go]), "refused A escalate guard:ab -");
    assert_eq!(last(&file("rerun"), &[&go]), "refused A rerun guard:ab -");
    assert_eq!(last(&file("{ reroute: END }"), &[&go]), "refused END reroute guard:ab -");
    let mut engine = Engine::new(protocol(&file("rerun")));
    engine.apply(go.as_bytes());
    engine.apply(go.as_bytes());
    assert_eq!(engine.field("attempt_count").map(ToString::to_string).as_deref(), Some("3"));
}

/// Expressions see every text that an event carries, and nothing where it carries none.
#[test]
fn expressions_see_what_the_event_carries() {
    let file = guarded("event.actor == 'director' && event.phase == ''", "", "");
    assert_eq!(last(&file, &[r#"{"type":"transition","edge":"ab","actor":"director"}"#]), "allowed B - - -");
    assert_eq!(last(&file, &[&take("ab")]), "refused A block guard:ab -");
}

/// A guard whose evidence could not be read does not hold, whatever the state says.
#[test]
fn unread_evidence_fails_the_guard() {
    let file = guarded("state.tool_calls >= 0", ", guard_evidence_source: 'logs/{X}.json:tool_calls'", "");
    let unread = r#"{"type":"transition","edge":"ab","guard_evidence":{"source":"logs/A.json:tool_calls","error":"no such file"}}"#;
    let read = r#"{"type":"transition","edge":"ab","set":{"tool_calls":3},"guard_evidence":{"source":"logs/A.json:tool_calls","sha256":"00"}}"#;
    assert_eq!(last(&file, &[unread]), "refused A block guard:ab -");
    assert_eq!(last(&file, &[read]), "allowed B - - -");
}
