//! A run that follows a protocol: its phases drive the agent, and what the agent did is judged on the evidence.
//!
//! [`Director`] turns what happened in a batch into events of `mi-protocol`'s engine and the engine's verdicts into
//! what comes next. Every event and its verdict is recorded, and the same batches give the same events, so that a run
//! taken up from its journal stands where it stood.
//! Holds: the agent is never asked for reports about its steps; only the engine moves the run from phase to phase;
//! an end counts as done only when it is reached forward and the task itself is proven.
//! Elsewhere: the words for the agent are `prompts`; reading a reviewer's verdict is `review`.

mod leave;
mod observe;
mod prompts;
mod review;
mod touched;

use mi_model::{
    BatchId, DecidedBy, Proof, ProofLevel, RunStatus,
    record::{Entry, EvidenceRead, ProtocolStep},
};
use mi_protocol::{EdgeClass, Engine, Protocol, Verdict};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    criteria::{Criterion, CriterionKind, NamedCommand},
    message::Command,
    run::record,
};

/// The criteria of a run through a protocol: those of its task first, then the checks that its phases declare.
pub fn criteria(task: &str, protocol: &Protocol) -> Vec<Criterion> {
    let mut criteria = crate::criteria::criteria(task);
    for command in protocol.nodes.iter().flat_map(|node| &node.checks) {
        let kind = CriterionKind::Command(NamedCommand::passes(command.as_str()));
        if !criteria.iter().any(|known| known.kind == kind) {
            let text = format!("`{command}` passes");
            criteria.push(Criterion { text, kind, names: Vec::new(), is_value: false });
        }
    }
    criteria
}

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    /// The agent, or a reviewer, is sent this.
    Work { input: String, reason: String, by: DecidedBy },
    /// These are to be read before the phase can be left.
    Read(Vec<String>),
    /// The person decides.
    Ask { question: String, why: String },
    /// The way to an end is open, and the task is not proven yet.
    Prove { why: String },
    /// An end is reached.
    End { status: RunStatus, reason: String, by: DecidedBy },
}

/// A run through a protocol, at one moment of its life.
#[derive(Debug, Clone)]
pub(crate) struct Director {
    engine: Engine,
    task: String,
    /// How many of the run's criteria are the task's own.
    own: usize,
    /// Nodes whose phase was started.
    visited: BTreeSet<String>,
    /// Seconds of work per node.
    spent: BTreeMap<String, f64>,
    /// Tool calls since the phase was started.
    tool_calls: u64,
    /// Files changed since the sub-phase was started.
    changed: BTreeSet<String>,
    /// What the engine refused of this batch, in words for the agent.
    complaints: Vec<String>,
    /// What the last reviewer said, for whoever works next.
    review: Option<String>,
    /// What was read for this batch.
    evidence: Option<Vec<EvidenceRead>>,
    /// The phase has ended; only the way out is open.
    is_ended: bool,
    /// The edge that led here, with its class; a reroute has none.
    arrived: Option<(String, Option<EdgeClass>)>,
    /// As it stood before the edge to an end was taken: the end is reached when nothing speaks against it.
    before_end: Option<Box<Director>>,
}

impl Director {
    pub(crate) fn new(protocol: Arc<Protocol>, task: &str) -> Self {
        Self {
            engine: Engine::new(protocol),
            own: crate::criteria::criteria(task).len(),
            task: task.to_owned(),
            visited: BTreeSet::new(),
            spent: BTreeMap::new(),
            tool_calls: 0,
            changed: BTreeSet::new(),
            complaints: Vec::new(),
            review: None,
            evidence: None,
            is_ended: false,
            arrived: None,
            before_end: None,
        }
    }

    /// Whether the current phase is a reviewer's: another conversation, which changes nothing.
    pub(crate) fn is_reviewing(&self) -> bool {
        self.engine.here().validator
    }

    /// Whether the engine refused something that the agent did or said in this batch.
    pub(crate) fn has_complaints(&self) -> bool {
        !self.complaints.is_empty()
    }

    /// The first phase begins.
    pub(crate) fn begin(&mut self, batch: &BatchId, out: &mut Vec<Command>) -> Next {
        self.arrive(batch, out)
    }

    /// A later process goes on: a sub-phase that was not finished begins anew.
    pub(crate) fn resume(&mut self, batch: &BatchId, out: &mut Vec<Command>) {
        self.apply(batch, &json!({"type": "resume"}), out);
        self.start_subphase(batch, out);
    }

    /// What was read; the phase can be left.
    pub(crate) fn evidence_read(&mut self, read: Vec<EvidenceRead>) {
        self.evidence = Some(read);
    }

    /// Hands an event to the engine and keeps both for the journal.
    fn apply(&mut self, batch: &BatchId, event: &Value, out: &mut Vec<Command>) -> Verdict {
        let verdict =
            self.engine.apply(event.to_string().as_bytes()).expect("a JSON object is not a blank line");
        out.push(record(Entry::Protocol(ProtocolStep {
            batch_id: batch.clone(),
            protocol: self.engine.protocol().name.clone(),
            at: verdict.at,
            protocol_event: event.clone(),
            verdict: serde_json::to_value(&verdict).unwrap_or_default(),
        })));
        verdict
    }

    /// The current node was entered: its phase begins, or the run ends.
    fn arrive(&mut self, batch: &BatchId, out: &mut Vec<Command>) -> Next {
        if self.engine.here().is_end {
            return self.end();
        }
        match self.start_phase(batch, out) {
            Err(next) => next,
            Ok(()) => self.work(None),
        }
    }

