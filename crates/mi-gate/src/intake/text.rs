//! A message as words: quoted code left out, lower case, sentences kept apart.

mod quotes;

use std::sync::LazyLock;

use regex::Regex;

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
        Self::of(message, str::to_owned)
    }

    /// The message without the words that it only mentions: "the label "urgent" is misplaced" hurries nobody.
    pub(super) fn spoken(message: &str) -> Self {
        let spoken = Self::of(message, quotes::without);
        // A message that is nothing but a quotation is what is said.
        if spoken.tokens.is_empty() && !spoken.plain.contains(is_chinese) {
            Self::new(message)
        } else {
            spoken
        }
    }

    fn of(message: &str, read: impl Fn(&str) -> String) -> Self {
        let message = &message[..message.floor_char_boundary(MAX_BYTES)];
        let lines: Vec<String> = without_blocks(message);
        let cased = lines.iter().map(|line| read(&without_inline_code(line))).collect::<Vec<_>>().join("\n");
        let plain: String = cased.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect();
        let tokens = tokens(&plain);
        Self { plain, cased, tokens, lines }
    }

    /// Where a phrase of whole words begins, as token indices; `~` stands for up to [`GAP`] words of the sentence.
    pub(super) fn phrase(&self, phrase: &str) -> Vec<usize> {
        self.phrase_spans(phrase).into_iter().map(|(start, _)| start).collect()
    }

    /// The same with the token behind the phrase.
    pub(super) fn phrase_spans(&self, phrase: &str) -> Vec<(usize, usize)> {
        let mut parts = phrase.split('~').map(words_of).filter(|words| !words.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let rest: Vec<Vec<String>> = parts.collect();
        (0..self.tokens.len())
            .filter(|at| self.stands_at(*at, &first))
            .filter_map(|at| {
                let end = rest.iter().try_fold(at + first.len(), |end, words| self.after(end, words))?;
                Some((at, end))
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

    /// Whether the sentence around a byte of `plain` is a question; in Chinese a clause may ask by itself: 确定了吗,我看看.
    pub(super) fn asks_at(&self, at: usize) -> bool {
        let clause = start_of(&self.plain[at..]).split([',', '，', '\n']).next().unwrap_or_default();
        if clause.trim_end().ends_with('吗') {
            return true;
        }
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

/// The message without what it says about when it is done, up to the end of that sentence.
pub(super) fn without_criteria(message: &str) -> String {
    static CRITERIA: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:\b(?:done when|finished when|acceptance criteria|definition of done)\b|验收标准|完成标准|验收条件)[^.;\n。；]*")
            .expect("a fixed pattern compiles")
    });
    // Patterns are compiled only where they can match: a hook lives for milliseconds.
    const HINTS: [&str; 5] = [" when", "criteria", "definition of", "验收", "完成标准"];
    let small = message.to_ascii_lowercase();
    if HINTS.iter().any(|hint| small.contains(hint)) {
        CRITERIA.replace_all(message, " ").into_owned()
    } else {
        message.to_owned()
    }
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

/// Code that the message says to run: "run `drop table users`", and a block below such a line.
pub(super) fn to_be_run(message: &str) -> String {
    static RUN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:\b(?:run|execute|exec|issue|apply)\b|执行|运行|跑)[^.!?。]{0,30}$")
            .expect("a fixed pattern compiles")
    });
    let message = &message[..message.floor_char_boundary(MAX_BYTES)];
    if !message.contains(['`', '~']) {
        return String::new();
    }
    let (mut code, mut before, mut inside) = (String::new(), String::new(), None);
    for line in message.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            inside = if inside.is_some() { None } else { Some(RUN.is_match(end_of(&before))) };
            continue;
        }
        match inside {
            Some(true) => code.extend([line, "\n"]),
            Some(false) => {}
            None => {
                let parts: Vec<&str> = line.split('`').collect();
                let pairs =
                    parts.chunks_exact(2).filter(|pair| RUN.is_match(end_of(&pair[0].to_lowercase())));
                pairs.for_each(|pair| code.extend([pair[1], "\n"]));
                if !line.trim().is_empty() {
                    before = line.to_lowercase();
                }
            }
        }
    }
    code
}

fn without_inline_code(line: &str) -> String {
    // An odd number of backticks is no code.
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return line.to_owned();
    }
    // Something stands there, whatever it is: a list of names in code is a list.
    parts.iter().enumerate().map(|(at, part)| if at % 2 == 0 { *part } else { " `` " }).collect()
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

/// `.md` and the like, where a name ends with it.
pub(super) fn document_ending(rest: &str) -> Option<&'static str> {
    const ENDINGS: [&str; 10] =
        [".md", ".mdx", ".txt", ".rst", ".adoc", ".pdf", ".docx", ".png", ".svg", ".jpg"];
    ENDINGS.into_iter().find(|ending| {
        rest.strip_prefix(ending)
            .is_some_and(|rest| !rest.starts_with(|char: char| char.is_ascii_alphanumeric()))
    })
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut start = None;
    let is_word =
        |char: char| (char.is_alphanumeric() && !is_chinese(char)) || matches!(char, '_' | '\'' | '’');
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        // The name of a document is one word: `architecture.md` is no architecture.
        let of_name = char == '.' && start.is_some() && document_ending(&text[at..]).is_some();
        match (is_word(char) || of_name, start) {
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
