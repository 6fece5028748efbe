//! `mi protocol audit` and `backtest`: recorded runs judged again.

use mi_autopilot::FollowedProtocol;
use mi_protocol::{
    Engine, Protocol,
    audit::{self, Audit, Change},
};
use serde_json::json;
use std::sync::Arc;

use super::{
    check,
    events::{Lines, Output},
    recorded,
    simulate::told,
    source::Source,
};
use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, source: &Source, events: Option<&str>, run: Option<&str>) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(ExitReason::Failed) };
    let mut audit = Audit::new(Arc::clone(&protocol));
    let mut out = Output::new();
    let mut records = 0_u64;
    let mut record = |line: &[u8], out: &mut Output| -> Result<(), Failure> {
        let Some(text) = audit.record(line) else { return Ok(()) };
        records += 1;
        if !app.common.json {
            return Ok(());
        }
        out.write(if records == 1 { "{\"records\":[\n" } else { ",\n" })?;
        out.write(&text)
    };
    let followed = match events {
        Some(events) => {
            Lines::open(events)?.each(|line| record(line, &mut out))?;
            None
        }
        None => {
            let (lines, followed) = recorded::events(app, &protocol, run.unwrap_or("last"))?;
            for line in lines {
                record(line.as_bytes(), &mut out)?;
            }
            followed
        }
    };
    let summary = audit.summary();
    if app.common.json {
        out.write(if records == 0 { "{\"records\":[" } else { "\n" })?;
        let report = serde_json::to_string(&summary).unwrap_or_default();
        out.line(&format!("],\"report\":{report},\"followed\":{}}}", json!(followed)))?;
        out.end()?;
        return Ok(ExitReason::Done);
    }
    app.print(&audit::page(&summary))?;
    match followed.filter(|followed| followed.sha256 != summary.protocol_digest) {
        Some(followed) => app.print(&told_otherwise(&followed)),
        None => Ok(ExitReason::Done),
    }
}

/// A run that followed another file was decided otherwise than it is judged here.
fn told_otherwise(followed: &FollowedProtocol) -> String {
    let name = mi_model::shorten(&followed.name, 40);
    format!("\nJudged again: the run itself followed {name},\n           {}", followed.sha256)
}

/// Changes of one run that are told; more are counted.
const MOST_TOLD: usize = 1000;

pub fn backtest(app: &App, source: &Source, files: &[String]) -> Outcome {
    let Some(protocol) = check::load(app, source)? else { return Ok(ExitReason::Failed) };
    let mut total = 0;
    let mut runs = 0;
    for file in files {
        let mut test = Test::new(&protocol);
        Lines::open(file)?.each(|line| {
            test.line(line);
            Ok(())
        })?;
        total += test.tell(app, file)?;
        runs += 1;
    }
    if files.is_empty() {
        for run in recorded::runs(app)? {
            let mut test = Test::new(&protocol);
            for line in recorded::judged(app, &protocol, &run)? {
                test.line(line.as_bytes());
            }
            total += test.tell(app, &run)?;
            runs += 1;
        }
    }
    if app.common.json {
        // A program is told too that there was nothing to look at.
        let nothing = json!({"run": null, "events": 0, "changed": 0, "changes": []});
        return if runs == 0 { app.print_json(&nothing) } else { Ok(ExitReason::Done) };
    }
    app.print(&match (runs, total) {
        (0, _) => "No run is recorded here yet; give event files, or start with: mi run 'TASK'".to_owned(),
        (_, 0) => format!("{runs} runs, nothing would have gone otherwise"),
        _ => format!("{runs} runs, {total} events would have gone otherwise"),
    })
}

/// One run under another protocol.
struct Test {
    engine: Engine,
    events: u64,
    count: u64,
    changes: Vec<Change>,
}

impl Test {
    fn new(protocol: &Arc<Protocol>) -> Self {
        Self { engine: Engine::new(Arc::clone(protocol)), events: 0, count: 0, changes: Vec::new() }
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        self.events += 1;
        if let Some(change) = audit::backtest(&mut self.engine, line) {
            self.count += 1;
            if self.changes.len() < MOST_TOLD {
                self.changes.push(change);
            }
        }
    }

    /// Prints the run; how many events changed.
    fn tell(self, app: &App, run: &str) -> Result<u64, Failure> {
        if app.common.json {
            app.print_json(&json!({
                "run": run, "events": self.events, "changed": self.count, "changes": self.changes,
            }))?;
            return Ok(self.count);
        }
        app.print(&app.look.strong(&format!("{run}: {} of {} events", self.count, self.events)))?;
        for change in &self.changes {
            let was = if change.was_allowed { "went through" } else { "was refused" };
            app.print(&format!("  {}", mi_model::shorten(&change.event.to_string(), 77)))?;
            app.print(&format!("    {was}, now {}", told(&change.verdict).trim_start()))?;
        }
        Ok(self.count)
    }
}
