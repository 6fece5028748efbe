//! `task_add`: one more task, without reading the others when this process wrote the file last.

use mi_model::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

use super::{PENDING, note_torn, records};
use crate::{
    DamagedFile, Lock, ToolError, Workspace,
    arguments::Arguments,
    document::{Document, SCHEMA_VERSION, check_version, highest_id, next_id},
    records::Spot,
    workspace::hold,
};

/// The file as this process left it, and the highest id in it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    spot: Spot,
    highest_id: f64,
}

/// A new task, and what it changes of the whole list.
#[derive(Debug)]
pub(crate) struct AddRequest {
    title: String,
    context: String,
    deps: Vec<Number>,
    /// The optional fields of the task that were given.
    more: Map<String, Value>,
    goal: Option<String>,
    decisions: Vec<String>,
}

impl AddRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let (title, context) = (arguments.filled_text("title")?, arguments.filled_text("context")?);
        let text = |name| -> Result<Option<Value>, ToolError> {
            Ok(arguments.optional_text(name)?.map(Value::from))
        };
        let policies = ["fresh", "resume_if_same_artifact", "resume"];
        let wanted = "one of fresh, resume_if_same_artifact, resume";
        let policy = arguments.optional_word("owner_reuse_policy", &policies, wanted)?;
        let given = [
            ("approach", text("approach")?),
            ("acceptance", text("acceptance")?),
            ("risk", text("risk")?),
            ("plan_issue", arguments.optional_number("plan_issue")?.map(Value::Number)),
            ("owner", text("owner")?),
            ("owner_agent_id", text("owner_agent_id")?),
            ("owner_reuse_policy", policy.map(Value::from)),
        ];
        let more = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(Self {
            title,
            context,
            deps: arguments.optional_numbers("deps")?.unwrap_or_default(),
            more: more.collect(),
            goal: arguments.optional_text("goal")?,
            decisions: arguments.optional_texts("decisions")?.unwrap_or_default(),
        })
    }

    fn task(self, id: u64, now: Timestamp) -> Value {
        let mut task = Map::new();
        task.insert("id".into(), json!(id));
        task.insert("title".into(), json!(self.title));
        task.insert("context".into(), json!(self.context));
        task.insert("status".into(), json!(PENDING));
        task.insert("deps".into(), json!(self.deps));
        task.extend(self.more);
        task.insert("created_at".into(), json!(now));
        Value::Object(task)
    }
}

pub(crate) fn add(workspace: &Workspace, request: AddRequest, now: Timestamp) -> Result<Value, ToolError> {
    let store = workspace.store();
    let lock = store.lock()?;
    let mut kept = hold(&workspace.known_tasks);
    let known = match kept.take() {
        Some(known) if records(workspace).is_untouched(store, &known.spot)? => Some(known),
        _ => load(workspace)?,
    };
    let mut fields = match &known {
        Some(known) => known.spot.outline.fields.clone(),
        None => new_list(),
    };
    change_list(workspace, &mut fields, &request)?;
    let id = next_id(known.as_ref().map_or(0.0, |known| known.highest_id))?;
    let task = request.task(id, now);
    let spot = known.as_ref().map(|known| &known.spot);
    let record = task.to_string().into_bytes();
    let spot = records(workspace).append(store, &lock, spot, &fields, &record)?;
    #[expect(clippy::cast_precision_loss, reason = "only ids beyond 2^53 lose, and none of those is counted")]
    let highest_id = id as f64;
    *kept = Some(Known { spot, highest_id });
    Ok(json!({"task": task}))
}

