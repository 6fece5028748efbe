//! `mi dr`: Decision Records.

use mi_council::{DecisionRecord, RecordForm, RecordNumber, ucxl::Address};
use mi_delivery::{Chamber, CouncilError};
use serde_json::{Value, json};

use super::{boxed::decisions, council};
use crate::{
    app::App,
    args::council::{DecisionArgs, DrAction, DrArgs},
    exit_reason::ExitReason,
    failure::Outcome,
};

pub fn run(app: &App, args: &DrArgs) -> Outcome {
    match &args.action {
        DrAction::New(decision) => new(app, decision, None),
        DrAction::List => list(app),
        DrAction::Show { id } => show(app, id),
        DrAction::Supersede { id, decision } => {
            let found = find(&council::chamber(app)?, id);
            let number = found.map_err(|error| council::failure(&error))?.0.number;
            new(app, decision, Some(number))
        }
    }
}

fn new(app: &App, args: &DecisionArgs, supersedes: Option<RecordNumber>) -> Outcome {
    let form = RecordForm {
        kind: args.kind.clone(),
        proposal: args.proposal.clone(),
        title: args.title.clone(),
        text: args.text.clone(),
        owner: args.owner.clone(),
        expires: args.expires,
        rule: args.rule.clone(),
        rollback: args.rollback.clone(),
        supersedes,
        classification: args.classification.clone(),
        ..RecordForm::default()
    };
    let mut chamber = council::chamber(app)?;
    let record =
        chamber.decide(form, &args.cite, app.clock.now()).map_err(|error| council::failure(&error))?;
    council::tell_repairs(app, &chamber);
    if app.common.json {
        return app.print_json(&shown(&chamber, &record, None));
    }
    app.print(&format!("{} recorded. See it: mi dr show {}", record.number, record.number))
}

fn list(app: &App) -> Outcome {
    let chamber = council::chamber(app)?;
    let decisions = chamber.decisions().map_err(|error| council::failure(&error))?;
    let runs = decisions::of_project(app)?;
    let by_council = decisions.iter().map(|(record, superseded)| shown(&chamber, record, *superseded));
    let json = by_council.chain(runs.iter().cloned()).collect();
    if let Some(outcome) = council::or_nothing(
        app,
        decisions.is_empty() && runs.is_empty(),
        &json,
        "No decisions. Write one down: mi dr new --title T",
    ) {
        return outcome;
    }
    for (record, superseded) in &decisions {
        let gone = superseded.map_or(String::new(), |by| format!("  (superseded by {by})"));
        let title = app.look.one_line(&record.title, 30);
        app.print(&format!(
            "{}  {:<12} {title}{gone}",
            app.look.strong(&record.number.to_string()),
            record.record_kind.as_str()
        ))?;
    }
    for run in &runs {
        let word = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let title = app.look.one_line(&word("title"), 30);
        app.print(&format!("{}  {:<12} {title}", app.look.strong(&word("id")), word("kind")))?;
    }
    Ok(ExitReason::Done)
}

fn show(app: &App, id: &str) -> Outcome {
    if let Some(run) = decisions::of_project(app)?.into_iter().find(|run| run["id"] == id) {
        return show_run(app, &run);
    }
    let chamber = council::chamber(app)?;
    let (record, superseded) = find(&chamber, id).map_err(|error| council::reading_failure(&error))?;
    let value = shown(&chamber, &record, superseded);
    if app.common.json {
        return app.print_json(&value);
    }
    app.print(&format!("{}  {}  {}", app.look.strong(id), record.record_kind, record.title))?;
    for key in ["for", "owner", "expires_beat", "rule", "rollback", "supersedes", "superseded_by", "address"]
    {
        if let Some(text) = value.get(key).filter(|value| !value.is_null()) {
            app.print(&format!(
                "  {key:<14} {}",
                text.as_str().map_or_else(|| text.to_string(), str::to_owned)
            ))?;
        }
    }
    for task in &record.tasks {
        app.print(&format!(
            "  task           {} ({}, due at beat {})",
            task.text, task.owner, task.due_beat
        ))?;
    }
    if record.text.is_empty() { Ok(ExitReason::Done) } else { app.print(&format!("\n{}", record.text)) }
}

fn show_run(app: &App, run: &Value) -> Outcome {
    if app.common.json {
        return app.print_json(run);
    }
    let word = |key: &str| run[key].as_str().unwrap_or_default();
    app.print(&format!("{}  {}  {}", app.look.strong(word("id")), word("kind"), word("title")))?;
    for key in ["address", "run", "manifest_sha256"] {
        app.print(&format!("  {key:<14} {}", word(key)))?;
    }
    app.print(&format!("\n{}", word("text")))
}

fn find(chamber: &Chamber, id: &str) -> Result<(DecisionRecord, Option<RecordNumber>), CouncilError> {
    let found = chamber.decisions()?.into_iter().find(|(record, _)| record.number.to_string() == id);
    found.ok_or_else(|| CouncilError::Unknown { what: "decision", id: id.to_owned(), list: "mi dr list" })
}

fn shown(chamber: &Chamber, record: &DecisionRecord, superseded: Option<RecordNumber>) -> Value {
    let content = serde_json::to_vec(record).unwrap_or_default();
    let (id, task) =
        (record.number.to_string(), record.proposal.clone().unwrap_or_else(|| "decisions".to_owned()));
    let address = Address::of_content(
        &chamber.project_name(),
        &task,
        mi_council::Digest::of(&content),
        &format!("dr/{id}.json"),
        None,
    );
    json!({
        "id": id, "kind": record.record_kind, "for": record.proposal, "title": record.title, "text": record.text,
        "owner": record.owner, "beat": record.beat,
        "expires_beat": record.expires.map(|beats| record.beat.saturating_add(i64::from(beats))),
        "rule": record.rule, "rollback": record.rollback, "cites": record.cites, "tasks": record.tasks,
        "supersedes": record.supersedes.map(|number| number.to_string()),
        "superseded_by": superseded.map(|number| number.to_string()),
        "classification": record.classification, "address": address.to_string(),
    })
}
