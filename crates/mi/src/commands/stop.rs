//! `mi stop`: ends the run of this project, whether it works or waits for an answer.

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    app::App,
    args::RunArgs,
    commands::{
        inbox, journal,
        launch::{self, Launch},
    },
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App) -> Outcome {
    let project = app.project()?;
    drop(journal::open(app, &project)?);
    let holder = project.holder().map_err(|error| Failure::of(&error))?;
    if let Some(holder) = holder {
        let id = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
        let id = id.ok_or_else(|| Failure::new("the run's process id cannot be read"))?;
        kill_process(id, Signal::INT).map_err(|error| {
            Failure::new(format!("stop the run {}", holder.run_id)).because(&std::io::Error::from(error))
        })?;
        return app
            .print(&format!("asked run {} to stop; take it up again with: mi run --resume", holder.run_id));
    }
    let waiting = inbox::of_project(&project.layout, &project.id)?;
    if waiting.is_empty() {
        return Err(Failure::new("no run of this project works or waits"));
    }
    let recorded = launch::last_run(&project)?;
    let flags = launch::as_before(&RunArgs::default(), &recorded);
    launch::answer(Launch::prepare(app, &project, &flags)?, recorded, "stop").map(|_| ExitReason::Done)
}
