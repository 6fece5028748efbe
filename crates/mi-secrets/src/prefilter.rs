//! Finds where some two hundred literals stand, whatever their case, in one pass.
//!
//! Every literal is known by its first three bytes. A table of 65,536 bits says whether three bytes of the text may
//! begin one; only then are the literals compared. Many bytes are asked about before any answer is acted upon, so
//! that the processor need not guess. An Aho-Corasick automaton of the same literals took 3 ms to build, which is as
//! long as a whole hook call may take; this takes some microseconds.

/// Bits of a place in the table of bits.
const BITS: u32 = 16;
/// Groups are found by fewer bits of the same number.
const SLOTS: usize = 1 << 13;
/// How many places are looked up at once.
const BLOCK: usize = 32;

/// Literals, each with what is to be done where it stands.
pub(crate) struct Prefilter<R> {
    /// Where a literal may begin.
    may_begin: Box<[u64; 1 << (BITS - 6)]>,
    /// The first group of each slot, counted from one; none is zero.
    first: Box<[u16; SLOTS]>,
    groups: Vec<Group>,
    /// By slot and beginning.
    literals: Vec<(&'static str, R)>,
}

/// Literals that begin alike.
struct Group {
    slot: usize,
    beginning: u32,
    /// Low five bits of the bytes that may come fourth, one bit for each.
    fourth: u32,
    start: usize,
    end: usize,
}

impl<R> Prefilter<R> {
    /// Literals shorter than three bytes would never be found; a test sees to it that there are none.
    pub(crate) fn new(rules: Vec<(&'static str, R)>) -> Self {
        let beginning =
            |literal: &str| literal.as_bytes().first_chunk::<3>().map(|[a, b, c]| fold([*a, *b, *c, 0]));
        let known =
            rules.into_iter().filter_map(|(literal, rule)| Some((beginning(literal)?, literal, rule)));
        let mut known: Vec<_> = known.collect();
        known.sort_by_key(|(beginning, ..)| (slot(*beginning), *beginning));
        let (mut first, mut groups, mut literals) = (Box::new([0; SLOTS]), Vec::<Group>::new(), Vec::new());
        let mut may_begin = Box::new([0; 1 << (BITS - 6)]);
        for (beginning, literal, rule) in known {
            let at = literals.len();
            let fourth = literal.as_bytes().get(3).map_or(u32::MAX, |byte| 1 << (byte & 31));
            match groups.last_mut().filter(|group| group.beginning == beginning) {
                Some(group) => {
                    group.end = at + 1;
                    group.fourth |= fourth;
                }
                None => {
                    groups.push(Group { slot: slot(beginning), beginning, fourth, start: at, end: at + 1 });
                    may_begin[place(beginning) >> 6] |= 1 << (place(beginning) & 63);
                    let own = &mut first[slot(beginning)];
                    if *own == 0 {
                        *own = u16::try_from(groups.len()).unwrap_or(u16::MAX);
                    }
                }
            }
            literals.push((literal, rule));
        }
        Self { may_begin, first, groups, literals }
    }

    /// Calls `visit` with the place of each literal.
    pub(crate) fn each_hit(&self, bytes: &[u8], mut visit: impl FnMut(usize, &'static str, &R)) {
        let mut from = 0;
        // Four bytes make one load; the last three are read with nothing behind them.
        while let Some(block) = bytes.get(from..).and_then(|rest| rest.first_chunk::<{ BLOCK + 3 }>()) {
            let mut hits = 0_u32;
            for at in 0..BLOCK {
                let four = [block[at], block[at + 1], block[at + 2], block[at + 3]];
                hits |= u32::from(self.may_begin_at(four)) << at;
            }
            while hits != 0 {
                self.visit_at(bytes, from + hits.trailing_zeros() as usize, &mut visit);
                hits &= hits - 1;
            }
            from += BLOCK;
        }
        for at in from..bytes.len().saturating_sub(2) {
            if self.may_begin_at([bytes[at], bytes[at + 1], bytes[at + 2], 0]) {
                self.visit_at(bytes, at, &mut visit);
            }
        }
    }

    fn may_begin_at(&self, four: [u8; 4]) -> bool {
        let place = place(fold(four));
        (self.may_begin[place >> 6] >> (place & 63)) & 1 == 1
    }

    fn visit_at(&self, bytes: &[u8], at: usize, visit: &mut impl FnMut(usize, &'static str, &R)) {
        let rest = &bytes[at..];
        let [a, b, c, ..] = *rest else { return };
        let beginning = fold([a, b, c, 0]);
        let fourth = 1 << (rest.get(3).unwrap_or(&0) & 31);
        // Other groups of the slot follow the first one.
        let first = usize::from(self.first[slot(beginning)]);
        let groups = self.groups.get(first.wrapping_sub(1)..).unwrap_or_default();
        let own = groups.iter().take_while(|group| group.slot == slot(beginning));
        for group in own.filter(|group| group.beginning == beginning && group.fourth & fourth != 0) {
            for (literal, rule) in &self.literals[group.start..group.end] {
                // Many words begin alike; the last byte tells most of them apart.
                let last = literal.len() - 1;
                let ends =
                    rest.get(last).is_some_and(|byte| byte.eq_ignore_ascii_case(&literal.as_bytes()[last]));
                if ends && rest[..=last].eq_ignore_ascii_case(literal.as_bytes()) {
                    visit(at, literal, rule);
                }
            }
        }
    }
}

/// Three bytes as a number, large and small letters alike (some marks too, which the comparison tells apart).
fn fold(four: [u8; 4]) -> u32 {
    (u32::from_le_bytes(four) | 0x20_2020) & 0xFF_FFFF
}

fn place(beginning: u32) -> usize {
    (beginning.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

fn slot(beginning: u32) -> usize {
    place(beginning) * SLOTS >> BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Literals are found in any case, also when they overlap or begin alike.
    #[test]
    fn literals_are_found_in_any_case() {
        let prefilter = Prefilter::new(vec![("token", 1), ("sk-", 2), ("sk-ant-", 3), ("密码", 4)]);
        let mut hits = Vec::new();
        prefilter
            .each_hit("ToKeN sk-ant-x 密码: token SK-".as_bytes(), |at, _, rule| hits.push((at, *rule)));
        assert_eq!(hits, [(0, 1), (6, 2), (6, 3), (15, 4), (23, 1), (29, 2)]);
    }
}
