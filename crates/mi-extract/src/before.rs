//! The text directly before a block, and the name it gives (E14–E17, E19, E25).

use std::ops::Range;

use pulldown_cmark::CowStr;

use crate::{
    header,
    name_like::is_name_like,
    split::{asks_for_part, says_split, squeezed},
};

/// A paragraph or heading: its inline pieces and the place it has in the reply.
#[derive(Debug, Clone)]
pub(crate) struct Before<'a> {
    reply: &'a str,
    range: Option<Range<usize>>,
    pieces: Vec<(Piece<'a>, Range<usize>)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece<'a> {
    Text(CowStr<'a>),
    Code(CowStr<'a>),
}

/// What a text says about the name of the block after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Naming {
    Nothing,
    Ambiguous,
    Name { name: String, split: bool },
}

impl<'a> Before<'a> {
    pub(crate) fn new(reply: &'a str) -> Self {
        Self { reply, range: None, pieces: Vec::new() }
    }

    pub(crate) fn push(&mut self, piece: Option<Piece<'a>>, range: Range<usize>) {
        let known = self.range.get_or_insert_with(|| range.clone());
        known.start = known.start.min(range.start);
        known.end = known.end.max(range.end);
        self.pieces.extend(piece.map(|piece| (piece, range)));
    }

    /// As it stands in the reply: emphasis would turn `src/__init__.py` into another name.
    fn source(&self) -> &'a str {
        self.range.as_ref().and_then(|range| self.reply.get(range.clone())).unwrap_or_default().trim()
    }

    /// `--- filename: x ---` as the last line (E19).
    pub(crate) fn header(&self) -> Option<&'a str> {
        let last = self.source().rsplit(['\n', '\r']).next()?;
        header::read(last.trim_start_matches([' ', '\t', '>']))
    }

    pub(crate) fn naming(&self) -> Naming {
        sole_name(self.source()).unwrap_or_else(|| self.sentence_naming())
    }

    /// The last sentence that holds a name-like code span decides (E14–E16).
    fn sentence_naming(&self) -> Naming {
        let Some(sentence) = self.sentences().into_iter().rfind(|sentence| !sentence.names.is_empty()) else {
            return Naming::Nothing;
        };
        let text = squeezed(&sentence.text);
        if means_other(&text) {
            return Naming::Nothing;
        }
        let intent = shows_intent(&text);
        match sentence.names.as_slice() {
            [name] if intent || asks_for_part(&text) => {
                Naming::Name { name: name.clone(), split: says_split(&text) }
            }
            _ if intent => Naming::Ambiguous,
            _ => Naming::Nothing,
        }
    }

    fn sentences(&self) -> Vec<Sentence> {
        let mut all = vec![Sentence::default()];
        for (index, (piece, range)) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Code(code) => {
                    let name = self.code_text(code, range);
                    all.last_mut().expect("one sentence is always open").add_code(name);
                }
                Piece::Text(text) => {
                    let next = self.pieces.get(index + 1).and_then(|(piece, _)| piece.first());
                    add_text(&mut all, text, next);
                }
            }
        }
        all
    }

    /// CommonMark replaces NUL; the name must show it (E30).
    fn code_text(&self, code: &str, range: &Range<usize>) -> String {
        match self.reply.get(range.clone()) {
            Some(source) if source.contains('\0') => source.trim_matches('`').to_owned(),
            _ => code.to_owned(),
        }
    }
}

impl Piece<'_> {
    fn first(&self) -> Option<char> {
        match self {
            Self::Text(text) => text.chars().next(),
            Self::Code(_) => Some('`'),
        }
    }
}

/// A sentence in lower case without its code spans, and the different name-like ones among them.
#[derive(Debug, Default)]
struct Sentence {
    text: String,
    names: Vec<String>,
}

impl Sentence {
    fn add_code(&mut self, code: String) {
        self.text.push_str(" ` ");
        if is_name_like(&code) && !self.names.contains(&code) {
            self.names.push(code);
        }
    }
}

