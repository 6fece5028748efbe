//! `mi run`: a new run, or the last one taken up again.

use crate::{
    app::App,
    args::RunArgs,
    commands::launch::{self, Launch},
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &RunArgs) -> Outcome {
    let launch = Launch::prepare(app, &app.project()?, args)?;
    if args.resume {
        return launch::resume(launch);
    }
    let task = app.text_or_stdin(args.task.as_deref().unwrap_or_default())?;
    if task.trim().is_empty() {
        return Err(
            Failure::usage("the task is empty").todo("say what is to be done: mi run 'Fix the failing test'")
        );
    }
    launch::begin(launch, &task)
}
