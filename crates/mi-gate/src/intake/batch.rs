//! How many changes a message asks for, and the first batch of at most five (D.5).

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::state::State;
use super::text::Text;
use super::words::{self, Topic, WordTable};
use crate::change_unit::ChangeUnits;

/// The most changes that go in one batch.
pub(super) const LIMIT: u64 = 5;

/// How many changes were counted, and what to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Batch {
    pub count: u64,
    /// Splitting is proposed.
    pub split: bool,
    /// The person lifted the limit for this request.
    pub approved: bool,
    /// The first batch, where the message lists its items.
    pub first: Vec<String>,
}

pub(super) fn read(text: &Text, diff: Option<&ChangeUnits>, state: &mut State, table: &WordTable) -> Batch {
    let items = items(text);
    let listed = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let count = listed.max(named_number(&text.plain)).max(diff.map_or(0, |diff| diff.cu));
    let says_so = words::has(text, table, Topic::ApproveBatch);
    let large = count > LIMIT;
    // An approval counts once: for this message's own list, or for the one that waited and is sent again.
    let approved = says_so || (large && state.batch_approved);
    state.batch_approved = !large && (state.batch_approved || says_so && state.batch_waits);
    let split = large && !approved;
    state.batch_waits = split || (state.batch_waits && !large && !says_so);
    let first = if split { items.into_iter().take(5).collect() } else { Vec::new() };
    Batch { count, split, approved, first }
}

/// Lines of a list, or the parts of an enumeration in a sentence.
fn items(text: &Text) -> Vec<String> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[-*•+]\s+|\(?\d{1,3}[.)、:：]\s*|\(?[a-z][.)]\s+|[一二三四五六七八九十]+[、.．]\s*)(\S.*)$").expect("a fixed pattern compiles")
    });
    let listed: Vec<String> =
        text.lines.iter().filter_map(|line| Some(ITEM.captures(line)?[1].trim().to_owned())).collect();
    if listed.len() >= 2 {
        return listed;
    }
    let counted = counted_in_a_line(&text.cased);
    if counted.len() > 2 {
        return counted;
    }
    text.cased
        .split(['\n', '。', '!', '！', ';', '；'])
        // A dot ends a sentence only before a space: `a.rs` is a name.
        .flat_map(|line| line.split(". "))
        .map(enumeration)
        .max_by_key(Vec::len)
        .filter(|items| items.len() > 2)
        .unwrap_or_default()
}

/// `1. this 2. that 3. more` in one line: numbers that go up by one from 1.
fn counted_in_a_line(text: &str) -> Vec<String> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[\s:：,，;；])\(?(\d{1,3})[.)、]\s*").expect("a fixed pattern compiles")
    });
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for found in NUMBER.captures_iter(text) {
        let (Some(whole), Some(number)) = (found.get(0), found.get(1)) else { continue };
        if number.as_str().parse() == Ok(starts.len() + 1) {
            starts.push((whole.start(), whole.end()));
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let items = starts.iter().zip(ends).map(|((_, start), end)| text[*start..end].trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

/// `a, b, c and d` with short parts: long ones are clauses of a sentence.
fn enumeration(sentence: &str) -> Vec<String> {
    let chinese = sentence.matches('、').count() >= 2;
    let separators: &[char] = if chinese { &['、', '和'] } else { &[',', '，'] };
    let parts: Vec<String> = sentence
        .split(separators)
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and ").to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let short =
        parts.iter().skip(1).all(|part| part.split_whitespace().count() <= 4 && part.chars().count() <= 40);
    if short { parts } else { Vec::new() }
}

/// "change 8 files", "修改 7 个文件", "twelve changes".
fn named_number(plain: &str) -> u64 {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(\d{1,4}|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty)\s+(?:\w+\s+){0,2}(?:changes|files|edits|modifications|functions|modules|bugs|issues|fixes|features|components|endpoints|tests|places|tasks|items|things|pages|screens|tables|classes|methods|services|packages|scripts|configs|routes)\b|(\d{1,4}|[六七八九十]+)\s*(?:个|处|项|条)\s*(?:改动|修改|文件|函数|模块|功能|地方|问题|接口|页面|任务|bug|变更|组件)|(\d{1,4}|[六七八九十]+)\s*处")
            .expect("a fixed pattern compiles")
    });
    NUMBER
        .captures_iter(plain)
        .filter_map(|found| number(found.get(1).or(found.get(2)).or(found.get(3))?.as_str()))
        .max()
        .unwrap_or(0)
}

fn number(text: &str) -> Option<u64> {
    Some(match text {
        "six" | "六" => 6,
        "seven" | "七" => 7,
        "eight" | "八" => 8,
        "nine" | "九" => 9,
        "ten" | "十" => 10,
        "eleven" | "十一" => 11,
        "twelve" | "十二" => 12,
        "fifteen" | "十五" => 15,
        "twenty" | "二十" => 20,
        digits => digits.parse().unwrap_or(10),
    })
}
