//! `task_close`, and how a cycle gets into the history.
//!
//! Holds: a cycle is on the disk before the files it came from are removed; a call that finds them archived already,
//! because an earlier one was killed in between, only removes them (NX-024, NX-096, NX-097).

use mi_model::Timestamp;
use serde_json::{Value, json};
use std::{fs, path::Path, time::SystemTime};

use crate::{
    Lock, ToolError, Workspace, branch,
    document::{Document, SCHEMA_VERSION, count_status},
    history, plan, tasks,
    workspace::hold,
};

/// What goes into the history.
pub(crate) struct Cycle<'a> {
    pub(crate) plan: Option<&'a Document>,
    pub(crate) tasks: &'a [Value],
}

pub(crate) fn close(workspace: &Workspace, now: Timestamp) -> Result<Value, ToolError> {
    let store = workspace.store();
    let lock = store.lock()?;
    let plan = plan::read(workspace)?.map(Document::writable).transpose()?;
    let list = tasks::read(workspace)?.map(Document::writable).transpose()?;
    let tasks = list.as_ref().map_or(Ok(&[][..]), |list| list.list("tasks"))?;
    let past = history::load(workspace)?;
    let past = archive(workspace, &lock, past, &Cycle { plan: plan.as_ref(), tasks }, now)?;
    *hold(&workspace.known_tasks) = None;
    let mut deleted = Vec::new();
    let files = [
        (workspace.layout().plan(), "plan.json", plan.is_some()),
        (workspace.layout().tasks(), "tasks.json", list.is_some()),
    ];
    for (path, name, _) in files.iter().filter(|(_, _, exists)| *exists) {
        store.remove(&lock, path)?;
        deleted.push(*name);
    }
    let decisions = plan
        .as_ref()
        .map_or(Ok(0), |plan| Ok::<_, ToolError>(count_status(plan.list("issues")?, plan::DECIDED)))?;
    let topics =
        [plan.as_ref().and_then(|plan| plan.text("topic")), list.as_ref().and_then(|list| list.text("goal"))];
    let topics: Vec<&str> = topics.into_iter().flatten().filter(|topic| !topic.is_empty()).collect();
    Ok(json!({
        "closed": true,
        "cycle": past.last_completed_at(),
        "branch": past.last_branch(),
        "archived": {"plan": plan.is_some(), "decisions": decisions, "tasks": tasks.len()},
        "deleted": deleted,
        "total_cycles": past.count(),
        "memoryHint": {"taskCount": tasks.len(), "decisionCount": decisions, "cycleTopics": topics},
    }))
}

/// Adds a cycle to the history, unless it is the last one there already.
pub(crate) fn archive(
    workspace: &Workspace,
    lock: &Lock,
    past: history::Past,
    cycle: &Cycle<'_>,
    now: Timestamp,
) -> Result<history::Past, ToolError> {
    let plan = cycle.plan.map(plan::archived).transpose()?;
    if is_archived(workspace, &past, plan.as_ref(), cycle.tasks) {
        return Ok(past);
    }
    let entry = json!({
        "schema_version": SCHEMA_VERSION,
        "completed_at": now,
        "branch": branch::current(workspace.layout().project()),
        "plan": plan,
        "tasks": cycle.tasks,
    });
    history::append(workspace, lock, past, entry)
}

/// Whether everything that is there now stands in the last cycle, which was written after it.
fn is_archived(workspace: &Workspace, past: &history::Past, plan: Option<&Value>, tasks: &[Value]) -> bool {
    let Some(last) = &past.last else { return false };
    let same_plan = plan.is_none_or(|plan| last.get("plan") == Some(plan));
    let same_tasks =
        tasks.is_empty() || last.get("tasks").and_then(Value::as_array).is_some_and(|last| last == tasks);
    let layout = workspace.layout();
    let older = |path: &Path| {
        modified(path).is_none_or(|own| modified(&layout.history()).is_some_and(|then| own <= then))
    };
    (plan.is_some() || !tasks.is_empty())
        && same_plan
        && same_tasks
        && older(&layout.plan())
        && older(&layout.tasks())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
