//! What the characters of a value are.
//!
//! Two rules often ask about the same value (`Authorization: Bearer …`), and many values may end at the same place
//! (`password=password=…` has one at every name), so what was read of the last one is remembered.

use crate::{
    class::Run,
    placeholder::{next_cut, next_word},
    prefilter::eight_at,
};

/// The values of a text, and what was read of those that end where the last one does.
pub(crate) struct Readings<'t> {
    text: &'t str,
    end: usize,
    alike: Alike,
    turns: Option<(usize, Turns)>,
    random: Option<(usize, bool)>,
    /// To the next thing that only a placeholder has.
    signs: Run,
}

impl<'t> Readings<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, end: 0, alike: Alike::NONE, turns: None, random: None, signs: Run::default() }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// The characters of a range, if they are whole; from now on it is its end that counts.
    pub(crate) fn enter(&mut self, from: usize, end: usize) -> Option<&'t str> {
        if self.end != end {
            *self = Self { end, ..Self::new(self.text) };
        }
        self.text.get(from..end)
    }

    /// The marks of the value that begins at `from`.
    pub(crate) fn marks(&mut self, from: usize) -> u16 {
        if !self.alike.has(from) {
            let bytes = &self.text.as_bytes()[..self.end];
            // One value is read as fast as can be; where a second one ends there, more may.
            let is_second = from > self.alike.last;
            let most = self.alike.marks;
            self.alike = if is_second { Alike::many(bytes, from, most) } else { Alike::one(bytes, from) };
        }
        self.alike.marks
    }

    /// Whether the value that begins at `from` may have one of the marks; it is not read for that alone.
    pub(crate) fn may_have(&self, from: usize, marks: u16) -> bool {
        self.alike.may_have(from, marks)
    }

    /// Whether the value that begins at `from` looks made by a machine.
    pub(crate) fn is_random(&mut self, from: usize) -> bool {
        /// As long as values are that are read again sooner than counted.
        const SHORT: usize = 64;
        if let Some((_, is_random)) = self.random.filter(|(at, _)| *at == from) {
            return is_random;
        }
        let value = &self.text.as_bytes()[from..self.end];
        let is_random =
            if value.len() <= SHORT { is_random(value) } else { self.turns(from).is_random(value.len()) };
        self.random = Some((from, is_random));
        is_random
    }

    /// The turns of the value that begins at `from`, from those of one that begins before it.
    fn turns(&mut self, from: usize) -> Turns {
        let bytes = &self.text.as_bytes()[..self.end];
        let turns = match self.turns {
            Some((at, turns)) if at <= from => turns.without(&bytes[at..=from]),
            _ => Turns::of(&bytes[from..]),
        };
        self.turns = Some((from, turns));
        turns
    }

    /// Whether the value that begins at `from` has a word or dots that only a placeholder has.
    pub(crate) fn has_sign(&mut self, from: usize) -> bool {
        let Self { text, end, alike, signs, .. } = self;
        let sign = signs.end(from, || {
            let value = &text.as_bytes()[from..*end];
            let cut = if alike.may_have(from, Marks::DOT | Marks::CODE) { next_cut(value) } else { None };
            from + cut.into_iter().chain(next_word(value)).min().unwrap_or(value.len())
        });
        sign < *end
    }
}

/// Values that have the same end and the same marks: all that begin at `first..=last`.
struct Alike {
    first: usize,
    last: usize,
    marks: u16,
}

impl Alike {
    const NONE: Self = Self { first: usize::MAX, last: usize::MAX, marks: 0 };

    fn has(&self, from: usize) -> bool {
        (self.first..=self.last).contains(&from)
    }

    fn may_have(&self, from: usize, marks: u16) -> bool {
        !self.has(from) || self.marks & marks != 0
    }

    fn one(bytes: &[u8], from: usize) -> Self {
        let (eights, rest) = bytes[from..].as_chunks::<8>();
        let marks = eights.iter().fold(0, |seen, eight| seen | Marks::of_all(eight));
        Self { first: from, last: from, marks: marks | Marks::of_all(rest) }
    }

    /// Read from the end: what stands before the place where all marks were seen has no other. It has no more than
    /// `most`, which the value before it has.
    fn many(bytes: &[u8], from: usize, most: u16) -> Self {
        let mut alike = Self { first: from, last: from, marks: 0 };
        for (at, byte) in bytes[from..].iter().enumerate().rev() {
            let marks = alike.marks | Marks::of(*byte);
            if marks != alike.marks {
                (alike.last, alike.marks) = (from + at, marks);
                if marks == most {
                    break;
                }
            }
        }
        alike
    }
}

/// How often digits, small letters, capitals and others take turns in a value, and how many there are.
#[derive(Clone, Copy, Default)]
struct Turns {
    digits: usize,
    letters: usize,
    changes: usize,
}

impl Turns {
    fn of(value: &[u8]) -> Self {
        Self::until(value, |_| false)
    }

    /// Reads eight characters after eight others until it is enough.
    fn until(value: &[u8], is_enough: impl Fn(&Self) -> bool) -> Self {
        let mut turns = Self::default();
        // Nothing changes at the first character.
        let (mut before, mut may_change) = ([0; 3], !0xFF);
        for some in value.chunks(8) {
            let kinds = kinds(eight_at(some));
            let changed = |at: usize| kinds[at] ^ (kinds[at] << 8 | before[at] >> 56);
            may_change &= u64::MAX >> (64 - 8 * some.len());
            turns.digits += count(kinds[0]);
            turns.letters += count(kinds[1] | kinds[2]);
            turns.changes += count((changed(0) | changed(1) | changed(2)) & may_change);
            if is_enough(&turns) {
                break;
            }
            (before, may_change) = (kinds, u64::MAX);
        }
        turns
    }

