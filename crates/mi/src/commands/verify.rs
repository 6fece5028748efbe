//! `mi verify`: every hash chain of this project.

use serde_json::json;

use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App) -> Outcome {
    let project = app.project()?;
    let repairs = project.repair_transcripts().map_err(|error| Failure::of(&error))?;
    let mut report = mi_journal::verify(&project.layout, &project.id).map_err(|error| Failure::of(&error))?;
    report.notes.extend(repairs.iter().map(ToString::to_string));
    let exit = ExitReason::failed_if(!report.ok());
    if app.common.json {
        app.print_json(&json!({
            "ok": report.ok(), "records": report.records, "problems": report.problems, "notes": report.notes,
        }))?;
        return Ok(exit);
    }
    for note in &report.notes {
        app.print(&format!("note: {note}"))?;
    }
    for problem in &report.problems {
        app.print(&format!("{} {problem}", app.look.bad("problem:")))?;
    }
    let verdict = if report.ok() { app.look.good("ok") } else { app.look.bad("not ok") };
    app.print(&format!("{verdict}: {} records checked, {} problems", report.records, report.problems.len()))?;
    Ok(exit)
}
