//! The lines of a recorded batch: the agent's own, or wrapped as `{"delay_ms":N,"event":{…}}` or
//! `{"delay_ms":N,"line":"…"}`.

use serde_json::Value;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    time::Duration,
};

use super::ReplayError;

/// A longer line is passed on in pieces and cannot be wrapped.
const MAX_WRAPPED_BYTES: usize = 1024 * 1024;

/// The next part of the stream.
pub(crate) enum Next<'a> {
    /// A line with its newline, to be replayed after a while.
    Line { delay: Duration, bytes: &'a [u8] },
    /// A part of a very long line.
    Piece(&'a [u8]),
}

/// Reads a recorded stream.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    in_long_line: bool,
    number: u64,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, ReplayError> {
        let file = File::open(path).map_err(|reason| ReplayError::Read { path: path.to_owned(), reason })?;
        Ok(Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(64 * 1024, file),
            buffer: Vec::new(),
            in_long_line: false,
            number: 0,
        })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Next<'_>>, ReplayError> {
        self.buffer.clear();
        let is_whole = self.fill().map_err(|reason| ReplayError::Read { path: self.path.clone(), reason })?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        if self.in_long_line || !is_whole {
            self.in_long_line = !is_whole;
            return Ok(Some(Next::Piece(&self.buffer)));
        }
        self.number += 1;
        let delay = self.unwrap_line()?;
        Ok(Some(Next::Line { delay, bytes: &self.buffer }))
    }

    /// Reads up to a newline, the end of the file or the limit; false for the limit.
    fn fill(&mut self) -> io::Result<bool> {
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                return Ok(true);
            }
            let newline = memchr::memchr(b'\n', available);
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.buffer.extend_from_slice(&available[..taken]);
            self.reader.consume(taken);
            if newline.is_some() {
                return Ok(true);
            }
            if self.buffer.len() > MAX_WRAPPED_BYTES {
                return Ok(false);
            }
        }
    }

    /// Replaces a wrapped line by what it wraps and returns its delay.
    fn unwrap_line(&mut self) -> Result<Duration, ReplayError> {
        let Some(wrapper) = read_wrapper(&self.buffer) else { return Ok(Duration::ZERO) };
        let fail = |message: &str| ReplayError::BadLine {
            path: self.path.clone(),
            number: self.number,
            message: message.to_owned(),
        };
        let delay_ms = match wrapper.get("delay_ms") {
            None => 0,
            Some(value) => {
                value.as_u64().ok_or_else(|| fail("delay_ms is not a whole number of milliseconds"))?
            }
        };
        let line = match (wrapper.get("event"), wrapper.get("line")) {
            (Some(event), None) => event.to_string(),
            (None, Some(Value::String(line))) => line.clone(),
            _ => return Err(fail("a wrapped line has an \"event\", or a \"line\" that is a string")),
        };
        self.buffer = line.into_bytes();
        self.buffer.push(b'\n');
        Ok(Duration::from_millis(delay_ms))
    }
}

/// The wrapper that this line is, if it is one: an object with no other keys than a wrapper has.
fn read_wrapper(line: &[u8]) -> Option<serde_json::Map<String, Value>> {
    let is_candidate = ["\"delay_ms\"", "\"event\"", "\"line\""]
        .iter()
        .any(|key| memchr::memmem::find(line, key.as_bytes()).is_some());
    if !is_candidate {
        return None;
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return None };
    let is_wrapper = object.keys().all(|key| matches!(key.as_str(), "delay_ms" | "event" | "line"));
    (is_wrapper && !object.is_empty()).then_some(object)
}
