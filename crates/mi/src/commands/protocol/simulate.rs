//! `mi protocol simulate` and `explain`: events through the engine.

use mi_protocol::{Detail, Engine, Verdict};
use serde_json::{Value, json};
use std::path::Path;

use super::{
    check::{self, wrapped},
    events::{Lines, Output},
    snapshot,
    source::Source,
};
use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
    render::style::harmless,
};

pub fn run(app: &App, source: &Source, events: &str, save: Option<&Path>, from: Option<&Path>) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(ExitReason::Failed) };
    let mut engine = match from {
        None => Engine::new(protocol),
        Some(path) => snapshot::restore(protocol, path)?,
    };
    let lines = Lines::open(events)?;
    let mut out = Output::new();
    lines.each(|line| {
        let Some(verdict) = engine.apply(line) else { return Ok(()) };
        if app.common.json { out.line(&verdict.to_json()) } else { out.line(&harmless(&told(&verdict))) }
    })?;
    out.end()?;
    if let Some(path) = save {
        snapshot::save(path, &engine.snapshot())?;
    }
    Ok(ExitReason::Done)
}

/// A verdict in one line of at most 80 columns.
pub fn told(verdict: &Verdict) -> String {
    let mut line = format!(
        "{:>5}  {}  {}",
        verdict.at,
        if verdict.allowed { "allowed" } else { "refused" },
        mi_model::shorten(&verdict.node, 16)
    );
    let mut add = |text: String| {
        line.push_str("  ");
        line.push_str(&text);
    };
    match (verdict.action, &verdict.by) {
        (Some(action), Some(by)) => add(format!("{} by {by}", action.word())),
        (None, Some(by)) => add(format!("by {by}")),
        _ => {}
    }
    if let Some(reason) = &verdict.reason {
        add(reason.to_string());
    }
    if let (Some(claim), Some(status)) = (&verdict.claim, verdict.verification_status) {
        add(format!("{claim} is {}", status.word()));
    }
    if !verdict.overrode.is_empty() {
        add(format!("overrode {}", verdict.overrode.join(", ")));
    }
    if let Some(subphase) = &verdict.subphase {
        add(subphase.as_ref().map_or("no sub-phase left".to_owned(), |next| format!("continue with {next}")));
    }
    mi_model::shorten(&line, 80)
}

pub fn explain(app: &App, source: &Source, events: &str, at: u64) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(ExitReason::Failed) };
    let mut engine = Engine::new(protocol);
    let mut found: Option<(Vec<u8>, Verdict)> = None;
    Lines::open(events)?.each(|line| {
        let now = engine.at() + 1;
        if now > at {
            return Ok(());
        }
        engine.set_detail(if now == at { Detail::Full } else { Detail::Brief });
        if let Some(verdict) = engine.apply(line).filter(|_| now == at) {
            found = Some((line.to_vec(), verdict));
        }
        Ok(())
    })?;
    let Some((line, verdict)) = found else {
        return Err(Failure::new(format!("there is no event at line {at} of {events}"))
            .todo("lines are counted from 1, blank ones too; mi protocol simulate lists them"));
    };
    if app.common.json {
        let event = serde_json::from_slice::<Value>(&line)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&line).into_owned()));
        return app.print_json(&json!({"at": at, "event": event, "verdict": verdict}));
    }
    app.print(&told(&verdict))?;
    for entry in verdict.trace.iter().map(|line| line.text.as_str()) {
        let indent = entry.len() - entry.trim_start().len() + 7;
        for (row, text) in wrapped(entry, 80 - indent - 2).iter().enumerate() {
            app.print(&format!("{:indent$}{}{text}", "", if row == 0 { "" } else { "  " }))?;
        }
    }
    Ok(ExitReason::Done)
}
