//! The seed's §7, by name.

use crate::{
    example::{EVENTS, FILE},
    support::{last, play, told},
};

const START: &str = r#"{"type":"phase_start","phase":"P5","set":{"minimum_duration":600}}"#;
const WORKED: &str =
    r#"{"type":"update","set":{"cumulative_duration":120,"gate_passed":true,"tool_calls":3}}"#;
const LOGGED: &str = r#"{"type":"phase_end","phase":"P5","set":{"log_updated_after_phase":true}}"#;
const GO: &str = r#"{"type":"transition","edge":"E131"}"#;

/// 1. An advance under the time floor is blocked, also by the built-in invariant alone.
#[test]
fn criterion_1_advance_under_the_time_floor_is_blocked() {
    assert_eq!(last(FILE, &[START, WORKED, LOGGED, GO]), "refused P5 rerun TIME_HARD_FLOOR -");
    let no_rules = FILE
        .replace(
            "state.gate_passed && state.cumulative_duration >= state.minimum_duration",
            "state.gate_passed",
        )
        .replace("expr: state.cumulative_duration < state.minimum_duration", "expr: 1 > 2")
        .replace("guard_type: numeric", "guard_type: boolean");
    assert_eq!(last(&no_rules, &[START, WORKED, LOGGED, GO]), "refused P5 rerun TIME_HARD_FLOOR failed");
}

/// 2. Rule 6 beats rule 7 in a conflict, and the verdict proves it.
#[test]
fn criterion_2_rule_6_beats_rule_7_with_proof() {
    let both = r#"{"type":"update","set":{"non_time_issue":true}}"#;
    let verdicts = play(FILE, &[START, WORKED, both, GO]);
    let verdict = verdicts.last().expect("a verdict");
    assert_eq!(told(verdict), "refused P5 rerun TIME_HARD_FLOOR -");
    assert_eq!(verdict["overrode"], serde_json::json!(["PIPELINE_CONTINUITY"]));
    let proof = verdict["trace"].to_string();
    assert!(
        proof.contains("priority 100") && proof.contains("priority 60") && proof.contains("hard_override"),
        "{proof}"
    );
}

/// 3. Zero tool calls are rejected, and the node stays held until a phase with tools ends.
#[test]
fn criterion_3_zero_tool_calls_are_rejected() {
    let idle = r#"{"type":"phase_end","phase":"P5","set":{"log_updated_after_phase":true,"tool_calls":0}}"#;
    let ready = r#"{"type":"update","set":{"cumulative_duration":700,"gate_passed":true}}"#;
    assert_eq!(last(FILE, &[START, WORKED, idle]), "refused P5 rerun TOOL_USE_NONZERO failed");
    assert_eq!(last(FILE, &[START, WORKED, idle, ready, GO]), "refused P5 block TOOL_USE_NONZERO holds_node");
    let busy = r#"{"type":"phase_end","phase":"P5","set":{"tool_calls":2}}"#;
    assert_eq!(last(FILE, &[START, WORKED, idle, ready, busy, GO]), "allowed P6 - - -");
}

/// 4. A banned read is refused.
#[test]
fn criterion_4_a_banned_read_is_refused() {
    let read = |actor: &str, path: &str| {
        format!(r#"{{"type":"access","actor":"{actor}","path":"{path}","mode":"read"}}"#)
    };
    let banned = "output/phase_6/agent_output.md";
    assert_eq!(last(FILE, &[&read("director", banned)]), "refused P5 - access:director file-ban");
    assert_eq!(
        last(FILE, &[&read("director", "output/x/../phase_6/./agent_output.md")]),
        "refused P5 - access:director file-ban"
    );
    assert_eq!(last(FILE, &[&read("worker", banned)]), "allowed P5 - - -");
    assert_eq!(last(FILE, &[&read("worker", "notes/a.md")]), "refused P5 - access:default -");
    assert_eq!(last(FILE, &[&read("worker", "/etc/passwd")]), "refused P5 - access:path -");
}

/// 5. A claim from outside shows its independent verification status at every step.
#[test]
fn criterion_5_an_external_claim_shows_its_verification_status() {
    let evidence = |id: &str, source: &str, supports: bool| {
        format!(
            r#"{{"type":"evidence","id":"{id}","claim":"C-EXT-023","source":"{source}","supports":{supports}}}"#
        )
    };
    let lines = [
        evidence("1", " Vendor-Site ", true),
        evidence("2", "own-measurement", true),
        evidence("3", "press", false),
        evidence("4", "own-measurement-2", true),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let statuses: Vec<String> = play(FILE, &lines)
        .iter()
        .map(|verdict| verdict["verification_status"].as_str().unwrap_or("-").to_owned())
        .collect();
    assert_eq!(statuses, ["pending", "verified", "rejected", "rejected"]);
}

/// 6. A phase whose log was not updated at once is caught.
#[test]
fn criterion_6_a_phase_without_its_log_is_caught() {
    let silent = r#"{"type":"phase_end","phase":"P5"}"#;
    assert_eq!(last(FILE, &[START, WORKED, silent]), "refused P5 block ORCH_LOG_IMMEDIATE_UPDATE failed");
    let events: Vec<&str> = EVENTS.lines().collect();
    assert_eq!(told(&play(FILE, &events)[2]), "allowed P5 - - -");
}
