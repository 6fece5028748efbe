//! `mi inbox`: the questions that wait for the person, in this project and in all others.

use mi_delivery::Notice;
use mi_journal::{Layout, LogView, Query};
use mi_model::{ProjectId, RunId, shell_word};
use serde_json::{Value, json};
use std::{collections::HashSet, fs};

use super::{council, journal};

use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// How many questions are looked at; older ones are past waiting for.
const MOST_QUESTIONS: usize = 50;
/// How many notices are shown.
const MOST_NOTICES: usize = 20;
/// How many records of questions and inputs are looked through.
const LOOK_BACK: usize = 1000;

/// What the council told roles of this project, the newest first.
fn notices(app: &App) -> Vec<(String, Notice)> {
    // A council that cannot be read is told by its own commands.
    council::chamber(app).ok().and_then(|chamber| chamber.notices(MOST_NOTICES).ok()).unwrap_or_default()
}

fn notice_json((since, notice): &(String, Notice)) -> Value {
    json!({"role": notice.to_role, "proposal": notice.proposal, "notice": notice.text, "since": since})
}

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
    let notices = notices(app);
    if app.common.json {
        let list: Vec<Value> = waiting.iter().map(as_json).chain(notices.iter().map(notice_json)).collect();
        return app.print_json(&json!(list));
    }
    for (since, notice) in &notices {
        let text = app.look.one_line(&notice.text, notice.to_role.len() + 4);
        app.print(&format!("{}: {text}  {}", app.look.strong(&notice.to_role), app.look.faint(since)))?;
    }
    if waiting.is_empty() && notices.is_empty() {
        return app.print("Nothing waits for you.");
    }
    for item in &waiting {
        app.print(&format!("{}  {}", app.look.strong(&item.project), app.look.faint(&item.since)))?;
        app.print(&format!("  ? {}\n    {}", item.question, app.look.faint(&item.why)))?;
        app.print(&format!("  mi answer --cd {} --run {} 'TEXT'", shell_word(&item.project), item.run_id))?;
    }
    Ok(ExitReason::Done)
}

/// Every open question, the newest project first.
pub fn all(app: &App) -> Result<Vec<Waiting>, Failure> {
    let layout = Layout::new(&app.home);
    let mut found = Vec::new();
    let Ok(projects) = fs::read_dir(app.home.join("projects")) else { return Ok(found) };
    for entry in projects.filter_map(Result::ok) {
        let id = ProjectId::new(entry.file_name().to_string_lossy());
        found.extend(of_project(&layout, &id)?);
    }
    found.sort_by(|a, b| b.since.cmp(&a.since));
    Ok(found)
}

/// The questions that a project's runs wait for, the newest first: those after which their run did nothing more.
pub fn of_project(layout: &Layout, id: &ProjectId) -> Result<Vec<Waiting>, Failure> {
    let fail = |error: mi_journal::FileError| Failure::of(&error);
    let view = LogView::open(&layout.project(id).evidence().log).map_err(fail)?;
    let of_kinds = |kinds: &[&str]| Query {
        kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
        ..Query::default()
    };
    // Most projects have no question at all, which the index tells at once; nothing before the oldest one matters.
    let Some(oldest) = journal::newest(&view, &of_kinds(&["question"]), MOST_QUESTIONS)?.into_iter().next()
    else {
        return Ok(Vec::new());
    };
    let oldest = oldest.get("seq").and_then(Value::as_u64);
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let moves = of_kinds(&["question", "user_input", "codex_input"]);
    for line in view.newest(&moves).map_err(fail)?.take(LOOK_BACK) {
        let line = line.map_err(fail)?;
        let Some(frame) = line.frame() else { continue };
        if frame.seq() < oldest {
            break;
        }
        let run_id = frame.run_id().unwrap_or_default().to_owned();
        if seen.insert(run_id.clone()) && frame.kind() == Some("question") {
            let record = Value::Object(line.object().unwrap_or_default());
            found.push(Waiting {
                project: project_of(&view, &run_id)?,
                run_id,
                question: text(&record, "question"),
                why: text(&record, "why"),
                since: text(&record, "ts"),
            });
        }
    }
    Ok(found)
}

/// Where the run works.
fn project_of(view: &LogView, run_id: &str) -> Result<String, Failure> {
    let query =
        Query { kinds: vec!["run_started".to_owned()], run: Some(RunId::new(run_id)), ..Query::default() };
    Ok(journal::newest_one(view, &query)?
        .map(|record| text(&Value::Object(record), "project_root"))
        .unwrap_or_default())
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub fn as_json(item: &Waiting) -> Value {
    json!({
        "project": item.project, "run_id": item.run_id, "question": item.question, "why": item.why, "since": item.since,
    })
}
