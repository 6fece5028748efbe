//! Why the council could not do what it was asked.

use mi_council::{AliasError, Refusal};
use mi_journal::{FileError, JournalError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a request to the council failed; nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum CouncilError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("there is no {what} `{id}` in this project; `{list}` shows those that are")]
    Unknown { what: &'static str, id: String, list: &'static str },
    #[error("{0}")]
    Usage(String),
    #[error("{attempt} `{}`", path.display())]
    Io { attempt: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the council's log `{}` cannot be relied on: {problem}; `mi verify` shows all", path.display())]
    Damaged { path: PathBuf, problem: String },
    #[error("use the signing key `{}`: {problem}", path.display())]
    Key { path: PathBuf, problem: String },
    #[error(transparent)]
    Alias(#[from] AliasError),
}

/// Adds the attempt and the path to an `io::Result`.
pub(crate) trait At<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, CouncilError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, CouncilError> {
        self.map_err(|source| CouncilError::Io { attempt, path: path.to_owned(), source })
    }
}
