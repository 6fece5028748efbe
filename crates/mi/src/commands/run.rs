//! `mi run`: a new run, or the last one taken up again.

use crate::{
    app::App,
    args::RunArgs,
    commands::launch::{self, Launch},
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &RunArgs) -> Outcome {
    let project = app.project()?;
    if args.resume {
        let recorded = launch::last_run(&project)?;
        let args = launch::as_before(args, &recorded);
        return launch::resume(Launch::prepare(app, &project, &args)?, recorded);
    }
    let launch = Launch::prepare(app, &project, args)?;
    let task = app.text_or_stdin(args.task.as_deref().unwrap_or_default())?;
    if task.trim().is_empty() {
        return Err(
            Failure::usage("the task is empty").todo("say what is to be done: mi run 'Fix the failing test'")
        );
    }
    launch::begin(launch, &task)
}
