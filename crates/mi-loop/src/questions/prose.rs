//! The sentences of a message that speak to the reader: without code, quotes, logs, tables and headings.

use regex_lite::Regex;
use std::{ops::Range, sync::LazyLock};

use super::{cues, shape};
use crate::words::{is_chinese, sentence_ranges, strip_marker};

/// Two quotes farther apart than this do not belong together.
const QUOTE_CHARS: usize = 200;

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) text: String,
    /// The same, byte for byte as long, with quoted and backticked parts blotted out.
    pub(super) masked: String,
    pub(super) paragraph: usize,
    /// It begins an item of a list.
    pub(super) marked: bool,
    /// The item's marker, as written.
    pub(super) marker: String,
}

impl Unit {
    /// The whole text as one sentence.
    pub(super) fn whole(text: &str) -> Self {
        let text = text.trim();
        Self { text: text.to_owned(), masked: mask(text), paragraph: 0, marked: false, marker: String::new() }
    }
}

/// The sentences of `message`, in order.
pub(super) fn units(message: &str) -> Vec<Unit> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut paragraph = 0;
    for line in message.lines() {
        let trimmed = line.trim();
        if let Some(open) = fence {
            fence = if trimmed.starts_with(open) { None } else { fence };
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if fence.is_some() {
            continue;
        }
        if trimmed.is_empty() {
            paragraph += 1;
            continue;
        }
        if !is_material(line) {
            push_sentences(line, paragraph, &mut found);
        }
    }
    found
}

fn push_sentences(line: &str, paragraph: usize, found: &mut Vec<Unit>) {
    let (content, mut marked) = strip_marker(line);
    let mut marker = line[..line.len() - content.len()].trim_start().to_owned();
    let content = content.trim().trim_matches('*').trim();
    let masked = mask(content);
    for range in sentence_ranges(&masked) {
        let (Some(text), Some(hidden)) = (content.get(range.clone()), masked.get(range)) else { continue };
        let from = text.len() - text.trim_start().len();
        let to = from + text.trim().len();
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        for (text, masked) in several(&text[from..to], &hidden[from..to]) {
            let marker = std::mem::take(&mut marker);
            found.push(Unit { text, masked, paragraph, marked, marker });
            marked = false;
        }
    }
}

/// "Can I add it, and shall I push?" is two questions: one may be answered although the other is not.
fn several(text: &str, masked: &str) -> Vec<(String, String)> {
    static NEXT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i),? and (?:also )?(?:should|shall|can|may|could) (?:i|we) |, and (?:also )?(?:what|which|how|where|when|who|do you|would you|is it) |吗[，,、] ?(?:还)?(?:要|需要|是否|可以|能)")
            .expect("the pattern of a second question is valid")
    });
    if let Some(parts) = two_choices(text, masked) {
        return parts;
    }
    let whole = || vec![(text.to_owned(), masked.to_owned())];
    let plain = shape::plain(masked);
    let first = plain.trim_start().split(' ').next().unwrap_or_default();
    let asks = ASKS.contains(&first) || is_chinese(masked);
    // A condition in one of them may hold for both.
    if !masked.ends_with(['?', '？']) || shape::has_any(&plain, cues::CONDITIONS) {
        return whole();
    }
    let Some(next) = NEXT.find(masked).filter(|next| asks || masked[..next.start()].contains(" or ")) else {
        return whole();
    };
    let comma =
        masked[next.range()].find([',', '，', '、', ' ']).map_or(next.start(), |at| next.start() + at);
    let rest = masked[comma..].trim_start_matches([',', '，', '、', ' ']);
    let rest = rest.strip_prefix("and ").unwrap_or(rest);
    let from = masked.len() - rest.len();
    let first = |text: &str| format!("{}?", &text[..comma]);
    let mut parts = vec![(first(text), first(masked))];
    parts.extend(several(&text[from..], &masked[from..]));
    parts
}

/// "缩进用制表符还是空格，另外返回较小值还是平均值" and "tabs or spaces, and npm or pnpm?" are two choices each.
fn two_choices(text: &str, masked: &str) -> Option<Vec<(String, String)>> {
    static AND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[，,；;、。]\s*(?:另外|还有|此外|以及|同时)[，,]?\s*|[；;]\s*|(?i:, and (?:also )?)")
            .expect("the pattern between two choices is valid")
    });
    let chooses = |part: &str| {
        part.contains("还是") && shape::is_chinese_choice(part) || part.to_ascii_lowercase().contains(" or ")
    };
    let between = AND
        .find_iter(masked)
        .find(|between| chooses(&masked[..between.start()]) && chooses(&masked[between.end()..]))?;
    let mark = if masked.is_ascii() { "?" } else { "？" };
    let first = |text: &str| format!("{}{mark}", &text[..between.start()]);
    let is_marked = masked.ends_with(['?', '？']);
    let second = |text: &str| {
        let rest = text[between.end()..].trim_end_matches(['。', '.']);
        if is_marked { rest.to_owned() } else { format!("{rest}{mark}") }
    };
    let asks = is_marked || is_chinese(masked);
    asks.then(|| {
        let mut parts = vec![(first(text), first(masked))];
        parts.extend(several(&second(text), &second(masked)));
        parts
    })
}

/// Words that a question begins with.
const ASKS: &[&str] =
    &["should", "shall", "can", "may", "could", "do", "would", "which", "what", "where", "how", "is"];

