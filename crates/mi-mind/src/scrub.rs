//! Takes secrets out of text: the provider's own key by its letters, all others by the caller's redactor.

use serde_json::Value;

use crate::settings::{SecretText, Surroundings};

/// Shorter "keys" (placeholders for local servers) are ordinary words and are not looked for.
const SHORTEST_KEY: usize = 8;

/// A redactor that also knows the provider's key.
pub(crate) struct Scrubber<'a> {
    surroundings: &'a Surroundings,
    key: Option<&'a SecretText>,
}

impl<'a> Scrubber<'a> {
    pub(crate) fn new(surroundings: &'a Surroundings, key: Option<&'a SecretText>) -> Self {
        Self { surroundings, key: key.filter(|key| key.reveal().len() >= SHORTEST_KEY) }
    }

    /// The text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        match self.key {
            Some(key) if text.contains(key.reveal()) => {
                (self.surroundings.redact)(&text.replace(key.reveal(), "[mind key]"))
            }
            _ => (self.surroundings.redact)(text),
        }
    }

    /// The value with every string scrubbed, keys of objects included. Strings inside stay whole, so that an
    /// escaped secret is seen in the form the redactor knows.
    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(name, field)| (self.text(name), self.value(field))).collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// A raw line: as JSON where it is JSON, else as text.
    pub(crate) fn line(&self, line: &str) -> String {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => self.value(&value).to_string(),
            Err(_) => self.text(line),
        }
    }
}
