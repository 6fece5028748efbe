//! What a batch showed, as events: time, tool calls, gate, what was said, which files were touched, a reviewer's verdict.

use mi_model::{BatchId, Proof};
use mi_protocol::Verdict;
use serde_json::{Map, Value, json};

use super::{
    Director, prompts, review,
    touched::{Touch, touched},
};
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
        let Some(reviewed) = reviewed else { return };
        for (claim, supports) in &reviewed.claims {
            self.testified(batch, claim, *supports, out);
        }
        // A review during which a file changed does not count.
        if !report.facts.changed_tree() {
            self.approved(batch, &reviewed.approved, out);
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
            set.insert("rejection_count".to_owned(), json!(self.rejections().saturating_add(1)));
        }
        self.review = Some(crate::run::clip(&report.facts.last_message));
    }

    /// How often a reviewer rejected the work.
    pub(super) fn rejections(&self) -> i64 {
        match self.engine.field("rejection_count") {
            Some(mi_protocol::Value::Integer(count)) => *count,
            _ => 0,
        }
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

    /// Asks about what was read, written and run, for each of these that the protocol has rules about.
    fn accessed(&mut self, report: &BatchReport, out: &mut Vec<Command>) {
        let access = &self.engine.protocol().access;
        let has_rules = |mode: &str| access.iter().any(|rule| rule.mode == mode);
        let asked: Vec<Touch> =
            touched(report).into_iter().filter(|(mode, _)| has_rules(mode)).take(MOST_PATHS).collect();
        for (mode, path) in asked {
            let event = json!({"type": "access", "actor": self.actor(), "path": path, "mode": mode});
            let verdict = self.apply(&report.batch_id, &event, out);
            if !verdict.allowed {
                self.complain(mode, &path, &verdict);
            }
        }
    }

    /// A file can be put back, so nothing that was written against the rules is left. What was read or run cannot be
    /// undone: it is recorded, and the agent hears of it where a rule forbids it by name.
    fn complain(&mut self, mode: &str, path: &str, verdict: &Verdict) {
        let why = prompts::refusal(verdict);
        let is_by_name = verdict.by.as_deref() != Some("access:default");
        match mode {
            "write" => {
                self.complaints.push(format!("you may not write `{path}` ({why}); put it back as it was"));
            }
            "exec" if is_by_name => self.complaints.push(format!("you may not run `{path}` ({why})")),
            _ if is_by_name => {
                self.complaints.push(format!("you may not read `{path}` ({why}); do not use what it says"));
            }
            _ => {}
        }
    }

    /// Items that a reviewer wants kept as they are, of those that an output has.
    fn approved(&mut self, batch: &BatchId, named: &[String], out: &mut Vec<Command>) {
        let items: Vec<&String> = named.iter().filter(|name| self.engine.has_item(name)).collect();
        if !items.is_empty() {
            let event = json!({"type": "approved", "items": items});
            self.apply(batch, &event, out);
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
