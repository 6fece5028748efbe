//! `history_search`: the newest cycles whose JSON contains a text.

use serde_json::{Map, Value, json};
use std::{collections::VecDeque, ops::Range};

use super::{matcher::Matcher, note_torn, records};
use crate::{DamagedFile, ToolError, Workspace, arguments::Arguments, plan::DECIDED};

const DEFAULT_LAST: usize = 10;

/// What is looked for, and how many are wanted.
#[derive(Debug)]
pub(crate) struct SearchRequest {
    query: Option<String>,
    last_n: usize,
}

impl SearchRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let query = arguments.optional_text("query")?.filter(|query| !query.is_empty());
        Ok(Self { query, last_n: arguments.optional_count("last_n")?.unwrap_or(DEFAULT_LAST) })
    }
}

/// The last matches in the order of the ledger, oldest first (C-15).
pub(crate) fn search(workspace: &Workspace, request: &SearchRequest) -> Result<Value, ToolError> {
    let store = workspace.store();
    let _lock = store.lock_for_reading()?;
    let matcher = request.query.as_deref().map(Matcher::new);
    let (mut total, mut index, mut bad) = (0_u64, 0_usize, None);
    let mut newest: VecDeque<Range<u64>> = VecDeque::new();
    let spot = records(workspace).load(store, |bytes, place| {
        match matcher.as_ref().map_or(Ok(true), |matcher| matcher.matches(bytes)) {
            Ok(true) => {
                total += 1;
                newest.push_back(place);
                if newest.len() > request.last_n {
                    newest.pop_front();
                }
            }
            Ok(false) => {}
            Err(error) => bad = bad.take().or(Some((index, error))),
        }
        index += 1;
    })?;
    let damaged = |what: String| DamagedFile::new(&workspace.layout().history(), what);
    if let Some((index, error)) = bad {
        return Err(damaged(format!("is damaged in `cycles[{index}]` ({error})")).into());
    }
    if let Some(spot) = &spot {
        note_torn(workspace, spot);
    }
    let mut cycles = Vec::with_capacity(newest.len());
    for place in &newest {
        let bytes = records(workspace).entry(store, place)?;
        let cycle = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("is damaged in the cycle at byte {} ({error})", place.start)))?;
        cycles.push(summary(&cycle));
    }
    Ok(json!({"total": total, "showing": cycles.len(), "cycles": cycles}))
}

fn summary(cycle: &Value) -> Value {
    let mut told = Map::new();
    for name in ["completed_at", "branch"] {
        told.extend(cycle.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    if let Some(plan) = cycle.get("plan").filter(|plan| plan.is_object()) {
        told.extend(plan.get("topic").map(|topic| ("topic".to_owned(), topic.clone())));
        told.insert("decisions".into(), decisions(plan));
    }
    let tasks = cycle.get("tasks").and_then(Value::as_array);
    told.extend(tasks.map(|tasks| ("task_count".to_owned(), json!(tasks.len()))));
    Value::Object(told)
}

fn decisions(plan: &Value) -> Value {
    let issues = plan.get("issues").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let decided = issues.iter().filter(|issue| issue.get("status").and_then(Value::as_str) == Some(DECIDED));
    let told = |issue: &Value| {
        let fields = ["title", "decision"].into_iter();
        let fields = fields.filter_map(|name| Some((name.to_owned(), issue.get(name)?.clone())));
        Value::Object(fields.collect())
    };
    decided.map(told).collect()
}
