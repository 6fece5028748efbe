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

/// Adds a cycle to the history, without what stands in the last one already: a call that was killed left it there.
pub(crate) fn archive(
    workspace: &Workspace,
    lock: &Lock,
    past: history::Past,
    cycle: &Cycle<'_>,
    now: Timestamp,
) -> Result<history::Past, ToolError> {
    let plan = cycle.plan.map(plan::archived).transpose()?;
    let plan_is_there = plan.as_ref().is_some_and(|plan| has_plan(workspace, &past, plan));
    let tasks_are_there = has_tasks(workspace, &past, cycle.tasks);
    if plan_is_there || tasks_are_there {
        let note = "an earlier call was interrupted after it had archived; what stands in the history is not archived again";
        workspace.store().note(note.to_owned());
        if (plan_is_there || plan.is_none()) && (tasks_are_there || cycle.tasks.is_empty()) {
            return Ok(past);
        }
    }
    let entry = json!({
        "schema_version": SCHEMA_VERSION,
        "completed_at": now,
        "branch": branch::current(workspace.layout().project()),
        "plan": plan.filter(|_| !plan_is_there),
        "tasks": if tasks_are_there { &[] } else { cycle.tasks },
    });
    history::append(workspace, lock, past, entry)
}

/// Removes a task list that a `task_close` archived with this plan before it was killed: a new plan must not get it.
pub(crate) fn drop_archived_tasks(
    workspace: &Workspace,
    lock: &Lock,
    past: &history::Past,
    plan: &Document,
) -> Result<(), ToolError> {
    if !has_plan(workspace, past, &plan::archived(plan)?) {
        return Ok(());
    }
    let Some(list) = tasks::read(workspace)? else { return Ok(()) };
    if has_tasks(workspace, past, list.list("tasks")?) {
        *hold(&workspace.known_tasks) = None;
        workspace.store().remove(lock, &workspace.layout().tasks())?;
    }
    Ok(())
}

/// Whether the plan stands in the last cycle, which was written after it.
fn has_plan(workspace: &Workspace, past: &history::Past, plan: &Value) -> bool {
    let same = past.last.as_ref().is_some_and(|last| last.get("plan") == Some(plan));
    same && is_before_history(workspace, &workspace.layout().plan())
}

/// The same for tasks; no tasks are not there.
fn has_tasks(workspace: &Workspace, past: &history::Past, tasks: &[Value]) -> bool {
    let last = past.last.as_ref().and_then(|last| last.get("tasks")).and_then(Value::as_array);
    let same = !tasks.is_empty() && last.is_some_and(|last| last == tasks);
    same && is_before_history(workspace, &workspace.layout().tasks())
}

fn is_before_history(workspace: &Workspace, path: &Path) -> bool {
    let history = modified(&workspace.layout().history());
    modified(path).is_none_or(|own| history.is_some_and(|then| own <= then))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
