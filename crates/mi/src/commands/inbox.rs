//! `mi inbox`: the questions that wait for the person, in this project and in all others.

use mi_journal::{Layout, LogReader};
use mi_model::ProjectId;
use serde_json::{Value, json};
use std::fs;

use crate::{
    app::App,
    failure::{Failure, Outcome},
};

/// A question that waits.
pub struct Waiting {
    pub project: String,
    pub run_id: String,
    pub question: String,
    pub why: String,
    pub since: String,
}

pub fn run(app: &App) -> Outcome {
    let waiting = all(app)?;
    if app.common.json {
        let list: Vec<Value> = waiting.iter().map(as_json).collect();
        return app.print_json(&json!(list));
    }
    if waiting.is_empty() {
        return app.print("Nothing waits for you.");
    }
    for item in &waiting {
        app.print(&format!("{}  {}", app.look.strong(&item.project), app.look.faint(&item.since)))?;
        app.print(&format!("  ? {}\n    {}", item.question, app.look.faint(&item.why)))?;
        app.print(&format!("  mi answer --cd {} 'TEXT'", item.project))?;
    }
    Ok(0)
}

/// Every open question, the newest project first.
pub fn all(app: &App) -> Result<Vec<Waiting>, Failure> {
    let layout = Layout::new(&app.home);
    let mut found = Vec::new();
    let Ok(projects) = fs::read_dir(app.home.join("projects")) else { return Ok(found) };
    for entry in projects.filter_map(Result::ok) {
        let id = ProjectId::new(entry.file_name().to_string_lossy());
        if let Some(waiting) = of_log(&layout, &id)? {
            found.push(waiting);
        }
    }
    found.sort_by(|a, b| b.since.cmp(&a.since));
    Ok(found)
}

/// The question that a project's newest run waits for: its newest `question` with nothing but its end after it.
pub fn of_log(layout: &Layout, id: &ProjectId) -> Result<Option<Waiting>, Failure> {
    let reader = LogReader::open(&layout.project(id).evidence().log).map_err(|error| Failure::of(&error))?;
    let mut question: Option<Value> = None;
    for line in reader.backwards().map_err(|error| Failure::of(&error))?.take(2000) {
        let line = line.map_err(|error| Failure::of(&error))?;
        let Some(object) = line.object() else { continue };
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
        match (kind, &question) {
            ("run_finished" | "note" | "mind_call", None) => {}
            ("question", None) => question = Some(Value::Object(object)),
            (_, None) => return Ok(None),
            ("run_started", Some(asked)) => {
                let text = |value: &Value, key: &str| {
                    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
                };
                let run = Value::Object(object);
                return Ok(Some(Waiting {
                    project: text(&run, "project_root"),
                    run_id: text(asked, "run_id"),
                    question: text(asked, "question"),
                    why: text(asked, "why"),
                    since: text(asked, "ts"),
                }));
            }
            (_, Some(_)) => {}
        }
    }
    Ok(None)
}

pub fn as_json(item: &Waiting) -> Value {
    json!({
        "project": item.project, "run_id": item.run_id, "question": item.question, "why": item.why, "since": item.since,
    })
}
