//! Why a call of git has no output.

use mi_process::RunError;
use std::time::Duration;

/// Why a call of git has no output.
#[derive(Debug, thiserror::Error)]
pub enum RunGitError {
    #[error("git is not installed")]
    Missing,
    /// It did not start, or its output could not be read.
    #[error("git {command}: {reason}")]
    Start { command: String, reason: RunError },
    /// `code` is `None` if a signal ended it. `message` is what it printed on stderr.
    #[error("git {command}: {message}")]
    Failed { command: String, code: Option<i32>, message: String },
    #[error("git {command}: it did not end within {timeout:?}")]
    TimedOut { command: String, timeout: Duration },
    #[error("git {command}: it printed more than {max_bytes} bytes")]
    TooMuchOutput { command: String, max_bytes: usize },
    #[error("git {command}: it printed text that is not UTF-8")]
    NotUtf8 { command: String },
}

impl RunGitError {
    /// The subcommand; empty where there is no git.
    pub fn command(&self) -> &str {
        match self {
            Self::Missing => "",
            Self::Start { command, .. }
            | Self::Failed { command, .. }
            | Self::TimedOut { command, .. }
            | Self::TooMuchOutput { command, .. }
            | Self::NotUtf8 { command } => command,
        }
    }

    /// What went wrong, without the command, for a caller's own sentence.
    pub fn reason(&self) -> String {
        match self {
            Self::Failed { message, .. } => message.clone(),
            Self::Missing => self.to_string(),
            Self::Start { reason, .. } => reason.to_string(),
            Self::TimedOut { timeout, .. } => format!("it did not end within {timeout:?}"),
            Self::TooMuchOutput { max_bytes, .. } => format!("it printed more than {max_bytes} bytes"),
            Self::NotUtf8 { .. } => "it printed text that is not UTF-8".to_owned(),
        }
    }
}
