//! A protocol as it runs: names are indexes, expressions are compiled.
//!
//! Holds: every index points at something; made by `link` alone, from a file without errors.

use std::{collections::HashMap, sync::Arc};

use crate::{
    access::Glob,
    builtin::BuiltIn,
    expr::Checked,
    problem::Place,
    state::Field,
    words::{
        Action, CheckTiming, EdgeClass, GuardScope, GuardType, OverrideMode, Severity, TrustLevel,
        VerificationStatus,
    },
};

/// Index into [`Protocol::expressions`].
pub type ExprId = usize;

#[derive(Debug)]
pub struct Protocol {
    pub name: String,
    /// SHA-256 of the file, so that a snapshot is not continued with another one.
    pub digest: String,
    pub start: usize,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub fields: Vec<Field>,
    pub expressions: Vec<Expression>,
    pub policies: Vec<Policy>,
    /// Policies with an expression that no edge names: asked on every transition.
    pub everywhere: Vec<usize>,
    pub access: Vec<Access>,
    pub claims: Vec<Claim>,
    /// In the order in which they are named when all else is equal: built-in ones first, then as in the file.
    pub invariants: Vec<Invariant>,
    pub checks: Vec<Check>,
    /// Built-in invariants that are off, with the reason.
    pub off: Vec<(BuiltIn, String)>,
    pub(crate) node_index: HashMap<Arc<str>, usize>,
    pub(crate) edge_index: HashMap<Arc<str>, usize>,
    pub(crate) field_index: HashMap<String, usize>,
    pub(crate) claim_index: HashMap<String, usize>,
    /// Per slot, the expressions that read it.
    pub(crate) readers: Vec<Vec<ExprId>>,
}

#[derive(Debug)]
pub struct Expression {
    pub text: String,
    pub checked: Checked,
}

#[derive(Debug)]
pub struct Node {
    pub id: Arc<str>,
    pub title: String,
    pub is_end: bool,
    pub validator: bool,
    pub subphases: Vec<String>,
    pub minimum_duration: Option<f64>,
    pub files: Vec<String>,
    pub checks: Vec<String>,
    pub prompt: String,
    pub place: Place,
}

#[derive(Debug)]
pub struct Edge {
    pub id: Arc<str>,
    pub from: usize,
    pub to: usize,
    pub class: EdgeClass,
    pub guard: Option<ExprId>,
    /// Where the guard stands in the file.
    pub guard_place: Place,
    pub guard_scope: GuardScope,
    pub guard_type: Option<(GuardType, Place)>,
    pub on_guard_fail: OnFail,
    pub evidence_source: Option<String>,
    pub policies: Vec<usize>,
    pub invariants: Vec<usize>,
    pub needs_verification: bool,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFail {
    Block,
    Rerun,
    Escalate,
    Reroute(usize),
}

impl OnFail {
    pub fn action(self) -> Action {
        match self {
            Self::Block => Action::Block,
            Self::Rerun => Action::Rerun,
            Self::Escalate => Action::Escalate,
            Self::Reroute(_) => Action::Reroute,
        }
    }
}

#[derive(Debug)]
pub struct Policy {
    pub id: String,
    pub rule: Rule,
    pub priority: i64,
    /// Symmetric.
    pub conflicts: Vec<usize>,
    pub override_mode: OverrideMode,
    pub action: Action,
    pub place: Place,
}

#[derive(Debug)]
pub enum Rule {
    Expr(ExprId),
    /// Phrases, folded for comparison.
    Text(Vec<String>),
}

#[derive(Debug)]
pub struct Access {
    pub actor: String,
    pub glob: Glob,
    pub mode: String,
    pub allowed: bool,
    pub reason: Option<String>,
}

#[derive(Debug)]
pub struct Claim {
    pub id: String,
    /// Folded for comparison.
    pub source: String,
    pub trust: TrustLevel,
    pub evidence_ids: Vec<String>,
    pub status: VerificationStatus,
}

/// What is called by one name: a built-in invariant, one of the file, or both together.
#[derive(Debug)]
pub struct Invariant {
    pub id: String,
    pub severity: Severity,
    pub fail_action: Action,
    pub checks: Vec<usize>,
}

#[derive(Debug)]
pub struct Check {
    pub invariant: usize,
    /// `None`: when an output arrives.
    pub timing: Option<CheckTiming>,
    pub rule: CheckRule,
}

#[derive(Debug, Clone, Copy)]
pub enum CheckRule {
    BuiltIn(BuiltIn),
    Expr(ExprId),
}
