//! What a criterion names: symbols, files, values in quotes, versions; where there is none of these, its plain words.

use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

use super::{files, name_roles};

/// Something that a criterion names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedThing {
    pub text: String,
    pub kind: NameKind,
    /// It stands in backticks: nothing else can be meant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_code: bool,
    #[serde(default, skip_serializing_if = "NameRole::is_wanted")]
    pub role: NameRole,
}

/// What a criterion says of a thing that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameRole {
    /// It must be there, or the change is about it.
    #[default]
    Wanted,
    /// Something else takes its place: "instead of X", "not X".
    Replaced,
    /// It is part of a report of what goes wrong today, or something is taken from it.
    Context,
}

impl NameRole {
    fn is_wanted(&self) -> bool {
        *self == Self::Wanted
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    /// A function, class, flag, route or key.
    Symbol,
    /// A file or folder.
    Path,
    /// A text in quotes, a version.
    Value,
    /// A plain word with a meaning of its own.
    Word,
}

/// Plain words shorter than this mean too little.
const SHORTEST_WORD: usize = 4;
/// Words that every task has.
const COMMON: [&str; 96] = [
    "about",
    "accept",
    "accepted",
    "added",
    "adds",
    "after",
    "again",
    "allow",
    "also",
    "back",
    "because",
    "before",
    "build",
    "change",
    "changes",
    "check",
    "code",
    "command",
    "correct",
    "correctly",
    "create",
    "delete",
    "does",
    "done",
    "each",
    "ensure",
    "error",
    "every",
    "exist",
    "exists",
    "expected",
    "extend",
    "fail",
    "fails",
    "false",
    "feature",
    "file",
    "files",
    "fixed",
    "from",
    "function",
    "functions",
    "given",
    "handle",
    "have",
    "implement",
    "improve",
    "include",
    "instead",
    "into",
    "issue",
    "like",
    "make",
    "makes",
    "method",
    "module",
    "must",
    "need",
    "needs",
    "only",
    "other",
    "pass",
    "passes",
    "please",
    "print",
    "project",
    "read",
    "remove",
    "replace",
    "return",
    "returns",
    "should",
    "small",
    "some",
    "still",
    "support",
    "such",
    "test",
    "tests",
    "than",
    "that",
    "their",
    "them",
    "then",
    "there",
    "they",
    "this",
    "true",
    "update",
    "using",
    "value",
    "values",
    "when",
    "where",
    "which",
    "with",
];

/// Everything that a text names, strongest kinds first.
pub fn named_things(text: &str) -> Vec<NamedThing> {
    let mut found: Vec<NamedThing> = Vec::new();
    let mut prose = String::new();
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 && !piece.contains('\n') {
            in_code(piece, &mut |text, kind| push_name(&mut found, text, kind, true));
        } else {
            prose.push_str(piece);
            prose.push(' ');
        }
    }
    let mut add = |text: &str, kind: NameKind| push_name(&mut found, text, kind, false);
    for quoted in quoted(&prose) {
        add(&quoted, NameKind::Value);
    }
    // In Chinese and Japanese text a Latin word is a name, unless most of the text is Latin.
    let wide = prose.chars().filter(|char| ('\u{3040}'..='\u{9fff}').contains(char)).count();
    let latin = prose.chars().filter(char::is_ascii_alphabetic).count();
    let is_cjk = wide > 0 && wide * 4 >= latin;
    for token in tokens(&prose) {
        in_prose(token, is_cjk, &mut add);
    }
    for version in versions(&prose) {
        add(&version, NameKind::Value);
    }
    let words: Vec<String> = prose
        .split(|char: char| !char.is_alphanumeric() && char != '-')
        .map(str::to_lowercase)
        .filter(|word| word.is_ascii() && word.len() >= SHORTEST_WORD && !COMMON.contains(&word.as_str()))
        .collect();
    for word in words {
        add(&word, NameKind::Word);
    }
    name_roles::set_roles(text, &mut found);
    found
}

fn push_name(found: &mut Vec<NamedThing>, text: &str, kind: NameKind, is_code: bool) {
    let text = text.trim();
    if !text.is_empty() && !found.iter().any(|known| known.text == text) {
        found.push(NamedThing { text: text.to_owned(), kind, is_code, role: NameRole::Wanted });
    }
}

fn in_code(piece: &str, add: &mut impl FnMut(&str, NameKind)) {
    let piece = piece.trim();
    if files::is_file(piece) || piece.ends_with('/') {
        return add(piece.trim_start_matches("./"), NameKind::Path);
    }
    let is_call =
        piece.split_once('(').is_some_and(|(name, rest)| is_identifier(name) && rest.ends_with(')'));
    if piece.split_whitespace().count() > 1 && !is_call {
        return add(piece, NameKind::Value);
    }
    match piece.split_once('(') {
        Some((name, _)) if !name.is_empty() => add(name, NameKind::Symbol),
        _ => add(piece, NameKind::Symbol),
    }
}

