//! `mi show`: one record whole, or all of a batch or run.

use serde_json::Value;

use super::journal::{self, Reference};
use crate::{app::App, args::ShowArgs, exit_reason::ExitReason, failure::Outcome};

pub fn run(app: &App, args: &ShowArgs) -> Outcome {
    let view = journal::open(app, &app.project()?)?;
    let records = journal::referenced(&view, &Reference::read(&args.reference), &[])?;
    if records.is_empty() {
        return Err(journal::missing(&args.reference));
    }
    for record in records {
        let value = Value::Object(record);
        if app.common.json {
            app.print_json(&value)?;
        } else {
            app.print(&serde_json::to_string_pretty(&value).unwrap_or_default())?;
        }
    }
    Ok(ExitReason::Done)
}
