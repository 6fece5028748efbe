//! Why something was not taken, with the rule that says so.

use std::fmt;

use crate::NameError;

/// A rule of the council, by the name that people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The author neither votes, nor reviews, nor owns an Escalation DR.
    Author,
    Digest,
    Done,
    Draft,
    Evidence,
    Mitigation,
    Name,
    Phase,
    Quorum,
    Rationale,
    Record,
    Role,
    Scope,
    Vote,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Digest => "digest",
            Self::Done => "dod",
            Self::Draft => "draft",
            Self::Evidence => "evidence",
            Self::Mitigation => "mitigation",
            Self::Name => "name",
            Self::Phase => "phase",
            Self::Quorum => "quorum",
            Self::Rationale => "rationale",
            Self::Record => "record",
            Self::Role => "role",
            Self::Scope => "scope",
            Self::Vote => "vote",
        }
    }
}

/// Whether the form was wrong, or a rule forbids what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Something is missing or cannot be read (exit 2).
    Malformed,
    /// It can be read, and it is not allowed (exit 4).
    Forbidden,
}

/// Something was not taken; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    pub rule: Rule,
    pub fault: Fault,
    pub message: String,
}

impl Refusal {
    pub fn malformed(rule: Rule, message: impl Into<String>) -> Self {
        Self { rule, fault: Fault::Malformed, message: message.into() }
    }

    pub fn forbidden(rule: Rule, message: impl Into<String>) -> Self {
        Self { rule, fault: Fault::Forbidden, message: message.into() }
    }
}

impl From<NameError> for Refusal {
    /// No name at all is malformed; one that would look like somebody else's is forbidden.
    fn from(error: NameError) -> Self {
        let message = error.to_string();
        match error {
            NameError::Empty | NameError::TooLong => Self::malformed(Rule::Name, message),
            NameError::Hidden { .. } | NameError::NotFolded { .. } => Self::forbidden(Rule::Name, message),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`: {}", self.rule.as_str(), self.message)
    }
}
