//! `history_search`: the newest cycles whose JSON contains a text.

use serde_json::{Map, Value, json};
use std::{collections::VecDeque, ops::Range};

use super::{matcher::Matcher, note_torn, records};
use crate::{
    DamagedFile, ToolError, Workspace, arguments::Arguments, error::AtPath, plan::DECIDED, workspace::hold,
};

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
    if matcher.as_ref().map_or(Ok(false), |matcher| is_nowhere(workspace, matcher))? {
        return Ok(json!({"total": 0, "showing": 0, "cycles": []}));
    }
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
    *hold(&workspace.whole_history) = spot.filter(|spot| spot.torn == 0);
    let mut cycles = Vec::with_capacity(newest.len());
    for place in &newest {
        let bytes = records(workspace).entry(store, place)?;
        let cycle = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("is damaged in the cycle at byte {} ({error})", place.start)))?;
        cycles.push(summary(&cycle));
    }
    Ok(json!({"total": total, "showing": cycles.len(), "cycles": cycles}))
}

/// Whether the raw bytes of a file that is known to be whole already say that nothing matches. A file that changed
/// since is not known, and is gone through cycle by cycle.
fn is_nowhere(workspace: &Workspace, matcher: &Matcher) -> Result<bool, ToolError> {
    let (store, path) = (workspace.store(), workspace.layout().history());
    let known = hold(&workspace.whole_history);
    let Some(spot) = known.as_ref() else { return Ok(false) };
    if !records(workspace).is_untouched(store, spot)? {
        return Ok(false);
    }
    let Some(mut file) = store.open(&path)? else { return Ok(false) };
    Ok(matcher.is_absent_from(&mut file).at("read", &path)?)
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

#[cfg(test)]
mod tests {
    use crate::{Layout, Tool, Workspace};
    use mi_model::Timestamp;
    use serde_json::{Value, json};

    /// What was found nowhere is found once somebody else has written it.
    #[test]
    fn nx_017_a_search_believes_only_an_unchanged_file() {
        let scratch = tempfile::tempdir().unwrap();
        let open = || Workspace::new(Layout::new(scratch.path()));
        let call = |workspace: &Workspace, tool, arguments: Value| {
            workspace.call(tool, &arguments, Timestamp::from_millis(1_790_000_000_000)).unwrap()
        };
        let (searching, other) = (open(), open());
        let close = |topic: &str| {
            call(&other, Tool::PlanStart, json!({"topic": topic, "issues": [], "research_summary": ""}));
            call(&other, Tool::TaskClose, json!({}));
        };
        let found = || call(&searching, Tool::HistorySearch, json!({"query": "zebra"}))["total"].clone();
        close("A horse");
        assert_eq!([found(), found()], [json!(0), json!(0)]);
        close("A ZEBRA");
        assert_eq!([found(), found()], [json!(1), json!(1)]);
    }
}
