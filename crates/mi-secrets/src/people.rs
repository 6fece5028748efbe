//! What points to people: payment cards, social security and resident numbers, IBANs; e-mail addresses, telephone numbers and
//! the owners of home folders.
//!
//! Holds: linear in the text; ranges lie on character boundaries. What has a check digit or an unmistakable form is sure
//! and blocks an output; what stands in half of all licence files, an address, only makes the label say so.
//! Elsewhere: Chinese numbers are [`crate::find`]'s.

use std::ops::Range;

/// One place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    pub kind: &'static str,
    pub range: Range<usize>,
    pub is_sure: bool,
}

/// Everything personal in a text, in its order.
pub fn find(text: &str) -> Vec<Personal> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'@' {
            found.extend(address(bytes, at));
        } else if byte.is_ascii_digit() && begins(bytes, at) {
            let groups = groups(bytes, at);
            found.extend(numbers(bytes, &groups));
            at = groups.last().map_or(at, |last| last.end);
            continue;
        } else if byte.is_ascii_uppercase() && begins(bytes, at) {
            found.extend(account(bytes, at));
        }
        at += 1;
    }
    found
}

/// Takes out what is sure.
pub fn redact_sure(text: &str) -> String {
    let sure = find(text).into_iter().filter(|place| place.is_sure);
    take_out(text, sure.map(|place| (place.range, place.kind)).collect())
}

/// Takes out all that may point to somebody: also addresses, every telephone number, and whose a home folder is.
pub fn redact_all(text: &str) -> String {
    let is_mobile = |found: &crate::Finding| found.rule.name() == "cn-mobile";
    let mobiles =
        crate::find(text).into_iter().filter(is_mobile).map(|found| (found.start..found.end, "phone"));
    let others = find(text).into_iter().map(|place| (place.range, place.kind));
    take_out(text, others.chain(mobiles).chain(homes(text)).collect())
}

fn take_out(text: &str, mut places: Vec<(Range<usize>, &str)>) -> String {
    places.sort_by_key(|(range, _)| range.start);
    let (mut redacted, mut from) = (String::with_capacity(text.len()), 0);
    for (range, kind) in places {
        if range.start >= from {
            redacted.push_str(&text[from..range.start]);
            redacted.push_str(&format!("[REDACTED:{kind}]"));
            from = range.end;
        }
    }
    redacted.push_str(&text[from..]);
    redacted
}

/// The names in `/home/jane`, `/Users/jane` and `C:\\Users\\jane`.
fn homes(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let places = ["/home/", "/Users/", "\\Users\\"].into_iter().flat_map(|folder| text.match_indices(folder));
    places.filter_map(|(at, folder)| {
        // `https://example.org/home/page` is nobody's folder.
        let is_inside = text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
        let start = at + folder.len();
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-');
        let rest = &text[start..];
        let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        (!is_inside && length > 0).then_some((start..start + length, "account"))
    })
}

/// Whether a number or code may begin here: it is not the rest of a longer one, of a path, a version or a fraction.
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"._-#/".contains(&byte))
}

fn ends(bytes: &[u8], end: usize) -> bool {
    !bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// How many groups of digits one number may have; more are a table.
const MOST_GROUPS: usize = 64;

/// Runs of digits with one blank or dash between them.
fn groups(bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut at = start;
    loop {
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        groups.push(at..end);
        let goes_on = matches!(bytes.get(end), Some(b' ' | b'-'))
            && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
            && groups.len() < MOST_GROUPS;
        if !goes_on {
            return groups;
        }
        at = end + 1;
    }
}

/// What some neighbouring groups are.
fn numbers(bytes: &[u8], groups: &[Range<usize>]) -> Vec<Personal> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < groups.len() {
        let longest = (1..=4).rev().filter(|count| from + count <= groups.len());
        let known = longest.map(|count| &groups[from..from + count]).find_map(|some| number(bytes, some));
        from += known.as_ref().map_or(1, |(_, count)| *count);
        found.extend(known.map(|(personal, _)| personal));
    }
    found
}

fn number(bytes: &[u8], groups: &[Range<usize>]) -> Option<(Personal, usize)> {
    let (first, last) = (groups.first()?, groups.last()?);
    let mut lengths = [0; 4];
    groups.iter().zip(&mut lengths).for_each(|(group, length)| *length = group.len());
    let digits = || -> Vec<u8> {
        groups.iter().flat_map(|group| &bytes[group.clone()]).map(|digit| digit - b'0').collect()
    };
    let is_dashed = groups[1..].iter().all(|group| bytes[group.start - 1] == b'-');
    let range = first.start..last.end;
    let personal = |kind, is_sure| Some((Personal { kind, range: range.clone(), is_sure }, groups.len()));
    match lengths {
        _ if !ends(bytes, last.end) => None,
        [3, 2, 4, 0] if is_dashed && is_social_security(&digits()) => personal("ssn", true),
        [6, 7, 0, 0] if is_dashed && is_resident(&digits()) => personal("kr-resident", true),
        [4, 4, 4, 4] | [4, 6, 5, 0] if is_card(&digits()) => personal("bank-card", true),
        // A long number alone is a card once in forty times; the word before it tells.
        [15 | 16, 0, 0, 0] if is_card(&digits()) => personal("bank-card", is_called_card(bytes, first.start)),
        _ => telephone(bytes, groups),
    }
}

