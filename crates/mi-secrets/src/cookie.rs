//! Cookie headers: one with at least one value that is long and random, or that calls itself a session.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::{
    class::{LETTER, run},
    forms::at_least,
    memory::Memory,
    reading::Readings,
    value::Value,
};

/// Pairs in a row that were found harmless, so that a header that stands in many headers is judged once.
#[derive(Default)]
pub(crate) struct Judged {
    /// From the beginning of a pair to the beginning of another.
    harmless: Range<usize>,
}

/// `Cookie: …`, to the end of the line or of the string.
pub(crate) fn cookie(bytes: &[u8], memory: &mut Memory<'_>) -> Option<Range<usize>> {
    let word = run(bytes, LETTER);
    let colon = word + usize::from(bytes.get(word) == Some(&b'"'));
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let blank = colon + 1 + usize::from(bytes.get(colon + 1) == Some(&b' '));
    // A header that only the blank makes long enough has the blank in it.
    let header = [blank, colon + 1].into_iter().find_map(|from| {
        let from = from + usize::from(bytes.get(from) == Some(&b'"'));
        let end = bytes.len().min(memory.header_end(from));
        at_least(bytes.get(from..end)?, 8).then_some(from..end)
    })?;
    let has_secret = has_pair(bytes, &header, memory) && has_secret(&header, memory);
    has_secret.then_some(header)
}

fn has_pair(bytes: &[u8], header: &Range<usize>, memory: &mut Memory<'_>) -> bool {
    memory.next_equals(header.start) < bytes.len().min(header.end)
}

fn has_secret(header: &Range<usize>, memory: &mut Memory<'_>) -> bool {
    let (text, place) = (memory.text, memory.place);
    let (from, end) = (place + header.start, place + header.end);
    let next = |at: usize| memchr(b';', &text[at..end]).map(|length| at + length);
    let readings = &memory.readings;
    let is_secret = |from: usize, end: usize| readings.text().get(from..end).is_some_and(is_secret);
    let Some(first) = next(from) else { return is_secret(from, end) };
    if is_secret(from, first) {
        return true;
    }
    let harmless = &mut memory.judged.harmless;
    if !harmless.contains(&(first + 1)) {
        *harmless = first + 1..first + 1;
    }
    while harmless.end <= end {
        let Some(last) = next(harmless.end) else { return is_secret(harmless.end, end) };
        if is_secret(harmless.end, last) {
            return true;
        }
        harmless.end = last + 1;
    }
    // What was judged goes further than this header is read: only its last pair is another one.
    let cut = memrchr(b';', &text[from..end]).map_or(from, |at| from + at + 1);
    is_secret(cut, end)
}

fn is_secret(pair: &str) -> bool {
    const SESSIONS: &[&str] = &["sess", "sid", "auth", "token", "jwt", "remember"];
    let Some((name, value)) = pair.trim().split_once('=') else { return false };
    if name.eq_ignore_ascii_case("expires") || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    let is_session = || {
        let name = name.to_ascii_lowercase();
        SESSIONS.iter().any(|word| name.contains(word))
    };
    let is_numbered = value.len() >= 8 && value.bytes().any(|byte| byte.is_ascii_digit());
    let mut readings = Readings::new(value);
    let Some(mut value) = Value::at(&mut readings, 0, value.len()) else { return false };
    (value.is_random() || (is_numbered && is_session())) && !value.is_placeholder()
}