/// Adds text, beginning a new sentence after each end. `next` is the character after this text.
fn add_text(all: &mut Vec<Sentence>, text: &str, next: Option<char>) {
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let sentence = all.last_mut().expect("one sentence is always open");
        sentence.text.extend(letter.to_lowercase());
        let follows = rest.peek().copied().or(next);
        if ends_sentence(letter, follows, &sentence.text) {
            all.push(Sentence::default());
        }
    }
}

/// A full stop within a word (`1.2`, `e.g.`) ends nothing.
fn ends_sentence(letter: char, follows: Option<char>, so_far: &str) -> bool {
    let open_end = follows.is_none_or(|next| next.is_whitespace() || "\"'”’)]*_".contains(next));
    match letter {
        '。' => true,
        '!' | '?' => open_end,
        '.' => open_end && !["e.g.", "i.e.", "eg.", "vs."].iter().any(|short| so_far.ends_with(short)),
        _ => false,
    }
}

/// Words that show intent, in the forms that replies use.
const INTENT_WORDS: &[&str] = &[
    "create",
    "creates",
    "created",
    "creating",
    "add",
    "adds",
    "added",
    "adding",
    "update",
    "updates",
    "updated",
    "updating",
    "modify",
    "modifies",
    "modified",
    "modifying",
    "edit",
    "edits",
    "edited",
    "editing",
    "replace",
    "replaces",
    "replaced",
    "replacing",
    "rewrite",
    "rewrites",
    "rewritten",
    "rewrote",
    "rewriting",
    "overwrite",
    "overwrites",
    "overwriting",
    "overwritten",
    "overwrote",
    "write",
    "writes",
    "written",
    "wrote",
    "writing",
    "save",
    "saves",
    "saved",
    "saving",
];
const INTENT_PHRASES: &[&str] =
    &["file named", "this content", "this code", "following content", "following code"];
const OTHER_LANGUAGES: &[&str] = &[
    "创建",
    "新建",
    "添加",
    "更新",
    "修改",
    "替换",
    "写入",
    "保存",
    "内容如下",
    "생성",
    "만들",
    "만듭",
    "만든",
    "추가",
    "수정",
    "작성",
    "저장",
    "교체",
    "업데이트",
];
/// What speaks of an example or a command instead.
const OTHER_INTENT: &[&str] = &[
    "for example",
    "e.g.",
    "for instance",
    "by running",
    "run this",
    "run the following",
    "following command",
];

fn means_other(text: &str) -> bool {
    OTHER_INTENT.iter().any(|phrase| text.contains(phrase))
}

/// A sentence with single spaces.
fn shows_intent(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    // The seed's head: a name "followed by content:".
    let content_follows = text.ends_with("content:") || text.ends_with("contents:");
    content_follows
        || words.into_iter().any(|word| INTENT_WORDS.contains(&word))
        || INTENT_PHRASES.iter().any(|phrase| text.contains(phrase))
        || (!text.is_ascii() && OTHER_LANGUAGES.iter().any(|phrase| text.contains(phrase)))
}

const LABELS: [&str; 6] = ["new file", "filename", "file", "path", "文件", "파일"];

/// A line that is nothing but one name (E17), perhaps with a note that it is a part (E25).
fn sole_name(source: &str) -> Option<Naming> {
    if source.contains(['\n', '\r']) || source.len() > 4096 {
        return None;
    }
    let words: Vec<&str> = source.split(' ').filter(|word| !word.is_empty()).collect();
    let words = match words.as_slice() {
        [number, rest @ ..] if is_list_number(number) => rest,
        all => all,
    };
    let mut joined = words.join(" ");
    if joined.contains(['(', '（']) {
        joined = joined.replace('(', " (").replace('（', " （");
    }
    let line = without_label(strip_marks(&joined));
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let split = !rest.is_empty();
    if split && !(is_aside(rest) && says_split(&rest.to_lowercase())) {
        return None;
    }
    let name = strip_marks(first).replace("\\_", "_");
    let entity = name.contains('&') && name.contains(';');
    (is_name_like(&name) && !entity).then_some(Naming::Name { name, split })
}

