//! `mi accept`: the person takes criteria of the last run as done.

use mi_model::RunStatus;

use crate::{
    app::App,
    args::{AcceptArgs, RunArgs},
    commands::{
        journal,
        launch::{self, Launch},
    },
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &AcceptArgs) -> Outcome {
    let project = app.project()?;
    drop(journal::open(app, &project)?);
    let recorded = launch::last_run(&project)?;
    if recorded.finished().is_some_and(|(_, finished)| finished.status == RunStatus::Done) {
        return Err(Failure::new("the last run is done already").todo("see it: mi why"));
    }
    let texts: Vec<&str> = recorded.setup.criteria.iter().map(|criterion| criterion.text.as_str()).collect();
    let chosen =
        args.criteria.iter().map(|wanted| find_criterion(&texts, wanted)).collect::<Result<_, _>>()?;
    let flags = launch::as_before(&RunArgs::default(), &recorded);
    launch::accept(Launch::prepare(app, &project, &flags)?, recorded, chosen)
}

fn find_criterion(texts: &[&str], wanted: &str) -> Result<String, Failure> {
    let by_number = wanted.parse::<usize>().ok().and_then(|number| texts.get(number.checked_sub(1)?));
    let lower = wanted.to_lowercase();
    let by_text = || texts.iter().find(|text| text.to_lowercase().starts_with(&lower));
    by_number.or_else(by_text).map(|text| (*text).to_owned()).ok_or_else(|| {
        let listed: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| format!("{}. {text}", at + 1)).collect();
        Failure::usage(format!("the last run has no criterion `{wanted}`"))
            .todo(format!("it has: {}", listed.join("; ")))
    })
}
