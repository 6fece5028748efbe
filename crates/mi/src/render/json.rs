//! Events for programs: one JSON object per line, each with `event`, `ts` and `run_id`.

use mi_autopilot::RunEvent;
use mi_model::record::Entry;
use serde_json::{Map, Value, json};

/// The line for one event; a tick has none.
pub fn line(event: &RunEvent) -> Option<Value> {
    match event {
        RunEvent::Recorded(record) => {
            let mut object = Map::new();
            object.insert("event".to_owned(), json!(name(&record.entry)));
            if let Ok(Value::Object(fields)) = serde_json::to_value(record) {
                object.extend(fields);
            }
            Some(Value::Object(object))
        }
        RunEvent::Agent { ts, run_id, batch, event } => {
            let mut object = Map::new();
            object.insert("event".to_owned(), Value::Null);
            object.insert("ts".to_owned(), json!(ts));
            object.insert("run_id".to_owned(), json!(run_id));
            object.insert("batch_id".to_owned(), json!(format!("b{batch}")));
            if let Ok(Value::Object(mut fields)) = serde_json::to_value(event) {
                let kind = fields.remove("event");
                object.extend(fields);
                let kind = kind.as_ref().and_then(Value::as_str).unwrap_or("event").to_owned();
                object.insert("event".to_owned(), json!(format!("agent.{kind}")));
            }
            Some(Value::Object(object))
        }
        RunEvent::AskingMind { ts, run_id, prompt } => {
            Some(json!({"event": "mind.asked", "ts": ts, "run_id": run_id, "prompt": prompt}))
        }
        RunEvent::Tick { .. } => None,
    }
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
        Entry::Note(_) => "note",
        Entry::RunFinished(_) => "run.finished",
    }
}
