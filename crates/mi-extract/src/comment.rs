//! Comments in contents: the name in the first one (E18), and lines that say that something is left out (E26).

use memchr::{memchr, memmem, memrchr};

use crate::{
    info,
    name_like::is_name_like,
    split::{says_split, squeezed},
};

/// A name found in a comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameComment<'a> {
    pub(crate) name: &'a str,
    pub(crate) split: bool,
}

/// The name in the first line, or in the second one after `#!`.
pub(crate) fn name<'a>(content: &'a str, language: Option<&str>) -> Option<NameComment<'a>> {
    let mut lines = content.lines();
    let mut line = lines.next()?;
    if line.starts_with("#!") {
        line = lines.next()?;
    }
    let text = text(line, language)?;
    let (labelled, text) = without_label(text);
    let (name, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    // `# syntax=docker/dockerfile:1` is a directive.
    let named = if labelled { !name.is_empty() } else { is_name_like(name) && !name.contains('=') };
    let split = !rest.trim().is_empty();
    let whole = !split || says_split(&squeezed(&rest.to_lowercase()));
    (named && whole).then_some(NameComment { name, split })
}

/// A line that is only a comment and says that the rest stays as it is.
pub(crate) fn is_partial(content: &str, language: Option<&str>) -> bool {
    // Looking for the dots first keeps long contents fast.
    let dots = |mark: &'static str| memmem::find_iter(content.as_bytes(), mark.as_bytes());
    dots("...").chain(dots("…")).any(|place| {
        text(line_at(content, place), language).is_some_and(|text| leaves_out(&text.to_lowercase()))
    })
}

/// The line that a place is in.
fn line_at(content: &str, place: usize) -> &str {
    let bytes = content.as_bytes();
    let start = memrchr(b'\n', &bytes[..place]).map_or(0, |end| end + 1);
    let end = memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |end| place + end);
    &content[start..end]
}

fn leaves_out(text: &str) -> bool {
    const WORDS: [&str; 7] = ["rest", "existing", "unchanged", "same", "remaining", "previous", "omitted"];
    const PARTS: [&str; 5] = ["其余", "不变", "省略", "나머지", "생략"];
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
        || PARTS.iter().any(|part| text.contains(part))
}

/// The text of a line that is nothing but a comment.
fn text<'a>(line: &'a str, language: Option<&str>) -> Option<&'a str> {
    const PAIRS: [(&str, &str); 3] = [("{/*", "*/}"), ("/*", "*/"), ("<!--", "-->")];
    const MARKS: [&str; 5] = ["//", "#", "--", ";", "%"];
    let line = line.trim();
    for (open, close) in PAIRS {
        if let Some(inner) = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return Some(inner.trim());
        }
    }
    // A comment that goes on in the next line.
    if let Some(inner) = ["/*", "<!--"].iter().find_map(|open| line.strip_prefix(open)) {
        return Some(inner.trim()).filter(|_| !line.contains("*/") && !line.contains("-->"));
    }
    let is_markdown = info::is_one_of(language, &["markdown", "md", "mdx"]);
    let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
    if *mark == "#" && (is_markdown || line.starts_with("#!")) {
        return None;
    }
    Some(line[mark.len()..].trim())
}

fn without_label(text: &str) -> (bool, &str) {
    for label in ["filename:", "file:", "path:"] {
        if text.get(..label.len()).is_some_and(|head| head.eq_ignore_ascii_case(label)) {
            return (true, text[label.len()..].trim());
        }
    }
    (false, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_18_first_line_comments_name_files() {
        for (content, language, expected) in [
            ("// src/main.rs\nfn", None, Some("src/main.rs")),
            ("# a.py\n", Some("python"), Some("a.py")),
            ("-- a.sql\n", None, Some("a.sql")),
            ("; a.asm\n", None, Some("a.asm")),
            ("% a.tex\n", None, Some("a.tex")),
            ("/* a.css */\n", None, Some("a.css")),
            ("<!-- a.html -->\n", None, Some("a.html")),
            ("<!-- docs/a.md -->\n", Some("markdown"), Some("docs/a.md")),
            ("#!/bin/sh\n# run.sh\n", None, Some("run.sh")),
            ("# FILE: anything\n", None, Some("anything")),
            ("// filename:x\n", None, Some("x")),
            ("# Path: a/b\n", None, Some("a/b")),
            ("#!/bin/sh\n", None, None),
            ("# docs/a.md\n", Some("md"), None),
            ("# a.py and more\n", None, None),
            ("# syntax=docker/dockerfile:1\n", None, None),
            ("# Title\n", None, None),
            ("# file:\n", None, None),
            ("\n# a.py\n", None, None),
            ("x = 1 # a.py\n", None, None),
            ("", None, None),
        ] {
            assert_eq!(name(content, language).map(|found| found.name), expected, "{content:?}");
        }
        assert_eq!(name("# a.py (part 2)\n", None), Some(NameComment { name: "a.py", split: true }));
    }

    #[test]
    fn e_26_left_out_parts_are_seen() {
        for line in [
            "// ... rest of the code",
            "# ...existing code...",
            "  <!-- … unchanged … -->",
            "/* ... same as before */",
            "{/* ... remaining items */}",
            "-- ... omitted",
            "/* ... the rest",
            "<!-- ... unchanged",
            "// …其余不变",
            "# ... 나머지 생략",
        ] {
            assert!(is_partial(&format!("a\n{line}\nb\n"), None), "{line}");
        }
        for line in [
            "...",
            "# ...",
            "f(...rest)",
            "let x = [...existing];",
            "x = 1 # ... rest",
            "// interest ...",
            "// the rest",
            "/* ... */ rest(); /* ... */ x",
            "print('# ... rest')",
        ] {
            assert!(!is_partial(&format!("a\n{line}\nb\n"), None), "{line}");
        }
        assert!(!is_partial("# ... rest\n", Some("markdown")));
    }
}
