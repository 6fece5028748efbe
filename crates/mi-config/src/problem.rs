//! Where a value comes from, and what is wrong with one.

use std::fmt;
use std::path::PathBuf;

use crate::file::Level;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// Line and column count from 1; the column counts characters.
    File {
        level: Level,
        path: PathBuf,
        line: usize,
        column: usize,
    },
    Env {
        name: String,
    },
    Flag,
}

/// `project .mi/config.toml:3`, for a list of settings.
impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => write!(formatter, "default"),
            Self::File { level, path, line, .. } => {
                write!(formatter, "{} {}:{line}", level.as_str(), path.display())
            }
            Self::Env { name } => write!(formatter, "env {name}"),
            Self::Flag => write!(formatter, "flag"),
        }
    }
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something was left out; everything else is as it was written.
    Warning,
    /// A known setting is not what the person wrote: `mi run` should not start on it.
    Error,
}

/// Something in a layer that could not be used. It changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub origin: Origin,
    pub kind: ProblemKind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file is no TOML: nothing in it is used.
    Syntax {
        message: String,
    },
    UnknownKey {
        key: String,
        nearest: Option<String>,
    },
    WrongValue {
        key: String,
        wanted: String,
    },
    /// A project's file sets what only the person may set.
    UserLevelOnly {
        key: String,
    },
    /// A project's file loosens what it may only tighten.
    Loosens {
        key: String,
        in_force: String,
    },
    /// Automatic deletion by fewer than three signals.
    TooFewSignals,
    /// An API key stands in a file.
    KeyInFile {
        key: String,
    },
}

impl Problem {
    pub fn severity(&self) -> Severity {
        match self.kind {
            ProblemKind::Syntax { .. } | ProblemKind::WrongValue { .. } | ProblemKind::TooFewSignals => {
                Severity::Error
            }
            ProblemKind::UnknownKey { .. } if self.origin == Origin::Flag => Severity::Error,
            ProblemKind::UnknownKey { .. }
            | ProblemKind::UserLevelOnly { .. }
            | ProblemKind::Loosens { .. }
            | ProblemKind::KeyInFile { .. } => Severity::Warning,
        }
    }
}

/// Where, what, and what to do, on one line.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::File { path, line, column, .. } => {
                write!(formatter, "{}:{line}:{column}: ", path.display())?;
            }
            origin => write!(formatter, "{origin}: ")?,
        }
        write!(formatter, "{}", self.kind)
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message } => {
                write!(
                    formatter,
                    "not valid TOML ({message}); nothing in this file is used until it is fixed"
                )
            }
            Self::UnknownKey { key, nearest: Some(nearest) } => {
                write!(formatter, "`{key}` is not a setting; did you mean `{nearest}`?")
            }
            Self::UnknownKey { key, nearest: None } => {
                write!(formatter, "`{key}` is not a setting; `mi config show` lists them all")
            }
            Self::WrongValue { key, wanted } => write!(formatter, "`{key}` must be {wanted}"),
            Self::UserLevelOnly { key } => write!(
                formatter,
                "`{key}` is ignored here: it decides what may run or leave this machine; set it in your own config.toml"
            ),
            Self::Loosens { key, in_force } => write!(
                formatter,
                "`{key}` is ignored here: a project may only make it stricter than {in_force}; raise it in your own config.toml"
            ),
            Self::TooFewSignals => write!(
                formatter,
                "`memory.gc` must have three signals or none: set age_days, cycles_since_read and reads_below, each above 0"
            ),
            Self::KeyInFile { key } => write!(
                formatter,
                "`{key}` is ignored: keys do not belong in files; use the environment or `key_command`, and replace the key"
            ),
        }
    }
}
