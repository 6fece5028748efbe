//! Finished cycles as documents of a search.

use serde_json::Value;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

use super::{
    query::{Counts, Query},
    rank::Ranking,
    source::Source,
};
use crate::{
    FileError, Store,
    memory::cycles::{CycleSink, Reading, read_cycles},
};

/// Where one cycle stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CyclePlace {
    /// Counted from 1, oldest first.
    pub(crate) number: u64,
    bytes: Range<u64>,
}

/// An open history; its reader holds the lock.
pub(crate) struct History {
    file: File,
}

/// A cycle as it is shown.
pub(crate) struct ShownCycle {
    pub(crate) title: String,
    pub(crate) completed_at: Option<String>,
    pub(crate) branch: Option<String>,
    /// All its texts, one per line.
    pub(crate) text: String,
}

impl History {
    /// `None` when there is no history.
    pub(crate) fn open(store: &Store) -> Result<Option<Self>, FileError> {
        Ok(store.open(&store.layout().history())?.map(|file| Self { file }))
    }

    /// Adds every cycle to a ranking.
    pub(crate) fn rank<T>(
        &self,
        query: &Query,
        ranking: &mut Ranking<T>,
        what: impl Fn(CyclePlace) -> T,
    ) -> io::Result<Reading> {
        let mut sink = Ranked { query, ranking, what, counts: query.nothing(), number: 0 };
        read_cycles(&self.file, &mut sink)
    }

    /// Reads one cycle again, to show it.
    pub(crate) fn show(&self, place: &CyclePlace) -> io::Result<ShownCycle> {
        let length = usize::try_from(place.bytes.end - place.bytes.start).unwrap_or(0);
        let mut bytes = vec![0; length];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.bytes.start))?;
        file.read_exact(&mut bytes)?;
        let cycle: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(shown(&cycle))
    }
}

struct Ranked<'a, T, F: Fn(CyclePlace) -> T> {
    query: &'a Query,
    ranking: &'a mut Ranking<T>,
    what: F,
    counts: Counts,
    number: u64,
}

impl<T, F: Fn(CyclePlace) -> T> CycleSink for Ranked<'_, T, F> {
    fn text(&mut self, key: &str, value: &str) {
        if let Some(weight) = weight(key) {
            self.query.count(value, weight, &mut self.counts);
        }
    }

    fn end(&mut self, bytes: Range<u64>) {
        self.number += 1;
        let place = CyclePlace { number: self.number, bytes };
        self.ranking.add(Source::History, &self.counts, || (self.what)(place));
        self.counts.clear();
    }
}

/// How much the texts under a key weigh; `None` for what no person would search for.
fn weight(key: &str) -> Option<f32> {
    match key {
        "completed_at" | "created_at" | "status" | "schema_version" | "owner_agent_id"
        | "owner_reuse_policy" => None,
        "topic" | "title" | "goal" => Some(2.0),
        _ => Some(1.0),
    }
}

fn shown(cycle: &Value) -> ShownCycle {
    let text_at = |pointer: &str| cycle.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let title = text_at("/plan/topic").or_else(|| text_at("/tasks/0/title")).unwrap_or_default();
    let mut text = String::new();
    collect("", cycle, &mut text);
    ShownCycle { title, completed_at: text_at("/completed_at"), branch: text_at("/branch"), text }
}

fn collect(key: &str, value: &Value, text: &mut String) {
    match value {
        Value::String(string) if weight(key).is_some() => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, text)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| collect(key, value, text)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
