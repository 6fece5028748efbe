//! A message as words: quoted code left out, lower case, sentences kept apart.

/// A message, read once.
pub(super) struct Text {
    /// Without code blocks, inline code and quoted lines; lower case.
    pub(super) plain: String,
    /// As [`Text::plain`], in its own case.
    pub(super) cased: String,
    /// English words of `plain`, with their byte ranges.
    pub(super) tokens: Vec<Token>,
    /// Lines of the original, for lists.
    pub(super) lines: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) word: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Messages are read up to this many bytes; what is longer is pasted material.
const MAX_BYTES: usize = 256 * 1024;

impl Text {
    pub(super) fn new(message: &str) -> Self {
        let message = &message[..message.floor_char_boundary(MAX_BYTES)];
        let lines: Vec<String> = without_blocks(message);
        let cased = lines.iter().map(|line| without_inline_code(line)).collect::<Vec<_>>().join("\n");
        let plain: String = cased.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect();
        let tokens = tokens(&plain);
        Self { plain, cased, tokens, lines }
    }

    /// Where a phrase of whole words begins, as token indices; `~` stands for up to [`GAP`] words of the sentence.
    pub(super) fn phrase(&self, phrase: &str) -> Vec<usize> {
        let mut parts = phrase.split('~').map(words_of).filter(|words| !words.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let rest: Vec<Vec<String>> = parts.collect();
        (0..self.tokens.len())
            .filter(|at| {
                self.stands_at(*at, &first) && {
                    let mut end = *at + first.len();
                    rest.iter().all(|words| match self.after(end, words) {
                        Some(next) => {
                            end = next;
                            true
                        }
                        None => false,
                    })
                }
            })
            .collect()
    }

    fn stands_at(&self, at: usize, words: &[String]) -> bool {
        self.tokens
            .get(at..at + words.len())
            .is_some_and(|found| found.iter().zip(words).all(|(token, word)| token.word == *word))
    }

    /// The end of `words` where they follow within the gap and the sentence.
    fn after(&self, end: usize, words: &[String]) -> Option<usize> {
        let last = self.tokens.get(end.checked_sub(1)?)?;
        (end..=end + GAP)
            .find(|at| {
                let same = self.tokens.get(*at).is_some_and(|token| {
                    !self.plain[last.end..token.start].contains(['.', '!', '?', ';', '\n', '。'])
                });
                same && self.stands_at(*at, words)
            })
            .map(|at| at + words.len())
    }

    /// Whether the sentence around a byte of `plain` is a question.
    pub(super) fn asks_at(&self, at: usize) -> bool {
        let end = self.plain[at..]
            .find(['.', '!', '?', '\n', '。', '！', '？', ';', '；'])
            .map_or(self.plain.len(), |end| at + end);
        self.plain[end..].starts_with(['?', '？'])
            || ["吗", "呢", "么", "什么", "没有"]
                .iter()
                .any(|word| self.plain[at..end].trim_end().ends_with(word))
    }
}

/// Words that may stand where a phrase has `~`.
const GAP: usize = 3;

fn words_of(phrase: &str) -> Vec<String> {
    tokens(&phrase.to_lowercase()).into_iter().map(|token| token.word).collect()
}

/// The message with a blank for each secret.
pub(super) fn without_secrets(message: &str) -> String {
    let redacted = mi_secrets::redact(message);
    let mut clean = String::with_capacity(redacted.len());
    let mut rest: &str = &redacted;
    while let Some((before, after)) = rest.split_once("[REDACTED:") {
        clean.push_str(before);
        clean.push(' ');
        rest = after.split_once(']').map_or("", |(_, after)| after);
    }
    clean.push_str(rest);
    clean
}

fn without_blocks(message: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in message.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            inside = !inside;
        } else if !inside && !line.trim_start().starts_with("> ") {
            lines.push(line.to_owned());
        }
    }
    lines
}

fn without_inline_code(line: &str) -> String {
    // An odd number of backticks is no code.
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return line.to_owned();
    }
    parts.iter().enumerate().map(|(at, part)| if at % 2 == 0 { *part } else { " " }).collect()
}

/// How much of a clause is read around a word: time grows with the length of a message, not with its square.
const NEAR: usize = 240;

/// The end of what stands before a place.
pub(super) fn end_of(before: &str) -> &str {
    &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..]
}

/// The beginning of what follows it.
pub(super) fn start_of(after: &str) -> &str {
    &after[..after.floor_char_boundary(NEAR)]
}

pub(super) fn is_chinese(char: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&char)
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut start = None;
    let is_word =
        |char: char| (char.is_alphanumeric() && !is_chinese(char)) || matches!(char, '_' | '\'' | '’');
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_word(char), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text[from..at].replace('’', "'");
                found.push(Token { word, start: from, end: at });
                start = None;
            }
            _ => {}
        }
    }
    found
}
