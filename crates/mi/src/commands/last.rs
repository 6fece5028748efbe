//! `mi last`: the newest records, read from the end of the log.

use mi_journal::LogReader;
use serde_json::Value;

use super::journal;
use crate::{
    app::App,
    args::LastArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
    render::record,
};

pub fn run(app: &App, args: &LastArgs) -> Outcome {
    let project = app.project()?;
    // Opened for its repair alone: `last` needs neither index nor chain, so it reads logs of other tools too.
    drop(journal::open(app, &project)?);
    let reader = LogReader::open(&project.files.evidence().log).map_err(|error| Failure::of(&error))?;
    let lines = reader.tail(args.n.get()).map_err(|error| Failure::of(&error))?;
    if lines.is_empty() && !app.common.json {
        return app.print("Nothing is recorded for this project yet. Start with: mi run 'TASK'");
    }
    for object in lines.iter().filter_map(journal::object) {
        let value = Value::Object(object);
        let text = if app.common.json { value.to_string() } else { record::listing(&value, &app.look) };
        app.print(&text)?;
    }
    Ok(ExitReason::Done)
}
