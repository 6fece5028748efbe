//! The mark that a session leaves at its start: hooks of this harness do fire.

use std::path::{Path, PathBuf};

use mi_formats::hooks::Harness;
use mi_journal::{JournalError, StateFile};
use mi_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The newest session of a harness that called the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub session: String,
    pub at: Timestamp,
    pub project: String,
    /// Tool uses of that session which ran without asking the gate.
    #[serde(default)]
    pub unasked: usize,
}

impl Seen {
    /// The newest mark; none if no session was seen or the mark cannot be read.
    pub fn read(home: &Path, harness: Harness) -> Option<Self> {
        let bytes = std::fs::read(place(home, harness)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(super) fn write(&self, home: &Path, harness: Harness) -> Result<(), JournalError> {
        StateFile::new(place(home, harness)).replace(self)
    }
}

fn place(home: &Path, harness: Harness) -> PathBuf {
    home.join("gate/seen").join(format!("{}.json", harness.as_str()))
}
