//! `mi box`: runs in the sealed box, what they left, and the rules that admit them.

pub mod check;
pub mod decisions;
mod encrypt;
pub mod engines;
pub mod exec;
mod manage;
mod place;
mod plan;
mod publish;
mod release;

use super::{admission, policy};
use crate::{app::App, args::BoxAction, failure::Outcome};

pub fn run(app: &App, action: &BoxAction) -> Outcome {
    match action {
        BoxAction::Exec(args) => exec::run(app, args),
        BoxAction::Check(args) => check::run(app, args),
        BoxAction::List => manage::list(app),
        BoxAction::Show { run } => manage::show(app, run),
        BoxAction::Verify { dir, key } => manage::verify_run(app, dir, key.as_deref()),
        BoxAction::Release { run, reviewer, reason, redact } => {
            release::run(app, run, &release::Review { reviewer, reason, redact: *redact })
        }
        BoxAction::Publish(args) => publish::run(app, args),
        BoxAction::Gc { older_than } => manage::gc(app, *older_than),
        BoxAction::Admit(args) => admission::run(app, args),
        BoxAction::Policy(args) => policy::run(app, args),
    }
}
