//! What a person reads when a command could not do its work: what was tried, why it failed, what to do.

use std::fmt;

use crate::exit_reason::ExitReason;

/// Why a command did not do its work, and what it ends with.
#[derive(Debug)]
pub struct Failure {
    pub what: String,
    pub why: Vec<String>,
    pub todo: Option<String>,
    pub exit: ExitReason,
}

/// What a command returns: how it ended, or the failure to report.
pub type Outcome = Result<ExitReason, Failure>;

impl Failure {
    /// The machine or a file does not allow it, or what was asked for does not exist.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), why: Vec::new(), todo: None, exit: ExitReason::Failed }
    }

    /// The reader of the output closed it: nothing to report, nothing failed.
    pub fn reader_gone() -> Self {
        Self { exit: ExitReason::Done, ..Self::new("") }
    }

    /// The command line, a setting or an input file is wrong.
    pub fn usage(what: impl Into<String>) -> Self {
        Self { exit: ExitReason::WrongUsage, ..Self::new(what) }
    }

    /// A person has to do something first.
    pub fn needs_person(what: impl Into<String>) -> Self {
        Self { exit: ExitReason::NeedsYou, ..Self::new(what) }
    }

    /// A rule denies it.
    pub fn denied(what: impl Into<String>) -> Self {
        Self { exit: ExitReason::Denied, ..Self::new(what) }
    }

    /// The same failure with another end.
    #[must_use]
    pub fn ending(self, exit: ExitReason) -> Self {
        Self { exit, ..self }
    }

    #[must_use]
    pub fn because(mut self, error: &dyn std::error::Error) -> Self {
        self.why.extend(mi_model::error_messages(error));
        self
    }

    #[must_use]
    pub fn todo(mut self, advice: impl Into<String>) -> Self {
        self.todo = Some(advice.into());
        self
    }

    /// Any error with its causes, as one failure. A cause that the text before it has said already is not said again.
    pub fn of(error: &dyn std::error::Error) -> Self {
        let mut messages = mi_model::error_messages(error).into_iter();
        let what = messages.next().unwrap_or_default();
        Self { why: messages.collect(), ..Self::new(what) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mi: {}", self.what)?;
        for cause in &self.why {
            write!(f, "\n  because: {cause}")?;
        }
        if let Some(todo) = &self.todo {
            write!(f, "\n  to do: {todo}")?;
        }
        Ok(())
    }
}