    fn end(&self) -> Next {
        let node = self.engine.node();
        let by = DecidedBy::Rules("protocol.end".to_owned());
        match &self.arrived {
            Some((edge, Some(class))) if class.is_forward() => Next::End {
                status: RunStatus::Done,
                reason: format!("the protocol ended at {node} over {edge}, and the task is proven"),
                by,
            },
            Some((edge, _)) => Next::End {
                status: RunStatus::Blocked,
                reason: format!("the protocol ended at {node} over {edge}, which does not lead forward"),
                by,
            },
            None => Next::End {
                status: RunStatus::Blocked,
                reason: format!("the protocol starts at its end {node}"),
                by,
            },
        }
    }

    fn start_phase(&mut self, batch: &BatchId, out: &mut Vec<Command>) -> Result<(), Next> {
        let node = self.engine.node().to_owned();
        let spent = self.spent.get(&node).copied().unwrap_or_default();
        let start = json!({"type": "phase_start", "phase": node, "set": {"cumulative_duration": spent}});
        let verdict = self.apply(batch, &start, out);
        self.tool_calls = 0;
        self.is_ended = false;
        if !verdict.allowed {
            let why = prompts::refusal(&verdict);
            return Err(Next::Ask {
                question: format!("The phase {node} may not begin: {why}. What should happen?"),
                why,
            });
        }
        self.visited.insert(node);
        self.start_subphase(batch, out);
        Ok(())
    }

    fn start_subphase(&mut self, batch: &BatchId, out: &mut Vec<Command>) {
        if !self.engine.is_started() || self.engine.open_subphase().is_some() {
            return;
        }
        if let Some(subphase) = self.engine.next_subphase().map(str::to_owned) {
            let phase = self.engine.node().to_owned();
            self.changed.clear();
            self.apply(batch, &json!({"type": "subphase_start", "phase": phase, "subphase": subphase}), out);
        }
    }

    /// The phase's work, or what is still wrong with it.
    fn work(&mut self, wrong: Option<String>) -> Next {
        let node = self.engine.here();
        let by = DecidedBy::Rules(format!("protocol.{}", node.id));
        let reason = match &wrong {
            None => format!("phase {}", node.id),
            Some(wrong) => format!("phase {} goes on: {}", node.id, crate::run::first_line(wrong)),
        };
        let view = prompts::View {
            engine: &self.engine,
            task: &self.task,
            review: self.review.as_deref(),
            is_first: self.visited.len() <= 1 && wrong.is_none(),
        };
        let input = match (node.validator, wrong) {
            (true, wrong) => prompts::for_reviewer(&view, wrong.as_deref()),
            (false, Some(wrong)) => prompts::go_on(&view, &wrong),
            (false, None) => prompts::phase(&view),
        };
        if !self.is_reviewing() {
            self.review = None;
        }
        Next::Work { input, reason, by }
    }

    /// Whether the task is proven: each criterion of its own, or, for one that only says what is to be done, every
    /// check of the phases that were worked on.
    pub(crate) fn is_task_proven(&self, criteria: &[Criterion], proof: &[Proof]) -> bool {
        let is_shown = |proof: &Proof| proof.level >= ProofLevel::Observed;
        let checks: Vec<&str> = self.visited_checks().collect();
        let by_checks = !checks.is_empty() && checks.iter().all(|check| is_checked(check, criteria, proof));
        let own = criteria.iter().zip(proof).take(self.own);
        own.len() > 0
            && own.into_iter().all(|(criterion, proof)| {
                let says_only = matches!(criterion.kind, CriterionKind::Checks | CriterionKind::Work);
                is_shown(proof) || (says_only && by_checks)
            })
    }

    /// Whether the current phase's gate is passed: its own checks, or the task's proof where it declares none.
    fn is_gate_passed(&self, criteria: &[Criterion], proof: &[Proof]) -> bool {
        let checks = &self.engine.here().checks;
        if checks.is_empty() {
            return self.is_task_proven(criteria, proof);
        }
        checks.iter().all(|check| is_checked(check, criteria, proof))
    }

    /// The proof that belongs to this run: the task's, and that of the phases it went through.
    pub(crate) fn relevant(&self, criteria: &[Criterion], proof: &[Proof]) -> Vec<Proof> {
        let checks: BTreeSet<&str> = self.visited_checks().collect();
        let belongs = |at: usize, criterion: &Criterion| {
            at < self.own
                || matches!(&criterion.kind, CriterionKind::Command(named) if checks.contains(named.command.as_str()))
        };
        let pairs = criteria.iter().zip(proof).enumerate();
        pairs
            .filter(|(at, (criterion, _))| belongs(*at, criterion))
            .map(|(_, (_, proof))| proof.clone())
            .collect()
    }

    fn visited_checks(&self) -> impl Iterator<Item = &str> {
        let nodes = self.engine.protocol().nodes.iter().filter(|node| self.visited.contains(&*node.id));
        nodes.flat_map(|node| &node.checks).map(String::as_str)
    }
}

fn is_checked(check: &str, criteria: &[Criterion], proof: &[Proof]) -> bool {
    criteria.iter().zip(proof).any(|(criterion, proof)| {
        matches!(&criterion.kind, CriterionKind::Command(named) if named.command == check)
            && proof.level >= ProofLevel::Observed
    })
}
