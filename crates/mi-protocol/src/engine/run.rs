//! Everything that changes while a protocol runs.
//!
//! Holds: a value in a slot fits its field; sub-phases, checks and the started phase belong to the current node.

use std::collections::{BTreeMap, HashSet};

use crate::{
    expr::{Facts, Fault, Value},
    protocol::{ExprId, Protocol},
    state::slot,
    words::{TrustLevel, VerificationStatus},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Lines seen, blank ones included.
    pub at: u64,
    pub node: usize,
    pub slots: Vec<Value>,
    /// Per node, how often it was entered or rerun.
    pub attempts: Vec<i64>,
    /// A `phase_start` was seen since the node was entered.
    pub started: bool,
    /// Per sub-phase of the node.
    pub done: Vec<bool>,
    /// The sub-phase that was started and not finished.
    pub open: Option<usize>,
    /// Per check, what it last said since the node was entered.
    pub checked: Vec<Option<bool>>,
    pub claims: Vec<ClaimState>,
    /// Digests of the evidence ids that were used.
    pub evidence: HashSet<u128>,
    /// Per node, its last accepted output.
    pub outputs: Vec<Option<Accepted>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimState {
    pub status: VerificationStatus,
    pub trust: TrustLevel,
}

/// An accepted output, and what was approved of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Accepted {
    /// The line at which it was accepted.
    pub at: u64,
    pub path: String,
    pub digest: String,
    pub items: BTreeMap<String, String>,
    /// What was approved since, with the digest it had; without one when the output did not name it.
    pub approved: BTreeMap<String, Option<String>>,
}

impl Run {
    pub fn new(protocol: &Protocol) -> Self {
        let mut attempts = vec![0; protocol.nodes.len()];
        attempts[protocol.start] = 1;
        let start = &protocol.nodes[protocol.start];
        let mut slots: Vec<Value> = protocol.fields.iter().map(|field| field.default.clone()).collect();
        if let Some(minimum) = start.minimum_duration {
            slots[slot::MINIMUM_DURATION] = Value::Number(minimum);
        }
        let known = protocol.claims.iter().flat_map(|claim| &claim.evidence_ids);
        Self {
            at: 0,
            node: protocol.start,
            slots,
            attempts,
            started: false,
            done: vec![false; start.subphases.len()],
            open: None,
            checked: vec![None; protocol.checks.len()],
            claims: protocol
                .claims
                .iter()
                .map(|claim| ClaimState { status: claim.status, trust: claim.trust })
                .collect(),
            evidence: known.map(|id| evidence_key(id)).collect(),
            outputs: vec![None; protocol.nodes.len()],
        }
    }
}

/// What is kept of an evidence id: half of its digest, enough to know it again.
pub fn evidence_key(id: &str) -> u128 {
    let digest = mi_model::sha256_hex(id.as_bytes());
    u128::from_str_radix(&digest[..32], 16).expect("a digest is 64 hexadecimal digits")
}

/// Results of expressions, kept until a slot they read is written.
#[derive(Debug, Clone)]
pub struct Results {
    known: Vec<Option<Result<bool, Fault>>>,
    /// How often an expression was evaluated; a test looks at it.
    pub evaluated: u64,
}

impl Results {
    pub fn new(protocol: &Protocol) -> Self {
        Self { known: vec![None; protocol.expressions.len()], evaluated: 0 }
    }

    pub fn truth(&mut self, protocol: &Protocol, expr: ExprId, facts: Facts<'_>) -> Result<bool, Fault> {
        if let Some(known) = self.known[expr] {
            return known;
        }
        self.evaluated += 1;
        let program = &protocol.expressions[expr].checked.program;
        let result = program.truth(facts);
        if !program.reads_event {
            self.known[expr] = Some(result);
        }
        result
    }

    /// A slot was written with another value.
    pub fn forget(&mut self, protocol: &Protocol, slot: usize) {
        for &expr in &protocol.readers[slot] {
            self.known[expr] = None;
        }
    }
}
