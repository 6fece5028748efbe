//! Why a batch did not take place, or could not be stored.

use mi_process::SpawnError;
use std::{io, path::PathBuf};

use crate::ReplayError;

/// A batch that did not take place, or could not be stored. The messages are whole.
#[derive(Debug, thiserror::Error)]
pub enum HandsError {
    #[error("there is no program `{program}`: {hint}")]
    ProgramMissing { program: String, hint: &'static str },
    #[error(transparent)]
    Spawn(SpawnError),
    #[error("read what the agent prints: {reason}")]
    Read { reason: io::Error },
    #[error("ask `{program}` what it supports: {message}")]
    Probe { program: String, message: String },
    #[error("`{program}` ({version}) cannot print its events: it has no `--json`. Install a newer codex")]
    TooOld { program: String, version: String },
    #[error("write the transcript {}: {reason}", path.display())]
    Transcript { path: PathBuf, reason: io::Error },
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error("record the run in {}: {message}", dir.display())]
    Record { dir: PathBuf, message: String },
}
