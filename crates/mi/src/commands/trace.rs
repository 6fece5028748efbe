//! `mi trace`: requirement → spec → code → test → commit → delivery, and the gaps.

use mi_council::{
    Proposal,
    trace::{Place, Trace, Traced},
};
use mi_delivery::Chamber;
use serde_json::json;
use std::fs;

use super::{council, git};
use crate::{
    app::App,
    args::council::TraceArgs,
    failure::{Failure, Outcome},
};

/// Larger files hold data, not requirements.
const MOST_BYTES: u64 = 4 << 20;
const MOST_DELIVERIES: usize = 10_000;

pub fn run(app: &App, args: &TraceArgs) -> Outcome {
    let chamber = council::chamber(app)?;
    let root = &chamber.place.root;
    let fail = |error| council::failure(&error);
    let mut trace = Trace::new(&args.family);
    for file in mi_delivery::artefact::read(root, &[".".to_owned()]).map_err(fail)? {
        if file.bytes <= MOST_BYTES
            && let Ok(text) = fs::read_to_string(root.join(&file.path))
        {
            trace.add_file(&file.path, &text);
        }
    }
    if git::head(root).is_some() {
        let log = git::ask(root, &["log", "--branches", "--format=%h%x00%B%x01", "-n", "10000", "HEAD"])
            .unwrap_or_default();
        for commit in log.split('\u{1}') {
            if let Some((hash, message)) = commit.trim_start().split_once('\0') {
                trace.add_text(Place::Commit, hash, message);
            }
        }
    }
    for (id, submission) in chamber.deliveries(MOST_DELIVERIES).map_err(fail)? {
        let proposal = chamber.proposal(&id).map_err(fail)?;
        trace_delivery(&chamber, &mut trace, &proposal, &submission.submission);
    }
    let traced: Vec<Traced> = trace
        .finish(&Place::ALL)
        .into_iter()
        .filter(|one| args.id.as_ref().is_none_or(|id| *id == one.id))
        .collect();
    match &args.id {
        Some(id) if traced.is_empty() => {
            Err(Failure::new(format!("no file, commit or delivery names the requirement `{id}`"))
                .todo("list all requirements: mi trace"))
        }
        _ => print(app, &traced),
    }
}

/// What a delivery's proposal cites, and what the files that were delivered cite.
fn trace_delivery(chamber: &Chamber, trace: &mut Trace, proposal: &Proposal, submission: &str) {
    let source = format!("{submission} ({})", proposal.opened.id);
    for id in &proposal.opened.requirements {
        trace.add(id, Place::Delivery, &source);
    }
    for file in &proposal.opened.files {
        if let Ok(Some(content)) = chamber.store.get(file.sha256)
            && let Ok(text) = String::from_utf8(content)
        {
            trace.add_text(Place::Delivery, &source, &text);
        }
    }
}

fn print(app: &App, traced: &[Traced]) -> Outcome {
    let gaps = traced.iter().filter(|one| !one.missing.is_empty()).count();
    if app.common.json {
        return app.print_json(&json!({"requirements": traced, "gaps": gaps}));
    }
    if traced.is_empty() {
        return app.print("No requirement ids (PROJ-CAT-###) were found.");
    }
    for one in traced {
        let missing: Vec<String> =
            one.missing.iter().map(|place| format!("{place:?}").to_lowercase()).collect();
        let verdict = if missing.is_empty() {
            app.look.good("whole")
        } else {
            format!("missing: {}", missing.join(", "))
        };
        app.print(&format!("{}  {verdict}", app.look.strong(&one.id)))?;
        for (place, sources) in &one.places {
            let first: Vec<&str> = sources.iter().take(3).map(String::as_str).collect();
            let more = sources.len().saturating_sub(3);
            let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
            app.print(&format!("  {:<9} {}{rest}", format!("{place:?}").to_lowercase(), first.join(", ")))?;
        }
    }
    app.print(&format!("{} requirements, {gaps} with gaps", traced.len()))
}
