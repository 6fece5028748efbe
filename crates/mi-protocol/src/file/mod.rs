//! The protocol file as written: typed, names not yet looked up, every part with its place.
//!
//! Holds: a [`Draft`] is made of whatever could be read; what could not is a problem.
//! Elsewhere: looking names up and compiling expressions is `link`.

mod decode;
mod fields;
mod parts;

pub use decode::{decode, decode_edges};
pub use parts::{class, on_guard_fail_word};

use std::collections::HashSet;

use crate::{
    problem::Place,
    state::Field,
    tree::{Scalar, Style},
    words::{
        Action, CheckTiming, EdgeClass, GuardScope, GuardType, OverrideMode, Severity, TrustLevel,
        VerificationStatus,
    },
};

/// A name with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    pub text: String,
    pub place: Place,
}

/// An expression or pattern whose inside can be pointed at.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub scalar: Scalar,
    pub place: Place,
}

impl Source {
    pub fn text(&self) -> &str {
        &self.scalar.text
    }

    /// A text that was never in a file.
    pub fn made(text: &str) -> Self {
        Self { scalar: Scalar { text: text.to_owned(), style: Style::Plain, offset: 0 }, place: Place::START }
    }
}

#[derive(Debug, Default)]
pub struct Draft {
    pub name: String,
    pub start: Option<Named>,
    pub nodes: Vec<NodeDraft>,
    pub fields: Vec<(Field, Place)>,
    pub edges: Vec<EdgeDraft>,
    pub policies: Vec<PolicyDraft>,
    pub access_rules: Vec<AccessRule>,
    pub claims: Vec<ClaimDraft>,
    pub invariants: Vec<InvariantDraft>,
    pub off: Vec<Off>,
    /// Ids that stand in the file, also of parts that could not be read.
    pub named_fields: HashSet<String>,
    pub named_nodes: HashSet<String>,
    pub named_policies: HashSet<String>,
    pub named_invariants: HashSet<String>,
    /// How the edges stood in the table they were imported from.
    pub table: Option<TableShape>,
}

#[derive(Debug)]
pub struct NodeDraft {
    pub id: Named,
    pub place: Place,
    pub is_end: bool,
    pub title: String,
    pub validator: bool,
    pub subphases: Vec<Named>,
    pub minimum_duration: Option<f64>,
    pub files: Vec<String>,
    pub checks: Vec<String>,
    pub prompt: String,
}

#[derive(Debug, Clone)]
pub struct EdgeDraft {
    pub id: Named,
    pub place: Place,
    pub from: Named,
    pub to: Named,
    pub class: EdgeClass,
    pub guard: Option<Source>,
    pub guard_scope: GuardScope,
    pub guard_type: Option<(GuardType, Place)>,
    pub on_guard_fail: OnGuardFail,
    pub evidence_source: Option<Source>,
    pub policy_refs: Vec<Named>,
    pub invariant_refs: Vec<Named>,
    pub needs_verification: bool,
    /// Columns of an imported table that mean nothing to the engine.
    pub columns: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum OnGuardFail {
    Block,
    Rerun,
    Escalate,
    Reroute(Named),
}

#[derive(Debug)]
pub struct PolicyDraft {
    pub id: Named,
    pub place: Place,
    pub rule: RuleDraft,
    pub priority: i64,
    pub conflicts_with: Vec<Named>,
    pub override_mode: OverrideMode,
    pub action: Action,
}

#[derive(Debug)]
pub enum RuleDraft {
    Expr(Source),
    Text(Vec<Source>),
}

#[derive(Debug, Clone)]
pub struct AccessRule {
    pub actor: String,
    pub pattern: String,
    pub mode: String,
    pub allowed: bool,
    pub reason: Option<String>,
}

#[derive(Debug)]
pub struct ClaimDraft {
    pub id: Named,
    pub place: Place,
    pub source: String,
    pub trust: TrustLevel,
    pub evidence_ids: Vec<String>,
    pub status: VerificationStatus,
}

#[derive(Debug)]
pub struct InvariantDraft {
    pub id: Named,
    pub place: Place,
    pub expr: Source,
    pub timing: CheckTiming,
    pub severity: Severity,
    pub fail_action: Action,
}

/// A built-in invariant that this protocol does without, and why.
#[derive(Debug)]
pub struct Off {
    pub id: Named,
    pub reason: String,
}

/// Header and byte details of an imported table, so that export gives it back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableShape {
    pub columns: Vec<String>,
    pub bom: bool,
    pub crlf: bool,
    pub last_line_open: bool,
}
