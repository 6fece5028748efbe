//! Tells a value that could be a secret from a placeholder, a piece of code and a piece of prose.

use std::sync::LazyLock;

use crate::prefilter::Prefilter;

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
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    if value.len() < 4 || value.len() > 4096 || !value.bytes().all(is_plain) || is_code(value, form) {
        return false;
    }
    let kinds = Kinds::of(value);
    let is_made = match promise {
        Promise::Password => is_password(value, form, kinds),
        Promise::Token => value.len() >= 8 && kinds.digit && kinds.letter && !is_named(value),
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
    let has_hole =
        || bytes.windows(2).any(|two| matches!(two, b"${" | b"{{" | b"<%" | b"#{" | b"$(" | b"%("));
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
    const WORDS: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "string",
        "null",
        "none",
        "true",
        "false",
        "undefined",
        "optional",
        "required",
        "text",
        "hidden",
        "test",
        "user",
        "root",
        "admin",
        "bearer",
        "basic",
        "default",
        "empty",
        "unset",
        "invalid",
        "valid",
        "missing",
        "unknown",
        "number",
        "boolean",
        "object",
        "bytes",
        "base64",
        "sha256",
        "sha512",
        "sha1",
        "utf8",
        "utf-8",
        "int32",
        "int64",
        "uint8",
        "uint32",
        "uint64",
        "float32",
        "float64",
        "varchar",
        "passwort",
        "prompt",
        "inherit",
        "enabled",
        "disabled",
        "secret1",
        "token1",
        "bcrypt",
        "argon2",
        "argon2id",
        "pbkdf2",
        "hs256",
        "rs256",
        "es256",
        "oauth2",
        "pass",
        "correct",
        "wrong",
        "opaque",
        "identifier",
        "anonymous",
        "generated",
        "plaintext",
        "encrypted",
        "stdin",
        "keyring",
    ];
    let word = value.trim_matches(|mark: char| !mark.is_ascii_alphanumeric());
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether an unquoted value is an expression or a type.
fn is_code(value: &str, form: Form) -> bool {
    // `self.token`, `config.db.password`, `Vec<u8>`, `user_input`, `next_token2?`
    let is_path = |path: &str| {
        let is_name = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
        let has_both = || {
            path.bytes().any(|byte| byte.is_ascii_lowercase())
                && path.bytes().any(|byte| byte.is_ascii_uppercase())
        };
        is_name && path.contains(['.', '_']) && !(has_both() && is_random(path))
    };
    let is_reference = || {
        value.contains(['(', '[', '<', '{', ')', '>', '|', '*', '\\'])
            || value.contains("::")
            || value.contains("->")
            || value.starts_with("0x")
            || (value.contains('/') && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/'))
            || value.starts_with(['&', '@', '/', '~', '.', '!', '-', '+', ','])
            || is_path(value.trim_end_matches(['?', '!']))
    };
    match form {
        Form::Quoted => value.contains(['(', '{', '<']) && value.contains([')', '}', '>']),
        Form::Bare => is_reference(),
        Form::Shell => value.starts_with(['/', '~', '`', '(']) || value.contains("$("),
    }
}

fn is_password(value: &str, form: Form, kinds: Kinds) -> bool {
    let has_mark = kinds.mark && !value.starts_with(['/', '.', ':']) && !value.contains("://");
    match form {
        Form::Shell => !value.contains("://"),
        Form::Bare if value.contains("://") => false,
        Form::Bare => {
            (kinds.digit && (kinds.letter || value.len() >= 6))
                || (has_mark && kinds.letter && value.len() >= 8)
        }
        Form::Quoted => {
            kinds.digit
                || (has_mark && value.len() >= 6)
                || (kinds.letter && value.len() >= 8 && !kinds.begins_upper)
        }
    }
}

/// Paths, addresses, versions, dates, digests and names with a number: `v1.2.3`, `sha256-…`, `my-app-secret-2`.
fn is_named(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "http:", "https:", "file:", "sha1", "sha256", "sha384", "sha512", "md5", "arn:", "urn:", "v1.",
        "v2.", "v0.", "op://", "vault:", "env:", "/", "./",
    ];
    if STARTS
        .iter()
        .any(|start| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
    {
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
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let changes = value.as_bytes().windows(2).filter(|two| kind(two[0]) != kind(two[1])).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 16
        && digits >= 2
        && changes * 5 >= value.len()
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

pub(crate) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Which kinds of characters a value has.
#[derive(Clone, Copy)]
struct Kinds {
    digit: bool,
    letter: bool,
    mark: bool,
    begins_upper: bool,
}

impl Kinds {
    fn of(value: &str) -> Self {
        Self {
            digit: value.bytes().any(|byte| byte.is_ascii_digit()),
            letter: value.bytes().any(|byte| byte.is_ascii_alphabetic()),
            mark: value.bytes().any(|byte| byte.is_ascii_punctuation() && byte != b'_'),
            begins_upper: value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase()),
        }
    }
}
