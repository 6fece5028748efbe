//! What the characters of a value are.
//!
//! Two rules often ask about the same value (`Authorization: Bearer …`), and many values may end at the same place
//! (`password=password=…` has one at every name), so what was read of the last one is remembered.

use crate::{
    class::Run,
    placeholder::{next_cut, next_word},
};

/// The values of a text, and what was read of those that end where the last one does.
pub(crate) struct Readings<'t> {
    text: &'t str,
    end: usize,
    last: Option<(usize, Reading)>,
    tail: Option<Tail>,
    /// To the next thing that only a placeholder has.
    signs: Run,
}

impl<'t> Readings<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, end: 0, last: None, tail: None, signs: Run::default() }
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

    /// What the value is that begins at `from`.
    pub(crate) fn at(&mut self, from: usize) -> Reading {
        let bytes = &self.text.as_bytes()[..self.end];
        let reading = match self.last {
            Some((at, reading)) if at == from => return reading,
            Some((at, _)) if at < from => {
                self.tail.get_or_insert_with(|| Tail::of(bytes, from)).reading(bytes, from)
            }
            _ => Reading::of(&bytes[from..]),
        };
        self.last = Some((from, reading));
        reading
    }

    /// Whether the value that begins at `from` may have one of the marks; it is not read for that alone.
    pub(crate) fn may_have(&self, from: usize, marks: u16) -> bool {
        self.last.is_none_or(|(at, reading)| at != from || reading.has(marks))
    }

    /// Whether the value that begins at `from` has a word or dots that only a placeholder has.
    pub(crate) fn has_sign(&mut self, from: usize) -> bool {
        let may_be_cut = self.may_have(from, Marks::DOT | Marks::CODE);
        let value = &self.text.as_bytes()[from..self.end];
        let sign = self.signs.end(from, || {
            let cut = if may_be_cut { next_cut(value) } else { None };
            let word = next_word(value);
            from + cut.into_iter().chain(word).min().unwrap_or(value.len())
        });
        sign < self.end
    }
}

/// What one reading of a value told.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    length: usize,
    marks: u16,
    digits: usize,
    /// How often digits, small letters, capitals and others take turns.
    changes: usize,
}

impl Reading {
    pub(crate) fn of(value: &[u8]) -> Self {
        let (mut marks, mut digits, mut changes) = (0, 0, 0);
        let mut before = value.first().map_or(0, Marks::of);
        for mark in value.iter().map(Marks::of) {
            marks |= mark;
            digits += usize::from(mark & Marks::DIGIT);
            changes += usize::from((mark ^ before) & Marks::ALNUM != 0);
            before = mark;
        }
        Self { length: value.len(), marks, digits, changes }
    }

    pub(crate) fn has(&self, marks: u16) -> bool {
        self.marks & marks != 0
    }

    /// Whether it looks made by a machine: long enough, and digits and letters change often.
    pub(crate) fn is_random(&self) -> bool {
        self.length >= 16 && self.digits >= 2 && self.has(Marks::LETTER) && self.changes * 5 >= self.length
    }
}

/// The rest of a value that is read on and on from a later character: what it has is known by where each mark is last.
struct Tail {
    from: usize,
    reading: Reading,
    last: [usize; 16],
}

impl Tail {
    fn of(bytes: &[u8], from: usize) -> Self {
        let mut last = [0; 16];
        for (at, byte) in bytes.iter().enumerate().skip(from) {
            let mut marks = Marks::of(byte);
            while marks != 0 {
                last[marks.trailing_zeros() as usize] = at + 1;
                marks &= marks - 1;
            }
        }
        Self { from, reading: Reading::of(&bytes[from..]), last }
    }

    fn reading(&mut self, bytes: &[u8], from: usize) -> Reading {
        if from < self.from {
            *self = Self::of(bytes, from);
        }
        // What stands before does not count any more; where the two parts meet may be one change more.
        let passed = Reading::of(&bytes[self.from..bytes.len().min(from + 1)]);
        let first = bytes.get(from).map_or(0, |first| Marks::of(first) & Marks::DIGIT);
        let last = self.last.iter().rev();
        let marks = last.fold(0, |marks, last| marks << 1 | u16::from(*last > from));
        self.reading = Reading {
            length: bytes.len() - from,
            marks,
            digits: self.reading.digits - passed.digits + usize::from(first),
            changes: self.reading.changes - passed.changes,
        };
        self.from = from;
        self.reading
    }
}

/// Kinds of characters, each a bit.
pub(crate) struct Marks;

impl Marks {
    pub(crate) const DIGIT: u16 = 1;
    pub(crate) const LOWER: u16 = 1 << 1;
    pub(crate) const UPPER: u16 = 1 << 2;
    pub(crate) const LETTER: u16 = Self::LOWER | Self::UPPER;
    const ALNUM: u16 = Self::DIGIT | Self::LETTER;
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

    fn of(byte: &u8) -> u16 {
        Self::TABLE[usize::from(*byte)]
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
        let mut readings = Readings::new(text);
        for from in [0, 1, 2, 9, 5, 5, 20, 26, 30, 38, 40, 44, 52, 53] {
            let value = readings.enter(from, text.len()).unwrap();
            let (known, fresh) = (readings.at(from), Reading::of(value.as_bytes()));
            assert_eq!(
                (known.length, known.marks, known.digits, known.changes),
                (fresh.length, fresh.marks, fresh.digits, fresh.changes),
                "{value}"
            );
            let mut alone = Readings::new(value);
            alone.enter(0, value.len());
            assert_eq!(readings.has_sign(from), alone.has_sign(0), "{value}");
        }
    }
}
