//! Remembers what a check said about a tree, so that proving the same change again costs nothing.

use mi_bearing::CheckOutcome;
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// How many outcomes are kept; the oldest go first.
const OUTCOMES_KEPT: usize = 2000;

/// Outcomes on disk, one file each.
#[derive(Debug)]
pub(crate) struct OutcomeCache {
    folder: PathBuf,
}

impl OutcomeCache {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<CheckOutcome> {
        serde_json::from_slice(&fs::read(self.folder.join(key)).ok()?).ok()
    }

    /// Keeps an outcome. A cache that cannot be written only makes the next time slower.
    pub(crate) fn put(&self, key: &str, outcome: &CheckOutcome) {
        let Ok(bytes) = serde_json::to_vec(outcome) else { return };
        let made = self.folder.join(format!("{key}.new"));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&made, bytes))
            .and_then(|()| fs::rename(&made, self.folder.join(key)));
        if written.is_err() {
            let _ = fs::remove_file(made);
        }
    }

    /// Removes the oldest outcomes beyond the number that is kept.
    pub(crate) fn prune(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut aged: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        if aged.len() <= OUTCOMES_KEPT {
            return;
        }
        aged.sort();
        for (_, path) in &aged[..aged.len() - OUTCOMES_KEPT] {
            let _ = fs::remove_file(path);
        }
    }
}
