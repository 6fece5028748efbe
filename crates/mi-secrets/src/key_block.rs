//! Private key blocks: PEM, OpenSSH and PGP, also cut off, and with line ends written as `\n` inside a string.

use memchr::memchr_iter;

use crate::{
    Finding, Level, Rule,
    class::{self, ALNUM, DASH, DOT, EQUALS, Kinds, PLUS, SLASH, SPACE},
    scan::Text,
};

pub(crate) const ANCHOR: &str = "-----BEGIN";
const END: &str = "-----END";

/// Most of what a body has; some marks more may stand in its headers or around its lines.
const ALLOWED: Kinds = ALNUM | PLUS | SLASH | EQUALS | SPACE | DASH | DOT;

/// How far the end of a block is looked for; a longer block is taken as one that is cut off.
const LONGEST: usize = 32 * 1024;

/// The key block whose first dash is at `start`. Public keys and certificates are no secrets.
pub(crate) fn find(text: Text<'_>, start: usize) -> Option<Finding> {
    let rest = text.as_str().get(start..)?;
    let label = rest.strip_prefix(ANCHOR)?;
    let label = &label[..until_dashes(label)?];
    if !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let head = ANCHOR.len() + label.len() + 5;
    let body = &rest[head..];
    let length = whole_body(body).or_else(|| cut_body(body))?;
    Some(Finding {
        rule: const { Rule::named("private-key") },
        start,
        end: start + head + length,
        level: Level::Secret,
    })
}

/// The length of a body and its end line. A body of dots or of code is documentation or a parser.
fn whole_body(body: &str) -> Option<usize> {
    let window = &body[..body.floor_char_boundary(LONGEST)];
    let end = dashes(window.as_bytes()).filter(|end| body[*end..].starts_with(END))?;
    let is_allowed = |byte: u8| class::is(byte, ALLOWED) || b"\\:,\"'|>#@".contains(&byte);
    let letters = || body[..end].bytes().filter(u8::is_ascii_alphanumeric).nth(15);
    if !body[..end].bytes().all(is_allowed) || letters().is_none() {
        return None;
    }
    let tail = &body[end + END.len()..];
    Some(end + END.len() + until_dashes(tail).map_or(0, |label| label + 5))
}

/// The length of a body whose end is missing: some header words, then long base64 words.
fn cut_body(body: &str) -> Option<usize> {
    let bytes = &body.as_bytes()[..body.len().min(1024 * 1024)];
    let (mut at, mut end, mut headers) = (0, None, 0);
    loop {
        at += gap_length(&bytes[at..]);
        let word = bytes[at..].iter().take_while(|byte| is_base64(**byte)).count();
        let is_last = end.is_some() && bytes[at..].get(word.wrapping_sub(1)) == Some(&b'=');
        if word >= 16 || is_last {
            end = Some(at + word);
        } else if end.is_some() || headers == 16 {
            return end;
        } else {
            headers += 1;
        }
        at += word;
        // A header has more than base64 characters.
        at += bytes[at..].iter().take_while(|byte| b":,-.".contains(byte)).count();
        if at == bytes.len() {
            return end;
        }
    }
}

/// White space, quotes, and line ends that are written as `\n`.
fn gap_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match &bytes[at..] {
            [b' ' | b'\t' | b'\r' | b'\n', ..] => at += 1,
            [b'\\', b'n' | b'r', ..] => at += 2,
            [b'\\', b'\\', b'n' | b'r', ..] => at += 3,
            _ => return at,
        }
    }
}

fn until_dashes(text: &str) -> Option<usize> {
    dashes(&text.as_bytes()[..text.len().min(48)])
}

/// Where five dashes stand. Setting up a search for them takes longer than most bodies.
fn dashes(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'-', bytes).find(|at| bytes[*at..].starts_with(b"-----"))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
