//! `mi answer`: the answer to a waiting question, and the run goes on by itself.

use mi_autopilot::Recorded;

use crate::{
    app::App,
    args::{AnswerArgs, RunArgs},
    commands::{
        inbox, journal,
        launch::{self, Launch},
    },
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &AnswerArgs) -> Outcome {
    let answer = app.text_or_stdin(&args.text)?;
    if answer.trim().is_empty() {
        return Err(Failure::usage("the answer is empty"));
    }
    let project = app.project()?;
    drop(journal::open(app, &project)?);
    let waiting = inbox::of_project(&project.layout, &project.id)?;
    let asked = match &args.run {
        Some(run) => waiting.iter().find(|item| item.run_id == *run),
        None => waiting.first(),
    };
    let Some(asked) = asked else {
        let what = match &args.run {
            None => "no run of this project is waiting for an answer".to_owned(),
            Some(run) => format!("the run `{run}` is not waiting for an answer"),
        };
        return Err(Failure::new(what).todo("list the questions of all projects: mi inbox"));
    };
    let recorded =
        Recorded::load(&project.files.evidence().log, &asked.run_id).map_err(|error| Failure::of(&error))?;
    let flags = launch::as_before(&RunArgs::default(), &recorded);
    launch::answer(Launch::prepare(app, &project, &flags)?, recorded, answer.trim())
}
