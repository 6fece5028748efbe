//! Writes the transcript file.

use base64::{Engine, engine::general_purpose::STANDARD};
use mi_formats::AgentEvent;
use mi_model::Timestamp;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::{
    StreamName,
    escape::{LossyEscaper, escape},
    long_line::{Shortened, Spill},
};
use crate::{HandsError, TranscriptRef};

/// What has been encoded is written when it is this much, or when a chunk is complete.
const FLUSH_BYTES: usize = 256 * 1024;

/// An open transcript.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    file: File,
    keeps_raw: bool,
    out: Vec<u8>,
    digest: Sha256,
    bytes: u64,
    /// Beginning of the objects of the current chunk: `{"ts":"…","stream":"`.
    opening: String,
    now: Timestamp,
    long: [Option<LongLine>; 2],
}

#[derive(Debug)]
struct LongLine {
    spill: Option<Spill>,
    digest: Sha256,
    bytes: u64,
    shortened: Shortened,
}

impl Writer {
    pub(crate) fn create(path: &Path, keeps_raw: bool, now: Timestamp) -> Result<Self, HandsError> {
        let fail = |reason| HandsError::Transcript { path: path.to_owned(), reason };
        let open = || File::options().append(true).create_new(true).open(path);
        let file = match (open(), path.parent()) {
            (Err(error), Some(folder)) if error.kind() == ErrorKind::NotFound => {
                std::fs::create_dir_all(folder).and_then(|()| open())
            }
            (opened, _) => opened,
        };
        let file = file.map_err(fail)?;
        let mut writer = Self {
            path: path.to_owned(),
            file,
            keeps_raw,
            out: Vec::with_capacity(FLUSH_BYTES),
            digest: Sha256::new(),
            bytes: 0,
            opening: String::new(),
            now,
            long: [None, None],
        };
        writer.set_time(now);
        Ok(writer)
    }

    /// The time of what is written from now on.
    pub(crate) fn set_time(&mut self, now: Timestamp) {
        if now != self.now || self.opening.is_empty() {
            self.now = now;
            self.opening = format!("{{\"ts\":\"{now}\",\"stream\":\"");
        }
    }

    /// A line of normal length. It is on disk after the next [`Writer::flush`].
    pub(crate) fn line(&mut self, stream: StreamName, line: &[u8], is_whole: bool) -> Result<(), HandsError> {
        self.open(stream);
        if !self.keeps_raw {
            let digest = hexadecimal(Sha256::digest(line).as_slice());
            self.describe(&digest, line.len() as u64);
        } else if let Ok(text) = std::str::from_utf8(line) {
            self.out.extend_from_slice(b"\",\"line\":\"");
            escape(text, &mut self.out);
            self.out.push(b'"');
        } else {
            self.out.extend_from_slice(b"\",\"line\":\"");
            let mut escaper = LossyEscaper::default();
            escaper.push(line, &mut self.out);
            escaper.finish(&mut self.out);
            let raw = STANDARD.encode(line);
            self.out.extend_from_slice(format!("\",\"base64\":\"{raw}\"").as_bytes());
        }
        self.close(is_whole)
    }

    /// A normalised event, stored when raw lines are not.
    pub(crate) fn event(&mut self, event: &AgentEvent) -> Result<(), HandsError> {
        if self.keeps_raw {
            return Ok(());
        }
        let value = serde_json::json!({"ts": self.now, "event": event});
        self.out.extend_from_slice(value.to_string().as_bytes());
        self.out.push(b'\n');
        self.flush_if_full()
    }

    /// A piece of a long line: on disk, beside the transcript, on return.
    pub(crate) fn piece(&mut self, stream: StreamName, piece: &[u8]) -> Result<(), HandsError> {
        let slot = stream as usize;
        if self.long[slot].is_none() {
            let name = format!("{}-line", stream.as_str());
            let spill = match self.keeps_raw {
                true => Some(Spill::create(self.path.with_extension(name)).map_err(|e| self.error(e))?),
                false => None,
            };
            let shortened = Shortened::new(piece);
            self.long[slot] = Some(LongLine { spill, digest: Sha256::new(), bytes: 0, shortened });
        }
        let Some(long) = &mut self.long[slot] else { return Ok(()) };
        long.bytes += piece.len() as u64;
        long.shortened.push(piece);
        match &mut long.spill {
            Some(spill) => spill.push(piece).map_err(|reason| self.error(reason)),
            None => {
                long.digest.update(piece);
                Ok(())
            }
        }
    }

    /// The end of a long line: it becomes one object. Returns the line with its strings shortened.
    pub(crate) fn piece_end(&mut self, stream: StreamName, is_whole: bool) -> Result<String, HandsError> {
        let Some(long) = self.long[stream as usize].take() else { return Ok(String::new()) };
        self.open(stream);
        match long.spill {
            None => self.describe(&hexadecimal(long.digest.finalize().as_slice()), long.bytes),
            Some(mut spill) => {
                self.copy(&mut spill)?;
                self.close(is_whole)?;
                self.flush()?;
                spill.remove().map_err(|reason| self.error(reason))?;
                return Ok(long.shortened.finish());
            }
        }
        self.close(is_whole)?;
        Ok(long.shortened.finish())
    }

    fn copy(&mut self, spill: &mut Spill) -> Result<(), HandsError> {
        self.out.extend_from_slice(b"\",\"line\":\"");
        let mut escaper = LossyEscaper::default();
        let path = self.path.clone();
        let fail = |reason| HandsError::Transcript { path: path.clone(), reason };
        spill
            .read(|piece| {
                escaper.push(piece, &mut self.out);
                self.write_out()
            })
            .map_err(fail)?;
        let is_lossy = escaper.finish(&mut self.out);
        if is_lossy {
            self.out.extend_from_slice(b"\",\"base64\":\"");
            spill
                .read(|piece| {
                    self.out.extend_from_slice(STANDARD.encode(piece).as_bytes());
                    self.write_out()
                })
                .map_err(fail)?;
        }
        self.out.push(b'"');
        Ok(())
    }

    fn open(&mut self, stream: StreamName) {
        self.out.extend_from_slice(self.opening.as_bytes());
        self.out.extend_from_slice(stream.as_str().as_bytes());
    }

    fn describe(&mut self, sha256: &str, bytes: u64) {
        self.out.extend_from_slice(format!("\",\"sha256\":\"{sha256}\",\"bytes\":{bytes}").as_bytes());
    }

    fn close(&mut self, is_whole: bool) -> Result<(), HandsError> {
        let end: &[u8] = if is_whole { b"}\n" } else { b",\"eol\":false}\n" };
        self.out.extend_from_slice(end);
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> Result<(), HandsError> {
        if self.out.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is encoded: after this it survives the death of this process.
    pub(crate) fn flush(&mut self) -> Result<(), HandsError> {
        self.write_out().map_err(|reason| self.error(reason))
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.file.write_all(&self.out)?;
        self.digest.update(&self.out);
        self.bytes += self.out.len() as u64;
        self.out.clear();
        Ok(())
    }

    /// Writes the rest, waits until all of it is on the disk, and says what the file holds.
    pub(crate) fn finish(mut self) -> Result<TranscriptRef, HandsError> {
        self.flush()?;
        self.file.sync_data().map_err(|reason| self.error(reason))?;
        let sha256 = hexadecimal(self.digest.finalize().as_slice());
        Ok(TranscriptRef { path: self.path, bytes: self.bytes, sha256 })
    }

    fn error(&self, reason: io::Error) -> HandsError {
        HandsError::Transcript { path: self.path.clone(), reason }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
