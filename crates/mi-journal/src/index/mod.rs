//! A derived index beside a log: which stretches may hold what a query looks for.
//!
//! It only ever says where *not* to look, so it may be deleted, damaged or behind at any time: what it does not
//! cover is read, and every line is checked by the query itself. It grows by whole segments of 4 MiB of log;
//! a smaller log has none, because reading that much takes a few milliseconds.
//! Holds: a segment counts from the moment the header names it, which is written after the segment is on disk.

mod needs;
mod segment;
mod signature;
mod text;

use std::{
    cell::Cell,
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

pub(crate) use needs::Needs;
pub(crate) use signature::tag_rows;
pub(crate) use text::{search_text, unescape};

use crate::{FileError, Line, LogReader, error::AtPath};
use segment::{
    BLOCK_BYTES, Block, CHECKED_TABLE_BYTES, COVERED_BYTES, SEGMENT_BYTES, STRETCH_BYTES, SegmentBuilder,
    checked_words, decode_row, decode_table, stretch_offset,
};
use signature::{Signature, checksum};

const MAGIC: u64 = u64::from_le_bytes(*b"miindex1");
const HEADER_BYTES: usize = 48;
/// How much of the log's beginning, and of its end as indexed, tells that it is still the same log.
const FINGERPRINT_BYTES: u64 = 256;
/// Segments written between two flushes to the disk.
const SEGMENTS_PER_FLUSH: u64 = 16;

/// An index opened for reading.
#[derive(Debug)]
pub(crate) struct Index {
    file: File,
    segments: Vec<Vec<Block>>,
    damaged: Cell<bool>,
}

impl Index {
    /// Opens the index of a log; `None` if there is none, or it is damaged, or of another log.
    pub(crate) fn open(path: &Path, log: &LogReader) -> Option<Self> {
        let file = File::open(path).ok()?;
        let header = Header::read(&file, log)?;
        let tables = (0..header.segments).map(|number| {
            let mut table = [0; CHECKED_TABLE_BYTES];
            file.read_exact_at(&mut table, segment_offset(number)).ok()?;
            decode_table(&table)
        });
        let segments = tables.collect::<Option<Vec<_>>>()?;
        Some(Self { file, segments, damaged: Cell::new(false) })
    }

    /// How many bytes of the log are covered.
    pub(crate) fn covered(&self) -> u64 {
        self.segments.last().and_then(|blocks| blocks.last()).map_or(0, |block| block.end)
    }

    pub(crate) fn segments(&self) -> &[Vec<Block>] {
        &self.segments
    }

    /// True when a damaged stretch was met while reading.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.get()
    }

    /// The blocks of a segment (as bits) in which a row is set; all of them if the index is damaged there.
    pub(crate) fn blocks_of(&self, segment: usize, row: usize) -> u64 {
        let mut stretch = [0; STRETCH_BYTES];
        let offset = segment_offset(segment as u64) + stretch_offset(row) as u64;
        let read = self.file.read_exact_at(&mut stretch, offset).ok();
        read.and_then(|()| decode_row(&stretch, row)).unwrap_or_else(|| {
            self.damaged.set(true);
            u64::MAX
        })
    }
}

/// Brings the index nearer to the log by at most `limit` segments; returns how many were added.
///
/// Does nothing if less than a segment is missing or another process is already at it.
pub(crate) fn catch_up(path: &Path, log: &LogReader, rebuild: bool, limit: u64) -> Result<u64, FileError> {
    let length = log.length()?;
    if length < COVERED_BYTES {
        return Ok(0);
    }
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.at("open the index", path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(0),
        Err(TryLockError::Error(error)) => return Err(FileError::new("lock the index", path, error)),
    }
    let usable = !rebuild && Index::open(path, log).is_some();
    let header = Header::read(&file, log).filter(|_| usable);
    let mut writer = Writer { path: path.to_owned(), file, header: header.unwrap_or_default() };
    let before = writer.header.segments;
    if before == 0 {
        writer.file.set_len(0).at("clear the index", path)?;
    }
    if length - writer.header.covered >= COVERED_BYTES {
        writer.add_segments(log, limit)?;
    }
    Ok(writer.header.segments - before)
}

struct Writer {
    path: PathBuf,
    file: File,
    header: Header,
}