/// `123-45-6789`: no area 000, 666 or 9xx, no group 00, no serial 0000.
fn is_social_security(digits: &[u8]) -> bool {
    let (area, group, serial) = (value(&digits[..3]), value(&digits[3..5]), value(&digits[5..]));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
}

/// `YYMMDD-SNNNNNN`.
fn is_resident(digits: &[u8]) -> bool {
    let (month, day, kind) = (value(&digits[2..4]), value(&digits[4..6]), digits[6]);
    (1..=12).contains(&month) && (1..=31).contains(&day) && (1..=8).contains(&kind)
}

fn value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| value * 10 + u32::from(*digit))
}

/// The prefix and length of an issuer, and Luhn's check digit.
fn is_card(digits: &[u8]) -> bool {
    let is_issued = match digits.len() {
        15 => matches!(value(&digits[..4]), 3400..=3499 | 3700..=3799),
        16 => matches!(
            value(&digits[..4]),
            4000..=4999 | 5100..=5599 | 2221..=2720 | 3528..=3589 | 6011 | 6200..=6299 | 6440..=6599
        ),
        _ => false,
    };
    let doubled = |(index, digit): (usize, &u8)| match (index % 2, *digit) {
        (1, digit @ 5..) => u32::from(digit) * 2 - 9,
        (1, digit) => u32::from(digit) * 2,
        (_, digit) => u32::from(digit),
    };
    is_issued && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

fn is_called_card(bytes: &[u8], start: usize) -> bool {
    const WORDS: [&str; 6] = ["card", "credit", "visa", "amex", "卡", "카드"];
    let before = String::from_utf8_lossy(&bytes[start.saturating_sub(32)..start]).to_lowercase();
    WORDS.iter().any(|word| before.contains(word))
}

/// `+1 415 555 2671`.
fn telephone(bytes: &[u8], groups: &[Range<usize>]) -> Option<(Personal, usize)> {
    let first = groups.first()?;
    let digits: usize = groups.iter().map(Range::len).sum();
    let is_international = first.start.checked_sub(1).is_some_and(|before| bytes[before] == b'+')
        && bytes[first.start] != b'0'
        && (first.start < 2 || !bytes[first.start - 2].is_ascii_alphanumeric());
    if !is_international || !(10..=15).contains(&digits) || groups.len() < 2 {
        return None;
    }
    let range = first.start..groups.last()?.end;
    Some((Personal { kind: "phone", range, is_sure: false }, groups.len()))
}

/// Countries and the length of their account numbers.
const ACCOUNTS: [(&[u8; 2], usize); 30] = [
    (b"AT", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"CH", 21),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"EE", 20),
    (b"ES", 24),
    (b"FI", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GR", 27),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IT", 27),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"NL", 18),
    (b"NO", 15),
    (b"PL", 28),
    (b"PT", 25),
    (b"RO", 24),
    (b"SE", 24),
    (b"SI", 19),
    (b"TR", 26),
];

