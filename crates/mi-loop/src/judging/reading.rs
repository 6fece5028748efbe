//! What a model reads out of a batch where the rules could not: lines of the stream that they do not know, checks whose
//! output they do not understand.
//!
//! Holds: what a model read is told and recorded beside what the rules found. It proves nothing and takes nothing away.

use mi_model::{
    DecidedBy,
    answers::EvidenceParts,
    record::{Entry, EvidenceItem},
};

use super::{Judging, Modelled};
use crate::{
    checks, evidence,
    message::{Command, MindPrompt},
    proof,
    report::BatchReport,
    run::{Run, Verdict, record},
};

/// How many sentences of each kind are taken from a model, and how long each may be.
const SENTENCES: usize = 20;
const SENTENCE_BYTES: usize = 400;

fn cut_to_size(mut parts: EvidenceParts) -> EvidenceParts {
    for list in [&mut parts.facts, &mut parts.results, &mut parts.unknowns, &mut parts.risk_signals] {
        list.retain(|sentence| !sentence.trim().is_empty());
        list.truncate(SENTENCES);
        for sentence in list {
            *sentence = mi_model::shorten(sentence.trim(), SENTENCE_BYTES);
        }
    }
    parts.actions.truncate(SENTENCES);
    for action in &mut parts.actions {
        action.detail = mi_model::shorten(action.detail.trim(), SENTENCE_BYTES);
    }
    parts
}

impl Judging {
    /// Asks a model to read what the rules could not, where the task is not shown without it.
    pub(super) fn read_evidence(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Option<Verdict> {
        if self.has_read || run.director.is_some() {
            return None;
        }
        let is_unread = has_unread(&self.report);
        if is_unread {
            run.proof = proof::prove(&run.setup.criteria, &run.history);
        }
        let facts = &self.report.facts;
        let did_something =
            facts.changed_tree() || !facts.commands.is_empty() || !facts.tool_calls.is_empty();
        let undecided = is_unread && !proof::is_proven(&run.proof);
        match self.model_or_rules::<EvidenceParts>(run, undecided, did_something) {
            Modelled::Ask => return Some(self.ask_mind(run, MindPrompt::ExtractEvidence)),
            Modelled::Answer(read, by) => self.keep_reading(cut_to_size(read), by, out),
            Modelled::Rules | Modelled::Failed => {}
        }
        self.has_read = true;
        None
    }

    /// Records what was read as a second item of the same batch: the rules' sentences first, all of them.
    fn keep_reading(&mut self, read: EvidenceParts, by: DecidedBy, out: &mut Vec<Command>) {
        if read == EvidenceParts::default() {
            return;
        }
        let ruled = evidence::evidence_item(&self.report);
        out.push(record(Entry::EvidenceItem(Box::new(EvidenceItem {
            facts: joined(&ruled.facts, &read.facts),
            actions: joined(&ruled.actions, &read.actions),
            results: joined(&ruled.results, &read.results),
            unknowns: joined(&ruled.unknowns, &read.unknowns),
            risk_signals: joined(&ruled.risk_signals, &read.risk_signals),
            read_by: Some(by),
            // What was used and reported is counted with the first item.
            usage: Default::default(),
            duration_ms: 0,
            report: serde_json::Value::Null,
            ..ruled
        }))));
        self.read = read;
    }
}

/// Whether the rules could not read a part of the batch.
fn has_unread(report: &BatchReport) -> bool {
    report.facts.unknown_events > 0
        || report.facts.commands.iter().any(|command| checks::is_unread(command, &report.project))
}

fn joined<T: Clone + PartialEq>(ruled: &[T], read: &[T]) -> Vec<T> {
    let new = read.iter().filter(|one| !ruled.contains(one));
    ruled.iter().chain(new).cloned().collect()
}
