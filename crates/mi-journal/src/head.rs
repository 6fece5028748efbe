//! The head of a log's chain, kept in another folder than the log.
//!
//! The chain alone shows edits, inserts and reorders; only a head kept apart shows that the end of a log, or
//! all of it, is gone. It is written after the log is on disk, without a flush of its own, so after a crash it
//! may lag behind the log, never run ahead of it.
//!
//! The file has two slots of one page, written in turn: a write that is cut, or read while it happens, spoils
//! one slot, which its check shows, and the other one still stands. (Replacing the file by a rename instead
//! costs half as much again as flushing the log, on every append.)
//! Holds: a head the log does not contain is kept in `breaks` when the log goes on, so the loss stays visible.

use mi_model::sha256_hex;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use crate::{
    FileError, LogReader, Repair,
    error::AtPath,
    read::Direction,
    repair::{new_sibling, sibling},
};

/// Losses remembered per log; the first ones matter, and a slot has one page.
const MAX_BREAKS: usize = 16;
const SLOT_BYTES: usize = 4096;

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
    /// Grows with every write; the slot with the higher turn counts.
    pub turn: u64,
    #[serde(flatten)]
    pub mark: Mark,
    /// Earlier heads that the log no longer contained when it was next written to.
    #[serde(default)]
    pub breaks: Vec<Mark>,
}

/// The head file of one log.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
}

impl HeadFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The newest whole slot. A file without one is quarantined, unless nothing was ever written to it.
    pub(crate) fn load(&self) -> Result<(Option<Head>, Option<Repair>), FileError> {
        let (newest, blank) = self.look()?;
        let repair = (newest.is_none() && !blank).then(|| self.quarantine()).transpose()?;
        Ok((newest, repair))
    }

    /// The newest whole slot, and whether nothing was ever written; changes nothing.
    pub(crate) fn look(&self) -> Result<(Option<Head>, bool), FileError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, true)),
            Err(error) => return Err(FileError::new("read", &self.path, error)),
        };
        let newest = bytes.chunks(SLOT_BYTES).filter_map(decode).max_by_key(|head| head.turn);
        Ok((newest, bytes.iter().all(|byte| *byte == 0)))
    }

    pub(crate) fn save(&self, head: &Head) -> Result<(), FileError> {
        let slot = encode(head).at("write", &self.path)?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path);
        let offset = (head.turn % 2) * SLOT_BYTES as u64;
        file.and_then(|file| file.write_all_at(&slot, offset)).at("write", &self.path)
    }

    fn quarantine(&self) -> Result<Repair, FileError> {
        let (place, _) = new_sibling(&self.path, "corrupt")?;
        fs::rename(&self.path, &place).at("quarantine", &self.path)?;
        let message = "not readable, so what it vouched for is not checked".to_owned();
        Ok(Repair { path: self.path.clone(), set_aside: Some(place), message })
    }
}

/// A check, the head as JSON, and blanks up to the end of the slot.
fn encode(head: &Head) -> io::Result<Vec<u8>> {
    let json = serde_json::to_string(head)?;
    let mut slot = format!("{} {json}", &sha256_hex(json.as_bytes())[..16]).into_bytes();
    if slot.len() >= SLOT_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    slot.resize(SLOT_BYTES - 1, b' ');
    slot.push(b'\n');
    Ok(slot)
}

fn decode(slot: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(slot).ok()?;
    // What follows the object is blank; to look for its end is faster than to go over the blanks.
    let (check, json) = text[..=text.rfind('}')?].split_once(' ')?;
    (sha256_hex(json.as_bytes()).get(..16) == Some(check)).then(|| serde_json::from_str(json).ok())?
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
        match reader.lines(0..self.bytes, Direction::Backward).next().transpose()? {
            Some(line) => Ok(reader.sha256(line.offset..line.offset + line.length)? == self.hash),
            None => Ok(false),
        }
    }
}

impl Mark {
    /// Whether the one record that a log of `count` lines and `bytes` bytes lacks was torn and lies set aside:
    /// a loss that is told by a note, unlike one that leaves no trace.
    pub(crate) fn was_torn(&self, log: &Path, count: u64, bytes: u64) -> bool {
        let missing = self.bytes.saturating_sub(bytes);
        if self.count != count + 1 || missing == 0 {
            return false;
        }
        let is_its_start =
            |path: PathBuf| fs::metadata(path).is_ok_and(|file| (1..=missing).contains(&file.len()));
        (1..100).map(|number| sibling(log, &format!(".torn-{number}"))).any(is_its_start)
    }
}

/// Remembers a head that the log no longer contains.
pub(crate) fn remember_break(breaks: &mut Vec<Mark>, lost: Mark) {
    if breaks.len() < MAX_BREAKS && !breaks.contains(&lost) {
        breaks.push(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(turn: u64) -> Head {
        let mark = Mark { count: turn, seq: turn, hash: "f".repeat(64), bytes: turn * 9 };
        Head {
            turn,
            mark: mark.clone(),
            breaks: vec![Mark { count: u64::MAX, bytes: u64::MAX, ..mark }; MAX_BREAKS],
        }
    }

    /// The newest slot counts; when it is spoiled, the one before it; when both are, the file is set aside.
    #[test]
    fn spoiled_slot_leaves_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = HeadFile::new(&folder.path().join("evidence.head"));
        assert_eq!(file.load().unwrap(), (None, None));
        file.save(&head(1)).unwrap();
        file.save(&head(2)).unwrap();
        assert_eq!(file.load().unwrap(), (Some(head(2)), None));
        let mut bytes = fs::read(&file.path).unwrap();
        bytes[30] ^= 1;
        fs::write(&file.path, &bytes).unwrap();
        assert_eq!(file.load().unwrap(), (Some(head(1)), None));
        bytes[SLOT_BYTES + 30] ^= 1;
        fs::write(&file.path, &bytes).unwrap();
        let (none, repair) = file.load().unwrap();
        assert_eq!(
            (none, repair.unwrap().set_aside),
            (None, Some(folder.path().join("evidence.head.corrupt-1")))
        );
    }
}
