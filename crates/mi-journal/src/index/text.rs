//! What of a line can be looked for as text: not the machine's part of its frame, and with JSON escapes undone.

use memchr::memmem::Finder;
use std::{borrow::Cow, sync::LazyLock};

/// The line without `ts` and without `seq` … `hlc`, if it has the frame that this crate writes.
///
/// Those are times, numbers and hashes; they have filters of their own, and as text their digits would be found
/// in every stretch of the log, so that no search for a number could be narrowed.
pub(crate) fn search_text(line: &[u8]) -> Cow<'_, [u8]> {
    match frame_cuts(line) {
        Some([ts, run, seq, body]) => Cow::Owned([&line[..ts], &line[run..seq], &line[body..]].concat()),
        None => Cow::Borrowed(line),
    }
}

/// The fields at which the frame is cut, and the quote that ends it.
static CUTS: LazyLock<[Finder<'static>; 5]> =
    LazyLock::new(|| [",\"ts\":\"", ",\"run_id\":", ",\"seq\":", ",\"hlc\":\"", "\""].map(Finder::new));

/// Where `ts`, `run_id` and `seq` begin and where the frame ends.
fn frame_cuts(line: &[u8]) -> Option<[usize; 4]> {
    let after = |cut: usize, from: usize| {
        let window = line.get(from..line.len().min(from + 300))?;
        CUTS[cut].find(window).map(|found| from + found)
    };
    line.starts_with(b"{\"kind\":").then_some(())?;
    let ts = after(0, 0)?;
    let run = after(1, ts)?;
    let seq = after(2, run)?;
    let hlc = after(3, seq)?;
    let body = after(4, hlc + ",\"hlc\":\"".len())? + 1;
    Some([ts, run, seq, body])
}

/// The line with `\"`, `\n`, `\u4e2d` … turned into what they stand for; `None` if it has no escape.
pub(crate) fn unescape(line: &[u8]) -> Option<Vec<u8>> {
    let mut at = memchr::memchr(b'\\', line)?;
    let mut plain = line[..at].to_vec();
    while at < line.len() {
        let (bytes, length) = escape(&line[at..]);
        plain.extend(bytes);
        at += length;
        let next = memchr::memchr(b'\\', &line[at..]).map_or(line.len(), |found| at + found);
        plain.extend_from_slice(&line[at..next]);
        at = next;
    }
    Some(plain)
}

/// What the escape at the start of `rest` stands for, and how long it is.
fn escape(rest: &[u8]) -> (Vec<u8>, usize) {
    match rest.get(1) {
        Some(b'n') => (vec![b'\n'], 2),
        Some(b't') => (vec![b'\t'], 2),
        Some(b'r') => (vec![b'\r'], 2),
        Some(b'u') => unicode(rest),
        Some(other) => (vec![*other], 2),
        None => (vec![b'\\'], 1),
    }
}

fn unicode(rest: &[u8]) -> (Vec<u8>, usize) {
    let Some(first) = code_unit(rest) else { return (b"\\".to_vec(), 1) };
    let second = rest.get(6..).and_then(code_unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(u32::from(first)), pair) {
        (Some(letter), _) => (letter.to_string().into_bytes(), 6),
        (None, Some(letter)) => (letter.to_string().into_bytes(), 12),
        (None, None) => ("\u{fffd}".to_owned().into_bytes(), 6),
    }
}

/// The number in `\uXXXX` at the start of `rest`.
fn code_unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times, numbers and hashes of the frame are left out; kind, run and the entry's fields stay.
    #[test]
    fn frame_is_left_out_of_the_search_text() {
        let line = br#"{"kind":"x","ts":"2026","run_id":"r","seq":1,"prev":"ab","beat_index":2,"window_id":"w","hlc":"1-2","m":"t"}"#;
        assert_eq!(&*search_text(line), br#"{"kind":"x","run_id":"r","m":"t"}"#);
        let foreign = br#"{"batch_id":"b0","ts":"2026","seq":1}"#;
        assert_eq!(&*search_text(foreign), foreign);
    }

    /// Every escape of JSON, half a surrogate pair and a cut escape included.
    #[test]
    fn escapes_are_undone() {
        let cases = [
            (r#"plain"#, None),
            (r#"say \"hi\""#, Some(r#"say "hi""#)),
            (r"a\nb\\c", Some("a\nb\\c")),
            (r"\u4e2d\u6587 ok", Some("中文 ok")),
            (r"\ud83d\ude00!", Some("😀!")),
            (r"\ud83d!", Some("\u{fffd}!")),
            (r"\u12", Some(r"\u12")),
            ("end\\", Some("end\\")),
        ];
        for (line, wanted) in cases {
            assert_eq!(unescape(line.as_bytes()), wanted.map(|text| text.as_bytes().to_vec()), "{line}");
        }
    }
}
