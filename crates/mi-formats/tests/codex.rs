//! Streams of the real Codex (0.166), read into events.

use mi_formats::{AgentEvent, TurnEnd, codex};

fn events(name: &str) -> Vec<AgentEvent> {
    let path = format!("{}/tests/data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the capture is part of this crate");
    text.lines().map(codex::read_line).collect()
}

/// A whole turn: nothing is unknown, the command is unwrapped, usage is at the end.
#[test]
fn happy_turn_is_read_whole() {
    let events = events("happy");
    assert!(!events.iter().any(|event| matches!(event, AgentEvent::Unknown { .. })), "{events:?}");
    assert!(events.iter().any(|event| matches!(event,
        AgentEvent::CommandFinished { command, exit_code: Some(0), .. } if command == "sh hello.sh && ls")));
    assert!(
        matches!(events.last(), Some(AgentEvent::TurnEnded { end: TurnEnd::Completed, usage: Some(usage) }) if usage.total() == 480)
    );
}

/// Retries are warnings; only the terminal event says how the turn ended.
#[test]
fn retries_are_warnings_and_failures_are_failures() {
    let flaky = events("flaky");
    assert!(
        flaky.iter().any(
            |event| matches!(event, AgentEvent::Warning { message } if message.contains("Reconnecting"))
        )
    );
    assert!(matches!(flaky.last(), Some(AgentEvent::TurnEnded { end: TurnEnd::Completed, .. })));
    let failing = events("failing");
    assert!(matches!(failing.last(), Some(AgentEvent::TurnEnded { end: TurnEnd::Failed { .. }, .. })));
    assert!(!events("interrupted").iter().any(|event| matches!(event, AgentEvent::TurnEnded { .. })));
}

/// A zero that the item's own status speaks against is no exit code (11-autopilot-semantics, freshness and proof).
#[test]
fn a_zero_against_the_status_is_no_exit_code() {
    for (status, code, expected) in [
        ("completed", 0, Some(0)),
        ("failed", 1, Some(1)),
        ("failed", 0, None),
        ("declined", 0, None),
        ("in_progress", 0, None),
    ] {
        let line = format!(
            r#"{{"type":"item.completed","item":{{"id":"a","type":"command_execution","command":"make test","aggregated_output":"","exit_code":{code},"status":"{status}"}}}}"#
        );
        let event = codex::read_line(&line);
        let read = matches!(&event, AgentEvent::CommandFinished { exit_code, .. } if *exit_code == expected);
        assert!(read, "{status} {code}: {event:?}");
    }
}

/// Nothing that can stand on a line makes the reader fail.
#[test]
fn odd_lines_are_unknown_not_errors() {
    let odd = [
        "",
        "null",
        "[]",
        "5",
        "{",
        "{}",
        "\u{0}",
        r#"{"type":5}"#,
        r#"{"type":"item.completed"}"#,
        r#"{"type":"item.completed","item":{"type":"command_execution","exit_code":99999999999}}"#,
        r#"{"type":"item.started","item":{"type":"file_change","changes":"x"}}"#,
    ];
    for line in odd {
        let event = codex::read_line(line);
        assert!(!matches!(event, AgentEvent::TurnEnded { .. }), "{line}: {event:?}");
    }
}
