//! What a batch showed, as events: time, tool calls, gate, what was said, what was written, a reviewer's verdict.

use mi_model::{BatchId, Proof};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use super::{Director, prompts, review};
use crate::{criteria::Criterion, message::Command, report::BatchReport};

/// More paths of one batch are not asked about.
const MOST_PATHS: usize = 200;

impl Director {
    /// Tells the engine what is known after a batch. The batch's own record stands before these in the journal, so the
    /// log is up to date when the engine asks.
    pub(crate) fn observe(
        &mut self,
        report: &BatchReport,
        criteria: &[Criterion],
        proof: &[Proof],
        out: &mut Vec<Command>,
    ) {
        let batch = &report.batch_id;
        self.complaints.clear();
        self.evidence = None;
        self.is_ended = false;
        let node = self.engine.node().to_owned();
        let spent = self.spent.entry(node).or_default();
        #[expect(clippy::cast_precision_loss, reason = "seconds of a batch")]
        let seconds = report.duration_ms as f64 / 1000.0;
        *spent += seconds;
        let spent = *spent;
        self.tool_calls = self.tool_calls.saturating_add(tool_calls(report));
        self.changed.extend(written(report).map(str::to_owned));
        let mut set = Map::from_iter([
            ("cumulative_duration".to_owned(), json!(spent)),
            ("tool_calls".to_owned(), json!(self.tool_calls)),
            ("gate_passed".to_owned(), json!(self.is_gate_passed(criteria, proof))),
            ("log_updated_after_phase".to_owned(), json!(true)),
        ]);
        let reviewed = self.is_reviewing().then(|| review::read(&report.facts.last_message));
        if let Some(reviewed) = &reviewed {
            self.keep_review(report, reviewed, &mut set);
        }
        self.apply(batch, &json!({"type": "update", "set": set}), out);
        self.said(report, out);
        self.accessed(report, out);
        for (claim, supports) in reviewed.map(|reviewed| reviewed.claims).unwrap_or_default() {
            self.testified(batch, &claim, supports, out);
        }
    }

    fn actor(&self) -> &'static str {
        if self.is_reviewing() { "validator" } else { "worker" }
    }

    fn keep_review(&mut self, report: &BatchReport, reviewed: &review::Review, set: &mut Map<String, Value>) {
        let word = if report.facts.changed_tree() {
            self.complaints.push(
                "the review does not count, because files of the project changed while it was made"
                    .to_owned(),
            );
            "PENDING"
        } else {
            reviewed.verdict
        };
        set.insert("validator_verdict".to_owned(), json!(word));
        if let Some(score) = reviewed.score {
            set.insert("score".to_owned(), json!(score));
        }
        if word == "REJECT" {
            let before = match self.engine.field("rejection_count") {
                Some(mi_protocol::Value::Integer(count)) => *count,
                _ => 0,
            };
            set.insert("rejection_count".to_owned(), json!(before.saturating_add(1)));
        }
        self.review = Some(crate::run::clip(&report.facts.last_message));
    }

    fn said(&mut self, report: &BatchReport, out: &mut Vec<Command>) {
        let text = &report.facts.last_message;
        if text.trim().is_empty() {
            return;
        }
        let event = json!({"type": "said", "actor": self.actor(), "text": text});
        let verdict = self.apply(&report.batch_id, &event, out);
        if !verdict.allowed {
            self.complaints
                .push(format!("what you said is not allowed here: {}", prompts::refusal(&verdict)));
        }
    }

    /// Asks about what was written, if the protocol has rules about writing.
    fn accessed(&mut self, report: &BatchReport, out: &mut Vec<Command>) {
        if !self.engine.protocol().access.iter().any(|rule| rule.mode == "write") {
            return;
        }
        let paths: BTreeSet<&str> = written(report).take(MOST_PATHS).collect();
        for path in paths {
            let event = json!({"type": "access", "actor": self.actor(), "path": path, "mode": "write"});
            let verdict = self.apply(&report.batch_id, &event, out);
            if !verdict.allowed {
                let why = prompts::refusal(&verdict);
                self.complaints.push(format!("you may not write `{path}` ({why}); put it back as it was"));
            }
        }
    }

    /// A reviewer is a source of its own.
    fn testified(&mut self, batch: &BatchId, claim: &str, supports: bool, out: &mut Vec<Command>) {
        let source = format!("validator:{}", self.engine.node());
        let id = format!("{batch}:{claim}");
        let event =
            json!({"type": "evidence", "id": id, "claim": claim, "source": source, "supports": supports});
        self.apply(batch, &event, out);
    }
}

/// Commands, edits, other tools and searches, as the harness reported them.
fn tool_calls(report: &BatchReport) -> u64 {
    let facts = &report.facts;
    let count = facts.commands.len() + facts.files.len() + facts.tool_calls.len() + facts.web_searches.len();
    (count as u64).saturating_add(facts.left_out)
}

fn written(report: &BatchReport) -> impl Iterator<Item = &str> {
    report.facts.files.iter().map(|file| file.path.as_str())
}
