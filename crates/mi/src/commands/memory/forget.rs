//! `mi memory gc`: forgetting, by a person or by three signals that a person switched on.

use mi_workspace::{
    Store,
    memory::{
        gc::{DeleteError, Deleted, check_observed, delete, merge},
        git::{Git, GitError},
        signals::{Candidates, Signals, Thresholds, candidates},
    },
};
use serde_json::json;

use super::{say, store};
use crate::{
    app::App,
    args::memory::GcArgs,
    commands::launch::spawner,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn gc(app: &App, args: &GcArgs) -> Outcome {
    let (project, store) = store(app)?;
    let settings = app.settings(&project.root, &[])?.memory.gc;
    let thresholds =
        Thresholds::new(settings.age_days, settings.cycles_since_read, settings.reads_below).ok();
    let found = candidates(&store, app.clock.now(), thresholds).map_err(|error| Failure::of(&error))?;
    say(app, &found.notes);
    if let [into, from] = &args.merge[..] {
        let git = git(&store)?;
        let deleted = merge(&store, &git, into, from).map_err(|error| failure(&error))?;
        return done(app, &found, &[deleted]);
    }
    if args.auto && !settings.automatic {
        return Err(Failure::needs_person("automatic deletion is switched off").todo(
            "set memory.gc.automatic, age_days, cycles_since_read and reads_below in your config.toml",
        ));
    }
    if args.auto {
        check_observed(&found).map_err(|error| failure(&error))?;
    }
    let chosen = if args.auto {
        found.candidates.iter().filter(|signals| signals.is_stale == Some(true)).cloned().collect()
    } else {
        named(&found, &args.delete)?
    };
    let is_look = !args.auto && args.delete.is_empty();
    if is_look || args.dry_run {
        return look(app, &found, if is_look { &found.candidates } else { &chosen });
    }
    if !app.common.json {
        table(app, &chosen)?;
    }
    let deleted = forget(app, &store, &chosen)?;
    done(app, &found, &deleted)
}

/// Deletes one after the other; when one fails, those before it are told, since they are gone.
fn forget(app: &App, store: &Store, chosen: &[Signals]) -> Result<Vec<Deleted>, Failure> {
    let mut deleted = Vec::new();
    if chosen.is_empty() {
        return Ok(deleted);
    }
    let git = git(store)?;
    for signals in chosen {
        match delete(store, &git, signals) {
            Ok(note) => deleted.push(note),
            Err(error) => {
                deleted.iter().for_each(|note| app.talk(&gone(note)));
                return Err(failure(&error));
            }
        }
    }
    Ok(deleted)
}

/// The notes that were named; one that does not exist stops everything before anything is deleted.
fn named(found: &Candidates, names: &[String]) -> Result<Vec<Signals>, Failure> {
    let find = |name: &String| {
        let signals = found
            .candidates
            .iter()
            .find(|signals| signals.name == *name || signals.name.strip_suffix(".md") == Some(name));
        signals
            .cloned()
            .ok_or_else(|| Failure::usage(format!("there is no note `{name}`")).todo("mi memory list"))
    };
    let mut chosen: Vec<Signals> = names.iter().map(find).collect::<Result<_, _>>()?;
    chosen.dedup_by(|left, right| left.name == right.name);
    Ok(chosen)
}

fn git(store: &Store) -> Result<Git, Failure> {
    Git::open(spawner()?, store.layout().project()).map_err(|error| failure(&error.into()))
}

fn failure(error: &DeleteError) -> Failure {
    let exit = match error {
        DeleteError::Unknown { .. } | DeleteError::Itself | DeleteError::Outside(_) => ExitReason::WrongUsage,
        DeleteError::Ignored { .. }
        | DeleteError::NotObserved
        | DeleteError::Git(GitError::Missing | GitError::NoRepository { .. }) => ExitReason::NeedsYou,
        DeleteError::Git(GitError::Failed { .. }) | DeleteError::Save(_) | DeleteError::File(_) => {
            ExitReason::Failed
        }
    };
    Failure::of(error).ending(exit)
}

fn look(app: &App, found: &Candidates, shown: &[Signals]) -> Outcome {
    if app.common.json {
        return app.print_json(&json!({
            "reads_are_observed": found.reads_are_observed, "candidates": shown, "deleted": [],
        }));
    }
    if shown.is_empty() {
        return app.print(if found.candidates.is_empty() {
            "There are no notes."
        } else {
            "No note is stale."
        });
    }
    table(app, shown)?;
    if !found.reads_are_observed {
        app.talk(
            "mi: nobody observes which notes are read here (mi mcp install); reads are unknown, not zero",
        );
    }
    app.print(
        "\nNothing was deleted. Delete: mi memory gc --delete NAME. Join two: mi memory gc --merge INTO FROM",
    )
}

fn table(app: &App, shown: &[Signals]) -> Outcome {
    app.print(
        &app.look.faint(&format!(
            "{:<40} {:>6} {:>7} {:>6}  {}",
            "note", "days", "cycles", "reads", "last reader"
        )),
    )?;
    for signals in shown {
        let reader = signals.last_agent.as_deref().unwrap_or("-");
        let stale = if signals.is_stale == Some(true) { "  stale" } else { "" };
        app.print(&format!(
            "{:<40} {:>6} {:>7} {:>6}  {reader}{stale}",
            signals.name, signals.age_days, signals.cycles_since_read, signals.read_count
        ))?;
    }
    Ok(ExitReason::Done)
}

fn done(app: &App, found: &Candidates, deleted: &[Deleted]) -> Outcome {
    if app.common.json {
        return app.print_json(&json!({
            "reads_are_observed": found.reads_are_observed, "candidates": found.candidates, "deleted": deleted,
        }));
    }
    if deleted.is_empty() {
        return app.print("No note is stale.");
    }
    for note in deleted {
        app.print(&gone(note))?;
    }
    Ok(ExitReason::Done)
}

fn gone(note: &Deleted) -> String {
    let what = match &note.merged_into {
        Some(into) => format!("merged into {into}"),
        None => "deleted".to_owned(),
    };
    format!("{} {what} in commit {:.12}. To get it back:\n  {}", note.name, note.commit, note.recover)
}
