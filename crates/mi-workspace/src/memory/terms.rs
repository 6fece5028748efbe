//! Text in any language → the terms by which it is found and compared.
//!
//! Words are folded (width, case, accents) and cut to their stem. Scripts that put no space between words (Chinese,
//! Japanese, Korean, Thai …) give every character and every pair of neighbours. Holds: no text panics; the same text
//! gives the same terms however it was typed (NFC, NFD, full width).

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// What kind of term it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A piece of an identifier such as `lastAccessed`, which is also given whole.
    Piece,
    /// One character of a script without spaces.
    Character,
    /// Such a character again, when it has no neighbour: what a query of one character looks for.
    Lone,
    /// Two neighbours in such a script.
    Pair,
}

/// Calls `each` with every term of a text.
pub fn for_each_term(text: &str, each: &mut impl FnMut(&str, Kind)) {
    for_terms_starting(text, &|_| true, each);
}

/// Calls `each` with the terms whose first byte is wanted, and perhaps with others; words that are not are hardly looked at.
pub(crate) fn for_terms_starting(
    text: &str,
    wanted: &impl Fn(u8) -> bool,
    each: &mut impl FnMut(&str, Kind),
) {
    let folded = fold(text);
    let mut scratch = String::new();
    let mut dense = DenseRun::default();
    let mut at = 0;
    while let Some(character) = folded[at..].chars().next() {
        let (is_word, is_dense) = class(character);
        if is_dense {
            let end = at + character.len_utf8();
            dense.go_on(&folded, at, end, each);
            at = end;
            continue;
        }
        dense.end(&folded, at, each);
        if is_word {
            let end = at + word_length(&folded[at..]);
            word(&folded[at..end], &mut scratch, wanted, each);
            at = end;
        } else {
            at += character.len_utf8();
        }
    }
    dense.end(&folded, folded.len(), each);
}

/// How many bytes from the start of a text are one word.
fn word_length(text: &str) -> usize {
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let rest = &text[plain..];
    match rest.as_bytes().first() {
        Some(byte) if !byte.is_ascii() => plain + rest.find(|next| !class(next).0).unwrap_or(rest.len()),
        _ => plain,
    }
}

/// The terms to look for: words, and pairs; a character only where it stands alone.
pub fn query_terms(text: &str, most: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for_each_term(text, &mut |term, kind| match kind {
        Kind::Word | Kind::Pair | Kind::Lone => add(&mut found, term),
        Kind::Piece | Kind::Character => {}
    });
    found.truncate(most);
    found
}

/// A run of characters of a script without spaces.
#[derive(Default)]
struct DenseRun {
    /// Where its last character starts, and whether that is also its first.
    last: Option<(usize, bool)>,
}

impl DenseRun {
    fn go_on(&mut self, text: &str, start: usize, end: usize, each: &mut impl FnMut(&str, Kind)) {
        each(&text[start..end], Kind::Character);
        if let Some((before, _)) = self.last {
            each(&text[before..end], Kind::Pair);
        }
        self.last = Some((start, self.last.is_none()));
    }

    fn end(&mut self, text: &str, at: usize, each: &mut impl FnMut(&str, Kind)) {
        if let Some((start, true)) = self.last.take() {
            each(&text[start..at], Kind::Lone);
        }
    }
}

fn add(found: &mut Vec<String>, term: &str) {
    if !found.iter().any(|known| known == term) {
        found.push(term.to_owned());
    }
}

/// The text with compatible forms made equal and accents of letters taken off; borrowed where there is nothing to do.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(needs_no_folding) {
        return Cow::Borrowed(text);
    }
    let is_accent = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    Cow::Owned(text.nfkd().filter(|character| !is_accent(character)).nfc().collect())
}

fn needs_no_folding(character: char) -> bool {
    matches!(character, '\0'..='\u{7f}' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fe}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
}

/// Whether a character belongs to a word, and whether it belongs to a script without spaces.
fn class(character: char) -> (bool, bool) {
    if character.is_ascii() {
        return (character.is_ascii_alphanumeric(), false);
    }
    if is_dense(character) {
        return (false, true);
    }
    (character.is_alphanumeric(), false)
}

fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn word(text: &str, scratch: &mut String, wanted: &impl Fn(u8) -> bool, each: &mut impl FnMut(&str, Kind)) {
    let bytes = text.as_bytes();
    let starts_well = |text: &str| {
        let first = text.as_bytes().first().copied().unwrap_or_default();
        !first.is_ascii() || wanted(first.to_ascii_lowercase())
    };
    if starts_well(text) {
        give(text, Kind::Word, scratch, each);
    }
    if !bytes[1..].iter().any(u8::is_ascii_uppercase) {
        return;
    }
    let humps = (1..bytes.len()).filter(|at| is_hump(&bytes[at - 1..=*at]));
    let mut start = 0;
    for end in humps.chain([bytes.len()]) {
        let piece = &text[start..end];
        if piece.len() < text.len() && starts_well(piece) {
            give(piece, Kind::Piece, scratch, each);
        }
        start = end;
    }
}

/// `aB`: both are ASCII, so a cut between them falls on a character boundary.
fn is_hump(pair: &[u8]) -> bool {
    pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
}

fn give(text: &str, kind: Kind, scratch: &mut String, each: &mut impl FnMut(&str, Kind)) {
    scratch.clear();
    if text.is_ascii() {
        scratch.push_str(text);
        scratch.make_ascii_lowercase();
        each(stem(scratch), kind);
    } else {
        scratch.extend(text.chars().flat_map(char::to_lowercase));
        each(scratch, kind);
    }
}

/// An English word without its commonest endings. Wrong stems do no harm as long as they are the same everywhere.
fn stem(word: &mut String) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let cut = |word: &mut String, bytes: usize| word.truncate(word.len() - bytes);
    if word.len() > 4 && word.ends_with("ies") {
        cut(word, 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes", "zes"].iter().any(|ending| word.ends_with(ending)) {
        cut(word, 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        cut(word, 1);
    }
    for ending in ["ing", "ed"] {
        let stays = word.len().saturating_sub(ending.len());
        if stays >= 3 && word.ends_with(ending) && word[..stays].contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            word.truncate(stays);
            let tail = &word.as_bytes()[stays - 2..];
            if tail[0] == tail[1] && !b"lszaeiou".contains(&tail[0]) {
                cut(word, 1);
            }
            return word;
        }
    }
    if word.len() > 4 && word.ends_with('e') {
        cut(word, 1);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::{Kind, for_each_term, query_terms};
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_term(text, &mut |term, kind| {
            if matches!(kind, Kind::Word | Kind::Piece | Kind::Pair) {
                found.push(term.to_owned());
            }
        });
        found
    }

    /// The same text typed in other ways gives the same terms.
    #[test]
    fn forms_of_the_same_text_are_equal() {
        for (left, right) in [
            ("ＡＢＣ１２３", "abc123"),
            ("Café", "cafe\u{301}"),
            ("café", "cafe"),
            ("파일", "\u{1111}\u{1161}\u{110b}\u{1175}\u{11af}"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("ﬁle", "file"),
            ("ДОМ", "дом"),
        ] {
            assert_eq!(words(left), words(right), "{left} {right}");
        }
    }

    /// Words lose their commonest endings, also inside identifiers.
    #[test]
    fn words_are_cut_to_their_stem() {
        for (text, expected) in [
            ("locks locked locking lock", "lock lock lock lock"),
            ("merge merged merging merges", "merg merg merg merg"),
            ("caches cached caching cache", "cach cach cach cach"),
            ("retries retry", "retry retry"),
            ("process processes access", "process process access"),
            ("string status analysis", "string status analysis"),
            ("running stopped", "run stop"),
            ("task_add sha256 lastAccessed", "task add sha256 lastaccess last access"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    /// Scripts without spaces are looked up by pairs; a lone character by itself.
    #[test]
    fn queries_of_scripts_without_spaces_are_pairs() {
        for (query, expected) in [
            ("文件锁", "文件 件锁"),
            ("锁", "锁"),
            ("锁 file", "锁 file"),
            ("file 锁", "file 锁"),
            ("锁 文件", "锁 文件"),
            ("文件 锁", "文件 锁"),
            ("파일 잠금", "파일 잠금"),
            ("ファイルロック", "ファ ァイ イル ルロ ロッ ック"),
            ("ไฟล์", "ไฟ ฟล ล์"),
            ("use flock文件", "use flock 文件"),
            ("a a A", "a"),
            ("", ""),
            ("  ?! ", ""),
        ] {
            assert_eq!(query_terms(query, 32).join(" "), expected, "{query}");
        }
    }

    proptest! {
        /// No text panics, and no term is empty.
        #[test]
        fn any_text_gives_terms(text in "\\PC{0,80}|[a-zA-Z가-힣一-龥ก-๛\u{300}-\u{36f} ]{0,80}") {
            for_each_term(&text, &mut |term, _| assert!(!term.is_empty()));
            query_terms(&text, 8);
        }
    }
}
