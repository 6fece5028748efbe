//! Takes what was found out of a text.

use std::borrow::Cow;

use crate::{Finding, scan::find};

const MARK: &str = "[REDACTED:";

/// Passes over one text. What is taken out can join what stood around it to something new; each pass leaves
/// less, and in practice the second finds nothing.
const PASSES: usize = 8;

/// The text with each secret replaced by `[REDACTED:rule]`; everything else stays byte for byte.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let spans = spans(&clean);
        if spans.is_empty() {
            break;
        }
        clean = Cow::Owned(replace(&clean, &spans));
    }
    clean
}

/// Whether [`redact`] would change the text.
pub fn contains_secret(text: &str) -> bool {
    !spans(text).is_empty()
}

/// What is to be replaced: overlapping findings as one, under the name of the surest.
fn spans(text: &str) -> Vec<Finding> {
    let mut spans: Vec<Finding> = Vec::new();
    for found in find(text) {
        if !found.level.is_redacted() || is_marks(&text[found.start..found.end]) {
            continue;
        }
        match spans.last_mut() {
            Some(last) if found.start < last.end => {
                if found.level > last.level {
                    (last.rule, last.level) = (found.rule, found.level);
                }
                last.end = last.end.max(found.end);
            }
            _ => spans.push(found),
        }
    }
    spans
}

/// Whether a text is nothing but marks of an earlier redaction.
fn is_marks(mut text: &str) -> bool {
    while let Some(rest) = text.strip_prefix(MARK) {
        let name =
            rest.bytes().take_while(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'0'..=b'9'));
        let Some(rest) = rest[name.count()..].strip_prefix(']') else { return false };
        text = rest;
    }
    text.is_empty()
}

fn replace(text: &str, spans: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        clean.push_str(&text[from..span.start]);
        clean.push_str(MARK);
        clean.push_str(span.rule);
        clean.push(']');
        from = span.end;
    }
    clean.push_str(&text[from..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token is replaced, everything around it stays, and a second time changes nothing.
    #[test]
    fn a_token_is_replaced_once() {
        let text = format!("before\r\nuse {}{} now — 再见", "ghp_", "a".repeat(36));
        let clean = redact(&text);
        assert_eq!(clean, "before\r\nuse [REDACTED:github-token] now — 再见");
        assert_eq!(redact(&clean), clean);
    }
}
