//! Tells a value that could be a secret from a placeholder, a piece of code and a piece of prose.

use std::cell::OnceCell;

use crate::{
    class::{self, ALNUM, DOT, LOWER, UNDERSCORE, UPPER},
    placeholder::has_placeholder_word,
};

/// What the name before a value promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// A password: short and word-like values count.
    Password,
    /// A token or key: only values that look made by a machine count.
    Token,
}

/// How a value stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Quoted,
    /// Without quotes, where it could be code.
    Bare,
    /// Without quotes after `NAME=` at the beginning of a line, or after a flag: never code.
    Shell,
}

/// The values of a text. Two rules often ask about the same one (`Authorization: Bearer …`), so the last is remembered.
pub(crate) struct Values<'t> {
    text: &'t str,
    from: usize,
    last: Value<'t>,
}

impl<'t> Values<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, from: 0, last: Value::of("") }
    }

    /// The value that stands at a range of the text, if that is one of whole characters.
    pub(crate) fn at(&mut self, from: usize, end: usize) -> Option<&Value<'t>> {
        if from != self.from || end != from + self.last.text.len() {
            (self.from, self.last) = (from, Value::of(self.text.get(from..end)?));
        }
        Some(&self.last)
    }
}

/// A value. What its characters are is read when it is first asked for.
pub(crate) struct Value<'t> {
    pub(crate) text: &'t str,
    reading: OnceCell<Reading>,
    is_placeholder: OnceCell<bool>,
}

/// What one reading of a value told.
#[derive(Clone, Copy)]
struct Reading {
    marks: Marks,
    digits: usize,
    /// How often digits, small letters, capitals and others take turns.
    changes: usize,
}

impl Reading {
    fn of(text: &str) -> Self {
        let mark = |byte: &u8| Marks::TABLE[usize::from(*byte)];
        let (mut all, mut digits, mut changes) = (0, 0, 0);
        let mut before = text.as_bytes().first().map_or(0, mark);
        for mark in text.as_bytes().iter().map(mark) {
            all |= mark;
            digits += usize::from(mark & Marks::DIGIT);
            changes += usize::from((mark ^ before) & Marks::ALNUM != 0);
            before = mark;
        }
        Self { marks: Marks(all), digits, changes }
    }
}

impl<'t> Value<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, reading: OnceCell::new(), is_placeholder: OnceCell::new() }
    }

    fn reading(&self) -> Reading {
        *self.reading.get_or_init(|| Reading::of(self.text))
    }

    fn has(&self, marks: u16) -> bool {
        self.reading().marks.0 & marks != 0
    }

    /// Whether a value is more than a placeholder or code. The cheap questions come first.
    pub(crate) fn is_real(&self, promise: Promise, form: Form) -> bool {
        let is_long_enough = self.text.len() >= 4;
        if !is_long_enough || self.has(Marks::OTHER) || self.is_code(form) {
            return false;
        }
        let is_made = match promise {
            Promise::Password => self.is_password(form),
            Promise::Token => {
                self.text.len() >= 8 && self.has(Marks::DIGIT) && self.has(Marks::LETTER) && !self.is_named()
            }
        };
        is_made && !is_known_word(self.text) && !self.is_placeholder()
    }

    /// Whether it looks made by a machine: long enough, and digits and letters change often.
    pub(crate) fn is_random(&self) -> bool {
        let (length, reading) = (self.text.len(), || self.reading());
        length >= 16 && reading().digits >= 2 && reading().changes * 5 >= length && self.has(Marks::LETTER)
    }

    /// Whether it only stands for another: `${X}`, `$X`, `<token>`, `{{ x }}`, `xxxx`, `****`, `your-key-here`.
    pub(crate) fn is_placeholder(&self) -> bool {
        *self.is_placeholder.get_or_init(|| self.stands_for_another())
    }

    fn stands_for_another(&self) -> bool {
        let bytes = self.text.as_bytes();
        let is_variable = match bytes {
            [b'$', b'0'..=b'9', ..] => false,
            [b'$', b'{' | b'(', ..] => true,
            [b'$', name @ ..] => name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
            _ => false,
        };
        let is_wrapped =
            matches!(bytes, [b'<' | b'[' | b'{' | b'%' | b'#', .., b'>' | b']' | b'}' | b'%' | b's']);
        let is_repeated = || bytes.iter().all(|byte| Some(byte) == bytes.first());
        let is_hole = |two: &[u8]| matches!(two, b"${" | b"{{" | b"<%" | b"#{" | b"$(" | b"%(");
        let has_hole = || self.has(Marks::OPENS) && bytes.windows(2).any(is_hole);
        let is_cut = |three: &[u8]| matches!(three, b"..." | b"***");
        let is_cut = || self.has(Marks::DOT | Marks::CODE) && bytes.windows(3).any(is_cut);
        is_variable || is_wrapped || is_repeated() || has_hole() || is_cut() || has_placeholder_word(bytes)
    }

    /// Whether an unquoted value is an expression or a type.
    fn is_code(&self, form: Form) -> bool {
        let value = self.text;
        match form {
            Form::Quoted => self.has(Marks::OPENS) && self.has(Marks::CLOSES | Marks::BRACE),
            Form::Bare => self.is_reference(),
            Form::Shell => {
                value.starts_with(['/', '~', '`', '(']) || (self.has(Marks::OPENS) && value.contains("$("))
            }
        }
    }

    fn is_reference(&self) -> bool {
        let value = self.text;
        let is_low = |byte: u8| byte.is_ascii_lowercase() || byte == b'/';
        self.has(Marks::OPENS | Marks::CLOSES | Marks::CODE)
            || (self.has(Marks::COLON) && value.contains("::"))
            || value.starts_with("0x")
            || (self.has(Marks::SLASH) && value.bytes().all(is_low))
            || value.starts_with(['&', '@', '/', '~', '.', '!', '-', '+', ','])
            || (self.has(Marks::DOT | Marks::UNDERSCORE) && is_path(value.trim_end_matches(['?', '!'])))
    }

    fn is_password(&self, form: Form) -> bool {
        let value = self.text;
        let is_address = self.has(Marks::COLON) && self.has(Marks::SLASH) && value.contains("://");
        let has_mark = self.has(Marks::MARK) && !value.starts_with(['/', '.', ':']) && !is_address;
        let (has_digit, has_letter) = (self.has(Marks::DIGIT), self.has(Marks::LETTER));
        match form {
            Form::Shell => !is_address,
            Form::Bare if is_address => false,
            Form::Bare => {
                (has_digit && (has_letter || value.len() >= 6))
                    || (has_mark && has_letter && value.len() >= 8)
            }
            Form::Quoted => {
                has_digit
                    || (has_mark && value.len() >= 6)
                    || (has_letter
                        && value.len() >= 8
                        && !value.starts_with(|first: char| first.is_ascii_uppercase()))
            }
        }
    }

    /// Paths, addresses, versions, dates, digests and names with a number: `v1.2.3`, `sha256-…`, `my-app-secret-2`.
    fn is_named(&self) -> bool {
        if begins_name(self.text) {
            return true;
        }
        if self.is_random() || is_uuid(self.text) {
            return false;
        }
        // Words and numbers between marks; the longest part decides.
        let is_mark = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'@');
        !self.text.as_bytes().split(is_mark).any(is_mixed)
    }
}

