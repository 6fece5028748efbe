//! Tells a value that could be a secret from a placeholder, a piece of code and a piece of prose.

use std::sync::LazyLock;

use memchr::memchr3;

use crate::{
    class::{self, ALNUM, DIGIT, DOT, LETTER, UNDERSCORE},
    prefilter::Prefilter,
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

/// Whether a value is more than a placeholder or code. The cheap questions come first.
pub(crate) fn is_real(value: &str, promise: Promise, form: Form) -> bool {
    if value.len() < 4 || value.len() > 4096 {
        return false;
    }
    let marks = Marks::of(value);
    if marks.has(Marks::OTHER) || is_code(value, form, marks) {
        return false;
    }
    let is_made = match promise {
        Promise::Password => is_password(value, form, marks),
        Promise::Token => {
            value.len() >= 8 && marks.has(Marks::DIGIT) && marks.has(Marks::LETTER) && !is_named(value)
        }
    };
    is_made && !is_known_word(value) && !is_placeholder(value)
}

/// Whether a value only stands for another: `${X}`, `$X`, `<token>`, `{{ x }}`, `xxxx`, `****`, `your-key-here`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_variable = match bytes {
        [b'$', b'0'..=b'9', ..] => false,
        [b'$', b'{' | b'(', ..] => true,
        [b'$', name @ ..] => name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
        _ => false,
    };
    let is_wrapped =
        matches!(bytes, [b'<' | b'[' | b'{' | b'%' | b'#', .., b'>' | b']' | b'}' | b'%' | b's']);
    let is_repeated = bytes.iter().all(|byte| Some(byte) == bytes.first());
    let has_hole = || {
        memchr3(b'{', b'(', b'%', bytes).is_some()
            && bytes.windows(2).any(|two| matches!(two, b"${" | b"{{" | b"<%" | b"#{" | b"$(" | b"%("))
    };
    is_variable || is_wrapped || is_repeated || has_hole() || has_placeholder_word(bytes)
}

fn has_placeholder_word(value: &[u8]) -> bool {
    let mut has_word = false;
    PLACEHOLDERS.each_hit(value, |_, _, ()| has_word = true);
    has_word
}

#[rustfmt::skip]
static PLACEHOLDERS: LazyLock<Prefilter<()>> = LazyLock::new(|| {
    const WORDS: &[&str] = &[
        "...", "***", "xxxx", "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy", "insert", "replace",
        "your-", "your_", "yourpass", "yourtoken", "yoursecret", "yourkey", "my-secret", "my_secret", "mysecret", "mypassword",
        "my-password", "mytoken", "my-token", "-here", "_here", "not-a-", "foobar", "todo",
    ];
    Prefilter::new(WORDS.iter().map(|word| (*word, ())).collect())
});

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

