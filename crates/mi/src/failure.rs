//! What a person reads when a command could not do its work: what was tried, why it failed, what to do.

use std::fmt;

/// A command's failure, with the exit code it ends in.
#[derive(Debug)]
pub struct Failure {
    pub what: String,
    pub why: Vec<String>,
    pub todo: Option<String>,
    pub exit: u8,
}

/// What a command returns: its exit code, or why it has none.
pub type Outcome = Result<u8, Failure>;

impl Failure {
    /// The machine or a file stood in the way (exit 1).
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), why: Vec::new(), todo: None, exit: 1 }
    }

    /// Whoever read the output went away: nothing to say, nothing wrong (exit 0).
    pub fn reader_gone() -> Self {
        Self { exit: 0, ..Self::new("") }
    }

    /// The command line was wrong (exit 2).
    pub fn usage(what: impl Into<String>) -> Self {
        Self { exit: 2, ..Self::new(what) }
    }

    /// The person has to do something first (exit 3).
    pub fn needs_person(what: impl Into<String>) -> Self {
        Self { exit: 3, ..Self::new(what) }
    }

    #[must_use]
    pub fn because(mut self, error: &dyn std::error::Error) -> Self {
        let mut next: Option<&dyn std::error::Error> = Some(error);
        while let Some(cause) = next {
            self.why.push(cause.to_string());
            next = cause.source();
        }
        self
    }

    #[must_use]
    pub fn todo(mut self, advice: impl Into<String>) -> Self {
        self.todo = Some(advice.into());
        self
    }

    /// Any error with its causes, as one failure. A cause that the text before it has said already is not said again.
    pub fn of(error: &dyn std::error::Error) -> Self {
        let mut failure = Self::new(error.to_string());
        let mut next = error.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            let before = failure.why.last().unwrap_or(&failure.what);
            if !before.contains(&text) {
                failure.why.push(text);
            }
            next = cause.source();
        }
        failure
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
