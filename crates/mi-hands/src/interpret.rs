//! Lines of one process to events, and events to how the turn stands.

use mi_formats::{AgentEvent, TurnEnd, codex, text};
use mi_model::Usage;
use serde_json::Value;
use std::collections::BTreeMap;

/// How many different event types are counted by name; a flood of invented ones is counted as `other`.
const MAX_TYPES: usize = 100;
/// The longest name of a type that is kept.
const MAX_TYPE_BYTES: usize = 80;

/// Which stream an agent writes.
#[derive(Debug)]
pub(crate) enum Dialect {
    /// Codex events and nothing else.
    Codex,
    /// Text, or codex events, or both.
    Text(text::Reader),
}

impl Dialect {
    pub(crate) fn text() -> Self {
        Self::Text(text::Reader::default())
    }
}

/// Reads the lines of one batch.
#[derive(Debug)]
pub(crate) struct Interpreter {
    dialect: Dialect,
    pub(crate) turn: Turn,
    pub(crate) event_types: BTreeMap<String, u64>,
    pub(crate) item_types: BTreeMap<String, u64>,
    pub(crate) unknown_events: u64,
}

/// How the turn stands, from what the agent itself reported.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) thread_id: Option<String>,
    pub(crate) said_something: bool,
    pub(crate) saw_codex_event: bool,
    pub(crate) end: Option<TurnEnd>,
    pub(crate) usage: Option<Usage>,
}

impl Interpreter {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            turn: Turn::default(),
            event_types: BTreeMap::new(),
            item_types: BTreeMap::new(),
            unknown_events: 0,
        }
    }

    /// The event of one line of standard output; plain text yields none.
    pub(crate) fn line(&mut self, line: &str) -> Option<AgentEvent> {
        let object = line.starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
        let event = match (object, &mut self.dialect) {
            (Some(value), dialect) => {
                self.turn.saw_codex_event |= codex::is_codex(&value);
                count_types(&value, &mut self.event_types, &mut self.item_types);
                read_object(&value, dialect)
            }
            (None, Dialect::Codex) if line.trim().is_empty() => return None,
            (None, Dialect::Codex) => {
                count(&mut self.event_types, "not_json");
                AgentEvent::Unknown { kind: "not_json".to_owned() }
            }
            (None, Dialect::Text(reader)) => return reader.read_line(line),
        };
        self.note(&event);
        Some(event)
    }

    /// What the stream as a whole said, once it has ended: the text of a plain program.
    pub(crate) fn finish(&mut self) -> Option<AgentEvent> {
        let Dialect::Text(reader) = &mut self.dialect else { return None };
        // Of a program that reported a message, that is its answer, and stray text is only text.
        if self.turn.said_something {
            return None;
        }
        let event = std::mem::take(reader).finish()?;
        self.note(&event);
        Some(event)
    }

    fn note(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::ThreadStarted { thread_id } => self.turn.thread_id = Some(thread_id.clone()),
            AgentEvent::Message { .. } => self.turn.said_something = true,
            AgentEvent::TurnEnded { end, usage } => {
                self.turn.end = Some(end.clone());
                self.turn.usage = usage.or(self.turn.usage);
            }
            AgentEvent::Unknown { .. } => self.unknown_events += 1,
            AgentEvent::TurnStarted
            | AgentEvent::Reasoning { .. }
            | AgentEvent::CommandStarted { .. }
            | AgentEvent::CommandFinished { .. }
            | AgentEvent::FilesChanged { .. }
            | AgentEvent::ToolCall { .. }
            | AgentEvent::WebSearch { .. }
            | AgentEvent::Plan { .. }
            | AgentEvent::Warning { .. } => {}
        }
    }
}

fn read_object(value: &Value, dialect: &Dialect) -> AgentEvent {
    if matches!(dialect, Dialect::Codex) || codex::is_codex(value) {
        return codex::read_value(value);
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("json");
    AgentEvent::Unknown { kind: kind.to_owned() }
}

fn count_types(value: &Value, events: &mut BTreeMap<String, u64>, items: &mut BTreeMap<String, u64>) {
    count(events, value.get("type").and_then(Value::as_str).unwrap_or("no_type"));
    if let Some(item) = value.pointer("/item/type").and_then(Value::as_str) {
        count(items, item);
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(number) = counts.get_mut(name) {
        *number += 1;
        return;
    }
    let is_kept = counts.len() < MAX_TYPES && name.len() <= MAX_TYPE_BYTES;
    *counts.entry(if is_kept { name } else { "other" }.to_owned()).or_insert(0) += 1;
}
