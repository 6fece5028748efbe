//! `mi memory`: what the project learned, kept in `.nexus/memory/`.

mod forget;
mod keep;
mod look;

pub use look::learned;

use mi_autopilot::Project;
use mi_workspace::{Layout, Store};

use crate::{
    app::App,
    args::memory::{MemoryAction, MemoryArgs},
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &MemoryArgs) -> Outcome {
    match &args.action {
        MemoryAction::Save(args) => keep::save(app, args),
        MemoryAction::List => look::list(app),
        MemoryAction::Show { name } => look::show(app, name),
        MemoryAction::Search(args) => look::search(app, args),
        MemoryAction::Gc(args) => forget::gc(app, args),
        MemoryAction::Access => look::access(app),
        MemoryAction::MergeLog(args) => look::merge_log(app, args),
    }
}

fn store(app: &App) -> Result<(Project, Store), Failure> {
    let project = app.project()?;
    let store = Store::new(Layout::new(&project.root));
    Ok((project, store))
}

/// What was found wrong on the way and did not stop the command.
fn say(app: &App, notes: &[String]) {
    for note in notes {
        app.talk(&format!("mi: {note}"));
    }
}
