//! Events for programs: one JSON object per line, each with `event`, `ts` and `run_id`.

use mi_autopilot::RunEvent;
use mi_model::{RunId, Timestamp, record::Entry};
use serde::Serialize;

/// The line for one event, with its end. Written in one go: outputs of commands pass through here.
pub fn line(event: &RunEvent) -> Option<Vec<u8>> {
    let line = match event {
        RunEvent::Recorded { ts, run_id, seq, entry } => {
            let object = serde_json::to_vec(entry).ok()?;
            joined(head(name(entry), ts, run_id, ("seq", seq))?, &object[1..])
        }
        RunEvent::Agent { ts, run_id, batch, event } => {
            // The event's own name comes first, and is told with the others in front.
            let object = serde_json::to_vec(event).ok()?;
            let named = object.strip_prefix(br#"{"event":""#)?;
            let end = named.iter().position(|byte| *byte == b'"')?;
            let name = format!("agent.{}", std::str::from_utf8(&named[..end]).ok()?);
            let rest = named[end + 1..].strip_prefix(b",").unwrap_or(&named[end + 1..]);
            joined(head(&name, ts, run_id, ("batch_id", &format!("b{batch}")))?, rest)
        }
        RunEvent::CounterChecking { ts, run_id, progress } => {
            joined(head("counter_check.progress", ts, run_id, ("doing", &progress.to_string()))?, b"}")
        }
        RunEvent::AskingMind { ts, run_id, prompt } => {
            joined(head("mind.asked", ts, run_id, ("prompt", prompt))?, b"}")
        }
    };
    Some(line)
}

/// The fields that every event has, and one more; the object is left open.
fn head(name: &str, ts: &Timestamp, run_id: &RunId, more: (&str, &impl Serialize)) -> Option<Vec<u8>> {
    let mut text = serde_json::to_vec(&Head { event: name, ts, run_id }).ok()?;
    text.pop();
    text.extend_from_slice(format!(r#","{}":"#, more.0).as_bytes());
    serde_json::to_writer(&mut text, more.1).ok()?;
    Some(text)
}

#[derive(Serialize)]
struct Head<'a> {
    event: &'a str,
    ts: &'a Timestamp,
    run_id: &'a RunId,
}

/// An open object, the rest of another, and the end of the line.
fn joined(mut text: Vec<u8>, rest: &[u8]) -> Vec<u8> {
    if rest != b"}" {
        text.push(b',');
    }
    text.extend_from_slice(rest);
    text.push(b'\n');
    text
}

/// The name under which a record is announced.
fn name(entry: &Entry) -> &'static str {
    match entry {
        Entry::RunStarted(_) => "run.started",
        Entry::CodexInput(_) => "batch.started",
        Entry::EvidenceItem(item) if item.read_by.is_some() => "evidence.read",
        Entry::EvidenceItem(_) => "batch.ended",
        Entry::RiskEvent(_) => "risk.judged",
        Entry::CheckPlan(_) => "checks.planned",
        Entry::AutoAnswer(_) => "question.auto_answered",
        Entry::Decision(_) => "decision.made",
        Entry::LoopGuard(_) => "loop.detected",
        Entry::Question(_) => "question.asked",
        Entry::UserInput(_) => "question.answered",
        Entry::MindCall(_) => "mind.answered",
        Entry::Overlay(_) => "overlay.changed",
        Entry::Learned(_) => "learned.added",
        Entry::Interrupt(_) => "agent.interrupted",
        Entry::Protocol(_) => "protocol.judged",
        Entry::ProtocolEvidence(_) => "protocol.evidence_read",
        Entry::CounterCheck(_) => "counter_check.finished",
        Entry::NotVerified(_) => "verification.failed",
        Entry::Accepted(_) => "criteria.accepted",
        Entry::Note(_) => "note",
        Entry::RunFinished(_) => "run.finished",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mi_formats::AgentEvent;
    use mi_model::record::Note;

    /// Every kind of event is one object with its fields in their order, also one without fields of its own.
    #[test]
    fn lines_are_whole_objects() {
        let (ts, run_id) = (Timestamp::from_millis(0), RunId::new("r1"));
        let head = r#""ts":"1970-01-01T00:00:00.000Z","run_id":"r1""#;
        let entry = Entry::Note(Note { message: "\"hi\"".to_owned(), path: String::new() });
        let agent = |event| RunEvent::Agent { ts, run_id: run_id.clone(), batch: 2, event };
        let cases = [
            (
                RunEvent::Recorded { ts, run_id: run_id.clone(), seq: 7, entry: Box::new(entry) },
                format!(r#"{{"event":"note",{head},"seq":7,"kind":"note","message":"\"hi\"","path":""}}"#),
            ),
            (
                agent(AgentEvent::Message { text: "a\nb".to_owned() }),
                format!(r#"{{"event":"agent.message",{head},"batch_id":"b2","text":"a\nb"}}"#),
            ),
            (
                agent(AgentEvent::TurnStarted),
                format!(r#"{{"event":"agent.turn_started",{head},"batch_id":"b2"}}"#),
            ),
            (
                RunEvent::AskingMind { ts, run_id: run_id.clone(), prompt: "decide_next" },
                format!(r#"{{"event":"mind.asked",{head},"prompt":"decide_next"}}"#),
            ),
        ];
        for (event, expected) in cases {
            assert_eq!(String::from_utf8(line(&event).unwrap()).unwrap(), expected + "\n");
        }
    }
}
