//! A person's message: intake, its notices, and what the model is told about them (D.3, D.5, D.6, D.10, D.20–D.22).
//!
//! Holds: advisory, so it never blocks; what cannot be kept is read without a memory.

use mi_formats::hooks::GateAnswer;
use mi_gate::intake::{Intake, Mode, WordTable};
use serde_json::Value;

use super::{NativeCall, Said, said};
use crate::{
    HookError,
    gate::{Heard, Speaker, hear_once, known_decisions},
};

impl NativeCall<'_> {
    pub(super) fn user_message(&self) -> Result<Said, HookError> {
        let text = self.text("prompt").ok_or(HookError::Missing { name: "prompt" })?;
        let decisions = self.world.persona.as_deref().map(known_decisions).unwrap_or_default();
        let heard = Heard {
            text,
            task: None,
            diff: None,
            decisions: &decisions,
            words: &WordTable::default(),
            now: self.now(),
            locale: (self.world.locale)(),
        };
        let mut problems = Vec::new();
        let reading = match self.session() {
            Some(session) => {
                session.hear(&heard, Speaker::Person, self.world.mi_home.as_deref()).unwrap_or_else(|error| {
                    problems.push(error.to_string());
                    hear_once(&heard)
                })
            }
            None => hear_once(&heard),
        };
        if reading.output.is_empty() {
            return Ok(Said { problems, ..Said::nothing() });
        }
        let person = Some(said::harmless(&reading.output));
        Ok(Said { answer: GateAnswer::Note { model: Some(for_model(&reading)), person }, problems })
    }
}

/// What the model is to do with the notices.
fn for_model(reading: &Intake) -> String {
    let value = serde_json::to_value(reading).unwrap_or(Value::Null);
    let list = |name: &str| {
        let words = value[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.collect::<Vec<_>>().join(" ")
    };
    let mode = match reading.mode {
        Mode::Mirror => "mirror: do as asked, briefly",
        Mode::Challenge => "challenge: give the parts below before you go on, and wait where it says so",
        Mode::Obey => "obey: do it without debate",
    };
    let mut lines = vec![format!("[mi intake] mode {mode}")];
    for (name, found) in [("triggers", list("triggers")), ("speed", list("speed"))] {
        if !found.is_empty() {
            lines.push(format!("{name}: {found}"));
        }
    }
    if reading.spec_gate.blocked {
        lines.push("Do not begin: ask the person the questions below first.".to_owned());
    }
    lines.push("Repeat these notices to the person in your answer, as they stand:".to_owned());
    lines.push(reading.output.clone());
    said::harmless(&lines.join("\n"))
}
