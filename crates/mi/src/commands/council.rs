//! What the commands of the council share: the project's chamber, refusals as exit codes, how a proposal is shown.

use mi_autopilot::Project;
use mi_config::Settings;
use mi_council::{Aliases, Fault, Now, Quorum, licence::Policy};
use mi_delivery::{Brief, Chamber, CouncilError, Place};
use serde_json::{Value, json};
use std::fmt;

use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// The council of the project that `--cd` names. What a crash left of its log is put right and said, whatever is asked.
pub fn chamber(app: &App) -> Result<Chamber, Failure> {
    let project = app.project()?;
    let resolved = mi_config::resolve(&app.layers(&project.root), &app.environment, &[]);
    let chamber = chamber_of(project, &resolved.settings)?;
    for repair in chamber.repair() {
        app.talk(&format!("mi: {repair}"));
    }
    Ok(chamber)
}

/// The council of a project whose settings are known.
pub fn chamber_of(project: Project, settings: &Settings) -> Result<Chamber, Failure> {
    let aliases = Aliases::new(&settings.council.aliases)
        .map_err(|error| Failure::usage(error.to_string()).todo("correct it in your config.toml"))?;
    let mut licences = Policy::default();
    licences.allow.extend(settings.kaching.allow.iter().cloned());
    licences.deny.extend(settings.kaching.deny.iter().cloned());
    licences.is_configured = !settings.kaching.allow.is_empty() || !settings.kaching.deny.is_empty();
    let (root, layout, files) = (project.root, project.layout, project.files);
    Ok(Chamber::new(Place { root, layout, files, aliases, licences }))
}

/// The quorum that the settings ask for. One that is not a number, or cannot work, is refused: exit 4.
pub fn quorum(app: &App) -> Result<Quorum, Failure> {
    let folder = app.project()?.root;
    let resolved = app.look_at_settings(&folder, &[]);
    let wrong = resolved.problems.iter().find(|problem| problem.severity() == mi_config::Severity::Error);
    if let Some(problem) = wrong {
        let what = problem.to_string();
        return match what.contains("`council.") || what.contains("not valid TOML") {
            true => Err(Failure::denied(format!("rule `quorum`: {what}"))),
            false => Err(Failure::usage(what)),
        };
    }
    let council = &resolved.settings.council;
    let seats = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let quorum = Quorum {
        reviewers: seats(council.reviewers),
        domain: seats(council.domain),
        quality: seats(council.quality),
        greens: seats(council.greens),
        beats: seats(council.beats),
    };
    quorum.check().map_err(|refusal| Failure::denied(refusal.to_string()))?;
    Ok(quorum)
}

/// The failure of a command that only reads: what does not exist is no mistake on the command line.
pub fn reading_failure(error: &CouncilError) -> Failure {
    match error {
        CouncilError::Unknown { .. } => Failure::of(error),
        error => failure(error),
    }
}

/// What was typed wrong ends in 2, what a rule forbids in 4, what the machine did not let us do in 1.
pub fn failure(error: &CouncilError) -> Failure {
    match error {
        CouncilError::Refused(refusal) => match refusal.fault {
            Fault::Malformed => Failure::usage(refusal.to_string()),
            Fault::Forbidden => Failure::denied(refusal.to_string()),
        },
        CouncilError::Unknown { .. } | CouncilError::Usage(_) | CouncilError::Alias(_) => {
            Failure::usage(error.to_string())
        }
        CouncilError::Io { attempt, source, .. }
            if attempt.starts_with("read the proposed") && source.kind() == std::io::ErrorKind::NotFound =>
        {
            Failure::of(error).ending(ExitReason::WrongUsage)
        }
        CouncilError::Io { .. }
        | CouncilError::File(_)
        | CouncilError::Journal(_)
        | CouncilError::Damaged { .. }
        | CouncilError::Key { .. } => Failure::of(error),
    }
}

/// Says what had to be repaired.
pub fn tell_repairs(app: &App, chamber: &Chamber) {
    for repair in chamber.bus.repairs() {
        app.talk(&format!("mi: {repair}"));
    }
}

/// How a proposal stands, as JSON: the contract's fields first.
pub fn status_json(brief: &Brief, now: &Now) -> String {
    brief.head.standing.to_json(now, &brief.history, &about(brief))
}

/// What the answer says about the proposal itself.
fn about(brief: &Brief) -> [(&'static str, String); 3] {
    let head = &brief.head;
    let (id, title, paths) = (json!(head.id), json!(head.title), json!(head.paths));
    [("id", id.to_string()), ("title", title.to_string()), ("paths", paths.to_string())]
}

/// Prints how a proposal stands.
pub fn print_status(app: &App, brief: &Brief, now: &Now) -> Outcome {
    if app.common.json {
        let about = about(brief);
        return app.print_long(|out| brief.head.standing.write_json(now, &brief.history, &about, out));
    }
    app.print_long(|out| write_status(app, brief, now, out))
}

/// How a proposal stands, for people.
fn write_status(app: &App, brief: &Brief, now: &Now, out: &mut impl fmt::Write) -> fmt::Result {
    let status = brief.head.standing.status(now);
    let title = app.look.one_line(&brief.head.title, brief.head.id.len() + 20);
    writeln!(out, "{}  {}  {title}", app.look.strong(&brief.head.id), status.phase)?;
    let digest = status.digest.to_string();
    writeln!(out, "  beat {}, due at beat {}, digest {}", status.beat, status.due_beat, &digest[..12])?;
    let paths = app.look.one_line(&brief.head.paths.join(", "), 20 + status.author.as_str().len());
    writeln!(out, "  by {}: {paths}", status.author)?;
    let (have, need) = (status.quorum.have, status.quorum.need);
    let met = if status.quorum.met { "met" } else { "not met" };
    write!(
        out,
        "  quorum {met}: {}/{} reviewers, {}/{} domain, {}/{} quality",
        have.total, need.total, have.domain, need.domain, have.quality, need.quality
    )?;
    for (name, vote) in brief.head.standing.shown_votes(now) {
        let counted = if vote.counted { "" } else { "  (does not count)" };
        write!(out, "\n  {:<7}{name} as {}{counted}", vote.vote.as_str(), vote.role)?;
    }
    for (name, past) in brief.history.iter() {
        let late = if past.late { "late" } else { "earlier" };
        write!(out, "\n  {:<7}{name} as {}  ({late})", past.vote.as_str(), past.role)?;
    }
    for blocker in &status.blockers {
        write!(out, "\n  {} {blocker}", app.look.warn("blocked:"))?;
    }
    Ok(())
}

/// A list of JSON values, or one line for people.
pub fn or_nothing(app: &App, is_empty: bool, json: &Value, nothing: &str) -> Option<Outcome> {
    match (app.common.json, is_empty) {
        (true, _) => Some(app.print_json(json)),
        (false, true) => Some(app.print(nothing)),
        (false, false) => None,
    }
}
