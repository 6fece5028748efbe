//! Finds where some two hundred literals stand, whatever their case, in one pass.
//!
//! Every literal is known by its first three bytes. A table of 16 KiB says whether three bytes of the text may begin one; only then are the literals compared. Many bytes are asked about before any answer is acted upon, so
//! that the processor need not guess. The compiler makes the table: what is made at run time is made in every hook call,
//! which may take 3 ms in all (an Aho-Corasick automaton of the same literals took as long).

const BITS: u32 = 14;
pub(crate) const SLOTS: usize = 1 << BITS;
/// How many places are looked up at once.
const BLOCK: usize = 32;

/// Literals, each with what is to be done where it stands.
pub(crate) struct Prefilter<R, const COUNT: usize> {
    /// One where a literal may begin, otherwise zero.
    may_begin: [u8; SLOTS],
    /// The first entry of each slot that has one.
    first: [u16; SLOTS],
    /// By slot.
    entries: [Entry<R>; COUNT],
}

/// A literal and its first eight bytes as a number, to be compared at once.
#[derive(Clone, Copy)]
struct Entry<R> {
    slot: usize,
    /// The end of the entries that have the same slot.
    end: usize,
    /// The next of them whose literal can stand where this one does.
    next: usize,
    head: u64,
    /// The bit that tells small letters from large ones, where there are letters.
    case: u64,
    /// The bytes of the number that the literal has.
    mask: u64,
    literal: &'static str,
    rule: R,
}

impl<R: Copy> Entry<R> {
    const fn new((literal, rule): (&'static str, R)) -> Self {
        let bytes = literal.as_bytes();
        assert!(bytes.len() > 2, "a literal is known by three bytes");
        let (mut head, mut case, mut mask) = ([0; 8], [0; 8], [0; 8]);
        let mut at = 0;
        while at < 8 && at < bytes.len() {
            head[at] = bytes[at].to_ascii_lowercase();
            case[at] = if bytes[at].is_ascii_alphabetic() { 0x20 } else { 0 };
            mask[at] = 0xFF;
            at += 1;
        }
        let (head, case, mask) =
            (u64::from_le_bytes(head), u64::from_le_bytes(case), u64::from_le_bytes(mask));
        Self { slot: slot(small(head)), end: 0, next: 0, head, case, mask, literal, rule }
    }

    /// Whether the literal stands at a place that begins with these eight bytes.
    fn is_at(&self, eight: u64, bytes: &[u8], at: usize) -> bool {
        let (literal, length) = (self.literal.as_bytes(), self.literal.len());
        let is_tail = |tail: &[u8]| tail.eq_ignore_ascii_case(&literal[8..]);
        (eight | self.case) & self.mask == self.head
            && (length <= 8 || bytes.get(at + 8..at + length).is_some_and(is_tail))
    }
}

impl<R: Copy, const COUNT: usize> Prefilter<R, COUNT> {
    pub(crate) const fn new(rules: &[(&'static str, R); COUNT]) -> Self {
        let mut entries = [Entry::new(rules[0]); COUNT];
        let mut count = 1;
        while count < COUNT {
            let entry = Entry::new(rules[count]);
            let mut at = count;
            while at > 0 && entries[at - 1].slot > entry.slot {
                entries[at] = entries[at - 1];
                at -= 1;
            }
            entries[at] = entry;
            count += 1;
        }
        let (mut may_begin, mut first) = ([0; SLOTS], [0; SLOTS]);
        while count > 0 {
            count -= 1;
            let is_last = count + 1 == COUNT || entries[count + 1].slot != entries[count].slot;
            entries[count].end = if is_last { count + 1 } else { entries[count + 1].end };
            entries[count].next = count + 1;
            while entries[count].next < entries[count].end
                && !begin_alike(entries[count].literal, entries[entries[count].next].literal)
            {
                entries[count].next += 1;
            }
            (may_begin[entries[count].slot], first[entries[count].slot]) = (1, count as u16);
        }
        Self { may_begin, first, entries }
    }

    /// Calls `visit` with the place of each literal.
    pub(crate) fn each_hit(&self, bytes: &[u8], mut visit: impl FnMut(usize, &'static str, &R)) {
        let mut from = 0;
        while let Some(block) = bytes.get(from..).and_then(|rest| rest.first_chunk()) {
            self.visit_block(bytes, from, block, &mut visit);
            from += BLOCK;
        }
        // The end of the text is a block or two as well, with nothing behind it.
        while let Some(rest) = bytes.get(from..).filter(|rest| rest.len() > 2) {
            let mut block = [0; BLOCK + 8];
            block.iter_mut().zip(rest).for_each(|(block, byte)| *block = *byte);
            self.visit_block(bytes, from, &block, &mut visit);
            from += BLOCK;
        }
    }

    #[inline]
    fn visit_block(
        &self,
        bytes: &[u8],
        from: usize,
        block: &[u8; BLOCK + 8],
        visit: &mut impl FnMut(usize, &'static str, &R),
    ) {
        let mut hits = 0_u32;
        for four in (0..BLOCK).step_by(4) {
            // Eight bytes at once have what begins at four places.
            let eight = small(eight_at(&block[four..]));
            for at in 0..4 {
                hits = 2 * hits + u32::from(self.may_begin[slot(eight >> (8 * at))]);
            }
        }
        // The first place is the highest bit.
        while hits != 0 {
            let at = hits.leading_zeros();
            self.visit_at(bytes, from + at as usize, eight_at(&block[at as usize..]), visit);
            hits ^= 1 << 31 >> at;
        }
    }

    #[inline]
    fn visit_at(&self, bytes: &[u8], at: usize, eight: u64, visit: &mut impl FnMut(usize, &'static str, &R)) {
        let first = usize::from(self.first[slot(small(eight))]);
        let (mut number, end) = (first, self.entries[first].end);
        while number < end {
            let entry = &self.entries[number];
            number += 1;
            if entry.is_at(eight, bytes, at) {
                visit(at, entry.literal, &entry.rule);
                number = entry.next;
            }
        }
    }
}

/// The first eight bytes as a number, zeros where there are fewer; no literal has a zero byte.
pub(crate) fn eight_at(rest: &[u8]) -> u64 {
    rest.first_chunk().map_or_else(
        || rest.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        |eight| u64::from_le_bytes(*eight),
    )
}

/// Whether one of two literals begins with the other, in any case.
const fn begin_alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at].eq_ignore_ascii_case(&other[at]) {
        at += 1;
    }
    at == one.len() || at == other.len()
}

/// Eight bytes with large letters as small ones (some marks become others too, which the comparison tells apart).
pub(crate) const fn small(eight: u64) -> u64 {
    eight | 0x2020_2020_2020_2020
}

/// The slot of the first three of eight small bytes. The low byte of the factor is zero, which leaves the fourth byte
/// out.
pub(crate) const fn slot(small: u64) -> usize {
    const FACTOR: u32 = 0x9E37_7900;
    ((small as u32).wrapping_mul(FACTOR) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Literals are found in any case, also when they overlap or begin alike.
    #[test]
    fn literals_are_found_in_any_case() {
        let prefilter = Prefilter::new(&[("token", 1), ("sk-", 2), ("sk-ant-", 3), ("密码", 4)]);
        let mut hits = Vec::new();
        prefilter
            .each_hit("ToKeN sk-ant-x 密码: token SK-".as_bytes(), |at, _, rule| hits.push((at, *rule)));
        assert_eq!(hits, [(0, 1), (6, 2), (6, 3), (15, 4), (23, 1), (29, 2)]);
    }
}
