//! Finds where some two hundred literals stand, whatever their case, in one pass.
//!
//! Every literal is known by its first three bytes. A table of 16 KiB says whether three bytes of the text may
//! begin one; only then are the literals compared. An Aho-Corasick automaton of the same literals took 3 ms to
//! build, which is as long as a whole hook call may take; this takes some microseconds.

const BITS: u32 = 13;
const SLOTS: usize = 1 << BITS;

/// Literals, each with what is to be done where it stands.
pub(crate) struct Prefilter<R> {
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
        for (beginning, literal, rule) in known {
            let at = literals.len();
            match groups.last_mut().filter(|group| group.beginning == beginning) {
                Some(group) => group.end = at + 1,
                None => {
                    groups.push(Group { slot: slot(beginning), beginning, start: at, end: at + 1 });
                    let own = &mut first[slot(beginning)];
                    if *own == 0 {
                        *own = u16::try_from(groups.len()).unwrap_or(u16::MAX);
                    }
                }
            }
            literals.push((literal, rule));
        }
        Self { first, groups, literals }
    }

    /// Calls `visit` with the place of each literal.
    pub(crate) fn each_hit(&self, bytes: &[u8], mut visit: impl FnMut(usize, &'static str, &R)) {
        let mut look = |at: usize, four: [u8; 4]| {
            let beginning = fold(four);
            let group = self.first[slot(beginning)];
            if group != 0 {
                self.visit_at(usize::from(group), &bytes[at..], beginning, |literal, rule| {
                    visit(at, literal, rule)
                });
            }
        };
        // Four bytes make one load; the last three are read with nothing behind them.
        for (at, four) in bytes.windows(4).enumerate() {
            look(at, [four[0], four[1], four[2], four[3]]);
        }
        if let Some([a, b, c]) = bytes.last_chunk() {
            look(bytes.len() - 3, [*a, *b, *c, 0]);
        }
    }

    fn visit_at(&self, first: usize, rest: &[u8], beginning: u32, mut visit: impl FnMut(&'static str, &R)) {
        // Other groups of the slot follow the first one.
        let groups = self.groups.get(first - 1..).unwrap_or_default();
        let own = groups.iter().take_while(|group| group.slot == slot(beginning));
        for group in own.filter(|group| group.beginning == beginning) {
            for (literal, rule) in &self.literals[group.start..group.end] {
                // Many words begin alike; the last byte tells most of them apart.
                let last = literal.len() - 1;
                let ends =
                    rest.get(last).is_some_and(|byte| byte.eq_ignore_ascii_case(&literal.as_bytes()[last]));
                if ends && rest[..=last].eq_ignore_ascii_case(literal.as_bytes()) {
                    visit(literal, rule);
                }
            }
        }
    }
}

/// Three bytes as a number, large and small letters alike (some marks too, which the comparison tells apart).
fn fold(four: [u8; 4]) -> u32 {
    (u32::from_le_bytes(four) | 0x20_2020) & 0xFF_FFFF
}

fn slot(beginning: u32) -> usize {
    (beginning.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
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
