//! A line with its JSON escapes undone, so that a person can look for what was said and not for how it is stored.

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
