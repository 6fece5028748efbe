//! Values that a name calls secret: `KEY=value`, `"key": "value"`, `key: value`, `--key value`, `<key>value</key>`.
//!
//! The prefilter finds the word (`password`, `token`, …); this module reads the whole name around it, what stands
//! between name and value, and the value, and asks [`crate::value`] whether the value could be real.

use memchr::memchr2;

use crate::{
    Finding, Level, Rule,
    between::{Delimited, bare_length, opened, quoted_length, skip_blanks, value_start},
    class::{self, DOT, ENDS_CODE, ENDS_VALUE, Kinds, Run, WORD},
    reading::Readings,
    scan::{Text, starts_word},
    spoken::is_made,
    value::{Form, Promise, Value},
};

/// Words that make a name secret.
pub(crate) const WORDS: &[(&str, Promise)] = &[
    ("password", Promise::Password),
    ("passwd", Promise::Password),
    ("passphrase", Promise::Password),
    ("pwd", Promise::Password),
    ("passcode", Promise::Password),
    ("_pass", Promise::Password),
    // These are parts of many words; with what follows them they are of few.
    ("pass=", Promise::Password),
    ("pass:", Promise::Password),
    ("pass\"", Promise::Password),
    ("pw=", Promise::Password),
    ("pw:", Promise::Password),
    ("pw\"", Promise::Password),
    ("密码", Promise::Password),
    ("口令", Promise::Password),
    ("secret", Promise::Token),
    ("token", Promise::Token),
    ("apikey", Promise::Token),
    ("api_key", Promise::Token),
    ("api-key", Promise::Token),
    ("api key", Promise::Token),
    ("access key", Promise::Token),
    ("access_key", Promise::Token),
    ("access-key", Promise::Token),
    ("accesskey", Promise::Token),
    ("private key", Promise::Token),
    ("private_key", Promise::Token),
    ("privatekey", Promise::Token),
    ("secret key", Promise::Token),
    ("secret_key", Promise::Token),
    ("secretkey", Promise::Token),
    ("auth_key", Promise::Token),
    ("auth-key", Promise::Token),
    ("app_key", Promise::Token),
    ("appkey", Promise::Token),
    ("master_key", Promise::Token),
    ("masterkey", Promise::Token),
    ("_pat=", Promise::Token),
    ("_sk=", Promise::Token),
    ("authkey", Promise::Token),
    ("encryption_key", Promise::Token),
    ("encryptionkey", Promise::Token),
    ("signing_key", Promise::Token),
    ("signingkey", Promise::Token),
    ("account_key", Promise::Token),
    ("authorization", Promise::Token),
    ("密钥", Promise::Token),
    ("秘钥", Promise::Token),
    ("令牌", Promise::Token),
];

/// Runs of a text that were read already: in one name, or in one value, may be many words.
#[derive(Default)]
pub(crate) struct Names {
    name: Run,
    /// Bare values: in code, and those that only a blank ends.
    values: [Run; 2],
}

const NAME: Kinds = WORD | DOT;
/// What makes another secret word of `_pass`.
const OTHER_WORDS: [&[u8]; 3] = [b"word", b"wd", b"phrase"];
/// How far a name goes to either side of the word.
const REACH: usize = 64;

impl Names {
    /// The value that belongs to the secret word at `start..end`; a sign at its end is no part of the word.
    pub(crate) fn find(
        &mut self,
        text: Text<'_>,
        start: usize,
        end: usize,
        promise: Promise,
        readings: &mut Readings<'_>,
    ) -> Option<Finding> {
        let bytes = text.bytes();
        let is_part = matches!(bytes[end - 1], b'=' | b':' | b'"');
        let end = end - usize::from(is_part);
        let found = self.name_around(bytes, start, end, is_part).and_then(|name| {
            let (from, form) = value_start(bytes, &name)?;
            Some((from, form, name.bar(bytes, start, end)?))
        });
        let (from, form, bar) = found.or_else(|| at_once(bytes, start, end, promise))?;
        let to = self.value_end(bytes, from, form);
        if to - from > LONGEST || !form.may_end(bytes, to) || is_cut_off(bytes, from, to) {
            return None;
        }
        // `pass: 128` counts, `OPAL_SET_PW: u32 = 1109422304` is a constant.
        let is_number = || class::run(&bytes[from..to], class::DIGIT) == to - from;
        if is_part && form.quote.is_none() && is_number() {
            return None;
        }
        let mut value = Value::at(readings, from, to)?;
        let is_high_enough = bar == Bar::Usual || (to - from >= 20 && value.is_random());
        let is_secret = is_high_enough && value.is_real(promise, form.kind());
        is_secret.then_some(Finding { rule: rule_of(promise), start: from, end: to, level: Level::Secret })
    }

