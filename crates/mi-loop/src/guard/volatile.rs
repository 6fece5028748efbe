//! Times, ids, counters and temporary paths in a text: what differs from one time to the next though nothing happened.
//!
//! Read by hand, byte by byte: every input is read so before it is sent, and a pattern for all of this costs more than
//! the rest of the decision. A test holds it against the pattern that says the same.

/// The text with every volatile part as one `#`.
pub(super) fn without_volatile(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        match volatile_end(bytes, at) {
            Some(end) => {
                plain.push_str(&text[copied..at]);
                plain.push('#');
                (at, copied) = (end, end);
            }
            None => at += 1,
        }
    }
    plain.push_str(&text[copied..]);
    plain
}

/// Where the volatile part ends that begins here, if one does. Each begins and ends with an ASCII character, or ends before one
/// or with the text.
fn volatile_end(bytes: &[u8], at: usize) -> Option<usize> {
    let first = bytes[at];
    let begins_word = at == 0 || !is_word(bytes[at - 1]);
    match first {
        b'0'..=b'9' => date(bytes, at)
            .or_else(|| begins_word.then(|| time_of_day(bytes, at).or_else(|| id(bytes, at)))?)
            .or_else(|| Some(number(bytes, at))),
        b'a'..=b'f' | b'A'..=b'F' if begins_word => id(bytes, at),
        b'/' => temporary_path(bytes, at),
        _ => None,
    }
}

/// `2026-01-31`, with a time of day and a zone if they follow.
fn date(bytes: &[u8], at: usize) -> Option<usize> {
    let year = digits(bytes, at, 4)?;
    let month = digits(bytes, byte(bytes, year, b"-")?, 2)?;
    let day = digits(bytes, byte(bytes, month, b"-")?, 2)?;
    Some(clock(bytes, day).unwrap_or(day))
}

fn clock(bytes: &[u8], at: usize) -> Option<usize> {
    let hour = digits(bytes, byte(bytes, at, b"Tt ")?, 2)?;
    let minute = digits(bytes, byte(bytes, hour, b":")?, 2)?;
    let end = seconds(bytes, minute).map_or(minute, |end| fraction(bytes, end).unwrap_or(end));
    Some(byte(bytes, end, b"Zz").or_else(|| zone(bytes, end)).unwrap_or(end))
}

fn zone(bytes: &[u8], at: usize) -> Option<usize> {
    let hours = digits(bytes, byte(bytes, at, b"+-")?, 2)?;
    digits(bytes, byte(bytes, hours, b":").unwrap_or(hours), 2)
}

/// `9:41` or `09:41:07.25`, as much of it as ends with a word.
fn time_of_day(bytes: &[u8], at: usize) -> Option<usize> {
    let hour = digits(bytes, at, 2).unwrap_or(at + 1);
    let minute = digits(bytes, byte(bytes, hour, b":")?, 2)?;
    let second = seconds(bytes, minute);
    let whole = second.and_then(|second| fraction(bytes, second));
    [whole, second, Some(minute)].into_iter().flatten().find(|&end| !continues_word(bytes, end))
}

fn seconds(bytes: &[u8], at: usize) -> Option<usize> {
    digits(bytes, byte(bytes, at, b":")?, 2)
}

fn fraction(bytes: &[u8], at: usize) -> Option<usize> {
    digits(bytes, byte(bytes, at, b".")?, 1).map(|one| run(bytes, one, |byte| byte.is_ascii_digit()))
}

/// A UUID, or a hash of 7 to 64 digits.
fn id(bytes: &[u8], at: usize) -> Option<usize> {
    let end = run(bytes, at, |byte| byte.is_ascii_hexdigit());
    let is_hash = (7..=64).contains(&(end - at)) && !continues_word(bytes, end);
    uuid(bytes, at).or(is_hash.then_some(end))
}

fn uuid(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    for (place, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if place > 0 {
            end = byte(bytes, end, b"-")?;
        }
        let part = bytes.get(end..end + length)?;
        end += length;
        part.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    }
    (!continues_word(bytes, end)).then_some(end)
}

/// A path below a folder for temporary files, up to a blank or what closes a quote.
fn temporary_path(bytes: &[u8], at: usize) -> Option<usize> {
    let start = prefix(bytes, at, b"/private").unwrap_or(at);
    let folders: [&[u8]; 3] = [b"/tmp/", b"/var/folders/", b"/var/tmp/"];
    let inside = folders.iter().find_map(|folder| prefix(bytes, start, folder))?;
    let is_part = |byte: u8| !matches!(byte, b' ' | b'\t'..=b'\r' | b'\'' | b'`' | b')');
    let end = run(bytes, inside, is_part);
    (end > inside).then_some(end)
}

fn number(bytes: &[u8], at: usize) -> usize {
    let whole = run(bytes, at, |byte| byte.is_ascii_digit());
    fraction(bytes, whole).unwrap_or(whole)
}

/// After so many digits, if there are as many here.
fn digits(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let part = bytes.get(at..at + count)?;
    part.iter().all(u8::is_ascii_digit).then_some(at + count)
}

/// After one of these bytes, if it is here.
fn byte(bytes: &[u8], at: usize, one_of: &[u8]) -> Option<usize> {
    bytes.get(at).filter(|byte| one_of.contains(byte)).map(|_| at + 1)
}

fn prefix(bytes: &[u8], at: usize, text: &[u8]) -> Option<usize> {
    let part = bytes.get(at..at + text.len())?;
    part.eq_ignore_ascii_case(text).then_some(at + text.len())
}

fn run(bytes: &[u8], at: usize, is_part: impl Fn(u8) -> bool) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_part(**byte)).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn continues_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| is_word(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_lite::Regex;
    use std::sync::LazyLock;

    static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?", // dates
            r"|\b\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\b",                                           // times of day
            r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",             // UUIDs
            r"|\b[0-9a-f]{7,64}\b",                                                           // hashes
            r"|(/private)?(/tmp|/var/folders|/var/tmp)/[^\s'`)]+", // temporary paths
            r"|\d+(\.\d+)?",                                       // counters, durations
        ))
        .unwrap()
    });

    /// Parts that follow each other as they come: ends of one meet beginnings of another.
    fn texts() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[0-9]{1,4}",
            "[0-9a-fA-F]{1,14}",
            "[-:.T Zz+/_'`)\n]",
            "[0-9]{2}:[0-9]{2}",
            Just("2026-01-31".to_owned()),
            Just("T09:41:07".to_owned()),
            Just("/tmp/".to_owned()),
            Just("/private/TMP/x".to_owned()),
            Just("/var/folders/".to_owned()),
            Just("/var/tmp/é".to_owned()),
            Just("01234567-89ab-cdef-0123-456789abcdef".to_owned()),
            Just("汉".to_owned()),
            Just("word".to_owned()),
            "[0-9a-f]{60,70}",
        ];
        proptest::collection::vec(part, 0..9).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Reading by hand finds what the pattern finds.
        #[test]
        fn volatile_parts_are_those_of_the_pattern(text in texts()) {
            prop_assert_eq!(without_volatile(&text), VOLATILE.replace_all(&text, "#").into_owned());
        }
    }
}
