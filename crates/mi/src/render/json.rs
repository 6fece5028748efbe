//! Events for programs: one JSON object per line, each with `event`, `ts` and `run_id`.

use mi_autopilot::RunEvent;
use mi_model::{RunId, Timestamp, record::Entry};
use serde_json::{Map, Value, json};

/// The line for one event.
pub fn line(event: &RunEvent) -> Option<Value> {
    match event {
        RunEvent::Recorded { ts, run_id, seq, entry } => {
            let mut object = head(name(entry), ts, run_id);
            object.insert("seq".to_owned(), json!(seq));
            if let Ok(Value::Object(fields)) = serde_json::to_value(entry) {
                object.extend(fields);
            }
            Some(Value::Object(object))
        }
        RunEvent::Agent { ts, run_id, batch, event } => {
            let Ok(Value::Object(mut fields)) = serde_json::to_value(event) else { return None };
            let kind = fields.remove("event")?;
            let mut object = head(&format!("agent.{}", kind.as_str()?), ts, run_id);
            object.insert("batch_id".to_owned(), json!(format!("b{batch}")));
            object.extend(fields);
            Some(Value::Object(object))
        }
        RunEvent::AskingMind { ts, run_id, prompt } => {
            let mut object = head("mind.asked", ts, run_id);
            object.insert("prompt".to_owned(), json!(prompt));
            Some(Value::Object(object))
        }
    }
}

fn head(name: &str, ts: &Timestamp, run_id: &RunId) -> Map<String, Value> {
    let Value::Object(object) = json!({"event": name, "ts": ts, "run_id": run_id}) else { return Map::new() };
    object
}

/// The name under which a record is announced.
fn name(entry: &Entry) -> &'static str {
    match entry {
        Entry::RunStarted(_) => "run.started",
        Entry::CodexInput(_) => "batch.started",
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
        Entry::Note(_) => "note",
        Entry::RunFinished(_) => "run.finished",
    }
}