    /// Without what stands before the last of the characters that were passed.
    fn without(self, passed: &[u8]) -> Self {
        let turns = Self::of(passed);
        let last = Self::of(&passed[passed.len() - 1..]);
        Self {
            digits: self.digits - turns.digits + last.digits,
            letters: self.letters - turns.letters + last.letters,
            changes: self.changes - turns.changes,
        }
    }

    /// Whether a value of this length looks made by a machine: long enough, and digits and letters change often.
    fn is_random(&self, length: usize) -> bool {
        length >= 16 && self.digits >= 2 && self.letters > 0 && self.changes * 5 >= length
    }
}

/// Whether a value looks made by a machine. Few characters of one that is are enough to know.
pub(crate) fn is_random(value: &[u8]) -> bool {
    let is_enough = |turns: &Turns| turns.is_random(value.len());
    value.len() >= 16 && is_enough(&Turns::until(value, is_enough))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// Which of eight characters are digits, small letters and capitals: the highest bit of each byte says so.
fn kinds(eight: u64) -> [u64; 3] {
    let seven = eight & !HIGH;
    let small = seven | (0x20 * ONES);
    // What is added to seven bits sets the eighth where there is at least so much.
    let between = |bytes: u64, least: u8, most: u8| {
        let at_least = |least: u8| bytes + u64::from(0x80 - least) * ONES;
        at_least(least) & !at_least(most + 1) & !eight & HIGH
    };
    let (digits, letters) = (between(seven, b'0', b'9'), between(small, b'a', b'z'));
    // The bit that tells small letters from large ones, as the highest.
    let is_small = seven << 2;
    [digits, letters & is_small, letters & !is_small]
}

/// How many bytes have their highest bit set, and no other.
fn count(bytes: u64) -> usize {
    ((bytes >> 7).wrapping_mul(ONES) >> 56) as usize
}

/// Kinds of characters, each a bit.
pub(crate) struct Marks;

impl Marks {
    pub(crate) const DIGIT: u16 = 1;
    pub(crate) const LOWER: u16 = 1 << 1;
    pub(crate) const UPPER: u16 = 1 << 2;
    pub(crate) const LETTER: u16 = Self::LOWER | Self::UPPER;
    /// Any mark but `_`.
    pub(crate) const MARK: u16 = 1 << 3;
    /// `(`, `{`, `<`
    pub(crate) const OPENS: u16 = 1 << 4;
    /// `)`, `>`
    pub(crate) const CLOSES: u16 = 1 << 5;
    /// `}`
    pub(crate) const BRACE: u16 = 1 << 6;
    /// `[`, `|`, `*`, `\`
    pub(crate) const CODE: u16 = 1 << 7;
    pub(crate) const COLON: u16 = 1 << 8;
    pub(crate) const SLASH: u16 = 1 << 9;
    pub(crate) const DOT: u16 = 1 << 10;
    pub(crate) const UNDERSCORE: u16 = 1 << 11;
    /// Blanks, control characters, and all beyond ASCII.
    pub(crate) const OTHER: u16 = 1 << 12;

    fn of(byte: u8) -> u16 {
        Self::TABLE[usize::from(byte)]
    }

    fn of_all(bytes: &[u8]) -> u16 {
        bytes.iter().fold(0, |seen, byte| seen | Self::of(*byte))
    }

    const TABLE: &[u16; 256] = &{
        let mut table = [Self::OTHER; 256];
        let mut byte = b'!';
        while byte <= b'~' {
            table[byte as usize] = match byte {
                b'0'..=b'9' => Self::DIGIT,
                b'a'..=b'z' => Self::LOWER,
                b'A'..=b'Z' => Self::UPPER,
                b'_' => Self::UNDERSCORE,
                b'(' | b'{' | b'<' => Self::MARK | Self::OPENS,
                b')' | b'>' => Self::MARK | Self::CLOSES,
                b'}' => Self::MARK | Self::BRACE,
                b'[' | b'|' | b'*' | b'\\' => Self::MARK | Self::CODE,
                b':' => Self::MARK | Self::COLON,
                b'/' => Self::MARK | Self::SLASH,
                b'.' => Self::MARK | Self::DOT,
                _ => Self::MARK,
            };
            byte += 1;
        }
        table
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that ends where another does is read as if it stood alone.
    #[test]
    fn the_rest_of_a_value_is_read_as_a_value() {
        let text = "a1B2-token=xY9(z)=_todo=...K4:/b*%密changeme1=Q7mZp2Lk9";
        let text = &format!("{text}{}{text}", "-password".repeat(8));
        let mut readings = Readings::new(text);
        for from in
            [0, 1, 2, 9, 5, 5, 20, 26, 30, 38, 40, 44, 52, 53, 60, 99, 130, 180].map(|at| at.min(text.len()))
        {
            let Some(value) = readings.enter(from, text.len()) else { continue };
            let mut alone = Readings::new(value);
            alone.enter(0, value.len());
            assert_eq!(readings.marks(from), alone.marks(0), "{value}");
            assert_eq!(readings.is_random(from), alone.is_random(0), "{value}");
            assert_eq!(readings.is_random(from), is_random(value.as_bytes()), "{value}");
            assert_eq!(readings.has_sign(from), alone.has_sign(0), "{value}");
        }
    }
}
