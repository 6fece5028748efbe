//! `context`: a glance at the session, from whatever can be read.

use serde_json::{Map, Value, json};

use crate::{Workspace, branch, document::count_status, tasks};

/// Never fails: what cannot be read is left out (NX-119).
pub(crate) fn snapshot(workspace: &Workspace) -> Value {
    let _lock = workspace.store().lock_for_reading();
    let present = matches!(workspace.store().open(&workspace.layout().tasks()), Ok(Some(_)));
    let document = tasks::read_any(workspace).ok().flatten();
    let mut answer = Map::new();
    answer.insert("branch".into(), json!(branch::current(workspace.layout().project())));
    answer.insert("activeMode".into(), if present { json!("team") } else { Value::Null });
    let mut decisions = Vec::new();
    if let Some(document) = document {
        answer.insert("goal".into(), json!(document.text("goal").unwrap_or_default()));
        if let Ok(tasks) = document.list("tasks") {
            let (completed, pending) = (count_status(tasks, "completed"), count_status(tasks, "pending"));
            let summary = json!({"total": tasks.len(), "completed": completed, "pending": pending});
            answer.insert("tasksSummary".into(), summary);
        }
        // C-02: the task list holds them; there is no other file of decisions.
        let listed = document.fields.get("decisions").and_then(Value::as_array);
        decisions.extend(listed.into_iter().flatten().filter(|decision| decision.is_string()).cloned());
    }
    answer.insert("decisions".into(), Value::Array(decisions));
    Value::Object(answer)
}