/// What may stand behind a name without being a sentence: something in brackets, behind a dash, or two or three words.
fn is_aside(rest: &str) -> bool {
    rest.starts_with(['(', '（', '[', '-', '–', '—', ':', ',']) || rest.split(' ').count() <= 4
}

fn is_list_number(word: &str) -> bool {
    let word = word.trim_start_matches(['*', '_']);
    let digits = word.strip_suffix(['.', ')']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Takes away backticks, emphasis and colons around a text.
fn strip_marks(mut text: &str) -> &str {
    loop {
        let before = text.len();
        text = text.trim().trim_end_matches([':', '：']).trim_start_matches('*').trim_end_matches('*');
        for mark in ["__", "_", "``", "`"] {
            let inner = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
            text = inner.filter(|inner| !inner.is_empty()).unwrap_or(text);
        }
        if text.len() == before {
            return text;
        }
    }
}

/// `File: x`, `**New file**: x`, `文件：x`.
fn without_label(line: &str) -> &str {
    // `__File:__ a.py`: the marks before a label close right behind it.
    let bare = line.strip_prefix("__").unwrap_or(line);
    for label in LABELS {
        let Some(head) = bare.get(..label.len()) else { continue };
        if !head.eq_ignore_ascii_case(label) {
            continue;
        }
        let rest = &bare[label.len()..];
        let named = rest
            .trim_start_matches(['*', '_'])
            .trim_start_matches([':', '：'])
            .trim_start_matches(['*', '_']);
        if named.len() < rest.len() || rest.starts_with([' ', '`']) {
            return named.trim();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sole(source: &str) -> Option<(String, bool)> {
        match sole_name(source)? {
            Naming::Name { name, split } => Some((name, split)),
            Naming::Nothing | Naming::Ambiguous => None,
        }
    }

    /// A line that is nothing but a name, however it is dressed.
    #[test]
    fn e_17_sole_names_are_found() {
        for (line, name) in [
            ("src/main.rs", "src/main.rs"),
            ("`src/main.rs`", "src/main.rs"),
            ("**`src/main.rs`**:", "src/main.rs"),
            ("**src/main.rs:**", "src/main.rs"),
            ("_a.py_", "a.py"),
            ("src/__init__.py", "src/__init__.py"),
            ("__init__.py", "__init__.py"),
            ("my\\_file.py", "my_file.py"),
            ("1. `a.py`", "a.py"),
            ("**2) a.py**", "a.py"),
            ("File: `a.py`", "a.py"),
            ("**File:** `a.py`", "a.py"),
            ("**File**: a.py", "a.py"),
            ("__File:__ `a.py`", "a.py"),
            ("__init__.py:", "__init__.py"),
            ("NEW FILE a.py", "a.py"),
            ("Filename: Makefile", "Makefile"),
            ("Path: src/x", "src/x"),
            ("文件：a.py", "a.py"),
            ("文件 `a.py`：", "a.py"),
            ("파일: a.py", "a.py"),
            ("文件`a.py`：", "a.py"),
            ("파일`a.py`", "a.py"),
        ] {
            assert_eq!(sole(line), Some((name.to_owned(), false)), "{line}");
        }
        for (line, name) in [
            ("`a.py` (part 1)", "a.py"),
            ("a.py (continued):", "a.py"),
            ("a.py 2/3", "a.py"),
            ("`a.py`（续）", "a.py"),
        ] {
            assert_eq!(sole(line), Some((name.to_owned(), true)), "{line}");
        }
        for line in [
            "The a.py",
            "a.py b.py",
            "cargo test",
            "v1.2.3",
            "self.items",
            "`a b.py`",
            "Usage:",
            "",
            "a&#46;/b.py",
        ] {
            assert_eq!(sole(line), None, "{line}");
        }
    }
}
