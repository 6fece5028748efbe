//! `mi deliver`: a packet that a stranger can check, its check, and how a delivery ended.

use mi_council::{Closing, packet::Verification};
use mi_delivery::{Chamber, Delivered, Extras, verify_folder};
use mi_process::{Limits, run_to_end};
use serde_json::json;
use std::{fs, path::Path, time::Duration};

use super::{council, git, git_delivery, launch::spawner, minds};
use crate::{
    app::App,
    args::council::{DeliverAction, DeliverArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &DeliverArgs) -> Outcome {
    match &args.action {
        Some(DeliverAction::Verify { dir, key }) => verify(app, dir, key.as_deref()),
        Some(DeliverAction::Close { id, merged, why, .. }) => close(app, id, *merged, why),
        None => match (&args.id, &args.out) {
            (Some(id), Some(out)) => deliver(app, id, out, args),
            _ => Err(Failure::usage("give the proposal and --out DIR")),
        },
    }
}

fn deliver(app: &App, id: &str, out: &Path, args: &DeliverArgs) -> Outcome {
    let mut chamber = council::chamber(app)?;
    if let Some(branch) = &args.git {
        git_delivery::check(&chamber.place.root, branch)?;
    }
    let extras = Extras {
        diff: diff(&chamber, id),
        rollback: args.rollback.clone(),
        markdown: None,
        notify_roles: args.notify.clone(),
    };
    let delivered = hand_over(app, &mut chamber, id, out, &extras)?;
    let branch = match &args.git {
        Some(branch) => Some(git_delivery::deliver(&chamber, &delivered, branch, app.clock.now())?),
        None => None,
    };
    if app.common.json {
        return app.print_json(&json!({
            "submission_id": delivered.submission.submission, "status": "accepted", "id": id,
            "packet": delivered.folder, "packet_digest": delivered.submission.packet,
            "fingerprint": delivered.fingerprint, "git": branch,
        }));
    }
    app.print(&format!(
        "{} is SUBMITTED as {}: {}",
        id,
        delivered.submission.submission,
        delivered.folder.display()
    ))?;
    if let Some(branch) = branch {
        app.print(&format!("  branch {}, tag {}, bundle {}", branch.branch, branch.tag, branch.bundle))?;
    }
    app.print(&format!(
        "  signed with {}\n  check it anywhere: mi deliver verify {}",
        delivered.fingerprint,
        out.display()
    ))
}

/// Makes the packet, tells the roles and runs the notification command.
pub fn hand_over(
    app: &App,
    chamber: &mut Chamber,
    id: &str,
    out: &Path,
    extras: &Extras,
) -> Result<Delivered, Failure> {
    let now = app.clock.now();
    let delivered = chamber.deliver(id, out, extras, now).map_err(|error| council::failure(&error))?;
    council::tell_repairs(app, chamber);
    if !extras.notify_roles.is_empty() {
        let text = format!(
            "{id} was delivered as {}: {}",
            delivered.submission.submission, delivered.proposal.opened.title
        );
        chamber.notify(&extras.notify_roles, id, &text, now).map_err(|error| council::failure(&error))?;
        notify(app, chamber, &text)?;
    }
    Ok(delivered)
}

fn notify(app: &App, chamber: &Chamber, text: &str) -> Result<(), Failure> {
    let settings = mi_config::resolve(&app.layers(&chamber.place.root), &app.environment, &[]).settings;
    if let Some(command) = &settings.notify.command {
        let mut spec = minds::shell(command, chamber.place.root.clone());
        spec.environment = spec.environment.with("MI_REASON", text);
        let limits = Limits { timeout: Duration::from_secs(10), max_output_bytes: 4096 };
        // The delivery is made; a notification that fails does not take it back.
        drop(run_to_end(&spawner()?, &spec, limits, None));
    }
    Ok(())
}

/// What changed since the commit that the proposal was made on.
pub fn diff(chamber: &Chamber, id: &str) -> Option<String> {
    let proposal = chamber.proposal(id).ok()?;
    let commit = proposal.opened.commit.as_deref()?;
    git::diff(&chamber.place.root, commit, &proposal.paths).filter(|diff| !diff.is_empty())
}

fn verify(app: &App, dir: &Path, key: Option<&Path>) -> Outcome {
    let pinned = match key {
        Some(path) => {
            let fail = |error: &std::io::Error| {
                Failure::usage(format!("read the key `{}`", path.display())).because(error)
            };
            let text = fs::read(path).map_err(|error| fail(&error))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            if let Err(problem) = mi_delivery::fingerprint(&text) {
                return Err(Failure::usage(format!("the key `{}`: {problem}", path.display()))
                    .todo("give a public-key file such as key.pub of a packet that you trust"));
            }
            Some(text)
        }
        None => None,
    };
    if !dir.is_dir() {
        return Err(Failure::new(format!("there is no packet `{}`: it is not a folder", dir.display())));
    }
    let checked = verify_folder(dir, pinned.as_deref()).map_err(|error| council::failure(&error))?;
    show(app, &checked, key.is_some())
}

fn show(app: &App, checked: &Verification, pinned: bool) -> Outcome {
    let exit = ExitReason::failed_if(!checked.problems.is_empty());
    if app.common.json {
        app.print_json(&json!({
            "ok": exit.is_success(), "problems": checked.problems, "fingerprint": checked.fingerprint, "key_pinned": pinned,
            "proposal": checked.proposal, "digest": checked.artefact, "files": checked.files,
        }))?;
        return Ok(exit);
    }
    for problem in &checked.problems {
        // A name that forges a line of its own is shown as what it is.
        let path = problem.path.escape_debug();
        app.print(&format!("{} {path}: {}", app.look.bad("problem:"), problem.problem))?;
    }
    let fingerprint = checked.fingerprint.as_deref().unwrap_or("no key that can be read");
    app.print(&format!(
        "key {fingerprint}{}",
        if pinned { "" } else { " (any key is taken; give yours with --key)" }
    ))?;
    let verdict = if exit.is_success() { app.look.good("ok") } else { app.look.bad("not ok") };
    let proposal = checked.proposal.as_deref().unwrap_or("no proposal");
    app.print(&format!(
        "{verdict}: {proposal}, {} files, {} problems",
        checked.files,
        checked.problems.len()
    ))?;
    Ok(exit)
}

fn close(app: &App, id: &str, merged: bool, why: &str) -> Outcome {
    let outcome = if merged { Closing::Merged } else { Closing::Rejected };
    let mut chamber = council::chamber(app)?;
    let closed = chamber.close(id, outcome, why, app.clock.now());
    let (brief, now) = closed.map_err(|error| council::failure(&error))?;
    council::print_status(app, &brief, &now)
}
