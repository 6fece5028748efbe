//! A line too long for memory: kept in a file beside the transcript while it arrives, then copied into it as
//! one object. What is interpreted is the line with its long strings shortened.

use mi_formats::clip::Clipper;
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    path::PathBuf,
};

/// How much of each string of a long line is interpreted.
const KEPT_STRING_BYTES: usize = 64 * 1024;
/// How much of a long line that is no JSON object is interpreted, and the most of one that is.
const KEPT_TEXT_BYTES: usize = 64 * 1024;
const KEPT_OBJECT_BYTES: usize = 4 * 1024 * 1024;

/// The raw bytes of a long line on disk.
#[derive(Debug)]
pub(crate) struct Spill {
    path: PathBuf,
    file: File,
}

impl Spill {
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { path, file })
    }

    pub(crate) fn push(&mut self, piece: &[u8]) -> io::Result<()> {
        self.file.write_all(piece)
    }

    /// Reads the line from its beginning, in pieces whose length is a multiple of three (for base64).
    pub(crate) fn read(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.file.rewind()?;
        let mut buffer = vec![0; 3 * 32 * 1024];
        loop {
            let mut length = 0;
            while length < buffer.len() {
                match self.file.read(&mut buffer[length..])? {
                    0 => break,
                    count => length += count,
                }
            }
            if length == 0 {
                return Ok(());
            }
            take(&buffer[..length])?;
        }
    }

    pub(crate) fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

/// What is kept of a long line for interpretation.
#[derive(Debug)]
pub(crate) enum Shortened {
    Object(Clipper),
    Text(Vec<u8>),
    /// An object of endless structure: nothing of it can be read in bounded memory.
    TooLong,
}

impl Shortened {
    pub(crate) fn new(first: &[u8]) -> Self {
        if first.first() == Some(&b'{') {
            Self::Object(Clipper::new(KEPT_STRING_BYTES))
        } else {
            Self::Text(Vec::new())
        }
    }

    pub(crate) fn push(&mut self, piece: &[u8]) {
        match self {
            Self::Object(clipper) => {
                clipper.push(piece);
                if clipper.kept_bytes() > KEPT_OBJECT_BYTES {
                    *self = Self::TooLong;
                }
            }
            Self::Text(kept) => {
                let room = KEPT_TEXT_BYTES.saturating_sub(kept.len()).min(piece.len());
                kept.extend_from_slice(&piece[..room]);
            }
            Self::TooLong => {}
        }
    }

    /// The shortened line.
    pub(crate) fn finish(self) -> String {
        let bytes = match self {
            Self::Object(clipper) => clipper.finish().0,
            Self::Text(kept) => kept,
            Self::TooLong => b"{\"type\":\"line_too_long\"}".to_vec(),
        };
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
