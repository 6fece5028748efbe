//! Numbers of people: Chinese identity cards by their check digit, and mobile phones.
//!
//! A bare phone number is a notice; one that a label calls so is in [`crate::shapes`]. Elsewhere: what else points to people
//! is looked for in what comes out of a box, `mi-box`.

use crate::{
    Finding, Level, Rule, checksum,
    scan::{Text, past_escape},
};

const PHONE: usize = 11;
const IDENTITY: usize = 18;

/// Adds the numbers of a text. Runs of eleven digits are rare, so every eleventh byte is enough to find them.
pub(crate) fn find(text: Text<'_>, findings: &mut Vec<Finding>) {
    let bytes = text.bytes();
    let (mut at, mut floor) = (PHONE - 1, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            floor = at + 1;
            at += PHONE;
            continue;
        }
        let start = at - bytes[floor..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if end - start >= PHONE {
            findings.extend(number(bytes, start, end));
        }
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
        [b'1', b'3'..=b'9', ..] if digits.len() == PHONE => {
            (const { Rule::named("cn-mobile") }, Level::Notice)
        }
        [b'8', b'6', b'1', b'3'..=b'9', ..] if digits.len() == PHONE + 2 => {
            (const { Rule::named("cn-mobile") }, Level::Notice)
        }
        _ if checksum::chinese_identity(digits) => (const { Rule::named("cn-identity") }, Level::Secret),
        _ => return None,
    };
    Some(Finding { rule, start, end, level })
}