/// Adds tasks to the list that was read under this lock, in one write: all of them are there afterwards, or none.
pub(crate) fn add_all(
    workspace: &Workspace,
    lock: &Lock,
    list: Option<Document>,
    requests: Vec<AddRequest>,
    now: Timestamp,
) -> Result<(), ToolError> {
    let path = workspace.layout().tasks();
    let mut list = list.unwrap_or_else(|| Document::new(&path, new_list())).writable()?;
    for request in requests {
        change_list(workspace, &mut list.fields, &request)?;
        let tasks = list.list_mut("tasks")?;
        let id = next_id(highest_id(tasks))?;
        tasks.push(request.task(id, now));
    }
    let text = records(workspace).render(&list.fields, list.list("tasks")?);
    *hold(&workspace.known_tasks) = None;
    Ok(workspace.store().replace(lock, &path, &text)?)
}

fn new_list() -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("schema_version".into(), json!(SCHEMA_VERSION));
    fields.insert("goal".into(), json!(""));
    fields.insert("decisions".into(), json!([]));
    fields
}

/// A goal replaces the one that is there, decisions are added to it (NX-079).
fn change_list(
    workspace: &Workspace,
    fields: &mut Map<String, Value>,
    request: &AddRequest,
) -> Result<(), ToolError> {
    if let Some(goal) = &request.goal {
        fields.insert("goal".into(), json!(goal));
    }
    if !request.decisions.is_empty() {
        match fields.entry("decisions").or_insert_with(|| json!([])) {
            Value::Array(decisions) => decisions.extend(request.decisions.iter().map(|text| json!(text))),
            _ => {
                let path = workspace.layout().tasks();
                return Err(DamagedFile::new(&path, "holds no list under `decisions`").into());
            }
        }
    }
    Ok(())
}

/// What a walk through the tasks has to find in each.
#[derive(Deserialize)]
struct TaskHead {
    id: Option<Number>,
}

fn load(workspace: &Workspace) -> Result<Option<Known>, ToolError> {
    let path = workspace.layout().tasks();
    let (mut highest_id, mut bad, mut index) = (0.0_f64, None, 0_usize);
    let spot = records(workspace).load(workspace.store(), |bytes, _| {
        match serde_json::from_slice::<TaskHead>(bytes) {
            Ok(head) => highest_id = head.id.and_then(|id| id.as_f64()).unwrap_or(0.0).max(highest_id),
            Err(error) => bad = bad.take().or(Some((index, error))),
        }
        index += 1;
    })?;
    if let Some((index, error)) = bad {
        return Err(DamagedFile::new(&path, format!("is damaged in `tasks[{index}]` ({error})")).into());
    }
    let Some(spot) = spot else { return Ok(None) };
    check_version(&path, spot.outline.fields.get("schema_version"))?;
    if spot.torn > 0 {
        note_torn(workspace, spot.torn);
    }
    Ok(Some(Known { spot, highest_id }))
}

#[cfg(test)]
mod tests {
    use super::AddRequest;
    use crate::arguments::Arguments;
    use serde_json::json;

    /// Every parameter with a wrong type is named.
    #[test]
    fn nx_005_wrong_types_name_the_parameter() {
        let cases = [
            ("title", json!(7)),
            ("title", json!("  ")),
            ("context", json!(null)),
            ("deps", json!("1")),
            ("approach", json!([])),
            ("acceptance", json!({})),
            ("risk", json!(true)),
            ("plan_issue", json!("1")),
            ("goal", json!(1)),
            ("decisions", json!("x")),
            ("owner", json!(1)),
            ("owner_agent_id", json!(1)),
            ("owner_reuse_policy", json!("always")),
        ];
        for (name, value) in cases {
            let mut arguments = json!({"title": "t", "context": "c"});
            arguments[name] = value.clone();
            let error = AddRequest::read(&Arguments::new(&arguments).unwrap()).unwrap_err().to_string();
            assert!(error.starts_with(name), "{name} {value}: {error}");
        }
        let arguments = json!({"title": "t", "context": "c", "deps": [1, "2"]});
        let error = AddRequest::read(&Arguments::new(&arguments).unwrap()).unwrap_err().to_string();
        assert_eq!(error, "deps[1] must be a number");
    }
}
