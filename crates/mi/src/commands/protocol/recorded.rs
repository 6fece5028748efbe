//! Runs of this project's journal as events: those that a run through a protocol recorded, or what the agent did and
//! what was decided, in the words of a protocol.
//!
//! Holds: reads the journal, changes nothing. Edges are named only for a protocol that has the autopilot's.

use mi_autopilot::{FollowedProtocol, Recorded};
use mi_journal::LogReader;
use mi_model::{
    ProofLevel, RunStatus,
    record::{Decision, Entry, EvidenceItem, NextAction},
};
use mi_protocol::Protocol;
use serde_json::{Value, json};

use crate::{app::App, failure::Failure};

/// Runs and lines that are looked at.
const MOST_RUNS: usize = 10_000;
const MOST_LINES: usize = 10_000_000;

/// The ids of all recorded runs, oldest first.
pub fn runs(app: &App) -> Result<Vec<String>, Failure> {
    let project = app.project()?;
    let reader = LogReader::open(&project.files.evidence().log).map_err(|error| Failure::of(&error))?;
    if !reader.exists() {
        return Ok(Vec::new());
    }
    let runs = reader.runs(MOST_RUNS, MOST_LINES).map_err(|error| Failure::of(&error))?;
    Ok(runs.iter().rev().map(|run| run.run_id.to_string()).collect())
}

/// The events of one run, one JSON object per line, and the protocol that it followed.
pub fn events(
    app: &App,
    protocol: &Protocol,
    run: &str,
) -> Result<(Vec<String>, Option<FollowedProtocol>), Failure> {
    let (lines, followed) = recorded(app, protocol, run)?;
    Ok((lines.into_iter().map(|mut line| line["event"].take().to_string()).collect(), followed))
}

/// The events of one run with the verdicts of then, where there were any.
pub fn judged(app: &App, protocol: &Protocol, run: &str) -> Result<Vec<String>, Failure> {
    let with_verdict = |mut line: Value| match line["verdict"].is_null() {
        true => line["event"].take().to_string(),
        false => line.to_string(),
    };
    Ok(recorded(app, protocol, run)?.0.into_iter().map(with_verdict).collect())
}

fn recorded(
    app: &App,
    protocol: &Protocol,
    run: &str,
) -> Result<(Vec<Value>, Option<FollowedProtocol>), Failure> {
    let project = app.project()?;
    let recorded = Recorded::load(&project.files.evidence().log, run).map_err(|error| Failure::of(&error))?;
    let followed = recorded.followed();
    // The autopilot's own loop is told of every run, also of one that follows a protocol besides.
    if protocol.name != "autopilot" && followed.is_some() {
        let steps = recorded.records.into_iter().filter_map(|record| match record.entry {
            Entry::Protocol(step) => Some(json!({"event": step.protocol_event, "verdict": step.verdict})),
            _ => None,
        });
        return Ok((steps.collect(), followed));
    }
    let events = told(&recorded, protocol).into_iter().map(|event| json!({"event": event}));
    Ok((events.collect(), followed))
}

/// A run in the words of a protocol that it did not follow.
fn told(recorded: &Recorded, protocol: &Protocol) -> Vec<Value> {
    let has = |id: &str| protocol.edges.iter().any(|edge| &*edge.id == id);
    let mut teller = Teller {
        autopilot: protocol.name == "autopilot" && has("A1") && has("A6"),
        known: protocol.fields.iter().map(|field| field.name.clone()).collect(),
        at: "INTAKE",
        seconds: 0.0,
        lines: Vec::new(),
    };
    for record in &recorded.records {
        teller.tell(&record.entry);
    }
    teller.lines
}

struct Teller {
    autopilot: bool,
    known: Vec<String>,
    /// The autopilot's node.
    at: &'static str,
    seconds: f64,
    lines: Vec<Value>,
}

impl Teller {
    fn tell(&mut self, entry: &Entry) {
        match entry {
            Entry::CodexInput(_) => self.batch_begins(),
            Entry::EvidenceItem(item) if item.read_by.is_none() => self.batch_ended(item),
            Entry::Decision(decision) => self.decided(decision),
            Entry::UserInput(_) => self.update(&[("answered", json!(true))]),
            Entry::RunFinished(finished) => self.finished(finished.status),
            _ => {}
        }
    }

    fn batch_begins(&mut self) {
        match self.at {
            "INTAKE" => self.go("A1", "WORK"),
            "JUDGE" => self.go("A3", "WORK"),
            "ASK" => self.go("A5", "WORK"),
            _ => {}
        }
        self.update(&[("answered", json!(false))]);
        if self.autopilot {
            self.lines.push(json!({"type": "phase_start", "phase": "WORK"}));
        }
    }

    fn batch_ended(&mut self, item: &EvidenceItem) {
        #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
        let spent = item.duration_ms as f64 / 1000.0;
        self.seconds += spent;
        let calls = item.actions.len();
        self.update(&[
            ("cumulative_duration", json!(self.seconds)),
            ("tool_calls", json!(calls)),
            ("log_updated_after_phase", json!(true)),
        ]);
        let said = item.report.pointer("/facts/last_message").and_then(Value::as_str).unwrap_or_default();
        if !said.is_empty() {
            self.lines.push(json!({"type": "said", "actor": "worker", "text": said}));
        }
        if self.autopilot {
            self.lines.push(json!({"type": "phase_end", "phase": "WORK"}));
        }
        self.go("A2", "JUDGE");
    }

    fn decided(&mut self, decision: &Decision) {
        let unproven = decision.proof.iter().filter(|proof| proof.level < ProofLevel::Observed).count();
        let next = match decision.next_action {
            NextAction::SendToCodex => "send_to_codex",
            NextAction::AskUser => "ask_user",
            NextAction::Stop => "stop",
        };
        self.update(&[
            ("next_action", json!(next)),
            ("status", json!(decision.status.as_str())),
            ("unproven", json!(unproven)),
        ]);
        if decision.next_action == NextAction::AskUser {
            self.go("A4", "ASK");
        }
    }

    fn finished(&mut self, status: RunStatus) {
        self.update(&[("status", json!(status.as_str()))]);
        match (self.at, status) {
            ("JUDGE", RunStatus::Done) => self.go("A6", "DONE"),
            ("JUDGE", RunStatus::Blocked) => self.go("A7", "BLOCKED"),
            ("JUDGE", _) => self.go("A8", "STOPPED"),
            ("ASK", RunStatus::Blocked) => self.go("A9", "BLOCKED"),
            ("ASK", _) => self.go("A13", "STOPPED"),
            ("WORK", RunStatus::Blocked) => {
                self.update(&[("hands_usable", json!(false))]);
                self.go("A10", "BLOCKED");
            }
            ("WORK", _) => self.go("A11", "STOPPED"),
            ("INTAKE", RunStatus::Blocked) => {
                self.update(&[("hands_usable", json!(false))]);
                self.go("A12", "BLOCKED");
            }
            _ => {}
        }
    }

    fn go(&mut self, edge: &str, to: &'static str) {
        self.at = to;
        if self.autopilot {
            self.lines.push(json!({"type": "transition", "edge": edge}));
        }
    }

    /// Sets what the protocol has a field for.
    fn update(&mut self, values: &[(&str, Value)]) {
        let known = values.iter().filter(|(name, _)| self.known.iter().any(|known| known == name));
        let set: serde_json::Map<String, Value> =
            known.map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        if !set.is_empty() {
            self.lines.push(json!({"type": "update", "set": set}));
        }
    }
}
