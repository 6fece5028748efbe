//! Setting aside what a crash left at the end of a log.
//!
//! Torn are: the bytes after the last newline, and a last line that is not a JSON object. They are copied to a
//! sibling with another extension (`evidence.jsonl.torn-1`) and then cut off, under the log's lock, so that a
//! writer in the middle of its write is never disturbed. Garbage further up is not torn: readers pass over it
//! and `verify` reports it.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{FileError, LogReader, MAX_LINE_BYTES, error::AtPath};

/// Something that was put right, or set aside, on the way; a note for the person, never an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The file that was found damaged.
    pub path: PathBuf,
    /// Where the damaged bytes are now, if they were moved.
    pub set_aside: Option<PathBuf>,
    /// What was found.
    pub message: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)?;
        match &self.set_aside {
            Some(place) => write!(f, "; set aside as {}", place.display()),
            None => Ok(()),
        }
    }
}

/// Sets the torn tail of a log aside, if it has one; what any command may do before it reads.
///
/// A log that cannot be written is left as it is: readers pass over a torn tail anyway.
pub fn repair_torn_tail(path: &Path) -> Result<Option<Repair>, FileError> {
    let reader = LogReader::open(path)?;
    if torn_from(&reader)? == reader.length()? {
        return Ok(None);
    }
    let file = match OpenOptions::new().read(true).append(true).open(path) {
        Ok(file) => file,
        Err(error) => {
            let message =
                format!("the last line is torn and was passed over; it could not be set aside: {error}");
            return Ok(Some(Repair { path: path.to_owned(), set_aside: None, message }));
        }
    };
    file.lock().at("lock", path)?;
    // Looked at again: what seemed torn may have been another process in the middle of its write.
    let repair = set_torn_aside(path, &file);
    file.unlock().at("unlock", path)?;
    repair
}

/// The same for a caller that already holds the lock on `file`.
pub(crate) fn set_torn_aside(path: &Path, file: &File) -> Result<Option<Repair>, FileError> {
    let reader = LogReader::of(path, file)?;
    let (good, length) = (torn_from(&reader)?, reader.length()?);
    if good == length {
        return Ok(None);
    }
    if is_whole(&reader, good, length)? {
        let mut end = file;
        end.write_all(b"\n").and_then(|()| file.sync_all()).at("add the missing line end of", path)?;
        let message = "the last record lacked its line end, which was added".to_owned();
        return Ok(Some(Repair { path: path.to_owned(), set_aside: None, message }));
    }
    let (place, mut aside) = new_sibling(path, "torn")?;
    let mut at = good;
    while at < length {
        let block = reader.bytes(at..length.min(at + (1 << 20)))?;
        aside.write_all(&block).at("set torn bytes aside in", &place)?;
        at += block.len().max(1) as u64;
    }
    aside.sync_all().at("set torn bytes aside in", &place)?;
    file.set_len(good).at("cut the torn tail of", path)?;
    file.sync_all().at("cut the torn tail of", path)?;
    let message = format!("the last {} bytes were torn", length - good);
    Ok(Some(Repair { path: path.to_owned(), set_aside: Some(place), message }))
}

/// Creates `NAME.WORD-1`, or the first number that is free.
pub(crate) fn new_sibling(path: &Path, word: &str) -> Result<(PathBuf, File), FileError> {
    for number in 1.. {
        let place = sibling(path, &format!(".{word}-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(file) => return Ok((place, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::new("create", &place, error)),
        }
    }
    Err(FileError::new("create a sibling of", path, io::ErrorKind::AlreadyExists.into()))
}

/// The path with `suffix` added to its file name.
pub(crate) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether what follows the last line end is a complete record: a JSON object has no end but its own.
fn is_whole(reader: &LogReader, good: u64, length: u64) -> Result<bool, FileError> {
    if good != reader.end_of_last_line()? || length - good > MAX_LINE_BYTES as u64 {
        return Ok(false);
    }
    let tail = reader.bytes(good..length)?;
    Ok(serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&tail).is_ok())
}

/// Where the torn part begins; the length of the file if nothing is torn.
fn torn_from(reader: &LogReader) -> Result<u64, FileError> {
    let end = reader.end_of_last_line()?;
    match reader.backwards()?.next().transpose()? {
        Some(line) if !line.is_cut() && !line.is_blank() && line.frame().is_none() => Ok(line.offset),
        _ => Ok(end),
    }
}
