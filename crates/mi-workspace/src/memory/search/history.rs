//! Finished cycles as documents of a search.

use serde_json::Value;
use std::{io, ops::Range};

use super::{query::Query, rank::Ranking, source::Source};
use crate::memory::cycles::{Reading, Snapshot, tell_texts};

/// Where one cycle stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CyclePlace {
    /// Counted from 1, oldest first.
    pub(crate) number: u64,
    bytes: Range<u64>,
}

/// A cycle as it is shown.
pub(crate) struct ShownCycle {
    pub(crate) title: String,
    pub(crate) completed_at: Option<String>,
    pub(crate) branch: Option<String>,
    /// All its texts, one per line.
    pub(crate) text: String,
}

/// Adds every cycle to a ranking. How long one is counts by its bytes, so that only those are looked into that may
/// have a word of the query.
pub(crate) fn rank<T>(
    history: &Snapshot,
    query: &Query,
    ranking: &mut Ranking<T>,
    what: impl Fn(CyclePlace) -> T,
) -> io::Result<Reading> {
    let (mut number, mut counts, mut damaged) = (0, query.nothing(), None);
    let reading = history.each_cycle(|cycle, bytes| {
        number += 1;
        counts.clear();
        if query.may_be_in_json(cycle) {
            let read = tell_texts(cycle, &mut |key, text| {
                if let Some(weight) = weight(key) {
                    query.count(text, weight, &mut counts);
                }
            });
            if read.is_err() {
                damaged = damaged.or(Some(Reading::Damaged { at: bytes.start }));
            }
        }
        counts.length = u32::try_from(cycle.len()).unwrap_or(u32::MAX);
        ranking.add(Source::History, &counts, || what(CyclePlace { number, bytes }));
    })?;
    Ok(damaged.unwrap_or(reading))
}

/// Reads one cycle again, to show it.
pub(crate) fn show(history: &Snapshot, place: &CyclePlace) -> io::Result<ShownCycle> {
    let cycle: Value = serde_json::from_slice(&history.cycle(&place.bytes)?).unwrap_or(Value::Null);
    let text_at = |pointer: &str| cycle.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let title = text_at("/plan/topic").or_else(|| text_at("/tasks/0/title")).unwrap_or_default();
    let mut text = String::new();
    collect("", &cycle, &mut text);
    Ok(ShownCycle { title, completed_at: text_at("/completed_at"), branch: text_at("/branch"), text })
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
