//! Private key blocks: PEM, OpenSSH and PGP, also cut off, and with line ends written as `\n` inside a string.

use crate::{Finding, Level, scan::Text};

pub(crate) const ANCHOR: &str = "-----BEGIN";

/// The key block whose first dash is at `start`. Public keys and certificates are no secrets.
pub(crate) fn find(text: Text<'_>, start: usize) -> Option<Finding> {
    let rest = text.as_str().get(start..)?;
    let label = rest.strip_prefix(ANCHOR)?;
    let label = &label[..label.find("-----").filter(|length| *length <= 40)?];
    if !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let head = ANCHOR.len() + label.len() + 5;
    let body = rest[head..].find("-----END").unwrap_or_else(|| body_length(&rest[head..]));
    // A heading without any body is documentation.
    if rest[head..head + body].bytes().filter(u8::is_ascii_alphanumeric).count() < 16 {
        return None;
    }
    let tail = rest[head + body..]
        .strip_prefix("-----END")
        .and_then(|tail| Some(8 + tail.find("-----").filter(|length| *length <= 40)? + 5));
    Some(Finding {
        rule: "private-key",
        start,
        end: start + head + body + tail.unwrap_or(0),
        level: Level::Secret,
    })
}

/// How far a block without an end goes: as long as there are base64 characters, line ends and headers.
fn body_length(rest: &str) -> usize {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\\\r\n\t :-,.".contains(byte);
    rest.bytes().take_while(|byte| allowed(byte)).count()
}
