//! Numbers that bound the changes or count the whole: "no more than 8 files", "1 of the 20 files".

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::text::{end_of, start_of};

/// Whether the number is the most that may change.
pub(super) fn is_one(plain: &str, found: &Captures<'_>) -> bool {
    static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:\b(?:at most|fewer than|less than|up to|under|within|max(?:imum)?(?: of)?|limit(?:ed)? to)",
            r"|\b(?:no|not|don't|never|without|avoid)\b[^.!?;\n]{0,30}\b(?:more than|over|exceed(?:ing)?|beyond))\s*$",
            r"|(?:最多|至多|不超过|少于|不多于|(?:不要|别|不能|不得)[^，。,\s]{0,4}超过|控制在)[^，。,\s]{0,2}?\s*$",
        ))
        .expect("a fixed pattern compiles")
    });
    static BEHIND: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[^，。,]{0,4}(?:以内|之内|以下)").expect("a fixed pattern compiles"));
    let (before, after) = around(plain, found);
    LIMIT.is_match(before) || BEHIND.is_match(after)
}

/// How many of the whole are meant: "1 of the 20 files", 20 个文件中的 1 个; none where the number is no whole.
pub(super) fn part_of(plain: &str, found: &Captures<'_>, read: fn(&str) -> Option<u64>) -> Option<u64> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(half|a few|some|any|\w+)\s+of\s+(?:the|these|those|our|my)?\s*$")
            .expect("a fixed pattern compiles")
    });
    static PART_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:中|里|当中|里面)的?\s*(?:任意|某|第)?\s*(\d{1,4}|[一二两三四五六七八九十]+)\s*[个处项条]",
        )
        .expect("a fixed pattern compiles")
    });
    let (before, after) = around(plain, found);
    if before.ends_with("half a ") && found.get(2).is_some_and(|number| number.as_str() == "dozen") {
        return Some(6);
    }
    if let Some(part) = PART_BEHIND.captures(after) {
        return read(&part[1]);
    }
    match &PART.captures(before)?[1] {
        "all" | "each" | "every" | "most" | "half" => None,
        "some" | "any" | "a few" | "one" => Some(1),
        part => read(part),
    }
}

/// What stands before the number, and behind the thing that is counted.
fn around<'a>(plain: &'a str, found: &Captures<'_>) -> (&'a str, &'a str) {
    let start = found.get(2).map_or(0, |number| number.start());
    let end = found.get(0).map_or(plain.len(), |whole| whole.end());
    (end_of(&plain[..start]), start_of(&plain[end..]))
}