fn in_prose(token: &str, is_cjk: bool, add: &mut impl FnMut(&str, NameKind)) {
    if token.starts_with('@') {
        return;
    }
    if let Some((name, _)) = token.split_once('(')
        && is_identifier(name)
    {
        return add(name, NameKind::Symbol);
    }
    let word = token.trim_matches(|char: char| !char.is_alphanumeric() && !"./_-".contains(char));
    let word = word.trim_end_matches(['.', '/']);
    if word.starts_with(|char: char| char == 'v' || char.is_ascii_digit()) && !versions(word).is_empty() {
        // A version is a value, found below.
    } else if files::is_file(word) || is_folder(word) {
        add(word.trim_start_matches("./"), NameKind::Path);
    } else if is_designator(word, token) {
        add(if token.contains('#') { token.trim_matches(is_edge) } else { word }, NameKind::Value);
    } else if word.starts_with('-') && word.len() > 3
        || is_identifier(word) && (looks_like_code(word) || is_cjk && word.is_ascii() && word.len() > 1)
    {
        add(word, NameKind::Symbol);
    }
}

fn is_edge(char: char) -> bool {
    !char.is_alphanumeric() && char != '#'
}

/// A colour, or a name with a version in it: `#0a7d32`, `ubuntu-22.04`, `Apache-2.0`, `UTF-8`. Issue numbers are none.
fn is_designator(word: &str, token: &str) -> bool {
    let colour = token.trim_matches(is_edge).strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6 | 8)
            && digits.chars().all(|char| char.is_ascii_hexdigit())
            && (digits.len() > 3 || digits.contains(|char: char| char.is_ascii_alphabetic()))
    });
    let tagged = word.split_once('-').is_some_and(|(name, tag)| {
        name.chars().next().is_some_and(char::is_alphabetic)
            && name.chars().all(char::is_alphanumeric)
            && tag.starts_with(|char: char| char.is_ascii_digit())
            && tag.contains('.')
            && tag.chars().all(|char| char.is_ascii_digit() || char == '.')
    });
    colour || tagged
}

/// `packages/a`, `src/util`; not `and/or`.
fn is_folder(word: &str) -> bool {
    let parts: Vec<&str> = word.split('/').collect();
    let is_part = |part: &&str| {
        !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() || "._-".contains(char))
    };
    parts.len() >= 2
        && parts.iter().all(is_part)
        && !["and/or", "or/and", "true/false", "yes/no", "input/output", "client/server", "read/write"]
            .contains(&word)
        && !parts.iter().all(|part| part.chars().all(|char| char.is_ascii_digit() || char == '.'))
}

fn is_identifier(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|char| char.is_alphabetic() || char == '_' || char == '$')
        && chars.all(|char| char.is_alphanumeric() || "_.:$".contains(char))
}

/// snake_case, camelCase, Dotted.name, path::to: words that nobody writes in prose.
fn looks_like_code(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    let inner_upper = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    word.contains('_') && word.len() > 2
        || word.contains("::")
        || inner_upper
        || word.contains('.')
            && first.is_some_and(char::is_alphabetic)
            // An abbreviation such as `e.g` is no name.
            && word.split('.').all(|part| part.len() > 1)
}

fn quoted(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if text.matches('"').count().is_multiple_of(2) {
        found.extend(text.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    for (open, close) in [('“', '”'), ('「', '」'), ('«', '»')] {
        found
            .extend(text.split(open).skip(1).filter_map(|piece| Some(piece.split_once(close)?.0.to_owned())));
    }
    found.extend(super::single_quoted(text));
    found.retain(|piece| piece.len() <= 200);
    found
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_cut = |char: char| {
        char.is_whitespace() || ('\u{3000}'..='\u{9fff}').contains(&char) || "，。；：、！？".contains(char)
    };
    text.split(is_cut).filter(|token| !token.is_empty())
}

/// Versions such as `1.2.3`, `v2.0.0-rc1`, and after the word version or to also `2.0`.
pub(super) fn versions(text: &str) -> Vec<String> {
    static VERSION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bv?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.]+)?)\b").ok());
    static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:version|bump|set|raise|lower|change|版本)[^.\n]*?\b(?:to|auf|à|a|=|为)\s*v?(\d+(?:\.\d+)?)\b").ok()
    });
    let all = |regex: &LazyLock<Option<Regex>>| -> Vec<String> {
        let Some(regex) = &**regex else { return Vec::new() };
        regex.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
    };
    let mut found = all(&VERSION);
    if found.is_empty() {
        found = all(&SHORT);
    }
    found
}

/// The words inside an identifier or a text, in lower case: `parseTrailing_comma` is parse, trailing, comma.
pub fn subwords(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for char in text.chars() {
        if (!char.is_alphanumeric() || char.is_uppercase() && was_lower) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase() || char.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
