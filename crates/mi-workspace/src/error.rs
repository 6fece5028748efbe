//! What can go wrong with a file, told so that a person knows what to do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

/// An operation on one file or folder failed.
#[derive(Debug, thiserror::Error)]
#[error("{attempt} `{}`: {source}{}", path.display(), advice(source))]
pub struct FileError {
    /// The attempt, as a verb phrase: "read", "replace", "create the folder".
    pub attempt: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

/// Adds the path and the attempt to an `io::Result`.
pub(crate) trait AtPath<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, attempt: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { attempt, path: path.to_owned(), source })
    }
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (the disk is full: free some space and try again; nothing was half-written)"
        }
        io::ErrorKind::PermissionDenied => " (not writable: change its permissions)",
        io::ErrorKind::ReadOnlyFilesystem => {
            " (the disk is read-only: make it writable, or work on a copy; nothing was written)"
        }
        io::ErrorKind::IsADirectory => " (a folder stands where a file should be: move it away)",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            " (a file stands where a folder should be: move it away)"
        }
        _ => "",
    }
}
