//! Tells a value that could be a secret from a placeholder, a piece of code and a piece of prose.

use memchr::{memchr_iter, memchr3_iter};

use crate::{
    class::{self, ALNUM, DOT, PLUS, SLASH, UNDERSCORE},
    reading::{Marks, Readings, is_random},
    spoken::{has_rare_mark, is_passphrase},
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
    /// In a sentence: `the password is …`.
    Said,
}

/// A value of a text.
pub(crate) struct Value<'v, 't> {
    pub(crate) text: &'t str,
    from: usize,
    readings: &'v mut Readings<'t>,
}

impl<'v, 't> Value<'v, 't> {
    /// The value that stands at a range, if that is one of whole characters.
    pub(crate) fn at(readings: &'v mut Readings<'t>, from: usize, end: usize) -> Option<Self> {
        Some(Self { text: readings.enter(from, end)?, from, readings })
    }

    /// Whether it looks made by a machine: long enough, and digits and letters change often.
    pub(crate) fn is_random(&mut self) -> bool {
        self.readings.is_random(self.from)
    }

    /// Whether a value is more than a placeholder or code. The cheap questions come first.
    pub(crate) fn is_real(&mut self, promise: Promise, form: Form) -> bool {
        if self.text.len() < 4 {
            return false;
        }
        let marks = self.readings.marks(self.from);
        let mut read = Read { value: &mut *self, marks };
        let is_made = match promise {
            Promise::Password => read.is_password(form),
            Promise::Token => read.is_token(),
        };
        is_made && !read.is_code(form) && !is_known_word(self.text) && !self.is_placeholder()
    }

    /// Whether it only stands for another: `${X}`, `$X`, `<token>`, `{{ x }}`, `xxxx`, `****`, `your-key-here`.
    pub(crate) fn is_placeholder(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let stands_for_another = match bytes {
            [b'$', b'0'..=b'9', ..] => false,
            [b'$', b'{' | b'(', ..] => true,
            [b'$', name @ ..] => name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
            [b'<' | b'[' | b'{' | b'%' | b'#', .., b'>' | b']' | b'}' | b'%' | b's'] => true,
            _ => false,
        };
        let is_repeated = || bytes.iter().all(|byte| Some(byte) == bytes.first());
        stands_for_another || is_repeated() || self.has_hole() || self.readings.has_sign(self.from)
    }

    fn has_hole(&self) -> bool {
        let bytes = self.text.as_bytes();
        let is_hole = |at: usize| {
            matches!(
                &bytes[..=at],
                [.., b'$' | b'{' | b'#', b'{'] | [.., b'$' | b'%', b'('] | [.., b'<', b'%']
            )
        };
        self.readings.may_have(self.from, Marks::OPENS) && memchr3_iter(b'{', b'(', b'%', bytes).any(is_hole)
    }
}

/// A value whose characters are known.
struct Read<'r, 'v, 't> {
    value: &'r mut Value<'v, 't>,
    marks: u16,
}

