//! `mi box release`: a reviewer lets held outputs pass, or has what was found taken out of them (Rule S).

use mi_box::{BoxHome, Finished, redact_outputs, write_review};
use mi_supply::manifest::MANIFEST_FILE;
use serde_json::json;

use super::{encrypt, manage, place};
use crate::{
    app::App,
    commands::admission::denial_line,
    failure::{Failure, Outcome},
};

/// Who says what.
pub struct Review<'a> {
    pub reviewer: &'a str,
    pub reason: &'a str,
    pub redact: bool,
}

pub fn run(app: &App, run: &str, review: &Review<'_>) -> Outcome {
    if review.reviewer.trim().is_empty() || review.reason.trim().is_empty() {
        return Err(Failure::usage("a release needs a reviewer and a reason"));
    }
    let folder = place::find(app, run)?;
    let home = BoxHome::new(&app.home);
    let key = manage::trusted_key(app, None)?;
    let verified = mi_box::verify(&folder, &key).map_err(|error| Failure::of(&error))?;
    if let Some(problem) = verified.problems.first() {
        return Err(Failure::new(format!("the run is not as it was sealed: {problem}")));
    }
    let failed = |error: std::io::Error| Failure::new("write the review").because(&error);
    if review.redact {
        redact_outputs(&home, &folder).map_err(failed)?;
        let recipients = app.settings(&app.folder(), &[])?.r#box.age_recipients;
        let manifest = Some(folder.join(MANIFEST_FILE));
        let sealed = Finished { manifest, ..Finished::denied(Vec::new()) };
        if let Some(denial) = encrypt::manifest(&home, &recipients, sealed).denials.first() {
            return Err(Failure::new(denial_line(denial)));
        }
    }
    let written =
        write_review(&home, &folder, review.reviewer, review.reason, review.redact, app.clock.now());
    written.map_err(failed)?;
    if app.common.json {
        return app.print_json(&json!({"released": true, "folder": folder, "redacted": review.redact}));
    }
    app.print(&format!("released by {}: {}", review.reviewer, folder.display()))
}
