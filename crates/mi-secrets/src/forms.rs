//! Reads the forms of [`crate::shapes`]: each function gets the bytes from where its form would begin, and returns
//! where in them the secret is.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::{
    class::{
        ALNUM, DASH, DIGIT, DOT, EQUALS, LETTER, LOWER, PERCENT, PLUS, Run, SLASH, SPACE, TILDE, WORD, is,
        run,
    },
    cookie::Judged,
};

/// The whole text, where in it a form is read, and what was read before: the runs that several literals stand in.
#[derive(Default)]
pub(crate) struct Memory<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) place: usize,
    pub(crate) judged: Judged,
    letters: Run,
    header: Run,
    equals: Run,
    users: Run,
}

impl<'t> Memory<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, ..Self::default() }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.get(self.place + from..).unwrap_or_default()
    }

    /// Where the letters at the place end, counted from the place.
    fn letters_end(&mut self) -> usize {
        let rest = self.rest(0);
        self.letters.end(self.place, || self.place + run(rest, LETTER)) - self.place
    }

    /// Where the header of which `from` is a part ends.
    pub(crate) fn header_end(&mut self, from: usize) -> usize {
        let rest = self.rest(from);
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'"' | b'\'');
        let length = || rest.iter().position(is_end).unwrap_or(rest.len());
        self.header.end(self.place + from, || self.place + from + length()) - self.place
    }

    /// Where the next `=` stands.
    pub(crate) fn next_equals(&mut self, from: usize) -> usize {
        let rest = self.rest(from);
        let length = || memchr(b'=', rest).unwrap_or(rest.len());
        self.equals.end(self.place + from, || self.place + from + length()) - self.place
    }

    /// Where the next `-u` stands.
    fn next_user(&mut self, from: usize) -> usize {
        let rest = self.rest(from);
        let length = || memmem::find(rest, b"-u").unwrap_or(rest.len());
        self.users.end(self.place + from, || self.place + from + length()) - self.place
    }
}

type Secret = Option<Range<usize>>;

/// A run of at least `least` and at most `most` characters at `from`.
fn body(bytes: &[u8], from: usize, kinds: u16, least: usize, most: usize) -> Secret {
    let rest = bytes.get(from..)?;
    let length = run(&rest[..rest.len().min(most)], kinds);
    (length >= least).then_some(from..from + length)
}

const MANY: usize = usize::MAX;

/// Where what follows one of the words begins.
fn after(bytes: &[u8], words: &[&str]) -> Option<usize> {
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
fn word_and_blanks(bytes: &[u8]) -> Option<usize> {
    let word = run(bytes, LETTER);
    let blanks = bytes[word..].iter().take_while(|byte| **byte == b' ').count();
    (word > 0 && blanks > 0).then_some(word + blanks)
}

/// `curl … -u user:password`
pub(crate) fn curl(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let from = run(bytes, LETTER) + 1;
    let mut at = memory.next_user(from);
    if at >= bytes.len() {
        return None;
    }
    let command = command(bytes, from)?;
    while at < command {
        // The long flag has the short one in it, and is looked at first.
        let is_long = at > from && bytes[at - 1..].starts_with(b"--user");
        let long = || if is_long { user_and_password(bytes, at + 5) } else { None };
        if let Some(found) = long().or_else(|| user_and_password(bytes, at + 2)) {
            return Some(found);
        }
        at = memory.next_user(at + 1);
    }
    None
}

fn user_and_password(bytes: &[u8], flag: usize) -> Secret {
    let is_sign = bytes.get(flag).is_some_and(|byte| matches!(byte, b' ' | b'='));
    // An `=` may also be the beginning of the name.
    [flag + 1, flag].into_iter().skip(usize::from(!is_sign)).find_map(|from| {
        let from = from + usize::from(matches!(bytes.get(from), Some(b'"' | b'\'')));
        let is_end = |byte: &u8| is(*byte, SPACE | SLASH) || matches!(byte, b':' | b'"' | b'\'');
        let name = bytes.get(from..)?.iter().position(is_end)?;
        if name == 0 || bytes[from + name] != b':' {
            return None;
        }
        argument(bytes, from + name + 1)
    })
}

/// Where a command ends: the end of the line, or what joins it with another.
fn command(bytes: &[u8], from: usize) -> Option<usize> {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'|' | b';' | b'&');
    let rest = bytes.get(from..)?;
    Some(from + rest.iter().position(is_end).unwrap_or(rest.len()))
}

/// An argument of three characters or more.
fn argument(bytes: &[u8], from: usize) -> Secret {
    let rest = bytes.get(from..)?;
    let is_end = |byte: &u8| is(*byte, SPACE) || matches!(byte, b'"' | b'\'');
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    at_least(&rest[..length], 3).then_some(from..from + length)
}

/// Whether bytes of a text are so many characters.
pub(crate) fn at_least(bytes: &[u8], characters: usize) -> bool {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).nth(characters - 1).is_some()
}

/// `sshpass -p password`
pub(crate) fn sshpass(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let from = word_and_blanks(bytes)?;
    let flag = from + after(&bytes[from..], &["-p"])?;
    let blanks = bytes[flag..].iter().take_while(|byte| **byte == b' ').count();
    let from = flag + blanks;
    argument(bytes, from + usize::from(matches!(bytes.get(from), Some(b'"' | b'\''))))
}

/// `mysql … -ppassword`, also `mysqldump`; a flag after others counts before the first one.
pub(crate) fn mysql(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let word = run(bytes, LETTER);
    if bytes.get(word) != Some(&b' ') {
        return None;
    }
    let from = word + 1;
    let command = command(bytes, from)?;
    let flags = memmem::find_iter(&bytes[from..], b" -p").map(|at| from + at);
    let later = flags.take_while(|at| *at <= command).find_map(|at| flag_value(bytes, at + 3));
    later.or_else(|| flag_value(bytes, from + after(&bytes[from..], &["-p"])?))
}

fn flag_value(bytes: &[u8], from: usize) -> Secret {
    let rest = bytes.get(from..)?;
    let is_end = |byte: &u8| is(*byte, SPACE) || matches!(byte, b'"' | b'\'' | b'|' | b';');
    if rest.first().is_none_or(|byte| is(*byte, DASH | EQUALS)) {
        return None;
    }
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    at_least(&rest[..length], 3).then_some(from..from + length)
}

/// `login name password …`
pub(crate) fn login(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let name = word_and_blanks(bytes)?;
    let ends = name + bytes[name..].iter().position(|byte| is(*byte, SPACE))?;
    let label = ends + run(&bytes[ends..], SPACE);
    let from = label + after(&bytes[label..], &["password "])?;
    let from = from + bytes[from..].iter().take_while(|byte| **byte == b' ').count();
    let rest = &bytes[from..];
    let length = rest.iter().position(|byte| is(*byte, SPACE)).unwrap_or(rest.len());
    (ends > name && at_least(&rest[..length], 3)).then_some(from..from + length)
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

/// The length of up to sixteen characters before one that ends them.
fn gap(bytes: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    // A character has four bytes at most.
    let length = bytes.iter().take(16 * 4 + 1).position(|byte| ends(*byte))?;
    (!at_least(&bytes[..length], 17)).then_some(length)
}
