//! The head of a log's chain, kept in another folder than the log.
//!
//! The chain alone shows edits, inserts and reorders; only a head kept apart shows that the end of a log, or
//! all of it, is gone. It is written after the log is on disk and renamed without a flush of its own, so after
//! a crash it may lag behind the log, never run ahead of it.
//! Holds: a head the log does not contain is kept in `breaks` when the log goes on, so the loss stays visible.

use serde::{Deserialize, Serialize};
use std::path::Path;

use crate::{FileError, LogReader, Repair, StateFile, error::JournalError, state_file::Durability};

/// Losses remembered per log; the first ones matter, and the file must stay small.
const MAX_BREAKS: usize = 16;

/// A place in a log: its first `count` lines, `bytes` long, the last with this `seq` and SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub count: u64,
    pub seq: u64,
    pub hash: String,
    pub bytes: u64,
}

/// What is kept apart from the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    #[serde(flatten)]
    pub mark: Mark,
    /// Earlier heads that the log no longer contained when it was next written to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<Mark>,
}

/// The head file of one log.
#[derive(Debug)]
pub(crate) struct HeadFile(StateFile<Head>);

impl HeadFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self(StateFile::new(path))
    }

    pub(crate) fn load(&self) -> Result<(Option<Head>, Option<Repair>), FileError> {
        self.0.load().map(|loaded| (loaded.value, loaded.repair))
    }

    pub(crate) fn save(&self, head: &Head) -> Result<(), JournalError> {
        self.0.write(head, Durability::MayLag)
    }
}

impl Mark {
    /// True when the log still has this very line ending at this very place.
    pub(crate) fn is_in(&self, reader: &LogReader) -> Result<bool, FileError> {
        if self.bytes == 0 || self.bytes > reader.length()? {
            return Ok(false);
        }
        if reader.bytes(self.bytes - 1..self.bytes)? != b"\n" {
            return Ok(false);
        }
        let last = reader.lines(0..self.bytes, crate::read::Direction::Backward).next().transpose()?;
        match last {
            Some(line) => Ok(reader.sha256(line.offset..line.offset + line.length)? == self.hash),
            None => Ok(false),
        }
    }
}

/// Remembers a head that the log no longer contains.
pub(crate) fn remember_break(breaks: &mut Vec<Mark>, lost: Mark) {
    if breaks.len() < MAX_BREAKS && !breaks.contains(&lost) {
        breaks.push(lost);
    }
}
