//! `plan_start`: a new session; the one before it goes to the history first.

use mi_model::Timestamp;
use serde_json::{Map, Value, json};

use super::{PENDING, read};
use crate::{
    ToolError, Workspace,
    arguments::{Arguments, wrong},
    close::{self, Cycle},
    document::{Document, SCHEMA_VERSION, next_id},
    history,
};

/// What a new session is about.
#[derive(Debug)]
pub(crate) struct StartRequest {
    topic: String,
    issues: Vec<String>,
    research_summary: String,
}

impl StartRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let topic = arguments.filled_text("topic")?;
        let issues = arguments.texts("issues")?;
        if let Some(empty) = issues.iter().position(|title| title.trim().is_empty()) {
            return Err(wrong(&format!("issues[{empty}]"), "a text that is not empty"));
        }
        Ok(Self { topic, issues, research_summary: arguments.text("research_summary")? })
    }
}

/// Archives the plan that is there, then replaces it: no kill leaves the project without one of the two (NX-024).
pub(crate) fn start(
    workspace: &Workspace,
    request: &StartRequest,
    now: Timestamp,
) -> Result<Value, ToolError> {
    let store = workspace.store();
    let lock = store.lock()?;
    let previous = read(workspace)?.map(Document::writable).transpose()?;
    let mut past = history::load(workspace)?;
    if let Some(plan) = &previous {
        close::drop_archived_tasks(workspace, &lock, &past, plan)?;
        let cycle = Cycle { plan: Some(plan), tasks: &[] };
        past = close::archive(workspace, &lock, past, &cycle, now)?;
    }
    let id = next_id(past.highest_plan)?;
    let document = Document::new(&workspace.layout().plan(), fields(id, request, now));
    store.replace(&lock, &workspace.layout().plan(), &document.to_bytes())?;
    Ok(json!({
        "created": true,
        "plan_id": id,
        "topic": request.topic,
        "issueCount": request.issues.len(),
        "previousArchived": previous.is_some(),
    }))
}

fn fields(id: u64, request: &StartRequest, now: Timestamp) -> Map<String, Value> {
    let issue =
        |(index, title): (usize, &String)| json!({"id": index + 1, "title": title, "status": PENDING});
    let issues: Vec<Value> = request.issues.iter().enumerate().map(issue).collect();
    let mut fields = Map::new();
    fields.insert("schema_version".into(), json!(SCHEMA_VERSION));
    fields.insert("id".into(), json!(id));
    fields.insert("topic".into(), json!(request.topic));
    fields.insert("issues".into(), json!(issues));
    fields.insert("research_summary".into(), json!(request.research_summary));
    fields.insert("created_at".into(), json!(now));
    fields
}
