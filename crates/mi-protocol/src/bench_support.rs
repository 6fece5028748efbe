//! For measuring: one guard on the built-in state, evaluated again and again without a memory of results.

use crate::{
    event_kind::{EventKind, TEXT_NAMES},
    expr::{self, Checked, Facts, Value},
    state::{self, Field},
};

/// A compiled guard and the state it reads.
#[derive(Debug)]
pub struct Guard {
    checked: Checked,
    fields: Vec<Field>,
    slots: Vec<Value>,
}

impl Guard {
    /// The guard, or why it is none.
    pub fn compile(text: &str) -> Result<Self, String> {
        let fields = state::built_in("P5");
        let checked = expr::compile(text, &fields).map_err(|error| error.message)?;
        let slots = fields.iter().map(|field| field.default.clone()).collect();
        Ok(Self { checked, fields, slots })
    }

    /// Sets fields from JSON texts; what does not fit is left as it was.
    pub fn set_all(&mut self, values: &[(&str, &str)]) {
        for (name, text) in values {
            let slot = self.fields.iter().position(|field| field.name == *name);
            let value: Option<Value> = serde_json::from_str(text).ok();
            if let (Some(slot), Some(value)) = (slot, value)
                && let Ok(value) = self.fields[slot].fit(value)
            {
                self.slots[slot] = value;
            }
        }
    }

    /// Whether it holds; evaluated every time.
    pub fn holds(&self) -> bool {
        let texts = [""; TEXT_NAMES.len()];
        let facts = Facts { state: &self.slots, event: EventKind::Transition, texts: &texts };
        self.checked.program.truth(facts) == Ok(true)
    }
}