/// Lines of logs, quotes, tables and headings.
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi)^\s*(
            \# | > | \| | \$\s | \+\+\+ | --- | @@ |
            [0-9]{4}-[0-9][0-9]-[0-9][0-9][T\s] | \[[0-9]{1,4}[:\-/0-9.] | [0-9][0-9]:[0-9][0-9]:[0-9][0-9] |
            \[?(error|warn|warning|info|debug|trace|fatal|note|help)\]?(\[[a-z0-9_]+\])?:\s |
            (error|warn|info|debug)\s*\[ | npm\s(err!|warn) | traceback | file\s" | thread\s' |
            assertionerror | e\s{3} | at\s\S+\s\( | panicked\sat | fail(ed)?:\s | stderr: | stdout:
        ) | \[y/n\]\s*:?\s*$ "#,
    )
    .expect("the pattern of log lines is valid")
});

/// Whether the line shows something rather than says it: a heading, a quote, a table, a log.
fn is_material(line: &str) -> bool {
    may_be_log(line) && LOG.is_match(line)
        || line.starts_with("    ")
            && !line.trim_start().starts_with(['-', '*'])
            && strip_marker(line).0 == line.trim_start()
}

/// Whether the pattern of log lines may match: most messages have no such line, and then it is never put together.
fn may_be_log(line: &str) -> bool {
    const BEGINNINGS: [&str; 18] = [
        "error",
        "warn",
        "info",
        "debug",
        "trace",
        "fatal",
        "note",
        "help",
        "npm",
        "file",
        "thread",
        "assertionerror",
        "at",
        "panicked",
        "fail",
        "stderr:",
        "stdout:",
        "+++",
    ];
    let start = line.trim_start();
    let begins_with =
        |word: &&str| start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    start.starts_with(|first: char| first.is_ascii_digit() || "#>|$-@[".contains(first))
        || matches!(start.as_bytes(), [b'e' | b'E', second, ..] if !second.is_ascii_graphic())
        || BEGINNINGS.iter().any(begins_with)
        || line.contains(']')
}

/// Blots out what stands in backticks, double quotes, Chinese quotes and URLs.
pub(super) fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for hidden in hidden_parts(text) {
        let shown = &text[hidden.clone()];
        masked.push_str(&text[from..hidden.start]);
        let keep = if shown.starts_with("http") {
            shown.len() - shown.trim_end_matches(['?', '？', '.', '。', ')', ',']).len()
        } else {
            0
        };
        masked.push_str(&"x".repeat(shown.len() - keep));
        masked.push_str(&shown[shown.len() - keep..]);
        from = hidden.end;
    }
    masked.push_str(&text[from..]);
    masked
}

/// Quotes are looked for by hand: a limit of 200 characters in a pattern costs milliseconds at every start.
fn hidden_parts(text: &str) -> Vec<Range<usize>> {
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"`[^`\n]*`|https?://[^\s\u{3000}]+|/[^\s\u{3000}]+/[gimsuy]{0,3}\b")
            .expect("the pattern of code and URLs is valid")
    });
    let (mut parts, mut from) = (Vec::new(), 0);
    // Every match has one of these, and most sentences have none.
    let may_match = text.contains(['`', '/']);
    let find_from = |from: usize| may_match.then(|| HIDDEN.find_at(text, from)).flatten();
    let mut next = find_from(0);
    while from < text.len() {
        next = next.filter(|found| found.start() >= from).or_else(|| find_from(from));
        let until = next.map_or(text.len(), |found| found.start());
        let quote = text[from..until]
            .char_indices()
            .find_map(|(at, _)| Some(from + at..from + at + quote_length(&text[from + at..])?));
        let Some(part) = quote.or_else(|| next.map(|found| found.range())) else { break };
        from = part.end;
        parts.push(part);
    }
    parts
}

/// How long the quoted part is that the text begins with, if it begins with one.
fn quote_length(text: &str) -> Option<usize> {
    let open = text.chars().next()?;
    let close = match open {
        '"' => '"',
        '“' => '”',
        '「' => '」',
        '『' => '』',
        _ => return None,
    };
    let inside = text[open.len_utf8()..].char_indices().take(QUOTE_CHARS + 1);
    let (length, _) =
        inside.take_while(|(_, letter)| *letter != '\n').find(|(_, letter)| *letter == close)?;
    Some(open.len_utf8() + length + close.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// What is passed over without asking the pattern is nothing that the pattern would find.
        #[test]
        fn lines_that_are_passed_over_are_no_log_lines(
            blank in "[ \t\u{b}\u{3000}]{0,2}",
            start in "(?i)(#|>|\\||\\$|\\+\\+\\+|---|@@|2026-01-01|\\[12:|01:02:03|\\[?(error|warn|warning|info|debug|trace|fatal|note|help)\\]?|npm|traceback|file|thread|assertionerror|e|at|panicked|fail(ed)?|std(err|out)|[a-z]{0,3})",
            rest in "[:T \t\u{b}\\[\\]\"'!(a-z]{0,4}(\\[y/n\\]:? ?)?",
        ) {
            let line = format!("{blank}{start}{rest}");
            prop_assert!(may_be_log(&line) || !LOG.is_match(&line), "{line:?}");
        }
    }
}