impl Writer {
    fn add_segments(&mut self, log: &LogReader, limit: u64) -> Result<(), FileError> {
        let mut written = self.header;
        let last = written.segments.saturating_add(limit);
        let mut segment = SegmentBuilder::new();
        let mut open = OpenBlock::starting_at(written.covered);
        for line in log.forwards(written.covered)? {
            if written.segments == last {
                break;
            }
            open.add(&line?);
            if !open.is_full() {
                continue;
            }
            let end = open.block.end;
            segment.add(open.block, &open.signature);
            open = OpenBlock::starting_at(end);
            if segment.is_full() {
                let bytes = std::mem::replace(&mut segment, SegmentBuilder::new()).encode();
                self.file
                    .write_all_at(&bytes, segment_offset(written.segments))
                    .at("write the index", &self.path)?;
                written = Header { segments: written.segments + 1, covered: end };
                if written.segments - self.header.segments >= SEGMENTS_PER_FLUSH {
                    self.commit(written, log)?;
                }
            }
        }
        self.commit(written, log)
    }

    /// Makes the segments written so far count.
    fn commit(&mut self, written: Header, log: &LogReader) -> Result<(), FileError> {
        if written.segments == self.header.segments {
            return Ok(());
        }
        self.file.sync_data().at("flush the index", &self.path)?;
        let bytes = written.encode(log)?;
        self.file.write_all_at(&bytes, 0).at("write the index", &self.path)?;
        self.header = written;
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Header {
    segments: u64,
    covered: u64,
}

impl Header {
    /// The header, if it is whole and the log still begins and goes on as it did when it was indexed.
    fn read(file: &File, log: &LogReader) -> Option<Self> {
        let mut bytes = [0; HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let &[magic, segments, covered, first, last] = checked_words(&bytes)?.as_slice() else { return None };
        let long_enough = file.metadata().ok()?.len() >= segment_offset(segments);
        let header = Self { segments, covered };
        let same_log = magic == MAGIC && long_enough && log.length().ok()? >= covered;
        (same_log && header.fingerprints(log).ok()? == [first, last]).then_some(header)
    }

    fn encode(&self, log: &LogReader) -> Result<Vec<u8>, FileError> {
        let [first, last] = self.fingerprints(log)?;
        let words = [MAGIC, self.segments, self.covered, first, last];
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(checksum(&bytes).to_le_bytes());
        Ok(bytes)
    }

    fn fingerprints(&self, log: &LogReader) -> Result<[u64; 2], FileError> {
        let first = log.bytes(0..self.covered.min(FINGERPRINT_BYTES))?;
        let last = log.bytes(self.covered.saturating_sub(FINGERPRINT_BYTES)..self.covered)?;
        Ok([checksum(&first), checksum(&last)])
    }
}

struct OpenBlock {
    block: Block,
    signature: Signature,
}

impl OpenBlock {
    fn starting_at(offset: u64) -> Self {
        Self { block: Block::starting_at(offset), signature: Signature::new() }
    }

    fn is_full(&self) -> bool {
        self.block.end - self.block.start >= BLOCK_BYTES
    }

    fn add(&mut self, line: &Line) {
        self.block.end = line.end();
        if line.is_cut() {
            return self.signature.fill();
        }
        let text = search_text(&line.bytes);
        self.signature.add_text(&text);
        if let Some(plain) = unescape(&text) {
            self.signature.add_text(&plain);
        }
        let Some(frame) = line.frame() else { return };
        for (name, value) in [("kind", frame.kind()), ("run", frame.run_id())] {
            value.into_iter().for_each(|value| self.signature.add_tag(name, value));
        }
        if let Some(seq) = frame.seq() {
            self.block.min_seq = self.block.min_seq.min(seq);
            self.block.max_seq = self.block.max_seq.max(seq);
        }
        if let Some(millis) = frame.timestamp().map(|ts| ts.as_millis()) {
            self.block.min_millis = self.block.min_millis.min(millis);
            self.block.max_millis = self.block.max_millis.max(millis);
        }
    }
}

fn segment_offset(number: u64) -> u64 {
    HEADER_BYTES as u64 + number.saturating_mul(SEGMENT_BYTES as u64)
}
