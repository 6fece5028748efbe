//! The answer to a request: admitted, or every rule that is against it.

use serde::Serialize;

use crate::{exception::ExceptionRecord, spec::RunSpec};

/// One rule that is against a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Denial {
    /// Such as `F.network`: the letter of the CHORUS rule, and a word.
    pub rule: String,
    /// Where in the request, such as `limits.pids`; empty for the whole of it.
    pub field: String,
    pub reason: String,
}

impl Denial {
    pub fn new(rule: impl Into<String>, field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { rule: rule.into(), field: field.into(), reason: reason.into() }
    }

    /// Without what could be a secret: the place names the keys of the request, and a key may be one.
    pub(crate) fn redacted(self) -> Self {
        Self {
            field: mi_secrets::redact(&self.field).into_owned(),
            reason: mi_secrets::redact(&self.reason).into_owned(),
            ..self
        }
    }
}

/// A denial that an Exception DR lifts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waived {
    pub denial: Denial,
    /// Journalled by whoever starts the run.
    pub exception: ExceptionRecord,
}

/// Whether a run may start.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The run is made from this very struct.
    Admitted { spec: Box<RunSpec>, waived: Vec<Waived> },
    /// Never empty; every failing rule stands in it.
    Denied { denials: Vec<Denial>, waived: Vec<Waived> },
}

impl Verdict {
    pub fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted { .. })
    }

    /// What is against the run; empty if it is admitted.
    pub fn denials(&self) -> &[Denial] {
        match self {
            Self::Admitted { .. } => &[],
            Self::Denied { denials, .. } => denials,
        }
    }

    /// What Exception DRs lifted.
    pub fn waived(&self) -> &[Waived] {
        match self {
            Self::Admitted { waived, .. } | Self::Denied { waived, .. } => waived,
        }
    }

    /// What may be run.
    pub fn spec(&self) -> Option<&RunSpec> {
        match self {
            Self::Admitted { spec, .. } => Some(spec),
            Self::Denied { .. } => None,
        }
    }
}
