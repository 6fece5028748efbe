//! `mi answer`: the answer to a waiting question, and the run goes on by itself.

use mi_autopilot::Recorded;

use crate::{
    app::App,
    args::AnswerArgs,
    commands::launch::{self, Launch},
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &AnswerArgs) -> Outcome {
    let answer = app.text_or_stdin(&args.text)?;
    if answer.trim().is_empty() {
        return Err(Failure::usage("the answer is empty"));
    }
    let project = app.project()?;
    let nothing = || {
        Failure::needs_person("no run of this project waits for an answer")
            .todo("see what there is: mi status")
    };
    let recorded = match Recorded::load(&project.files.evidence().log, "last") {
        Ok(recorded) => recorded,
        Err(mi_autopilot::RestoreError::Empty) => return Err(nothing()),
        Err(error) => return Err(Failure::of(&error)),
    };
    if recorded.restore().waiting_for().is_none() {
        return Err(nothing());
    }
    let args = launch::args_of(&recorded);
    launch::answer(Launch::prepare(app, &project, &args)?, recorded, answer.trim())
}
