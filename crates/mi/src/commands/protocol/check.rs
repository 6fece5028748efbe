//! `mi protocol check`, and how the problems of a file are told by every other subcommand.

use mi_protocol::{Level, Problem, Protocol};
use serde_json::{Value, json};
use std::sync::Arc;

use super::source::Source;
use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, source: &Source) -> Outcome {
    let (loaded, unknown) = mi_protocol::check(&source.bytes);
    if app.common.json {
        let mut report = as_json(source, &loaded.problems);
        report["unknown"] = json!(unknown);
        app.print_json(&report)?;
        return Ok(ExitReason::failed_if(!loaded.is_ok()));
    }
    for problem in &loaded.problems {
        app.print(&told(app, source, problem))?;
    }
    let warnings = loaded.problems.iter().filter(|problem| problem.kind.severity() == Level::Warning).count();
    let Some(protocol) = loaded.protocol else {
        app.print(&format!("{}: {} errors", app.look.bad("not ok"), loaded.problems.len() - warnings))?;
        return Ok(ExitReason::Failed);
    };
    app.print(&format!(
        "{}: {}: {} nodes, {} edges, {} policies, {} invariants, {warnings} warnings",
        app.look.good("ok"),
        protocol.name,
        protocol.nodes.len(),
        protocol.edges.len(),
        protocol.policies.len(),
        protocol.invariants.len(),
    ))?;
    if !unknown.is_empty() {
        let edges = app.look.one_line(&unknown.join(", "), 34);
        app.print(&format!("guards that could not be decided: {edges}"))?;
    }
    Ok(ExitReason::Done)
}

/// The protocol; `None` after its errors were told.
pub fn load(app: &App, source: &Source) -> Result<Option<Arc<Protocol>>, Failure> {
    let loaded = mi_protocol::load(&source.bytes);
    match loaded.protocol {
        Some(protocol) => Ok(Some(Arc::new(protocol))),
        None => refused(app, source, &loaded.problems).map(|_| None),
    }
}

/// Tells the problems; the exit code is 1.
pub fn refused(app: &App, source: &Source, problems: &[Problem]) -> Outcome {
    if app.common.json {
        app.print_json(&as_json(source, problems))?;
        return Ok(ExitReason::Failed);
    }
    for problem in problems {
        app.talk(&told(app, source, problem));
    }
    Ok(ExitReason::Failed)
}

fn as_json(source: &Source, problems: &[Problem]) -> Value {
    let ok = problems.iter().all(|problem| problem.kind.severity() != Level::Error);
    let problems: Vec<Value> = problems
        .iter()
        .map(|problem| {
            json!({
                "kind": problem.kind, "severity": problem.kind.severity(),
                "at": format!("{}:{}", source.name, problem.place),
                "message": problem.message, "hint": problem.hint,
            })
        })
        .collect();
    json!({"ok": ok, "problems": problems})
}

fn told(app: &App, source: &Source, problem: &Problem) -> String {
    let kind = serde_json::to_value(problem.kind).ok();
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default();
    let word = match problem.kind.severity() {
        Level::Error => app.look.bad("error"),
        Level::Warning => app.look.warn("warning"),
    };
    let mut lines = vec![format!("{}:{}: {word} {kind}", source.name, problem.place)];
    lines.extend(wrapped(&problem.message, 76).into_iter().map(|line| format!("  {line}")));
    lines.extend(wrapped(&problem.hint, 74).into_iter().map(|line| app.look.faint(&format!("    {line}"))));
    lines.join("\n")
}

/// Lines of at most `width` characters, broken between words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