/// An IBAN, together or in groups of four, by its length and its check digits.
fn account(bytes: &[u8], start: usize) -> Option<Personal> {
    let country = bytes.get(start..start + 2)?;
    if !bytes.get(start + 2..start + 4)?.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (_, length) = ACCOUNTS.iter().find(|(known, _)| known[..] == *country)?;
    let mut letters = Vec::with_capacity(*length);
    let mut at = start;
    while letters.len() < *length {
        match bytes.get(at)? {
            b' ' if letters.len() % 4 == 0 => {}
            letter if letter.is_ascii_digit() || letter.is_ascii_uppercase() => letters.push(*letter),
            _ => return None,
        }
        at += 1;
    }
    letters.rotate_left(4);
    let rest = letters.iter().fold(0_u32, |rest, letter| match letter {
        b'0'..=b'9' => (rest * 10 + u32::from(letter - b'0')) % 97,
        _ => (rest * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    (rest == 1 && ends(bytes, at)).then_some(Personal { kind: "iban", range: start..at, is_sure: true })
}

/// Ends of names that look like those of addresses: `icon@2x.png`.
const FILE_ENDS: [&str; 14] =
    ["css", "gif", "html", "ico", "jpeg", "jpg", "js", "json", "md", "png", "service", "svg", "ts", "webp"];
/// Nobody in particular.
const NOBODY: [&str; 8] =
    ["git", "noreply", "no-reply", "donotreply", "do-not-reply", "postmaster", "root", "user"];
/// How far an address is read.
const ADDRESS_BYTES: usize = 128;

/// The e-mail address around an `@`.
fn address(bytes: &[u8], at: usize) -> Option<Personal> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let before = &bytes[at.saturating_sub(ADDRESS_BYTES)..at];
    let start = at - before.iter().rev().take_while(is_name).count();
    let after = &bytes[at + 1..bytes.len().min(at + 1 + ADDRESS_BYTES)];
    let end = at + 1 + after.iter().take_while(is_host).count();
    let name = std::str::from_utf8(&bytes[start..at]).ok()?;
    let host = std::str::from_utf8(&bytes[at + 1..end]).ok()?.trim_end_matches(['.', '-']);
    let (domain, last) = host.rsplit_once('.')?;
    let is_address = !name.is_empty()
        && domain.bytes().any(|byte| byte.is_ascii_alphabetic())
        && (2..=24).contains(&last.len())
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FILE_ENDS.contains(&last)
        && !NOBODY.contains(&name.to_ascii_lowercase().as_str());
    let range = start..at + 1 + host.len();
    is_address.then_some(Personal { kind: "email", range, is_sure: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&'static str, bool, &str)> {
        find(text).into_iter().map(|found| (found.kind, found.is_sure, &text[found.range])).collect()
    }

    /// S: numbers of people are known by their form and their check digits.
    #[test]
    fn s_numbers_of_people_are_found() {
        for (text, kind, is_sure, shown) in [
            ("SSN: 123-45-6789.", "ssn", true, "123-45-6789"),
            ("x,078-05-1120,y", "ssn", true, "078-05-1120"),
            ("pay 4111 1111 1111 1111 now", "bank-card", true, "4111 1111 1111 1111"),
            ("5500-0000-0000-0004", "bank-card", true, "5500-0000-0000-0004"),
            ("3782 822463 10005", "bank-card", true, "3782 822463 10005"),
            ("card: 4111111111111111", "bank-card", true, "4111111111111111"),
            ("卡号 4111111111111111", "bank-card", true, "4111111111111111"),
            ("4111111111111111", "bank-card", false, "4111111111111111"),
            ("no 7 4111 1111 1111 1111 12/27", "bank-card", true, "4111 1111 1111 1111"),
            ("DE89 3704 0044 0532 0130 00", "iban", true, "DE89 3704 0044 0532 0130 00"),
            ("iban=GB82WEST12345698765432", "iban", true, "GB82WEST12345698765432"),
            ("주민등록번호 900101-1234568", "kr-resident", true, "900101-1234568"),
            ("tel +1 415 555 2671", "phone", false, "1 415 555 2671"),
            ("Jane <jane.doe+x@mail.acme.de>,", "email", false, "jane.doe+x@mail.acme.de"),
            ("bob@x.io.", "email", false, "bob@x.io"),
        ] {
            assert_eq!(kinds(text), [(kind, is_sure, shown)], "{text}");
        }
    }

    /// S: numbers and names that only look so are nobody's.
    #[test]
    fn s_ordinary_numbers_and_names_are_nobodys() {
        for text in [
            "000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000",
            "123 45 6789",
            "2026-11-18 00:42:27",
            "4111 1111 1111 1112",
            "1234 5678 9012 3456",
            "0.4111111111111111 -4111111111111111 v1.4111111111111111",
            "4111111111111111abc",
            "card 1234567890123456",
            "DE89 3704 0044 0532 0130 01",
            "DE8 AB12CD34 GB00",
            "991399-1234567 900101-9234568",
            "icon@2x.png git@host.example:a/b @types/node@18.0.0 user@host a @ b.c",
            "noreply@company.example",
            "+1 +12 1+1 415 555 2671",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "checksum = \"0123456789012345678901234567890123456789012345678901234567890123\"",
            "@",
            "é@é.é",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    /// S: what is sure is taken out; a second time changes nothing.
    #[test]
    fn s_numbers_are_taken_out() {
        let text = "a 123-45-6789 b 4111 1111 1111 1111 c jane@acme.de";
        let redacted = redact_sure(text);
        assert_eq!(redacted, "a [REDACTED:ssn] b [REDACTED:bank-card] c jane@acme.de");
        assert_eq!(redact_sure(&redacted), redacted);
    }

    /// D.14: for readers outside everything goes that may point to somebody, and a second time changes nothing.
    #[test]
    fn d_14_all_that_points_to_people_is_taken_out() {
        let text = "call 13812345678 or +1 415 555 2671, jane@corp.example, /home/jane/x, C:\\Users\\jané\\y, 4111111111111111";
        let redacted = redact_all(text);
        let expected = "call [REDACTED:phone] or +[REDACTED:phone], [REDACTED:email], /home/[REDACTED:account]/x, \
                        C:\\Users\\[REDACTED:account]\\y, [REDACTED:bank-card]";
        assert_eq!((redacted.as_str(), redact_all(&redacted)), (expected, expected.to_owned()));
        let harmless = "see https://example.org/home/page, src/home/view.rs, /home/ and git@host.example:a/b";
        assert_eq!(redact_all(harmless), harmless);
    }

    /// Long tables of numbers cost no more than their length.
    #[test]
    fn s_long_tables_of_numbers_are_read_once() {
        let table = "4111 ".repeat(100_000);
        assert_eq!(find(&table).iter().filter(|found| found.kind != "bank-card").count(), 0);
    }
}
