//! Takes what was found out of a text.

use std::{borrow::Cow, ops::Range};

use aho_corasick::AhoCorasick;
use memchr::memmem;

use crate::{Finding, scan::find};

/// Bytes of a text that is read faster than the processor is asked about itself.
const SHORT: usize = 4096;
const MARK: &str = "[REDACTED:";

/// Passes over one text. What is taken out can join what stood around it to something new; each pass leaves
/// less, and in practice the second finds nothing.
const PASSES: usize = 8;

/// How many secrets of one text are looked for in the rest of it.
const REPEATS: usize = 256;

/// The text with each secret replaced by `[REDACTED:rule]`; everything else stays byte for byte.
///
/// A secret that one place gives away (`password=…`) is replaced wherever else it stands in the text.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let spans = spans(&clean);
        if spans.is_empty() {
            break;
        }
        let spans = with_repeats(&clean, spans);
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
    merge(find(text).into_iter().filter(|found| found.level.is_redacted()).collect())
}

fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|found| (found.start, found.end));
    let mut spans: Vec<Finding> = Vec::new();
    for found in findings {
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

/// Adds the other places where a secret of the text stands. Short secrets and plain words are left where nothing
/// gives them away: they are words of the text too.
fn with_repeats(text: &str, spans: Vec<Finding>) -> Vec<Finding> {
    let value = |span: &Finding| &text[span.start..span.end];
    let mut known: Vec<Finding> = spans.iter().copied().filter(|span| is_telling(value(span))).collect();
    known.sort_by_key(value);
    known.dedup_by_key(|span| value(span));
    known.truncate(REPEATS);
    let Ok(values) = AhoCorasick::new(known.iter().map(value)) else { return spans };
    let repeats = values.find_overlapping_iter(text).map(|hit| {
        let Finding { rule, level, .. } = known[hit.pattern().as_usize()];
        Finding { rule, level, start: hit.start(), end: hit.end() }
    });
    let repeats: Vec<Finding> = repeats.collect();
    merge(spans.into_iter().chain(repeats).collect())
}

fn is_telling(value: &str) -> bool {
    (8..=4096).contains(&value.len()) && !value.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Drops findings inside the marks of an earlier redaction, and widens those that cut into one.
pub(crate) fn respect_marks(marks: &[Range<usize>], findings: &mut Vec<Finding>) {
    if marks.is_empty() {
        return;
    }
    findings.retain_mut(|found| {
        let first = marks.partition_point(|mark| mark.end <= found.start);
        let touched = marks[first..].iter().take_while(|mark| mark.start < found.end);
        let (mut inside, mut start, mut end) = (0, found.start, found.end);
        for mark in touched {
            inside += mark.end.min(found.end) - mark.start.max(found.start);
            (start, end) = (start.min(mark.start), end.max(mark.end));
        }
        let is_news = inside < found.end - found.start;
        (found.start, found.end) = (start, end);
        is_news
    });
}

/// Where marks stand.
pub(crate) fn marks(text: &str) -> Vec<Range<usize>> {
    // `memmem` first asks what the processor can do. Under a virtual machine each such question takes longer than reading
    // a short text, and a hook reads little else.
    if text.len() < SHORT && !text.contains(MARK) {
        return Vec::new();
    }
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let mark = |start: usize| {
        let rest = &text.as_bytes()[start + MARK.len()..];
        let name = rest.iter().take(32).take_while(|byte| is_name(byte)).count();
        (rest.get(name) == Some(&b']')).then_some(start..start + MARK.len() + name + 1)
    };
    memmem::find_iter(text.as_bytes(), MARK).filter_map(mark).collect()
}

fn replace(text: &str, spans: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        clean.push_str(&text[from..span.start]);
        clean.push_str(MARK);
        clean.push_str(span.rule.name());
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

    /// A password that one line gives away is taken out of the other lines too.
    #[test]
    fn a_known_secret_is_taken_out_everywhere() {
        let text = format!("DB_PASSWORD={0}\nlogin with {0}", "hunter2-abc");
        assert_eq!(redact(&text), "DB_PASSWORD=[REDACTED:password]\nlogin with [REDACTED:password]");
    }

    /// Text without secrets is not even copied.
    #[test]
    fn clean_text_is_borrowed() {
        assert!(matches!(redact("nothing to see"), Cow::Borrowed("nothing to see")));
        assert!(!contains_secret("nothing to see"));
    }
}
