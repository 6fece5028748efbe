//! One run per project at a time.
//!
//! Holds: the lock is the system's own (`flock`), so it is gone the moment its process is, however that died;
//! the file's content only says who holds it, for the message of the one that is refused.

use mi_model::{RunId, Timestamp};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::FileExt,
    path::Path,
    thread,
    time::Duration,
};

use crate::{FileError, error::AtPath};

/// Who holds a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHolder {
    pub pid: u32,
    pub run_id: RunId,
    pub started: Timestamp,
}

/// Why a project could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum RunLockError {
    #[error("{}; wait for it, or stop it with `kill -INT {}`", describe(.0.as_ref()), .0.as_ref().map_or("PID".to_owned(), |holder| holder.pid.to_string()))]
    Held(Option<RunHolder>),
    #[error(transparent)]
    File(#[from] FileError),
}

/// The right to run in a project; given back when dropped or when the process ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the project or says at once who holds it.
    pub fn acquire(path: &Path, holder: &RunHolder) -> Result<Self, RunLockError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at("create the folder", folder)?;
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.at("open the run lock", path)?;
        if !try_lock(&file).at("lock", path)? {
            return Err(RunLockError::Held(wait_for_name(path)));
        }
        let text = serde_json::to_vec(holder).unwrap_or_default();
        file.set_len(0).and_then(|()| file.write_all_at(&text, 0)).at("write the run lock", path)?;
        Ok(Self { _file: file })
    }

    /// Who holds the project now, if anybody; changes nothing.
    pub fn holder(path: &Path) -> Result<Option<RunHolder>, FileError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::new("open the run lock", path, error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(wait_for_name(path)),
            Err(TryLockError::Error(error)) => Err(FileError::new("lock", path, error)),
        }
    }
}

/// Tries for a few moments: [`RunLock::holder`] of another process may be looking just now.
fn try_lock(file: &File) -> io::Result<bool> {
    for _ in 0..5 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Reads the holder's name; it is written just after the lock is taken, so it may be a moment late.
fn wait_for_name(path: &Path) -> Option<RunHolder> {
    for _ in 0..20 {
        let text = fs::read(path).ok()?;
        if let Ok(holder) = serde_json::from_slice(&text) {
            return Some(holder);
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

fn describe(holder: Option<&RunHolder>) -> String {
    match holder {
        Some(RunHolder { pid, run_id, started }) => {
            format!("another run holds this project: process {pid}, run {run_id}, since {started}")
        }
        None => "another run holds this project and has not said which it is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(name: &str) -> RunHolder {
        RunHolder { pid: 7, run_id: RunId::new(name), started: Timestamp::from_millis(0) }
    }

    /// The second run is told who holds the project; when the first ends, the next one gets it.
    #[test]
    fn second_run_is_told_who_holds_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/run.lock");
        assert_eq!(RunLock::holder(&path).unwrap(), None);
        let first = RunLock::acquire(&path, &holder("a-long-name")).unwrap();
        let refused = RunLock::acquire(&path, &holder("b")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "another run holds this project: process 7, run a-long-name, since 1970-01-01T00:00:00.000Z; \
             wait for it, or stop it with `kill -INT 7`"
        );
        assert_eq!(RunLock::holder(&path).unwrap(), Some(holder("a-long-name")));
        drop(first);
        assert_eq!(RunLock::holder(&path).unwrap(), None);
        let _second = RunLock::acquire(&path, &holder("b")).unwrap();
        assert_eq!(RunLock::holder(&path).unwrap(), Some(holder("b")));
    }
}
