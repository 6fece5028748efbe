//! `mi review`: who is asked, who votes, how it stands.

use mi_council::{Mitigation, Phase, VoteForm};
use serde_json::json;

use super::{council, propose, reviewers};
use crate::{
    app::App,
    args::council::{ReviewAction, ReviewArgs, VoteArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// Proposals in the list without an id.
const NEWEST: usize = 20;

pub fn run(app: &App, args: &ReviewArgs) -> Outcome {
    match &args.action {
        ReviewAction::Request { id, by, roles, .. } if !by.is_empty() => reviewers::run(app, id, by, roles),
        ReviewAction::Request { id, add, role, .. } => request(app, id, add.as_deref(), role.as_deref()),
        ReviewAction::Vote(args) => vote(app, args),
        ReviewAction::Narrow { id, scope } => narrow(app, id, scope),
        ReviewAction::Evidence { id, records } => evidence(app, id, records),
        ReviewAction::Show { id } => show(app, id),
        ReviewAction::Status { id: Some(id) } => status(app, id),
        ReviewAction::Status { id: None } => list(app),
    }
}

fn request(app: &App, id: &str, add: Option<&str>, role: Option<&str>) -> Outcome {
    let mut chamber = council::chamber(app)?;
    let asked = chamber.request(id, add.zip(role), app.clock.now());
    let (brief, now) = asked.map_err(|error| council::failure(&error))?;
    council::tell_repairs(app, &chamber);
    council::print_status(app, &brief, &now)
}

fn vote(app: &App, args: &VoteArgs) -> Outcome {
    let mitigations = mitigations(&args.vote, &args.mitigation)?;
    let form = VoteForm {
        name: args.name.clone(),
        role: args.role.clone(),
        colour: args.vote.clone(),
        rationale: args.rationale.clone(),
        evidence: Vec::new(),
        mitigations,
        scope: args.scope.clone(),
        digest: args.digest.clone(),
    };
    let mut chamber = council::chamber(app)?;
    let taken = chamber.vote(&args.id, form, &args.evidence, app.clock.now());
    let (brief, now) = taken.map_err(|error| council::failure(&error))?;
    council::tell_repairs(app, &chamber);
    let late = brief.head.standing.is_over();
    if app.common.json {
        let phase = brief.head.standing.phase(&now);
        return app.print_json(&json!({
            "id": args.id, "name": args.name, "role": args.role, "vote": args.vote, "counted": !late,
            "digest": now.digest, "phase": phase,
        }));
    }
    if late {
        app.talk("mi: the vote is kept; it came after the hand-over and does not count");
    }
    council::print_status(app, &brief, &now)
}

/// A red's mitigation is its fix path, whatever it says; the others name text, owner and beats.
fn mitigations(vote: &str, texts: &[String]) -> Result<Vec<Mitigation>, Failure> {
    let read = |text: &String| match vote {
        "red" => Ok(Mitigation { text: text.clone(), owner: None, due: None }),
        _ => Mitigation::read(text).map_err(|refusal| Failure::usage(refusal.to_string())),
    };
    texts.iter().map(read).collect()
}

fn narrow(app: &App, id: &str, scope: &[String]) -> Outcome {
    let mut chamber = council::chamber(app)?;
    let narrowed = chamber.narrow(id, scope.to_vec(), app.clock.now());
    let (brief, now) = narrowed.map_err(|error| council::failure(&error))?;
    council::print_status(app, &brief, &now)
}

fn evidence(app: &App, id: &str, records: &[String]) -> Outcome {
    let records = propose::evidence(records)?;
    let mut chamber = council::chamber(app)?;
    for (item, file) in records {
        chamber.add_evidence(id, item, &file, app.clock.now()).map_err(|error| council::failure(&error))?;
    }
    status(app, id)
}

/// The Completion Proposal, as reviewers and a packet get it.
fn show(app: &App, id: &str) -> Outcome {
    let chamber = council::chamber(app)?;
    let text = chamber.completion_proposal(id, app.clock.now());
    let text = text.map_err(|error| council::reading_failure(&error))?;
    match app.common.json {
        true => app.print_json(&json!({"id": id, "markdown": text})),
        false => app.print(text.trim_end()),
    }
}

fn status(app: &App, id: &str) -> Outcome {
    let mut chamber = council::chamber(app)?;
    let status = chamber.status(id, app.clock.now());
    let (brief, now) = status.map_err(|error| council::reading_failure(&error))?;
    council::print_status(app, &brief, &now)
}

fn list(app: &App) -> Outcome {
    let chamber = council::chamber(app)?;
    let fail = |error| council::failure(&error);
    let mut shown: Vec<(String, Phase, String)> = Vec::new();
    for opened in chamber.newest(NEWEST).map_err(fail)? {
        let phase = chamber.phase(&opened.id, app.clock.now()).map_err(fail)?;
        shown.push((opened.id, phase, opened.title));
    }
    let json =
        shown.iter().map(|(id, phase, title)| json!({"id": id, "phase": phase, "title": title})).collect();
    if let Some(outcome) = council::or_nothing(
        app,
        shown.is_empty(),
        &json,
        "No proposals. Make one: mi propose PATH --title T --author NAME",
    ) {
        return outcome;
    }
    for (id, phase, title) in &shown {
        app.print(&format!("{}  {phase:<10} {}", app.look.strong(id), app.look.one_line(title, 20)))?;
    }
    Ok(ExitReason::Done)
}