impl<'t> Read<'_, '_, 't> {
    fn text(&self) -> &'t str {
        self.value.text
    }

    fn has(&self, marks: u16) -> bool {
        self.marks & marks != 0
    }

    fn is_random(&mut self) -> bool {
        self.value.is_random()
    }

    fn first(&self) -> u8 {
        self.text().as_bytes().first().copied().unwrap_or_default()
    }

    /// Whether an unquoted value is an expression or a type.
    fn is_code(&mut self, form: Form) -> bool {
        match form {
            Form::Quoted => {
                self.has(Marks::OPENS) && self.has(Marks::CLOSES | Marks::BRACE) && !self.has_inner()
            }
            Form::Bare => self.is_reference(Marks::OPENS | Marks::CLOSES | Marks::CODE),
            Form::Said if self.has_inner() => self.is_reference(0),
            Form::Said => self.is_reference(Marks::OPENS | Marks::CLOSES | Marks::CODE),
            Form::Shell => {
                (matches!(self.first(), b'/' | b'~' | b'`' | b'(') && !self.is_key())
                    || (self.has(Marks::OPENS) && self.text().contains("$("))
                    || (self.has(Marks::DOT) && reads_variable(self.text()))
            }
        }
    }

    /// `Tr0ub4dor(3)x9`: brackets inside a value that is no call, no type and no hole.
    fn has_inner(&self) -> bool {
        let bytes = self.text().as_bytes();
        let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| !class::is(*byte, ALNUM));
        let is_inside = !is_edge(bytes.first()) && !is_edge(bytes.last());
        is_inside
            && self.has(Marks::DIGIT)
            && self.has(Marks::LETTER)
            && !self.has(Marks::BRACE | Marks::OTHER)
    }

    /// Whether it has one of the marks of code, or is a path or a name.
    fn is_reference(&mut self, code: u16) -> bool {
        let value = self.text();
        let is_low = |byte: u8| byte.is_ascii_lowercase() || byte == b'/';
        self.has(code)
            || (self.has(Marks::COLON) && value.contains("::"))
            || (value.starts_with("0x") && value.len() != KEY_OF_ACCOUNT)
            || (self.has(Marks::SLASH) && value.bytes().all(is_low))
            || (matches!(self.first(), b'&' | b'@' | b'/' | b'~' | b'.' | b'!' | b'-' | b'+' | b',')
                && !self.is_key())
            || (self.has(Marks::DOT | Marks::UNDERSCORE) && self.is_path())
    }

    /// Forty base64 characters are a key of AWS; one in sixty begins as a path does, but few paths have so few slashes.
    fn is_key(&mut self) -> bool {
        let bytes = self.text().as_bytes();
        bytes.len() == 40
            && class::are_all(bytes, ALNUM | PLUS | SLASH)
            && self.has(Marks::LOWER)
            && self.has(Marks::UPPER)
            && self.is_random()
            && memchr_iter(b'/', bytes).count() <= 3
    }

    /// `self.token`, `config.db.password`, `user_input`, `next_token2?`
    fn is_path(&mut self) -> bool {
        let path = self.text().trim_end_matches(['?', '!']).as_bytes();
        if class::long_run(path, ALNUM | UNDERSCORE | DOT) < path.len() {
            return false;
        }
        // The marks at the end are none that count here.
        let has_both = self.has(Marks::LOWER) && self.has(Marks::UPPER);
        let is_whole = path.len() == self.text().len();
        !(has_both && if is_whole { self.is_random() } else { is_random(path) })
    }

    fn is_token(&mut self) -> bool {
        self.text().len() >= 8
            && self.has(Marks::DIGIT)
            && self.has(Marks::LETTER)
            && !self.has(Marks::OTHER)
            && !self.is_named()
    }

    fn is_password(&self, form: Form) -> bool {
        let value = self.text();
        if self.has(Marks::OTHER) {
            return form == Form::Quoted && is_passphrase(value);
        }
        let is_address = self.has(Marks::COLON) && self.has(Marks::SLASH) && value.contains("://");
        let has_mark = self.has(Marks::MARK) && !matches!(self.first(), b'/' | b'.' | b':') && !is_address;
        let (has_digit, has_letter) = (self.has(Marks::DIGIT), self.has(Marks::LETTER));
        match form {
            Form::Shell => !is_address,
            Form::Bare | Form::Said if is_address => false,
            Form::Bare | Form::Said if has_digit => has_letter || value.len() >= 6,
            Form::Bare => has_mark && has_letter && value.len() >= 8,
            // `the password is case-sensitive` is said as well.
            Form::Said => has_mark && has_letter && value.len() >= 8 && has_rare_mark(value.as_bytes()),
            Form::Quoted => {
                has_digit
                    || (has_mark && value.len() >= 6)
                    || (has_letter && value.len() >= 8 && !self.first().is_ascii_uppercase())
            }
        }
    }

    /// Paths, addresses, versions, dates, digests and names with a number: `v1.2.3`, `sha256-…`, `my-app-secret-2`.
    fn is_named(&mut self) -> bool {
        if begins_name(self.text()) {
            return !self.is_key();
        }
        // Old tokens of GitHub begin as versions do; a version has no long part.
        let is_version = match self.text().as_bytes() {
            [b'v' | b'V', b'0'..=b'2', b'.', rest @ ..] => {
                rest.len() < 32 || class::run(rest, ALNUM) < rest.len()
            }
            _ => false,
        };
        if is_version {
            return true;
        }
        if self.is_random() || is_uuid(self.text()) {
            return false;
        }
        let bytes = self.text().as_bytes();
        if !self.has(Marks::MARK | Marks::UNDERSCORE) {
            return !is_mixed(bytes);
        }
        // Words and numbers between marks; the longest part decides.
        let is_mark = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'@');
        !bytes.split(is_mark).any(is_mixed)
    }
}

/// `0x` and sixty-four digits are the key of an account on a chain; other numbers are constants.
const KEY_OF_ACCOUNT: usize = 66;

/// Words that stand where a secret could and are none.
fn is_known_word(value: &str) -> bool {
    let begin = value.bytes().position(|byte| byte.is_ascii_alphanumeric()).unwrap_or_default();
    let rest = value.as_bytes().get(begin + BEGINNINGS.len() - 1..).unwrap_or_default();
    if rest.iter().any(u8::is_ascii_alphanumeric) {
        return false;
    }
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

/// `process.env.PASSWORD`: code that reads the secret from where it is.
fn reads_variable(value: &str) -> bool {
    const READS: &[&str] = &["process.env", "os.environ", "os.getenv(", "import.meta.env", "System.getenv("];
    READS.iter().any(|start| value.starts_with(start))
}

fn begins_name(value: &str) -> bool {
    let starts: &[&str] = match value.as_bytes().first().map_or(0, u8::to_ascii_lowercase) {
        b'/' => &["/"],
        b'.' => &["./"],
        b'a' => &["arn:"],
        b'e' => &["env:"],
        b'f' => &["file:"],
        b'h' => &["http:", "https:"],
        b'm' => &["md5"],
        b'o' => &["op://"],
        b's' => &["sha1", "sha256", "sha384", "sha512"],
        b'u' => &["urn:"],
        b'v' => &["vault:"],
        _ => &[],
    };
    starts.iter().any(|start| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// Whether digits and others take turns in a part of a value as they do in no name.
fn is_mixed(part: &[u8]) -> bool {
    let turns = part.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit());
    part.len() >= 5 && turns.take(2).count() + usize::from(part.len() >= 8) >= 2
}

pub(crate) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
