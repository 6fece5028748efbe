//! `mi hook pre-commit`: git asks before a commit, and the matrix of D.18 answers.
//!
//! Holds: what the matrix lets pass passes; a change that must be reviewed or confirmed waits until the person ran
//! `mi ack` for exactly these staged files. What cannot be counted is not committed.

use mi_gate::{
    change_unit::ChangeUnits,
    intake::WordTable,
    review::{Must, Review, matrix},
};
use mi_hook::FixedSurroundings;
use mi_hook::gate::{Heard, Session, hear_once};
use mi_model::sha256_hex;
use std::path::{Path, PathBuf};

use super::{cu, intake, repository};
use crate::{
    app::{App, talk},
    args::Common,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// The exit code: 0 goes on, everything else stops the commit.
pub fn run(fixed: &FixedSurroundings, cd: Option<PathBuf>) -> ExitReason {
    if fixed.lacks_home {
        talk("mi: not committed: --home needs a value");
        return ExitReason::WrongUsage;
    }
    let app = App::new(Common { home: fixed.home.clone(), cd, json: false }, false);
    match app.and_then(|app| check(&app)) {
        Ok(exit) => exit,
        Err(failure) => {
            talk(&failure.to_string());
            // Git reads success as leave to commit.
            if failure.exit.is_success() { ExitReason::Failed } else { failure.exit }
        }
    }
}

fn check(app: &App) -> Outcome {
    let folder = app.folder();
    let units = cu::count(&repository::staged(&folder)?)?;
    let risk = risk_of(app, &units);
    let review = matrix(units.cu, risk);
    let size = format!("{} change units at risk {risk}", units.cu);
    if review.must.contains(&Must::SuggestSplit) {
        talk(&format!("mi: {size}: better split into smaller commits"));
    }
    if !review.must.contains(&Must::Review) {
        if review.must.contains(&Must::OfferReview) {
            talk(&format!("mi: {size}: a review is worth it (`mi consult --mode review`)"));
        }
        return Ok(ExitReason::Done);
    }
    wait(app, &folder, &size, &review)
}

/// The score of D.6 for what is staged, as `mi intake --staged` gives it.
fn risk_of(app: &App, units: &ChangeUnits) -> u32 {
    let reading = hear_once(&Heard {
        text: "",
        task: None,
        diff: Some(units),
        decisions: &[],
        words: &WordTable::default(),
        now: app.clock.now(),
        locale: intake::locale(app),
    });
    reading.risk.score.unwrap_or(0)
}

/// Passes if the person acknowledged these very files; else they are told how.
fn wait(app: &App, folder: &Path, size: &str, review: &Review) -> Outcome {
    let tree = repository::git(folder, &["write-tree"])?;
    let root = repository::git(folder, &["rev-parse", "--show-toplevel"])?;
    let session = Session::named(&app.home, &format!("git-{}", &sha256_hex(root.trim().as_bytes())[..16]));
    let id = format!("c{}", &sha256_hex(tree.trim().as_bytes())[..8]);
    let fail = |error: mi_hook::gate::SessionError| Failure::of(&error);
    if session.is_acknowledged(&id).map_err(fail)? {
        return Ok(ExitReason::Done);
    }
    session.wait_under(&id, app.clock.now()).map_err(fail)?;
    let wanted = match review.must.contains(&Must::HumanConfirm) {
        true => "must be reviewed, and you must confirm it",
        false => "must be reviewed first",
    };
    talk(&format!(
        "mi: not committed: {size} {wanted} (D.18).\n  to do: look at `git diff --cached`, then run `mi ack {id}` yourself and commit again"
    ));
    Ok(ExitReason::NeedsYou)
}
