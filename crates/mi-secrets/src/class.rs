//! Kinds of bytes, looked up: most of the work is to step over characters of one kind.

/// One bit for each kind of byte that some rule tells apart.
pub(crate) type Kinds = u16;

pub(crate) const DIGIT: Kinds = 1;
pub(crate) const LOWER: Kinds = 1 << 1;
pub(crate) const UPPER: Kinds = 1 << 2;
/// What has no other kind.
const OTHER: Kinds = 1 << 3;
pub(crate) const UNDERSCORE: Kinds = 1 << 4;
pub(crate) const DASH: Kinds = 1 << 5;
pub(crate) const DOT: Kinds = 1 << 6;
pub(crate) const PLUS: Kinds = 1 << 7;
pub(crate) const SLASH: Kinds = 1 << 8;
pub(crate) const EQUALS: Kinds = 1 << 9;
pub(crate) const PERCENT: Kinds = 1 << 10;
pub(crate) const TILDE: Kinds = 1 << 11;
/// Digits and the letters a to f, in either case.
pub(crate) const HEX: Kinds = 1 << 12;
/// Blank, tab and the ends of lines.
pub(crate) const SPACE: Kinds = 1 << 13;
/// What ends a value without quotes: spaces, quotes, all beyond ASCII; a backslash may.
pub(crate) const ENDS_VALUE: Kinds = 1 << 14;
/// What ends it too where it is no shell's.
pub(crate) const ENDS_CODE: Kinds = 1 << 15;

pub(crate) const LETTER: Kinds = LOWER | UPPER;
pub(crate) const ALNUM: Kinds = DIGIT | LETTER;
pub(crate) const WORD: Kinds = ALNUM | UNDERSCORE | DASH;

/// The kinds of a byte.
pub(crate) fn kinds(byte: u8) -> Kinds {
    KINDS[usize::from(byte)]
}

/// Whether a byte is of one of the kinds.
pub(crate) fn is(byte: u8, wanted: Kinds) -> bool {
    kinds(byte) & wanted != 0
}

/// How many bytes at the beginning are of the wanted kinds.
pub(crate) fn run(bytes: &[u8], wanted: Kinds) -> usize {
    bytes.iter().position(|byte| !is(*byte, wanted)).unwrap_or(bytes.len())
}

/// As [`run`], for runs that are long where there are any.
pub(crate) fn long_run(bytes: &[u8], wanted: Kinds) -> usize {
    if wanted & SECOND == 0 { until(bytes, !(wanted | SECOND)) } else { run(bytes, wanted) }
}

/// Digits, letters and blanks have a second kind, which does not tell what is not wanted.
const SECOND: Kinds = HEX | SPACE;

/// Whether all bytes are of the wanted kinds, among which is no second one.
pub(crate) fn are_all(bytes: &[u8], wanted: Kinds) -> bool {
    all_kinds(bytes) & !(wanted | SECOND) == 0
}

/// Whether all bytes are hex digits.
pub(crate) fn are_hex(bytes: &[u8]) -> bool {
    let are_hex = |some: &[u8]| some.iter().fold(HEX, |all, byte| all & kinds(*byte)) != 0;
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().all(|eight| are_hex(eight)) && are_hex(rest)
}

/// How many bytes stand before the first of these kinds, eight looked at together.
pub(crate) fn until(bytes: &[u8], ends: Kinds) -> usize {
    let first = |some: &[u8]| some.iter().position(|byte| is(*byte, ends)).unwrap_or(some.len());
    let (eights, rest) = bytes.as_chunks::<8>();
    let at = eights.iter().position(|eight| kinds_of(eight) & ends != 0).unwrap_or(eights.len());
    8 * at + eights.get(at).map_or_else(|| first(rest), |eight| first(eight))
}

/// As [`run`], from the end.
pub(crate) fn run_back(bytes: &[u8], wanted: Kinds) -> usize {
    bytes.iter().rev().position(|byte| !is(*byte, wanted)).unwrap_or(bytes.len())
}

/// Every kind that occurs.
pub(crate) fn all_kinds(bytes: &[u8]) -> Kinds {
    let (eights, rest) = bytes.as_chunks::<8>();
    let seen = eights.iter().fold(0, |seen, eight| seen | kinds_of(eight));
    seen | kinds_of(rest)
}

fn kinds_of(bytes: &[u8]) -> Kinds {
    bytes.iter().fold(0, |seen, byte| seen | kinds(*byte))
}

static KINDS: [Kinds; 256] = {
    let mut table = [ENDS_VALUE; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT | HEX,
            b'a'..=b'f' => LOWER | HEX,
            b'A'..=b'F' => UPPER | HEX,
            b'g'..=b'z' => LOWER,
            b'G'..=b'Z' => UPPER,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'.' => DOT,
            b'+' => PLUS,
            b'/' => SLASH,
            b'=' => EQUALS,
            b'%' => PERCENT,
            b'~' => TILDE,
            b' ' | b'\t' | b'\r' | b'\n' => SPACE | ENDS_VALUE,
            b'"' | b'\'' | b'`' | b'\\' => ENDS_VALUE,
            b',' | b';' | b')' | b'}' | b']' | b'&' | b'<' | b'>' => ENDS_CODE,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// The run of characters that was stepped over last. A literal that stands again and again in one run would
/// have it read again and again; with this the work stays linear.
#[derive(Clone, Copy, Default)]
pub(crate) struct Run {
    from: usize,
    end: usize,
}

impl Run {
    /// Where the run that `at` stands in ends, asking `ends` how far it is only when that is not known.
    pub(crate) fn end(&mut self, at: usize, ends: impl FnOnce() -> usize) -> usize {
        if !(self.from..self.end).contains(&at) {
            *self = Self { from: at, end: ends() };
        }
        self.end
    }
}
