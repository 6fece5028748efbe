//! Which three-byte sequences, kinds and runs a stretch of log contains, as a set of hashed bits.
//!
//! Holds: what was added is always found again; what was not added is found by chance only, and the caller
//! looks at the line itself before believing it. Bytes, not characters: one Chinese character is three bytes,
//! so even a word of one character can be looked up. ASCII letters are folded to lower case.

/// Bits of a signature. The hexadecimal digits of hashes and times fill 4,096 of them and no more.
pub(crate) const ROWS: usize = 1 << 16;

/// The hashed set.
pub(crate) struct Signature {
    bits: Vec<u64>,
}

impl Signature {
    pub(crate) fn new() -> Self {
        Self { bits: vec![0; ROWS / 64] }
    }

    /// Adds every three-byte sequence of `text`.
    pub(crate) fn add_text(&mut self, text: &[u8]) {
        let &[first, second, ref rest @ ..] = text else { return };
        let mut window = u32::from(first.to_ascii_lowercase()) << 8 | u32::from(second.to_ascii_lowercase());
        for byte in rest {
            window = (window << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00ff_ffff;
            self.set(row_of(window));
        }
    }

    /// Adds a named value, such as the kind of a record.
    pub(crate) fn add_tag(&mut self, name: &str, value: &str) {
        for row in tag_rows(name, value) {
            self.set(row);
        }
    }

    /// Adds everything: for what cannot be looked into.
    pub(crate) fn fill(&mut self) {
        self.bits.fill(u64::MAX);
    }

    /// Calls `each` with every bit that is set.
    pub(crate) fn for_each_row(&self, mut each: impl FnMut(usize)) {
        for (index, word) in self.bits.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                each(index * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    fn set(&mut self, row: usize) {
        self.bits[row / 64] |= 1 << (row % 64);
    }
}

/// The rows of the three-byte sequences of `text`, at most eight of them, spread over the text.
pub(crate) fn text_rows(text: &[u8]) -> Vec<usize> {
    let folded = text.to_ascii_lowercase();
    let all = folded.windows(3).map(|three| row_of(u32::from_be_bytes([0, three[0], three[1], three[2]])));
    let step = text.len().saturating_sub(2).div_ceil(8).max(1);
    all.step_by(step).collect()
}

/// The rows of a named value.
pub(crate) fn tag_rows(name: &str, value: &str) -> [usize; 4] {
    let hash = checksum([name, "\0", value].concat().as_bytes());
    [0, 16, 32, 48].map(|shift| (hash >> shift) as usize & (ROWS - 1))
}

fn row_of(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

/// A quick 64-bit check of bytes against accidental damage (FNV-1a over words, with a final mix).
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in words.by_ref() {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }
    for byte in words.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}
