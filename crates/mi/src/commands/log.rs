//! `mi log`: lists records, filtered or not; `-f` keeps printing new ones.

use mi_journal::{Follower, LogView, Pattern, Query};
use mi_model::{RunId, Timestamp, record::Entry};
use serde_json::Value;
use std::{thread, time::Duration};

use super::journal;
use crate::{
    app::App,
    args::LogArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
    render::record,
};

/// How often a followed log is looked at.
const FOLLOW: Duration = Duration::from_millis(200);

pub fn run(app: &App, args: &LogArgs) -> Outcome {
    let project = app.project()?;
    let mut view = journal::open(app, &project)?;
    let query = query(app, &view, args)?;
    let is_filtered = !query_is_empty(args);
    // Without a filter the end of the log is enough. That needs neither index nor chain, so it also reads logs of other
    // tools.
    let found = match is_filtered {
        true => journal::newest(&view, &query, args.n)?,
        false => journal::tail(&view, args.n)?,
    };
    if found.is_empty() {
        if let Some(run) = &args.run {
            check_run(&view, run, &query)?;
        }
        if !app.common.json {
            app.print(match is_filtered {
                true => "No record matches. List all records: mi log",
                false => "Nothing is recorded for this project yet. Start with: mi run 'TASK'",
            })?;
        }
    }
    for object in found {
        print(app, Value::Object(object))?;
    }
    if args.follow {
        return follow(app, &view, &query);
    }
    if is_filtered {
        // For the next command's sake; what was found does not depend on it.
        drop(view.catch_up(4));
    }
    Ok(ExitReason::Done)
}

fn query_is_empty(args: &LogArgs) -> bool {
    args.kind.is_none() && args.run.is_none() && args.since.is_none() && args.grep.is_none()
}

/// Fails if the log has no record of the run that `--run` names.
fn check_run(view: &LogView, name: &str, query: &Query) -> Result<(), Failure> {
    let of_run = Query { run: query.run.clone(), ..Query::default() };
    match journal::newest_one(view, &of_run)? {
        Some(_) => Ok(()),
        None => Err(Failure::new(format!("there is no run `{name}` in this project's journal"))
            .todo("list the records with their runs: mi log --json")),
    }
}

fn query(app: &App, view: &LogView, args: &LogArgs) -> Result<Query, Failure> {
    let pattern = match &args.grep {
        None => None,
        Some(regex) => Some(Pattern::regex(regex).map_err(|error| {
            Failure::usage(format!("`{regex}` is not a regular expression")).because(&error)
        })?),
    };
    let run = match args.run.as_deref() {
        Some("last") => newest_run(view)?,
        Some(run) => Some(RunId::new(run)),
        None => None,
    };
    let kinds = args.kind.iter().map(|kind| full_kind(kind)).collect();
    let since = args.since.as_deref().map(|text| since(text, app.clock.now())).transpose()?;
    Ok(Query { kinds, run, since, seq: None, pattern })
}

/// A kind as records spell it, whatever the case it was typed in.
fn full_kind(typed: &str) -> String {
    let typed = typed.replace('-', "_");
    if typed.eq_ignore_ascii_case("evidence") || typed.eq_ignore_ascii_case("evidence_item") {
        return "EvidenceItem".to_owned();
    }
    Entry::KINDS
        .iter()
        .find(|kind| kind.eq_ignore_ascii_case(&typed))
        .map_or(typed, |kind| (*kind).to_owned())
}

fn newest_run(view: &LogView) -> Result<Option<RunId>, Failure> {
    let newest = journal::newest_one(view, &Query::default())?;
    Ok(newest.and_then(|record| record.get("run_id").and_then(Value::as_str).map(RunId::new)))
}

/// An instant, or that long before now.
fn since(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u64>().ok());
    let ago = match days {
        Some(days) => Some(Duration::from_secs(days.saturating_mul(86_400))),
        None => mi_config::parse_duration(text).ok(),
    };
    match ago {
        Some(ago) => Ok(Timestamp::from_millis(
            now.as_millis().saturating_sub(i64::try_from(ago.as_millis()).unwrap_or(i64::MAX)),
        )),
        None => {
            // A day alone begins at midnight.
            let instant = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
            instant.parse().map_err(|error| {
                Failure::usage(format!("`{text}` is no time"))
                    .because(&error)
                    .todo("use 90s, 15m, 2h, 3d, 2026-02-08 or 2026-02-08T12:00:00Z")
            })
        }
    }
}

fn follow(app: &App, view: &LogView, query: &Query) -> Outcome {
    let reader = view.reader();
    let end = reader.length().map_err(|error| Failure::of(&error))?;
    let mut follower = Follower::new(reader.path(), end);
    loop {
        let lines = follower.poll(1000).map_err(|error| Failure::of(&error))?;
        for line in lines.iter().filter(|line| query.accepts(line)) {
            if let Some(object) = journal::object(line) {
                print(app, Value::Object(object))?;
            }
        }
        if lines.is_empty() {
            thread::sleep(FOLLOW);
        }
    }
}

fn print(app: &App, value: Value) -> Outcome {
    app.print(&if app.common.json { value.to_string() } else { record::listing(&value, &app.look) })
}
