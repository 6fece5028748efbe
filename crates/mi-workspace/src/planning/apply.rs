//! The drafts of decided issues become tasks: all of them in one write, or none.
//!
//! Holds: plan and tasks are read and changed under one lock, so that two callers do not add the same tasks twice, and a
//! kill leaves no issue with half of its tasks, which the next synthesis would take for done.

use mi_model::Timestamp;
use serde_json::{Value, json};

use super::{PlanState, ReadPlanError, Synthesis, synthesize};
use crate::{
    ToolError, Workspace,
    arguments::Arguments,
    document::{highest_id, next_id},
    plan,
    tasks::{self, AddRequest},
};

/// Why no task was added.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Plan(#[from] ReadPlanError),
}

/// Adds the tasks that the decided issues still need; returns them with their ids.
pub fn apply(workspace: &Workspace, now: Timestamp) -> Result<(Synthesis, Vec<i64>), ApplyError> {
    // Nothing is created for a change that cannot be made.
    if plan::read(workspace)?.is_none() {
        return Err(ToolError::NoActivePlan.into());
    }
    let lock = workspace.store().lock().map_err(ToolError::from)?;
    let plan = plan::read(workspace)?.ok_or(ToolError::NoActivePlan)?;
    let list = tasks::read(workspace)?;
    let (mut entries, mut decisions) = (&[][..], Value::Null);
    if let Some(list) = &list {
        entries = list.list("tasks").map_err(ToolError::from)?;
        decisions = list.fields.get("decisions").cloned().unwrap_or_default();
    }
    let state = PlanState::read(
        &json!({"active": true, "topic": plan.text("topic"), "issues": plan.fields.get("issues")}),
        &json!({ "tasks": entries }),
        &json!({ "decisions": decisions }),
    )?;
    let made = synthesize(&state);
    let next = i64::try_from(next_id(highest_id(entries))?).unwrap_or(i64::MAX);
    let ids: Vec<i64> = (next..).take(made.drafts.len()).collect();
    let read = |place| AddRequest::read(&Arguments::new(&made.arguments(place, &ids))?);
    let requests = (0..made.drafts.len()).map(read).collect::<Result<Vec<_>, _>>()?;
    if !requests.is_empty() {
        tasks::add_all(workspace, &lock, list, requests, now)?;
    }
    Ok((made, ids))
}