/// Whether an unquoted value is an expression or a type.
fn is_code(value: &str, form: Form, marks: Marks) -> bool {
    // `self.token`, `config.db.password`, `Vec<u8>`, `user_input`, `next_token2?`
    let is_path = |path: &str| {
        let is_name = path.bytes().all(|byte| class::is(byte, ALNUM | UNDERSCORE | DOT));
        let has_both = || {
            path.bytes().any(|byte| byte.is_ascii_lowercase())
                && path.bytes().any(|byte| byte.is_ascii_uppercase())
        };
        is_name && path.contains(['.', '_']) && !(has_both() && is_random(path))
    };
    let is_reference = || {
        marks.has(Marks::OPENS | Marks::CLOSES | Marks::CODE)
            || (marks.has(Marks::COLON) && value.contains("::"))
            || value.starts_with("0x")
            || (marks.has(Marks::SLASH)
                && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/'))
            || value.starts_with(['&', '@', '/', '~', '.', '!', '-', '+', ','])
            || is_path(value.trim_end_matches(['?', '!']))
    };
    match form {
        Form::Quoted => marks.has(Marks::OPENS) && marks.has(Marks::CLOSES | Marks::BRACE),
        Form::Bare => is_reference(),
        Form::Shell => {
            value.starts_with(['/', '~', '`', '(']) || (marks.has(Marks::OPENS) && value.contains("$("))
        }
    }
}

fn is_password(value: &str, form: Form, marks: Marks) -> bool {
    let is_address = marks.has(Marks::COLON) && marks.has(Marks::SLASH) && value.contains("://");
    let has_mark = marks.has(Marks::MARK) && !value.starts_with(['/', '.', ':']) && !is_address;
    let (has_digit, has_letter) = (marks.has(Marks::DIGIT), marks.has(Marks::LETTER));
    match form {
        Form::Shell => !is_address,
        Form::Bare if is_address => false,
        Form::Bare => {
            (has_digit && (has_letter || value.len() >= 6)) || (has_mark && has_letter && value.len() >= 8)
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
fn is_named(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "http:", "https:", "file:", "sha1", "sha256", "sha384", "sha512", "md5", "arn:", "urn:", "v1.",
        "v2.", "v0.", "op://", "vault:", "env:", "/", "./",
    ];
    let begins = |start: &&str| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let first = value.as_bytes().first().map(u8::to_ascii_lowercase);
    if STARTS.iter().filter(|start| start.as_bytes().first().copied() == first).any(begins) {
        return true;
    }
    if is_random(value) || is_uuid(value) {
        return false;
    }
    // Words and numbers between marks; the longest part decides.
    let parts = value.split(['-', '_', '.', '/', ':', ',', '@']);
    let mixed = parts.filter(|part| part.len() >= 5).filter(|part| {
        let turns = part
            .as_bytes()
            .windows(2)
            .filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit())
            .count();
        turns >= 2 || (turns == 1 && part.len() >= 8)
    });
    mixed.count() == 0
}

/// Whether a text looks made by a machine: long enough, and digits and letters change often.
pub(crate) fn is_random(value: &str) -> bool {
    if value.len() < 16 {
        return false;
    }
    let (mut changes, mut digits, mut letters, mut before) = (0, 0, 0, None);
    for byte in value.bytes() {
        let kind = class::kinds(byte) & ALNUM;
        changes += usize::from(before.is_some_and(|before| before != kind));
        digits += usize::from(kind == DIGIT);
        letters += usize::from(kind & LETTER != 0);
        before = Some(kind);
    }
    digits >= 2 && letters > 0 && changes * 5 >= value.len()
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
    const LETTER: u16 = 1 << 1;
    /// Any mark but `_`.
    const MARK: u16 = 1 << 2;
    /// `(`, `{`, `<`
    const OPENS: u16 = 1 << 3;
    /// `)`, `>`
    const CLOSES: u16 = 1 << 4;
    /// `}`
    const BRACE: u16 = 1 << 5;
    /// `[`, `|`, `*`, `\`
    const CODE: u16 = 1 << 6;
    const COLON: u16 = 1 << 7;
    const SLASH: u16 = 1 << 8;
    /// Blanks, control characters, and all beyond ASCII.
    const OTHER: u16 = 1 << 9;

    fn of(value: &str) -> Self {
        Self(value.bytes().fold(0, |marks, byte| marks | Self::TABLE[usize::from(byte)]))
    }

    fn has(self, wanted: u16) -> bool {
        self.0 & wanted != 0
    }

    const TABLE: &[u16; 256] = &{
        let mut table = [Self::OTHER; 256];
        let mut byte = b'!';
        while byte <= b'~' {
            let mark = match byte {
                b'0'..=b'9' => Self::DIGIT,
                b'a'..=b'z' | b'A'..=b'Z' => Self::LETTER,
                b'_' => 0,
                _ => Self::MARK,
            };
            let kind = match byte {
                b'(' | b'{' | b'<' => Self::OPENS,
                b')' | b'>' => Self::CLOSES,
                b'}' => Self::BRACE,
                b'[' | b'|' | b'*' | b'\\' => Self::CODE,
                b':' => Self::COLON,
                b'/' => Self::SLASH,
                _ => 0,
            };
            table[byte as usize] = mark | kind;
            byte += 1;
        }
        table
    };
}
