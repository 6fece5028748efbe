//! Text cut into sentences: prose, lists and lines, English and Chinese, with the exact words kept.

use std::ops::Range;

/// The sentences of `text`, each without its list marker. A line that goes on with the thought of the one
/// before it ("unless …") belongs to that sentence, so that no condition is cut off from what it limits.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in joined_lines(text) {
        for sentence in split_line(&line) {
            if limits_the_one_before(&sentence)
                && let Some(last) = found.last_mut()
            {
                last.push(' ');
                last.push_str(&sentence);
            } else {
                found.push(sentence);
            }
        }
    }
    found
}

/// The line without a leading `- `, `* `, `1. `, `a) ` or `（1）`, and whether there was one.
pub(crate) fn strip_marker(line: &str) -> (&str, bool) {
    let trimmed = line.trim_start();
    for bullet in ["- [ ] ", "- ", "* ", "• ", "+ ", "· "] {
        if let Some(rest) = trimmed.strip_prefix(bullet) {
            return (rest.trim_start(), true);
        }
    }
    let unbracketed = trimmed.strip_prefix(['(', '（']).unwrap_or(trimmed);
    let label: String = unbracketed.chars().take_while(|char| char.is_ascii_alphanumeric()).collect();
    let labelled = match label.len() {
        1 => true,
        2 | 3 => label.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    if labelled {
        let rest = &unbracketed[label.len()..];
        let after = rest.strip_prefix([')', '）', '、']).or_else(|| rest.strip_prefix(". "));
        let after = after.or_else(|| rest.strip_prefix(": ")).filter(|after| !after.is_empty());
        if let Some(after) = after {
            return (after.trim_start(), true);
        }
    }
    (trimmed, false)
}

/// Whether the character at byte `at` ends a sentence there.
fn ends_sentence(text: &str, at: usize, char: char) -> bool {
    let next = text[at + char.len_utf8()..].chars().next();
    match char {
        '。' | '！' | '？' => true,
        '!' | '?' | '.' => {
            let open = next.is_none_or(|next| {
                next.is_whitespace()
                    || matches!(next, '"' | '”' | '’' | ')' | '*' | '_')
                    || super::is_han(next)
            });
            open && !(char == '.' && ends_with_abbreviation(&text[..at]))
        }
        _ => false,
    }
}

fn ends_with_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(', '\n']).next().unwrap_or_default().to_ascii_lowercase();
    let list_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let starts_line = before.trim_start().len() == word.len();
    ["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "mr", "dr"].contains(&word.as_str()) && word != "no"
        || (list_number && starts_line)
}

fn split_line(line: &str) -> Vec<String> {
    let parts = sentence_ranges(line).into_iter().map(|range| line[range].trim().to_owned());
    parts.filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

/// Where each sentence of one line stands.
pub(crate) fn sentence_ranges(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, char) in line.char_indices() {
        if at >= from && ends_sentence(line, at, char) {
            let end = closing_end(line, at + char.len_utf8());
            found.push(from..end);
            from = end;
        }
    }
    found.push(from..line.len());
    found
}

/// Closing quotes, brackets and repeated marks belong to the sentence they close.
fn closing_end(line: &str, from: usize) -> usize {
    let closing =
        |char: char| matches!(char, '"' | '”' | '’' | ')' | '）' | '?' | '!' | '？' | '！' | '*' | '_');
    line[from..].char_indices().find(|&(_, char)| !closing(char)).map_or(line.len(), |(at, _)| from + at)
}

/// Lines without markers; a line that was only wrapped is joined to the one before it.
fn joined_lines(text: &str) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let (content, marked) = strip_marker(line);
        let content = content.trim();
        if content.is_empty() {
            open = false;
            continue;
        }
        let wrapped = open && !marked && goes_on(joined.last().map_or("", String::as_str), content);
        match joined.last_mut().filter(|_| wrapped) {
            Some(last) => {
                last.push(' ');
                last.push_str(content);
            }
            None => joined.push(content.to_owned()),
        }
        open = true;
    }
    joined
}

fn goes_on(before: &str, next: &str) -> bool {
    if before.ends_with(['.', '!', '?', '。', '！', '？', ';', '；', ':', '：']) {
        return false;
    }
    let first = next.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let continues = CONTINUES.contains(&first.as_str());
    let lower = next.chars().next().is_some_and(char::is_lowercase);
    continues || before.ends_with([',', '，', '、']) || (lower && before.chars().count() > 60)
}

const CONTINUES: &[&str] = &[
    "unless", "if", "except", "or", "and", "but", "without", "until", "because", "that", "which", "where",
    "to", "of", "in", "for", "than",
];

/// A sentence of its own in form, but a limit of the one before it in sense.
fn limits_the_one_before(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    ["unless ", "except ", "except:", "exception", "only if ", "but only", "除非", "例外", "除了"]
        .iter()
        .any(|start| lower.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists, lines and both languages; words stay exact.
    #[test]
    fn text_is_cut_into_sentences() {
        let text = "- Use tabs.\n2) Avoid new dependencies\nunless the standard library cannot do it.\n先跑测试再提交。不要推送！Run v1.2 of foo.rs, e.g. now. Yes";
        assert_eq!(
            sentences(text),
            [
                "Use tabs.",
                "Avoid new dependencies unless the standard library cannot do it.",
                "先跑测试再提交。",
                "不要推送！",
                "Run v1.2 of foo.rs, e.g. now.",
                "Yes",
            ]
        );
    }

    /// A condition in a sentence of its own still limits what stands before it.
    #[test]
    fn exceptions_stay_with_their_rule() {
        assert_eq!(sentences("Never push. Except to my fork."), ["Never push. Except to my fork."]);
    }
}
