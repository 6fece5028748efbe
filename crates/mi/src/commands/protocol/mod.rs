//! `mi protocol`: rules of a workflow, checked, drawn and run.

mod audit;
mod check;
mod events;
mod recorded;
mod simulate;
mod source;

use mi_protocol::{ImportError, render};

use crate::{
    app::App,
    args::{Drawing, ProtocolAction, ProtocolArgs},
    failure::{Failure, Outcome},
};
pub use source::Source;

pub fn run(app: &App, args: &ProtocolArgs) -> Outcome {
    match &args.action {
        ProtocolAction::Schema => {
            app.print(&serde_json::to_string_pretty(&mi_protocol::schema()).unwrap_or_default())
        }
        ProtocolAction::Check { file } => check::run(app, &Source::read(file)?),
        ProtocolAction::Import { table, name } => import(table, name),
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

fn import(table: &str, name: &str) -> Outcome {
    let table = Source::read(table)?;
    match mi_protocol::import(&table.bytes, name) {
        Ok(text) => events::print_raw(&text),
        Err(ImportError { line, message, hint }) => {
            Err(Failure::new(format!("{}:{line}: {message}", table.name)).todo(hint))
        }
    }
}

fn export(app: &App, source: &Source) -> Outcome {
    match mi_protocol::export(&source.bytes) {
        Ok(text) => events::print_raw(&text),
        Err(problems) => check::refused(app, source, &problems),
    }
}

fn draw(app: &App, source: &Source, format: Drawing) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(1) };
    events::print_raw(&match format {
        Drawing::Mermaid => render::mermaid(&protocol),
        Drawing::Dot => render::dot(&protocol),
        Drawing::Svg => render::svg(&protocol),
    })
}