/// Words that stand where a secret could and are none.
fn is_known_word(value: &str) -> bool {
    let begin = value.bytes().position(|byte| byte.is_ascii_alphanumeric()).unwrap_or_default();
    let end = value.bytes().rposition(|byte| byte.is_ascii_alphanumeric()).unwrap_or_default();
    let word = value.get(begin..=end).unwrap_or_default();
    let Some(letters) = BEGINNINGS.get(word.len()) else { return false };
    word.bytes().next().is_some_and(|first| letters >> (first & 31) & 1 == 1)
        && KNOWN_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[rustfmt::skip]
const KNOWN_WORDS: &[&str] = &[
    "passphrase", "password", "passwd", "secret", "token", "string", "null", "none", "true", "false", "undefined",
    "optional", "required", "text", "hidden", "test", "user", "root", "admin", "bearer", "basic", "default", "empty",
    "unset", "invalid", "valid", "missing", "unknown", "number", "boolean", "object", "bytes", "base64", "sha256",
    "sha512", "sha1", "utf8", "utf-8", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64",
    "varchar", "passwort", "prompt", "inherit", "enabled", "disabled", "secret1", "token1", "bcrypt", "argon2",
    "argon2id", "pbkdf2", "hs256", "rs256", "es256", "oauth2", "pass", "correct", "wrong", "opaque", "identifier",
    "anonymous", "generated", "plaintext", "encrypted", "stdin", "keyring",
];

/// With which letters the known words of each length begin, a bit for each.
const BEGINNINGS: [u32; 11] = {
    let mut letters = [0; 11];
    let mut at = 0;
    while at < KNOWN_WORDS.len() {
        let word = KNOWN_WORDS[at].as_bytes();
        letters[word.len()] |= 1 << (word[0] & 31);
        at += 1;
    }
    letters
};

/// `self.token`, `config.db.password`, `Vec<u8>`, `user_input`, `next_token2?`
fn is_path(path: &str) -> bool {
    let kinds = class::all_kinds(path.as_bytes());
    let is_name = path.bytes().all(|byte| class::is(byte, ALNUM | UNDERSCORE | DOT));
    let has_both = kinds & LOWER != 0 && kinds & UPPER != 0;
    is_name && kinds & (DOT | UNDERSCORE) != 0 && !(has_both && Value::of(path).is_random())
}

fn begins_name(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "http:", "https:", "file:", "sha1", "sha256", "sha384", "sha512", "md5", "arn:", "urn:", "v1.",
        "v2.", "v0.", "op://", "vault:", "env:", "/", "./",
    ];
    let begins = |start: &&str| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let first = value.as_bytes().first().map(u8::to_ascii_lowercase);
    STARTS.iter().filter(|start| start.as_bytes().first().copied() == first).any(begins)
}

/// Whether digits and others take turns in a part of a value as they do in no name.
fn is_mixed(part: &[u8]) -> bool {
    let turns = || part.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    part.len() >= 5 && (turns() >= 2 || (part.len() >= 8 && turns() == 1))
}

pub(crate) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Which kinds of characters a value has, each a bit.
#[derive(Clone, Copy)]
struct Marks(u16);

impl Marks {
    const DIGIT: u16 = 1;
    const LOWER: u16 = 1 << 1;
    const UPPER: u16 = 1 << 2;
    const LETTER: u16 = Self::LOWER | Self::UPPER;
    const ALNUM: u16 = Self::DIGIT | Self::LETTER;
    /// Any mark but `_`.
    const MARK: u16 = 1 << 3;
    /// `(`, `{`, `<`
    const OPENS: u16 = 1 << 4;
    /// `)`, `>`
    const CLOSES: u16 = 1 << 5;
    /// `}`
    const BRACE: u16 = 1 << 6;
    /// `[`, `|`, `*`, `\`
    const CODE: u16 = 1 << 7;
    const COLON: u16 = 1 << 8;
    const SLASH: u16 = 1 << 9;
    const DOT: u16 = 1 << 10;
    const UNDERSCORE: u16 = 1 << 11;
    /// Blanks, control characters, and all beyond ASCII.
    const OTHER: u16 = 1 << 12;

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
