//! Reads the forms of [`crate::shapes`]: each function gets the bytes from where its form would begin, and returns
//! where in them the secret is.

use std::ops::Range;

use crate::{
    class::{
        ALNUM, DIGIT, DOT, EQUALS, LETTER, LOWER, PERCENT, PLUS, SLASH, SPACE, TILDE, UPPER, WORD, is,
        long_run, run,
    },
    memory::Memory,
};

/// Where a form has its secret, if it is one.
pub(crate) type Secret = Option<Range<usize>>;

/// A run of at least `least` and at most `most` characters at `from`.
fn body(bytes: &[u8], from: usize, kinds: u16, least: usize, most: usize) -> Secret {
    let rest = bytes.get(from..)?;
    let length = long_run(&rest[..rest.len().min(most)], kinds);
    (length >= least).then_some(from..from + length)
}

const MANY: usize = usize::MAX;

/// Where what follows one of the words begins.
pub(crate) fn after(bytes: &[u8], words: &[&str]) -> Option<usize> {
    words.iter().find(|word| bytes.starts_with(word.as_bytes())).map(|word| word.len())
}

/// Adds up to two `=` to a run.
fn padded(bytes: &[u8], found: Range<usize>) -> Range<usize> {
    let signs = bytes[found.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    found.start..found.end + signs
}

/// `hooks.slack.com/services/…`
pub(crate) fn slack_webhook(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let host = after(bytes, &["hooks.slack.com/"])?;
    let kind = after(&bytes[host..], &["services/", "workflows/", "triggers/"])?;
    body(bytes, host + kind, WORD | SLASH, 16, MANY)
}

/// `discord.com/api/webhooks/NUMBER/…`
pub(crate) fn discord_webhook(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let host = after(bytes, &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"])?;
    let id = run(&bytes[host..], DIGIT);
    let is_id = id > 0 && bytes.get(host + id) == Some(&b'/');
    if is_id { body(bytes, host + id + 1, WORD, 16, MANY) } else { None }
}

/// `eyJ….eyJ….…`, signed, or `eyJ….….….….…`, encrypted.
pub(crate) fn jwt(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let part = |from: usize, least: usize| body(bytes, from, WORD, least, MANY).map(|part| part.end);
    let dot = |end: usize| (bytes.get(end) == Some(&b'.')).then_some(end + 1);
    let second = dot(part(after(bytes, &["eyJ"])?, 8)?)?;
    let signed = after(&bytes[second..], &["eyJ"]).and_then(|mark| part(second + mark, 8));
    if let Some(end) = signed {
        let signature = dot(end).and_then(|from| part(from, 1));
        return Some(0..signature.unwrap_or(end));
    }
    let third = dot(part(second, 0)?)?;
    let fourth = dot(part(third, 8)?)?;
    let fifth = dot(part(fourth, 8)?)?;
    Some(0..part(fifth, 8)?)
}

/// `SG.….…`
pub(crate) fn sendgrid(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let name = body(bytes, after(bytes, &["SG."])?, WORD, 16, 33)?;
    if name.len() > 32 || bytes.get(name.end) != Some(&b'.') {
        return None;
    }
    body(bytes, name.end + 1, WORD, 16, 64).map(|key| 0..key.end)
}

/// `NUMBER:AA…`, two letters (`bot`) at most before it.
pub(crate) fn telegram(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let letters = run(bytes, LOWER).min(2);
    let id = run(&bytes[letters..], DIGIT);
    if !(8..=10).contains(&id) {
        return None;
    }
    let mark = after(&bytes[letters + id..], &[":AA"])?;
    body(bytes, letters + id + mark, WORD, 32, 33).map(|key| letters..key.end)
}

/// `AccountKey=…`
pub(crate) fn azure_key(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let from = after(bytes, &["AccountKey=", "SharedAccessKey="])?;
    Some(padded(bytes, body(bytes, from, ALNUM | PLUS | SLASH, 40, 88)?))
}

/// `sig=…`
pub(crate) fn azure_sas(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let kinds = WORD | PERCENT | PLUS | SLASH;
    Some(padded(bytes, body(bytes, after(bytes, &["sig="])?, kinds, 32, MANY)?))
}

/// `xyz8Q~…`
pub(crate) fn azure_client_secret(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let kinds = WORD | TILDE | DOT;
    let before = body(bytes, 0, kinds, 3, 3)?;
    let mark = after(&bytes[before.end..], &["7Q~", "8Q~"])?;
    body(bytes, before.end + mark, kinds, 31, 34).map(|key| 0..key.end)
}

/// `….atlasv1.…`
pub(crate) fn terraform(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let before = body(bytes, 0, ALNUM, 14, 14)?;
    let mark = after(&bytes[before.end..], &[".atlasv1."])?;
    body(bytes, before.end + mark, WORD | EQUALS, 60, 70).map(|key| 0..key.end)
}

/// `://user:password@host`
pub(crate) fn url_password(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let ends =
        |byte: u8| is(byte, SPACE | SLASH) || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\');
    let user = bytes.get(3..)?.iter().position(|byte| matches!(byte, b':' | b'@') || ends(*byte))?;
    let from = 3 + user + 1;
    if bytes[3 + user] != b':' {
        return None;
    }
    let length = bytes[from..].iter().position(|byte| ends(*byte)).unwrap_or(bytes.len() - from);
    let rest = &bytes[from..from + length];
    let at = (1..rest.len()).rev().find(|at| {
        rest[*at] == b'@' && rest.get(at + 1).is_some_and(|byte| is(*byte, ALNUM) || *byte == b'[')
    })?;
    // `image:3.18@sha256:…` is an image and its digest.
    (!memory.rest(from + at).starts_with(b"@sha256:")).then_some(from..from + at)
}

/// `Bearer …`
pub(crate) fn bearer(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    body(bytes, word_and_blanks(bytes)?, WORD | DOT | TILDE | PLUS | SLASH | EQUALS, 16, MANY)
}

/// `Basic …`
pub(crate) fn basic(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    Some(padded(bytes, body(bytes, word_and_blanks(bytes)?, ALNUM | PLUS | SLASH, 6, MANY)?))
}

/// Where what follows a word and blanks begins.
pub(crate) fn word_and_blanks(bytes: &[u8]) -> Option<usize> {
    let word = run(bytes, LETTER);
    let blanks = bytes[word..].iter().take_while(|byte| **byte == b' ').count();
    (word > 0 && blanks > 0).then_some(word + blanks)
}

/// Whether bytes of a text are so many characters.
pub(crate) fn at_least(bytes: &[u8], characters: usize) -> bool {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).nth(characters - 1).is_some()
}

/// `/webhook/send?key=…`: WeCom, Feishu and Teams.
pub(crate) fn webhook(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let from = after(bytes, &["/webhook/send?key=", "/bot/v2/hook/", "IncomingWebhook/"])?;
    body(bytes, from, WORD | SLASH, 32, 128)
}

/// `"auth": "…"` of a container registry, `_auth=…` of a package registry.
pub(crate) fn registry(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let label = after(bytes, &["auth\":", "auth\\\":", "_auth="])?;
    let blanks = bytes[label..].iter().take_while(|byte| **byte == b' ').count();
    let slash = label + blanks + usize::from(bytes.get(label + blanks) == Some(&b'\\'));
    let from = slash + usize::from(bytes.get(slash) == Some(&b'"'));
    Some(padded(bytes, body(bytes, from, ALNUM | PLUS | SLASH, 8, MANY)?))
}

/// `host:5432:database:user:password`, a line of `.pgpass`.
pub(crate) fn pgpass(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let (mut from, fields) = if bytes.starts_with(b":5432:") { (6, 2) } else { (6, 1) };
    let is_end = |byte: &u8| is(*byte, SPACE) || matches!(byte, b':' | b'"' | b'\'');
    for _ in 0..fields {
        let length = bytes[from..].iter().position(is_end).filter(|length| *length > 0)?;
        from += length + 1;
        if bytes[from - 1] != b':' {
            return None;
        }
    }
    let length = bytes[from..].iter().position(is_end).unwrap_or(bytes.len() - from);
    at_least(&bytes[from..from + length], 4).then_some(from..from + length)
}

/// `jdbc:oracle:thin:user/password@host`
pub(crate) fn oracle(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let name = after(bytes, &["jdbc:oracle:thin:"])?;
    let from = name + run(&bytes[name..], WORD | DOT) + 1;
    if from == name + 1 || bytes.get(from - 1) != Some(&b'/') {
        return None;
    }
    let is_end = |byte: &u8| is(*byte, SPACE | SLASH) || matches!(byte, b'@' | b'"' | b'\'');
    let length = bytes[from..].iter().position(is_end)?;
    (length >= 3 && bytes[from + length] == b'@').then_some(from..from + length)
}

/// A label and a mobile number.
pub(crate) fn mobile(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let label = match after(bytes, &["手机", "电话", "联系方式"]) {
        Some(label) => label,
        None => memory.letters_end(),
    };
    let from =
        label + gap(bytes.get(label..)?, |byte| is(byte, DIGIT) || matches!(byte, b'+' | b'\r' | b'\n'))?;
    let rest = &bytes[from..];
    let country = after(rest, &["+86", "86"]).map_or(0, |code| code + mark(&rest[code..]));
    let number = country + mobile_number(&rest[country..])?;
    (!rest.get(number).is_some_and(u8::is_ascii_digit)).then_some(from..from + number)
}

/// The length of `1xx xxxx xxxx`, with or without marks.
fn mobile_number(bytes: &[u8]) -> Option<usize> {
    if !matches!(bytes, [b'1', b'3'..=b'9', b'0'..=b'9', ..]) {
        return None;
    }
    [(), ()].iter().try_fold(3, |at, ()| {
        let from = at + mark(&bytes[at..]);
        body(bytes, from, DIGIT, 4, 4).map(|four| four.end)
    })
}

fn mark(bytes: &[u8]) -> usize {
    usize::from(matches!(bytes.first(), Some(b'-' | b' ')))
}

/// A label and eighteen digits.
pub(crate) fn identity(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let label = after(bytes, &["身份证"])?;
    let from = label + gap(&bytes[label..], |byte| is(byte, DIGIT) || matches!(byte, b'\r' | b'\n'))?;
    let digits = run(&bytes[from..], DIGIT);
    let is_letter = digits == 17 && matches!(bytes.get(from + 17), Some(b'X' | b'x'));
    let is_end = digits == 18 || (is_letter && !bytes.get(from + 18).is_some_and(u8::is_ascii_digit));
    (is_end && bytes[from] != b'0').then_some(from..from + 18)
}

/// A label and the number of a bank card, in groups or not.
pub(crate) fn bank_card(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let label = after(bytes, &["卡号", "银行卡"]).or_else(|| label_of(bytes, b"card"))?;
    let from = label + gap(&bytes[label..], |byte| is(byte, DIGIT) || matches!(byte, b'\r' | b'\n'))?;
    let (mut end, mut digits) = (from, 0);
    while digits < 20 && bytes.get(end).is_some_and(u8::is_ascii_digit) {
        digits += 1;
        end += 1;
        let next = end + mark(&bytes[end..]);
        end = if bytes.get(next).is_some_and(u8::is_ascii_digit) { next } else { end };
    }
    (13..=19).contains(&digits).then_some(from..end)
}

/// `IBAN DE…`, in groups or not.
pub(crate) fn iban(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let label = label_of(bytes, b"iban")?;
    let from = label + gap(&bytes[label..], |byte| is(byte, UPPER | DIGIT) || matches!(byte, b'\r' | b'\n'))?;
    let digits = body(bytes, from, UPPER, 2, 2).and_then(|country| body(bytes, country.end, DIGIT, 2, 2))?;
    let (mut end, mut characters) = (digits.end, 0);
    while characters < 30 {
        let next = end + usize::from(bytes.get(end) == Some(&b' '));
        if !bytes.get(next).is_some_and(|byte| is(*byte, UPPER | DIGIT)) {
            break;
        }
        (end, characters) = (next + 1, characters + 1);
    }
    (characters >= 11).then_some(from..end)
}

fn label_of(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.get(..word.len())?.eq_ignore_ascii_case(word).then_some(word.len())
}

/// The length of up to sixteen characters before one that ends them.
fn gap(bytes: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    // A character has four bytes at most.
    let length = bytes.iter().take(16 * 4 + 1).position(|byte| ends(*byte))?;
    (!at_least(&bytes[..length], 17)).then_some(length)
}
