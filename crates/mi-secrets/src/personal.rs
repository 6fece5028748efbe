//! Numbers of people: Chinese identity cards by their check digit, mobile phones and bank cards; and mail addresses.
//!
//! A bare number of a phone or a card is a notice; one that a label calls so is in [`crate::shapes`]. Mail addresses are
//! notices too: most that stand in files are there to be read.

use memchr::{memchr_iter, memrchr};

use crate::{
    Finding, Level, checksum,
    class::{self, ALNUM, DASH, DOT, Kinds, LETTER, PERCENT, PLUS, WORD},
    scan::{Text, past_escape},
};

const PHONE: usize = 11;
const IDENTITY: usize = 18;

/// Adds the numbers of a text. Runs of eleven digits are rare, so every eleventh byte is enough to find them.
pub(crate) fn find(text: Text<'_>, findings: &mut Vec<Finding>) {
    let bytes = text.bytes();
    findings.extend(memchr_iter(b'@', bytes).filter_map(|at| address(bytes, at)));
    let (mut at, mut floor) = (PHONE - 1, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            floor = at + 1;
            at += PHONE;
            continue;
        }
        let start = at - bytes[floor..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        findings.extend(number(bytes, start, end));
        floor = end;
        at = end + PHONE - 1;
    }
}

fn number(bytes: &[u8], start: usize, end: usize) -> Option<Finding> {
    let escape = past_escape(bytes, start).map(|past| past.min(end));
    let before = start.checked_sub(1).map(|at| bytes[at]).filter(|_| escape.is_none());
    let start = escape.unwrap_or(start);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'#')) {
        return None;
    }
    let letter = usize::from(end - start == IDENTITY - 1 && matches!(bytes.get(end), Some(b'X' | b'x')));
    let end = end + letter;
    if bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-') {
        return None;
    }
    let digits = &bytes[start..end];
    let (rule, level) = match digits {
        [b'1', b'3'..=b'9', ..] if digits.len() == PHONE => ("cn-mobile", Level::Notice),
        [b'8', b'6', b'1', b'3'..=b'9', ..] if digits.len() == PHONE + 2 => ("cn-mobile", Level::Notice),
        _ if checksum::chinese_identity(digits) => ("cn-identity", Level::Secret),
        _ if is_issued(digits) && checksum::bank_card(digits) => ("bank-card", Level::Notice),
        _ => return None,
    };
    Some(Finding { rule, start, end, level })
}

/// Whether cards of this length begin like this: UnionPay, Visa, Mastercard, American Express, Discover and JCB.
fn is_issued(digits: &[u8]) -> bool {
    match digits {
        [b'6', b'2', ..] => (16..=19).contains(&digits.len()),
        [b'3', b'4' | b'7', ..] => digits.len() == 15,
        [b'4', ..] | [b'5', b'1'..=b'5', ..] | [b'6', b'5', ..] | [b'3', b'5', ..] => digits.len() == 16,
        _ => false,
    }
}

/// The mail address around an `@`.
fn address(bytes: &[u8], at: usize) -> Option<Finding> {
    const LOCAL: Kinds = WORD | DOT | PLUS | PERCENT;
    /// What ends the names of files and not those of hosts.
    const FILES: [&[u8]; 6] = [b"png", b"jpg", b"jpeg", b"gif", b"svg", b"webp"];
    let start = at - class::run_back(&bytes[at.saturating_sub(64)..at], LOCAL);
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let name = &bytes[start..at];
    // `https://user@host` and `git@host:path` are addresses of other things.
    if !name.first()?.is_ascii_alphanumeric() || before == Some(b'/') || name == b"git" {
        return None;
    }
    let window = &bytes[at + 1..bytes.len().min(at + 254)];
    let run = class::run(window, ALNUM | DASH | DOT);
    let host = &window[..run - class::run_back(&window[..run], DASH | DOT)];
    let dot = memrchr(b'.', host)?;
    let (domain, top) = (&host[..dot], &host[dot + 1..]);
    let is_host = domain.first()?.is_ascii_alphanumeric()
        && top.len() >= 2
        && class::are_all(top, LETTER)
        && !FILES.contains(&top);
    is_host.then_some(Finding { rule: "email", start, end: at + 1 + host.len(), level: Level::Notice })
}

#[cfg(test)]
mod tests {
    use crate::find;

    /// Addresses and numbers of people are pointed out and left where they stand.
    #[test]
    fn people_are_noticed() {
        for (text, rule) in [
            ("write to alice.b+x@mail.example.org.", Some("email")),
            ("\"author\": \"Bob <bob@example.com>\"", Some("email")),
            ("mailto:a@b.io?subject=x", Some("email")),
            ("paid with 4111111111111111 today", Some("bank-card")),
            ("paid with 4111111111111112 today", None),
            ("trace 1731710353123456789", None),
            ("git@example.org:a/b.git", None),
            ("https://bob@example.org/x", None),
            ("logo@2x.png and lodash@4.17.21 and @app.route", None),
            ("user@localhost", None),
        ] {
            let found = find(text);
            assert_eq!(found.first().map(|found| found.rule), rule, "{text}");
            assert!(!found.iter().any(|found| found.level.is_redacted()), "{text}");
        }
    }
}
