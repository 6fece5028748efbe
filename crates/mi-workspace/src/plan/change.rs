//! `plan_update` and `plan_decide`: changes to the issues of the active plan.

use serde_json::{Map, Number, Value, json};

use super::{DECIDED, PENDING, issue_mut, read_to_change};
use crate::{
    ToolError, Workspace,
    arguments::Arguments,
    document::{Document, has_id, highest_id, next_id},
};

const ALL_DECIDED: &str =
    "All issues are decided. Next: turn the decisions into tasks (task_add), then carry them out.";

/// A change to the list of issues, as it was asked for.
#[derive(Debug)]
pub(crate) struct UpdateRequest {
    action: String,
    issue_id: Option<Number>,
    title: Option<String>,
}

impl UpdateRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        Ok(Self {
            action: arguments.text("action")?,
            issue_id: arguments.optional_number("issue_id")?,
            title: arguments.optional_text("title")?.filter(|title| !title.trim().is_empty()),
        })
    }

    fn issue_id(&self, action: &'static str) -> Result<&Number, ToolError> {
        self.issue_id.as_ref().ok_or(ToolError::IssueIdRequired { action })
    }
}

pub(crate) fn update(workspace: &Workspace, request: &UpdateRequest) -> Result<Value, ToolError> {
    change(workspace, |plan| match request.action.as_str() {
        "add" => add(plan, request.title.as_deref().ok_or(ToolError::TitleRequired)?),
        "remove" => remove(plan, request.issue_id("remove")?),
        "edit" => match (&request.issue_id, &request.title) {
            (Some(id), Some(title)) => edit(plan, id, title),
            _ => Err(ToolError::EditNeedsBoth),
        },
        "reopen" => reopen(plan, request.issue_id("reopen")?),
        _ => Err(ToolError::UnknownAction),
    })
}

fn add(plan: &mut Document, title: &str) -> Result<Value, ToolError> {
    let issues = plan.list_mut("issues")?;
    let issue = json!({"id": next_id(highest_id(issues))?, "title": title, "status": PENDING});
    issues.push(issue.clone());
    Ok(json!({"added": true, "issue": issue}))
}

fn remove(plan: &mut Document, id: &Number) -> Result<Value, ToolError> {
    issue_mut(plan, id)?;
    plan.list_mut("issues")?.retain(|issue| !has_id(issue, id));
    Ok(json!({"removed": true, "issue": {"id": id}}))
}

fn edit(plan: &mut Document, id: &Number, title: &str) -> Result<Value, ToolError> {
    issue_mut(plan, id)?.insert("title".into(), json!(title));
    Ok(json!({"edited": true, "issue": {"id": id, "title": title}}))
}

fn reopen(plan: &mut Document, id: &Number) -> Result<Value, ToolError> {
    let issue = issue_mut(plan, id)?;
    issue.insert("status".into(), json!(PENDING));
    issue.shift_remove("decision");
    Ok(json!({"reopened": true, "issue": {"id": id, "title": issue.get("title"), "status": PENDING}}))
}

/// A decision on one issue.
#[derive(Debug)]
pub(crate) struct DecideRequest {
    issue_id: Number,
    decision: String,
    /// `how_agents`, `how_summary`, `how_agent_ids`, as far as they were given.
    how: Map<String, Value>,
}

impl DecideRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let (issue_id, decision) = (arguments.number("issue_id")?, arguments.text("decision")?);
        let mut how = Map::new();
        how.extend(
            arguments.optional_texts("how_agents")?.map(|agents| ("how_agents".into(), json!(agents))),
        );
        for name in ["how_summary", "how_agent_ids"] {
            how.extend(arguments.optional_text_map(name)?.map(|map| (name.into(), Value::Object(map))));
        }
        Ok(Self { issue_id, decision, how })
    }
}

pub(crate) fn decide(workspace: &Workspace, request: DecideRequest) -> Result<Value, ToolError> {
    change(workspace, |plan| {
        let issue = issue_mut(plan, &request.issue_id)?;
        issue.insert("status".into(), json!(DECIDED));
        issue.insert("decision".into(), json!(request.decision));
        issue.extend(request.how);
        let title = issue.get("title").cloned().unwrap_or_default();
        let open = |issue: &&Value| issue.get("status").and_then(Value::as_str) != Some(DECIDED);
        let told = |issue: &Value| json!({"id": issue.get("id"), "title": issue.get("title"), "status": issue.get("status")});
        let remaining: Vec<Value> = plan.list("issues")?.iter().filter(open).map(told).collect();
        Ok(if remaining.is_empty() {
            json!({"decided": true, "issue": title, "allComplete": true, "message": ALL_DECIDED})
        } else {
            json!({"decided": true, "issue": title, "allComplete": false, "remaining": remaining})
        })
    })
}

/// Reads the plan, changes it, and writes it back unless the change failed.
fn change(
    workspace: &Workspace,
    change: impl FnOnce(&mut Document) -> Result<Value, ToolError>,
) -> Result<Value, ToolError> {
    let store = workspace.store();
    // Nothing is created for a change that cannot be made.
    if store.open(&workspace.layout().plan())?.is_none() {
        return Err(ToolError::NoActivePlan);
    }
    let lock = store.lock()?;
    let mut plan = read_to_change(workspace)?;
    let answer = change(&mut plan)?;
    store.replace(&lock, &workspace.layout().plan(), &plan.to_bytes())?;
    Ok(answer)
}
