//! The plan session: `plan.json`, there while a session is in progress (NX-138), and its issues.
//!
//! Holds: an issue is pending or decided (NX-152); only a decided one has a decision. Elsewhere: archiving is
//! [`crate::close`].

mod change;
mod start;

use serde_json::{Map, Number, Value, json};

pub(crate) use change::{DecideRequest, UpdateRequest, decide, update};
pub(crate) use start::{StartRequest, start};

use crate::{
    DamagedFile, ToolError, Workspace,
    document::{Document, count_status, has_id},
};

pub(crate) const PENDING: &str = "pending";
pub(crate) const DECIDED: &str = "decided";

/// `plan_status`: the plan and how far it is.
pub(crate) fn status(workspace: &Workspace) -> Result<Value, ToolError> {
    let _lock = workspace.store().lock_for_reading()?;
    let Some(plan) = read(workspace)? else { return Ok(json!({"active": false})) };
    let issues = plan.list("issues")?;
    let mut answer = Map::new();
    answer.insert("active".into(), json!(true));
    for (name, field) in [("plan_id", "id"), ("topic", "topic")] {
        answer.extend(plan.fields.get(field).map(|value| (name.to_owned(), value.clone())));
    }
    answer.insert("issues".into(), json!(issues));
    answer.extend(plan.text("research_summary").map(|text| ("research_summary".to_owned(), json!(text))));
    let (pending, decided) = (count_status(issues, PENDING), count_status(issues, DECIDED));
    answer.insert("summary".into(), json!({"total": issues.len(), "pending": pending, "decided": decided}));
    Ok(Value::Object(answer))
}

/// The plan, `None` when there is no session. Whoever calls has a lock.
pub(crate) fn read(workspace: &Workspace) -> Result<Option<Document>, ToolError> {
    let path = workspace.layout().plan();
    let Some(bytes) = workspace.store().read(&path)? else { return Ok(None) };
    let plan = Document::parse(&path, &bytes)?;
    plan.list("issues")?;
    Ok(Some(plan))
}

/// The plan for a change: an error when there is none, or when we must not write it.
fn read_to_change(workspace: &Workspace) -> Result<Document, ToolError> {
    Ok(read(workspace)?.ok_or(ToolError::NoActivePlan)?.writable()?)
}

fn issue_mut<'a>(plan: &'a mut Document, id: &Number) -> Result<&'a mut Map<String, Value>, ToolError> {
    let issues = plan.list_mut("issues")?;
    let found = issues.iter_mut().find(|issue| has_id(issue, id)).and_then(Value::as_object_mut);
    found.ok_or_else(|| ToolError::IssueNotFound { id: id.to_string() })
}

/// How the plan stands in a cycle of the history: without the version of its file (C-03).
pub(crate) fn archived(plan: &Document) -> Result<Value, DamagedFile> {
    let mut fields = plan.fields.clone();
    fields.shift_remove("schema_version");
    Ok(Value::Object(fields))
}
