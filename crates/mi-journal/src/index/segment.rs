//! The form of the index on disk: fixed-size segments, each over 64 blocks of whole lines.
//!
//! A segment is a table of its blocks and, for each of the 65,536 signature rows, one 64-bit word that says in
//! which blocks the row is set. Words are stored in stretches of 64 with a checksum, so a query reads and checks
//! half a kilobyte per row and segment, and never believes a damaged one.

use super::signature::{ROWS, Signature, checksum};

pub(crate) const BLOCKS: usize = 64;
/// A block is closed when it has at least this many bytes of log.
pub(crate) const BLOCK_BYTES: u64 = 64 << 10;
/// A segment covers at least this many bytes of log.
pub(crate) const COVERED_BYTES: u64 = BLOCK_BYTES * BLOCKS as u64;

const BLOCK_FIELDS: usize = 6;
const TABLE_BYTES: usize = BLOCKS * BLOCK_FIELDS * 8;
const STRETCH_ROWS: usize = 64;
pub(crate) const STRETCH_BYTES: usize = STRETCH_ROWS * 8 + 8;
pub(crate) const CHECKED_TABLE_BYTES: usize = TABLE_BYTES + 8;
pub(crate) const SEGMENT_BYTES: usize = CHECKED_TABLE_BYTES + ROWS / STRETCH_ROWS * STRETCH_BYTES;

/// A stretch of whole lines and the numbers and times they span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) min_seq: u64,
    pub(crate) max_seq: u64,
    pub(crate) min_millis: i64,
    pub(crate) max_millis: i64,
}

impl Block {
    /// A block that begins here and has no lines yet.
    pub(crate) fn starting_at(start: u64) -> Self {
        Self { start, end: start, min_seq: u64::MAX, max_seq: 0, min_millis: i64::MAX, max_millis: i64::MIN }
    }

    fn to_words(self) -> [u64; BLOCK_FIELDS] {
        let Self { start, end, min_seq, max_seq, min_millis, max_millis } = self;
        [start, end, min_seq, max_seq, min_millis.cast_unsigned(), max_millis.cast_unsigned()]
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let &[start, end, min_seq, max_seq, min_millis, max_millis] = words else { return None };
        let (min_millis, max_millis) = (min_millis.cast_signed(), max_millis.cast_signed());
        Some(Self { start, end, min_seq, max_seq, min_millis, max_millis })
    }
}

/// A segment while it is being filled.
pub(crate) struct SegmentBuilder {
    blocks: Vec<Block>,
    rows: Vec<u64>,
}

impl SegmentBuilder {
    pub(crate) fn new() -> Self {
        Self { blocks: Vec::with_capacity(BLOCKS), rows: vec![0; ROWS] }
    }

    pub(crate) fn add(&mut self, block: Block, signature: &Signature) {
        let bit = 1 << self.blocks.len();
        self.blocks.push(block);
        signature.for_each_row(|row| self.rows[row] |= bit);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.blocks.len() == BLOCKS
    }

    /// The segment as it is stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SEGMENT_BYTES);
        push_checked(&mut bytes, self.blocks.iter().flat_map(|block| block.to_words()));
        for stretch in self.rows.chunks(STRETCH_ROWS) {
            push_checked(&mut bytes, stretch.iter().copied());
        }
        bytes
    }
}

/// The blocks of a stored segment, from the bytes of its table; `None` if they are damaged.
pub(crate) fn decode_table(bytes: &[u8]) -> Option<Vec<Block>> {
    let words = checked_words(bytes)?;
    words.chunks(BLOCK_FIELDS).map(Block::from_words).collect()
}

/// Where, within a segment, the stretch with this row stands.
pub(crate) fn stretch_offset(row: usize) -> usize {
    CHECKED_TABLE_BYTES + row / STRETCH_ROWS * STRETCH_BYTES
}

/// The blocks (as bits) in which `row` is set, from the bytes of its stretch; `None` if they are damaged.
pub(crate) fn decode_row(stretch: &[u8], row: usize) -> Option<u64> {
    checked_words(stretch)?.get(row % STRETCH_ROWS).copied()
}

fn push_checked(bytes: &mut Vec<u8>, words: impl Iterator<Item = u64>) {
    let start = bytes.len();
    bytes.extend(words.flat_map(u64::to_le_bytes));
    let check = checksum(&bytes[start..]);
    bytes.extend(check.to_le_bytes());
}

pub(crate) fn checked_words(bytes: &[u8]) -> Option<Vec<u64>> {
    let (content, check) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if checksum(content).to_le_bytes() != check {
        return None;
    }
    Some(
        content.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect(),
    )
}