    /// The name that a word is in, if a value may follow it.
    fn name_around(&mut self, bytes: &[u8], start: usize, end: usize, is_part: bool) -> Option<Name> {
        if is_part && start > 0 && bytes[start - 1].is_ascii_alphanumeric() && bytes[start] != b'_' {
            return None;
        }
        let name_end = match bytes.get(end) {
            Some(byte) if class::is(*byte, NAME) => {
                self.name.end(end, || end + class::run(&bytes[end..], NAME)).min(end + REACH)
            }
            _ => end,
        };
        if !may_be_followed(bytes, name_end) {
            return None;
        }
        let before = class::run_back(&bytes[start.saturating_sub(REACH)..start], NAME);
        // `_pass` is found in `_password` too, where the longer word says the same.
        let is_other_word = |rest: &[u8]| OTHER_WORDS.iter().any(|word| rest.eq_ignore_ascii_case(word));
        let is_other = bytes[start] == b'_' && before < REACH && is_other_word(&bytes[end..name_end]);
        (!is_other).then_some(Name { start: start - before, end: name_end })
    }

    /// Where the value ends: at the closing quote, or at what ends a bare value.
    fn value_end(&mut self, bytes: &[u8], from: usize, form: Delimited) -> usize {
        let most = bytes.len().min(from + LONGEST + 1);
        if let Some(quote) = form.quote {
            return from + quoted_length(&bytes[from..most], quote, form.is_escaped);
        }
        let end = self.bare_end(bytes, from, form.kind());
        // An escape at the very end is none: what it escapes is not in sight.
        let is_in_sight = end < most && (end + 1 < most || bytes[end] != b'\\');
        let value = &bytes[from..if is_in_sight { end } else { most }];
        let is_mark = |byte: &u8| matches!(byte, b'.' | b',' | b';' | b':' | b'!' | b'?');
        let last = match form.kind() {
            Form::Said => value.iter().rposition(|byte| !is_mark(byte) && !closes_more(value, *byte)),
            Form::Quoted | Form::Bare | Form::Shell => value.iter().rposition(|byte| !is_mark(byte)),
        };
        from + last.map_or(0, |last| last + 1)
    }

    /// Where a bare value ends, with the marks that end its sentence.
    fn bare_end(&mut self, bytes: &[u8], from: usize, form: Form) -> usize {
        let ends = if form == Form::Bare { ENDS_VALUE | ENDS_CODE } else { ENDS_VALUE };
        let run = &mut self.values[usize::from(form != Form::Bare)];
        // `password: aB3&x9`: it is after `=`, in an address, that an `&` ends the value.
        let is_listed = bytes[..from].ends_with(b": ");
        let mut end = from;
        loop {
            end = run.end(end, || end + bare_length(&bytes[end..], ends));
            if !is_listed || bytes.get(end) != Some(&b'&') {
                return end;
            }
            end += 1;
        }
    }
}

/// `PASSWORD=<your password>`: what stands in angle brackets is a placeholder, and the blank in it ends no value.
fn is_cut_off(bytes: &[u8], from: usize, to: usize) -> bool {
    let window = &bytes[from..bytes.len().min(from + REACH)];
    let close = || memchr2(b'>', b'\n', window).filter(|at| window[*at] == b'>');
    window.first() == Some(&b'<') && close().is_some_and(|at| from + at >= to)
}

/// Whether a value has a closing bracket and not the opening one: it is the sentence that stands in brackets.
fn closes_more(value: &[u8], byte: u8) -> bool {
    let opening = match byte {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        b'>' => b'<',
        _ => return false,
    };
    !value.contains(&opening)
}

