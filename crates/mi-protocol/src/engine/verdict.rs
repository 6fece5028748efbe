//! The answer to one event.

use serde::{Serialize, Serializer};
use std::{borrow::Cow, sync::Arc};

use crate::words::{Action, VerificationStatus};

/// What was decided, by whom, and why. Serialises to one line of `mi protocol simulate --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The event's line.
    pub at: u64,
    pub allowed: bool,
    /// The current node after the event.
    #[serde(serialize_with = "name")]
    pub node: Arc<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Violated policies that a higher one silenced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrode: Vec<String>,
    /// Those of them that are still worth hearing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// The edge whose guard failed, whoever decided.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_name")]
    pub guard: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_status: Option<VerificationStatus>,
    /// After a crash, the sub-phase to continue with; null when none is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subphase: Option<Option<String>>,
    /// What was asked and answered, for a person.
    pub trace: DecisionTrace,
}

/// What was asked and answered on the way to a verdict, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct DecisionTrace(Vec<TraceLine>);

/// One line of a trace; programs read its kind, people its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceLine {
    pub kind: TraceKind,
    pub text: String,
}

/// What a line of a trace tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceKind {
    /// A rule that was asked and has nothing against the event.
    Passed,
    /// What follows from the answers.
    Consequence,
    /// Everything else: why a rule failed, what was found on the way.
    Finding,
}

/// The kind of a line about a rule that was asked.
pub(super) fn kind_of(holds: bool) -> TraceKind {
    if holds { TraceKind::Passed } else { TraceKind::Finding }
}

impl DecisionTrace {
    pub(super) fn push(&mut self, text: String) {
        self.0.push(TraceLine { kind: TraceKind::Finding, text });
    }

    pub(super) fn push_kind(&mut self, kind: TraceKind, text: String) {
        self.0.push(TraceLine { kind, text });
    }

    /// The lines in the order in which they were asked.
    pub fn iter(&self) -> std::slice::Iter<'_, TraceLine> {
        self.0.iter()
    }
}

impl Serialize for TraceLine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl Verdict {
    pub(super) fn allowed(at: u64, node: &Arc<str>) -> Self {
        Self {
            at,
            allowed: true,
            node: Arc::clone(node),
            action: None,
            by: None,
            overrode: Vec::new(),
            advice: Vec::new(),
            guard: None,
            reason: None,
            claim: None,
            verification_status: None,
            subphase: None,
            trace: DecisionTrace::default(),
        }
    }

    /// As one JSON object, without a line end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[expect(clippy::ref_option, reason = "the shape that serde calls")]
fn optional_name<S: Serializer>(name: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_deref().unwrap_or_default())
}

fn name<S: Serializer>(name: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name)
}

/// Why the engine itself refused; such an event changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Refusal {
    BadEvent,
    UnknownEvent,
    UnknownNode,
    UnknownEdge,
    WrongNode,
    OutOfOrder,
    UnknownClaim,
    DuplicateEvidence,
    UnknownField,
    BadType,
    ReadOnlyField,
}

impl Refusal {
    pub fn word(self) -> &'static str {
        self.into()
    }
}
