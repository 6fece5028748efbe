//! What can go wrong with a file, told so that a person knows what to do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

/// An operation on one file or folder failed.
#[derive(Debug, thiserror::Error)]
#[error("{attempt} `{}`{}", path.display(), advice(source))]
pub struct FileError {
    /// The attempt, as a verb phrase: "append to", "read", "create the folder".
    pub attempt: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    pub fn new(attempt: &'static str, path: &Path, source: io::Error) -> Self {
        Self { attempt, path: path.to_owned(), source }
    }
}

/// Why records could not be appended.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("write a record of {bytes} bytes to `{}`: a record is at most {limit} bytes; shorten what it carries", path.display())]
    TooLarge { path: PathBuf, bytes: usize, limit: usize },
    #[error("write a `{kind}` record as JSON")]
    Encode { kind: String, source: serde_json::Error },
    #[error("no learned rule `{id}` is in force in `{}`; `mi learned list` shows those that are", path.display())]
    UnknownRule { id: String, path: PathBuf },
}

/// Adds the path and the attempt to an `io::Result`.
pub(crate) trait AtPath<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError::new(attempt, path, source))
    }
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (the disk is full: free some space and run the command again; nothing was half-written)"
        }
        io::ErrorKind::FileTooLarge => " (the file may not grow further: raise the file size limit)",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            " (not writable: change its permissions, or choose another home with --home)"
        }
        io::ErrorKind::IsADirectory => " (a folder stands where a file should be: move it away)",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            " (a file stands where a folder should be: move it away)"
        }
        _ => "",
    }
}
