//! `mi protocol`: rules of a workflow, checked, drawn and run.

mod audit;
mod check;
mod events;
pub mod follow;
mod recorded;
mod simulate;
mod snapshot;
mod source;

use mi_protocol::{ImportError, render};
use serde_json::json;

use crate::{
    app::App,
    args::{Drawing, ProtocolAction, ProtocolArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};
pub use source::Source;

pub fn run(app: &App, args: &ProtocolArgs) -> Outcome {
    match &args.action {
        ProtocolAction::Schema if app.common.json => app.print_json(&mi_protocol::schema()),
        ProtocolAction::Schema => {
            app.print(&serde_json::to_string_pretty(&mi_protocol::schema()).unwrap_or_default())
        }
        ProtocolAction::Check { file } => check::run(app, &Source::read(file)?),
        ProtocolAction::Import { table, name } => import(app, table, name),
        ProtocolAction::Export { file } => export(app, &Source::read(file)?),
        ProtocolAction::Render { file, format } => draw(app, &Source::read(file)?, *format),
        ProtocolAction::Simulate { file, events, save, from } => {
            simulate::run(app, &Source::read(file)?, events, save.as_deref(), from.as_deref())
        }
        ProtocolAction::Explain { file, events, at } => {
            simulate::explain(app, &Source::read(file)?, events, *at)
        }
        ProtocolAction::Audit { file, events, run } => {
            audit::run(app, &Source::read(file)?, events.as_deref(), run.as_deref())
        }
        ProtocolAction::Backtest { file, events } => audit::backtest(app, &Source::read(file)?, events),
    }
}

fn import(app: &App, table: &str, name: &str) -> Outcome {
    if name.trim().is_empty() {
        return Err(Failure::usage("a protocol needs a name").todo("give --name a word, or leave it out"));
    }
    let table = Source::read(table)?;
    match mi_protocol::import(&table.bytes, name) {
        Ok(text) if app.common.json => {
            let draft = mi_protocol::load(text.as_bytes()).draft;
            app.print_json(&json!({
                "name": draft.name, "start": draft.start.map(|start| start.text),
                "nodes": draft.nodes.len(), "edges": draft.edges.len(), "yaml": text,
            }))
        }
        Ok(text) => events::print_raw(&text),
        Err(ImportError { line, message, hint }) => {
            Err(Failure::new(format!("{}:{line}: {message}", table.name)).todo(hint))
        }
    }
}

fn export(app: &App, source: &Source) -> Outcome {
    match mi_protocol::export(&source.bytes) {
        Ok(table) if app.common.json => {
            app.print_json(&json!({"columns": table.columns, "rows": table.rows, "csv": table.csv}))
        }
        Ok(table) => events::print_raw(&table.csv),
        Err(problems) => check::refused(app, source, &problems),
    }
}

fn draw(app: &App, source: &Source, format: Drawing) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(ExitReason::Failed) };
    let (word, drawing) = match format {
        Drawing::Mermaid => ("mermaid", render::mermaid(&protocol)),
        Drawing::Dot => ("dot", render::dot(&protocol)),
        Drawing::Svg => ("svg", render::svg(&protocol)),
    };
    if app.common.json {
        return app.print_json(&json!({"name": protocol.name, "format": word, "drawing": drawing}));
    }
    events::print_raw(&drawing)
}
