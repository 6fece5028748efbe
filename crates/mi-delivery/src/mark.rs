//! Whether the council's log is still the one that was checked last, without reading it.
//!
//! The mark is what the file system says about the log and its head right after `mi` checked or wrote them. Whoever
//! changes either by other means changes that too, and the whole chain is checked again before anything is said.
//! Holds: a mark is only a shortcut. One that is missing, torn or old costs a check, never an answer.

use mi_journal::LogPlace;
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Where the mark is kept.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    path: PathBuf,
}

impl Mark {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("council/checked") }
    }

    /// Whether nothing has touched the log since it was marked. Where there never was a log, nothing is wrong with it; one
    /// that is gone has left its head.
    pub(crate) fn fits(&self, place: &LogPlace) -> bool {
        match stamp(place) {
            None => !place.head.exists(),
            Some(stamp) => fs::read_to_string(&self.path).is_ok_and(|marked| marked == stamp),
        }
    }

    /// Marks the log as it is now.
    pub(crate) fn set(&self, place: &LogPlace) {
        if let (Some(stamp), Some(folder)) = (stamp(place), self.path.parent()) {
            // Where it cannot be written, the next one checks again.
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&self.path, stamp));
        }
    }
}

fn stamp(place: &LogPlace) -> Option<String> {
    let log = fs::metadata(&place.log).ok()?;
    Some(format!("{}\n{}\n", line(&log), fs::metadata(&place.head).map_or(String::new(), |head| line(&head))))
}

fn line(data: &fs::Metadata) -> String {
    let (dev, ino, size) = (data.dev(), data.ino(), data.size());
    let (mtime, ctime) = ((data.mtime(), data.mtime_nsec()), (data.ctime(), data.ctime_nsec()));
    format!("{dev} {ino} {size} {}.{} {}.{}", mtime.0, mtime.1, ctime.0, ctime.1)
}
