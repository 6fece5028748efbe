//! A reading for people: the same as `--json` has, and nothing about what was not found.

use mi_gate::intake::Intake;
use serde_json::Value;

/// The lines; `value` is the reading as JSON, for the names of its words.
pub(super) fn of(reading: &Intake, value: &Value) -> Vec<String> {
    let word = |name: &str| value[name].as_str().unwrap_or("-").to_owned();
    let list = |name: &str| {
        let items = value[name].as_array().into_iter().flatten().filter_map(|item| item.as_str());
        let items: Vec<&str> = items.collect();
        if items.is_empty() { "none".to_owned() } else { items.join(" ") }
    };
    let score = reading.risk.score.map_or("none (blocked)".to_owned(), |score| score.to_string());
    let mut lines = vec![
        format!("mode {}  triggers {}  speed {}", word("mode"), list("triggers"), list("speed")),
        format!(
            "risk {score}  {}  tier {}  batch {}",
            word("orchestration"),
            word("tier"),
            reading.batch.count
        ),
    ];
    let factors = reading.risk.factors.iter();
    lines.extend(factors.map(|factor| format!("  {:+} {}: {}", factor.points, factor.name, factor.why)));
    lines.extend(found(reading));
    lines.extend(saved(reading));
    if !reading.output.is_empty() {
        lines.push(reading.output.clone());
    }
    lines
}

/// What stands in the message.
fn found(reading: &Intake) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for secret in &reading.secrets {
        lines.push(format!(
            "secret {}, {} characters, fingerprint {}",
            secret.kind, secret.length, secret.fingerprint
        ));
    }
    if !reading.contradicts.is_empty() {
        lines.push(format!("contradicts {}", reading.contradicts.join(" ")));
    }
    lines.extend(reading.spec_gate.questions.iter().map(|question| format!("unclear: {question}")));
    if reading.batch.approved {
        lines.push("the size of the batch is approved".to_owned());
    }
    if reading.batch.split {
        lines.push("the batch is to be split; first:".to_owned());
        lines.extend(reading.batch.first.iter().map(|item| format!("  {item}")));
    }
    if reading.needs_acknowledgement {
        let id = reading.acknowledge.as_deref().map(|id| format!(": mi ack {id}")).unwrap_or_default();
        lines.push(format!("needs your acknowledgement{id}"));
    }
    lines
}

/// What is to be kept of it, and whether the session ends.
fn saved(reading: &Intake) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let trigger = |number: Option<u8>| number.map(|number| format!(", trigger {number}")).unwrap_or_default();
    if reading.cognitive.signal {
        let about = [reading.cognitive.kind, reading.cognitive.description.as_deref()];
        lines.push(format!("worth keeping: {}", about.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    }
    if let Some(description) = &reading.cognitive.save {
        lines.push(format!("to be saved as a proposal: {description}"));
    }
    if reading.autosave.trigger {
        lines.push(format!("auto-save{}", trigger(reading.autosave.number)));
    }
    if let Some(why) = reading.autosave.held_back {
        lines.push(format!("auto-save is held back: {why}"));
    }
    if reading.session_end.signal {
        lines.push(format!("the session ends{}", trigger(reading.session_end.number)));
    }
    lines
}
