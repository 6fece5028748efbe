//! The task list: `tasks.json`, there from the first `task_add` to `task_close` (NX-139).
//!
//! Holds: a task is pending, in progress or completed, and may go from each to each (NX-151, NX-086); whether it is
//! ready is computed, never stored. Elsewhere: how a task gets into the file is [`crate::records`].

mod add;

use serde_json::{Number, Value, json};
use std::collections::HashSet;

pub(crate) use add::{AddRequest, Known, add, add_all};

use crate::{
    ToolError, Workspace,
    arguments::{Arguments, plain_number},
    document::{Document, count_status, has_id},
    records::{Growth, Records},
    workspace::hold,
};

const PENDING: &str = "pending";
const IN_PROGRESS: &str = "in_progress";
const COMPLETED: &str = "completed";

/// `task_list`: every task, and how far the work is.
pub(crate) fn list(workspace: &Workspace) -> Result<Value, ToolError> {
    let _lock = workspace.store().lock_for_reading()?;
    let Some(document) = read(workspace)? else { return Ok(json!({"exists": false})) };
    let tasks = document.list("tasks")?;
    Ok(json!({
        "goal": document.text("goal").unwrap_or_default(),
        "tasks": tasks,
        "summary": {
            "total": tasks.len(),
            "completed": count_status(tasks, COMPLETED),
            "pending": count_status(tasks, PENDING),
            // The contract calls it so (C-06).
            "blocked": count_status(tasks, IN_PROGRESS),
            "ready": ready(tasks),
        },
    }))
}

/// The ids of pending tasks whose dependencies are all completed; one that names no task never is (NX-068).
fn ready(tasks: &[Value]) -> Vec<Number> {
    let id = |task: &Value| task.get("id").and_then(plain_number);
    let completed: HashSet<Number> = with_status(tasks, COMPLETED).filter_map(id).collect();
    let is_ready = |task: &&Value| {
        let deps = task.get("deps").and_then(Value::as_array);
        let done = |dep: &Value| plain_number(dep).is_some_and(|dep| completed.contains(&dep));
        deps.is_none_or(|deps| deps.iter().all(done))
    };
    with_status(tasks, PENDING).filter(is_ready).filter_map(id).collect()
}

fn with_status<'a>(tasks: &'a [Value], status: &'a str) -> impl Iterator<Item = &'a Value> {
    tasks.iter().filter(move |task| task.get("status").and_then(Value::as_str) == Some(status))
}

/// A new status for one task.
#[derive(Debug)]
pub(crate) struct UpdateRequest {
    id: Number,
    status: &'static str,
}

impl UpdateRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let id = arguments.number("id")?;
        let wanted = "one of pending, in_progress, completed";
        let status = arguments.optional_word("status", &[PENDING, IN_PROGRESS, COMPLETED], wanted)?;
        Ok(Self { id, status: status.ok_or(ToolError::Missing { parameter: "status" })? })
    }
}

/// `task_update`: the status changes, nothing else.
pub(crate) fn update(workspace: &Workspace, request: &UpdateRequest) -> Result<Value, ToolError> {
    let (store, path) = (workspace.store(), workspace.layout().tasks());
    // Nothing is created for a change that cannot be made.
    if store.open(&path)?.is_none() {
        return Err(ToolError::TasksNotFound);
    }
    let lock = store.lock()?;
    let mut document = read(workspace)?.ok_or(ToolError::TasksNotFound)?.writable()?;
    let tasks = document.list_mut("tasks")?;
    let task = tasks.iter_mut().find(|task| has_id(task, &request.id));
    let task = task.ok_or_else(|| ToolError::TaskNotFound { id: request.id.to_string() })?;
    task["status"] = json!(request.status);
    let answer = json!({"task": task});
    let text = records(workspace).render(&document.fields, document.list("tasks")?);
    *hold(&workspace.known_tasks) = None;
    store.replace(&lock, &path, &text)?;
    Ok(answer)
}

/// The task list, `None` when there is none. Whoever calls has a lock.
pub(crate) fn read(workspace: &Workspace) -> Result<Option<Document>, ToolError> {
    let document = read_any(workspace)?;
    if let Some(document) = &document {
        document.list("tasks")?;
    }
    Ok(document)
}

/// The object in `tasks.json`, whatever it holds.
pub(crate) fn read_any(workspace: &Workspace) -> Result<Option<Document>, ToolError> {
    let path = workspace.layout().tasks();
    let Some(bytes) = workspace.store().read(&path)? else { return Ok(None) };
    let document = match Document::parse(&path, &bytes) {
        Ok(document) => document,
        Err(damage) => match records(workspace).load(workspace.store(), |_, _| {}) {
            Ok(Some(spot)) if spot.torn > 0 => {
                note_torn(workspace, spot.torn);
                Document::parse(&path, &records(workspace).closed(&spot, &bytes))?
            }
            _ => return Err(damage.into()),
        },
    };
    Ok(Some(document))
}

pub(crate) fn records(workspace: &Workspace) -> Records {
    Records { path: workspace.layout().tasks(), key: "tasks", growth: Growth::Padded }
}

fn note_torn(workspace: &Workspace, bytes: u64) {
    let path = workspace.layout().tasks();
    workspace.store().note(format!(
        "`{}` ended in {bytes} bytes of a task whose writing was cut off; every complete task is kept",
        path.display()
    ));
}
