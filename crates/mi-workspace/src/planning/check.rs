//! What a plan breaks.

use serde::Serialize;

use super::{PlanState, rules};
use crate::vocabulary::Vocabulary;

/// How certain it is that something has to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanSeverity {
    /// A rule of the contract is broken.
    Error,
    /// Probably: the finding hangs on what was read from a text, or on taste.
    Warning,
}

/// One thing that a plan breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanFinding {
    /// A name such as `files.overlap`; docs/planning.md has all of them.
    pub rule: &'static str,
    pub severity: PlanSeverity,
    pub tasks: Vec<i64>,
    pub issues: Vec<i64>,
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Everything that the plan breaks; empty when it is as it should be.
pub fn check(state: &PlanState, vocabulary: &Vocabulary) -> Vec<PlanFinding> {
    let mut found = Vec::new();
    rules::issues(state, &mut found);
    rules::owners(state, vocabulary, &mut found);
    rules::dependencies(state, &mut found);
    rules::overlaps(state, vocabulary, &mut found);
    rules::splits(state, &mut found);
    rules::pairs(state, &mut found);
    rules::exceptions(state, vocabulary, &mut found);
    found
}

impl PlanFinding {
    pub(super) fn error(rule: &'static str, message: String, hint: &str) -> Self {
        let (tasks, issues) = (Vec::new(), Vec::new());
        Self { rule, severity: PlanSeverity::Error, tasks, issues, message, hint: hint.to_owned() }
    }

    pub(super) fn warning(rule: &'static str, message: String, hint: &str) -> Self {
        Self { severity: PlanSeverity::Warning, ..Self::error(rule, message, hint) }
    }

    pub(super) fn tasks(mut self, ids: &[i64]) -> Self {
        self.tasks = ids.to_vec();
        self
    }

    pub(super) fn issues(mut self, ids: &[i64]) -> Self {
        self.issues = ids.to_vec();
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == PlanSeverity::Error
    }
}
