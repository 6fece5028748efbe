//! Words of English and Chinese text, close enough to compare what two sentences speak of.
//!
//! [`read`] turns a text into the [`Item`]s the rules know: acts, topics, cues and remaining words, in order.
//! Holds: no text makes it fail; forms are data in [`lexicon`], matched longest first on stems.
//! Elsewhere: what a sentence wants is `answers::stance`; which sentences ask is `questions`.

mod caution;
pub(crate) mod lexicon;
mod read;
mod sentences;
mod stem;
mod tables;

pub(crate) use caution::{announces_grave, is_unspaced, plain_words};
pub(crate) use lexicon::{Act, Cue};
pub(crate) use read::{Item, Term, read, terms_of};
pub(crate) use sentences::{sentence_ranges, sentences, strip_marker};
pub(crate) use stem::stem;

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// One Chinese character.
    Han,
    /// One word in backticks, kept whole: a name, not prose.
    Code,
    Mark,
}

/// The smallest part of a text that is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) stem: String,
    pub(crate) kind: TokenKind,
}

/// Whether the text is written in Chinese, at least in part.
pub(crate) fn is_chinese(text: &str) -> bool {
    text.chars().any(is_han) && !is_japanese(text)
}

/// Whether the text is written in Japanese: it has syllables beside Chinese characters.
pub(crate) fn is_japanese(text: &str) -> bool {
    text.chars().any(is_kana)
}

/// Whether the character is a Japanese syllable.
pub(crate) fn is_kana(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{30ff}')
}

/// Whether the character is a Chinese one.
pub(crate) fn is_han(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The tokens of `text`, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    // The Chinese forms would be found inside of Japanese words and mean something else there.
    let is_japanese = is_japanese(text);
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '`' => code_span(rest, &mut found),
            _ if is_japanese && is_han(first) => japanese_word(rest, &mut found),
            _ => plain(rest, first, &mut found),
        };
        rest = &rest[taken.max(first.len_utf8())..];
    }
    found
}

/// Reads a backticked name as one token; anything else in backticks is read as prose. Returns the bytes used.
fn code_span(rest: &str, found: &mut Vec<Token>) -> usize {
    let inner = &rest[1..];
    let Some(end) = inner.find(['`', '\n']).filter(|&end| inner[end..].starts_with('`')) else { return 1 };
    let name = &inner[..end];
    if name.is_empty() || name.contains(char::is_whitespace) {
        return 1;
    }
    found.push(Token { stem: name.to_lowercase(), kind: TokenKind::Code });
    end + 2
}

/// Takes a run of Chinese characters in Japanese text as one word. Returns the bytes used.
fn japanese_word(rest: &str, found: &mut Vec<Token>) -> usize {
    let length = rest.find(|char| !is_han(char)).unwrap_or(rest.len());
    found.push(Token { stem: rest[..length].to_owned(), kind: TokenKind::Word });
    length
}

fn plain(rest: &str, first: char, found: &mut Vec<Token>) -> usize {
    if is_han(first) {
        found.push(Token { stem: first.to_string(), kind: TokenKind::Han });
        return first.len_utf8();
    }
    if first.is_alphanumeric() {
        let length = word_length(rest);
        found.push(Token { stem: stem(&rest[..length]), kind: TokenKind::Word });
        return length;
    }
    if let Some(mark) = mark(first) {
        found.push(Token { stem: mark.to_owned(), kind: TokenKind::Mark });
    }
    first.len_utf8()
}

/// Letters and digits, with an apostrophe, a dot or an underscore only between two of them.
fn word_length(rest: &str) -> usize {
    let mut length = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let joins = matches!(char, '\'' | '’' | '.' | '_')
            && chars.peek().is_some_and(|&(_, next)| next.is_alphanumeric() && !is_han(next));
        if (char.is_alphanumeric() && !is_han(char)) || joins {
            length = at + char.len_utf8();
        } else {
            break;
        }
    }
    length
}

fn mark(char: char) -> Option<&'static str> {
    Some(match char {
        ',' | '，' => ",",
        ';' | '；' => ";",
        ':' | '：' => ":",
        '、' | '/' => "、",
        '$' | '￥' | '¥' | '€' => "$",
        '(' | '（' => "(",
        ')' | '）' => ")",
        '?' | '？' => "?",
        '.' | '。' | '!' | '！' => ".",
        '—' | '–' => "—",
        _ => return None,
    })
}