/// `密码Abc@123`, `use password Abc@123`: no sign need stand between the word and the secret.
fn at_once(bytes: &[u8], start: usize, end: usize, promise: Promise) -> Option<(usize, Delimited, Bar)> {
    if bytes[start].is_ascii() {
        return after_blank(bytes, start, end, promise);
    }
    let from = skip_blanks(bytes, end);
    if !bytes.get(from)?.is_ascii_alphanumeric() {
        return None;
    }
    let length = class::until(&bytes[from..], ENDS_VALUE | ENDS_CODE).min(REACH);
    let kinds = class::all_kinds(&bytes[from..from + length]);
    let is_mixed = kinds & class::DIGIT != 0 && kinds & class::LETTER != 0;
    // After a blank a date or the number of a ticket may stand as well.
    let is_number = kinds & class::DASH != 0 && kinds & class::LOWER == 0;
    let is_apart = from == end || (length >= 6 && !is_number);
    let bar = if promise == Promise::Password { Bar::Usual } else { Bar::High };
    (is_mixed && is_apart).then_some((from, Delimited::SAID, bar))
}

/// The password after the whole word and a blank, if it looks made.
fn after_blank(bytes: &[u8], start: usize, end: usize, promise: Promise) -> Option<(usize, Delimited, Bar)> {
    let is_word = promise == Promise::Password && bytes[start] != b'_' && starts_word(bytes, start);
    let blanks = skip_blanks(bytes, end);
    if !is_word || blanks == end {
        return None;
    }
    let (from, form) = opened(bytes, blanks, Form::Said);
    is_made(&bytes[from..], form.kind()).then_some((from, form, Bar::Usual))
}

/// Values that are longer are none.
const LONGEST: usize = 4096;

/// Whether what stands after a name can belong to it; in most text it cannot, and nothing else is looked at.
fn may_be_followed(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| {
        !byte.is_ascii()
            || class::is(*byte, class::SPACE | class::EQUALS)
            || matches!(byte, b':' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'>' | b',' | b'i' | b'*')
    })
}

fn rule_of(promise: Promise) -> Rule {
    match promise {
        Promise::Password => const { Rule::named("password") },
        Promise::Token => const { Rule::named("labelled-secret") },
    }
}

/// The identifier around the word.
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a value must look like after this name.
#[derive(PartialEq)]
enum Bar {
    Usual,
    /// The name goes on after the word (`token_prod`): only a random value counts.
    High,
}

impl Name {
    fn bar(&self, bytes: &[u8], start: usize, end: usize) -> Option<Bar> {
        const ALLOWED: &[&str] = &[
            "", "key", "base", "value", "val", "str", "string", "text", "prod", "dev", "live", "test",
            "staging", "old", "new",
        ];
        const REFUSED: &[&str] = &[
            "s", "id", "ids", "name", "type", "url", "uri", "file", "path", "dir", "count", "limit",
            "length", "len", "size", "ttl", "hash", "sha", "digest", "field", "label", "ref", "class",
            "version", "arn", "endpoint", "expires", "expiry", "at", "izer", "ized", "ize", "ary", "less",
            "address",
        ];
        if self.start == start && self.end == end {
            return Some(Bar::Usual);
        }
        let before = &bytes[self.start..start];
        let before = before.strip_suffix(b"_").or(before.strip_suffix(b"-")).unwrap_or(before);
        // `page_token`, `csrf-token`: what stands here is no secret.
        let harmless: &[&str] = match before.last().map_or(0, u8::to_ascii_lowercase) {
            b'c' => &["public", "sync"],
            b'e' => &["page", "resume"],
            b'f' => &["csrf", "xsrf"],
            b'l' => &["cancel"],
            b'n' => &["pagination", "continuation"],
            b't' => &["next"],
            b'x' => &["max"],
            _ => &[],
        };
        if harmless.iter().any(|word| ends_with(before, word)) {
            return None;
        }
        if self.end == end {
            return Some(Bar::Usual);
        }
        let digits = bytes[end..self.end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let mut parts = bytes[end..self.end - digits].split(|byte| matches!(byte, b'_' | b'-' | b'.'));
        let is_in = |words: &[&str], part: &[u8]| {
            words.iter().any(|word| word.len() == part.len() && part.eq_ignore_ascii_case(word.as_bytes()))
        };
        if parts.clone().all(|part| is_in(ALLOWED, part)) {
            return Some(Bar::Usual);
        }
        (!parts.any(|part| is_in(REFUSED, part))).then_some(Bar::High)
    }
}

fn ends_with(name: &[u8], word: &str) -> bool {
    let at = name.len().checked_sub(word.len());
    at.is_some_and(|at| name[at..].eq_ignore_ascii_case(word.as_bytes()))
}
