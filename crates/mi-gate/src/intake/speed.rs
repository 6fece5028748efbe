//! Speed levels (D.21): asked for by name, or taken from urgency.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::text::{Text, end_of, start_of};

/// One level; none is S0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Speed {
    /// Only the recommended way.
    S1,
    /// No inline comments in code.
    S2,
    /// Conclusion and reason in one sentence.
    S3,
    /// No side block.
    S4,
}

/// S1 and S3; all four where the person has asked for silence before.
pub(super) fn of_haste(prefers_silence: bool) -> Vec<Speed> {
    match prefers_silence {
        false => vec![Speed::S1, Speed::S3],
        true => vec![Speed::S1, Speed::S2, Speed::S3, Speed::S4],
    }
}

/// The levels that a message names; an empty list is S0, asked for by name.
pub(super) fn named(text: &Text) -> Option<Vec<Speed>> {
    let text: String = text.cased.chars().map(narrow).collect();
    called_level(&text).or_else(|| letters(&text))
}

/// Wide forms and dashes as they stand on an English keyboard.
fn narrow(char: char) -> char {
    match char {
        'Ｓ' | 'ｓ' => 'S',
        '０'..='４' => char::from_u32(char as u32 - '０' as u32 + u32::from(b'0')).unwrap_or(char),
        '＋' => '+',
        '–' | '—' | '－' | '～' => '-',
        other => other,
    }
}

/// 速度级别3, 速度级别一, "speed level 1-3".
fn called_level(text: &str) -> Option<Vec<Speed>> {
    static CALLED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:速度级别|速度等级|[Ss]peed [Ll]evel)\s*[:：]?\s*[Ss]?([0-4零一二三四])((?:\s*[-+~到至]\s*[Ss]?[0-4])*)(?:$|[^0-9A-Za-z十])")
            .expect("a fixed pattern compiles")
    });
    let found = CALLED.captures(text)?;
    let first = found.get(1)?.as_str().chars().next()?;
    Some(levels(&combined(digit(first), found.get(2).map_or("", |rest| rest.as_str()))))
}

/// `S2`, `S1+S3`, `S1-S4`.
fn letters(text: &str) -> Option<Vec<Speed>> {
    static LEVELS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[^A-Za-z0-9_./-])[Ss]([0-4])((?:\s*[-+~到至]\s*[Ss]?[0-4]|\s*(?:[、,&和/]|and\s)?\s*[Ss][0-4])*)(?:$|[^A-Za-z0-9_/])")
            .expect("a fixed pattern compiles")
    });
    LEVELS.captures_iter(text).find_map(|found| {
        let (first, rest) = (found.get(1)?, found.get(2)?);
        let (before, after) = (end_of(&text[..first.start() - 1]), start_of(&text[rest.end()..]));
        let goes_on = after.trim_start().strip_prefix(['-', '+']).is_some_and(|more| {
            more.trim_start().trim_start_matches(['S', 's']).starts_with(|char: char| char.is_ascii_digit())
        });
        let level = first.as_str().chars().next().map(digit)?;
        let joined = !rest.as_str().is_empty();
        let wanted = !goes_on
            && !is_refused(before)
            && if joined { !is_row_of_things(level, before, after) } else { is_order(level, before, after) };
        wanted.then(|| levels(&combined(level, rest.as_str())))
    })
}

/// Levels that are joined (`+`) and ranges (`-`), in either direction.
fn combined(first: u8, rest: &str) -> Vec<u8> {
    let mut list = vec![first];
    let mut range = false;
    for char in rest.chars() {
        match char {
            '-' | '~' | '到' | '至' => range = true,
            '0'..='4' => {
                let level = digit(char);
                let from = list.last().copied().unwrap_or(level);
                list.extend(if range { from.min(level)..=from.max(level) } else { level..=level });
                range = false;
            }
            _ => {}
        }
    }
    list
}

/// "no S1", "don't use S4", 不要S2.
fn is_refused(before: &str) -> bool {
    let words = last_words(before);
    words.iter().any(|word| matches!(word.as_str(), "no" | "not" | "don't" | "without" | "never"))
        || ["不要", "不用", "别用", "不"].iter().any(|word| before.trim_end().ends_with(word))
}

fn last_words(before: &str) -> Vec<String> {
    let clause = before.rsplit([',', '.', '!', '?', ';', ':', '\n', '，', '。']).next().unwrap_or_default();
    clause.split_whitespace().rev().take(2).map(str::to_lowercase).collect()
}

/// Words before a level that make it the name of a thing.
const NAMES: [&str; 34] = [
    "sheet", "cell", "row", "channel", "between", "station", "port", "audi", "the", "a", "an", "class",
    "model", "type", "sensor", "node", "server", "galaxy", "samsung", "sap", "season", "figure", "table",
    "section", "stage", "sprint", "phase", "step", "are", "aws", "amazon", "version", "chapter", "appendix",
];

/// "Figures S1-S4 are blurry", "upload S3+S4 images": things in a row.
fn is_row_of_things(level: u8, before: &str, after: &str) -> bool {
    let last = last_words(before).into_iter().next().unwrap_or_default();
    let is_named =
        last.len() > 3 && (NAMES.contains(&last.as_str()) || NAMES.contains(&last.trim_end_matches('s')));
    is_named || level == 3 && is_storage(before, after)
}

/// Whether one level by itself is asked for: "S2: fix it", "use S2". "the S1 sensor", "Galaxy S4" and "the S3 client" are things.
fn is_order(level: u8, before: &str, after: &str) -> bool {
    // What does something is a thing: "S3 is slow today".
    const VERBS: [&str; 14] = [
        "is", "was", "has", "isn't", "wasn't", "fails", "failed", "keeps", "returns", "throws", "seems",
        "works", "goes", "went",
    ];
    const LEVELS: [&str; 6] = ["level", "levels", "speed", "mode", "please", "模式"];
    let after = after.trim_start();
    let next = after.split_whitespace().next().unwrap_or_default().to_lowercase();
    let last = last_words(before).into_iter().next().unwrap_or_default();
    if LEVELS.contains(&next.trim_end_matches(['.', ',', '!'])) {
        return true;
    }
    let is_name = after.starts_with('.') && after[1..].starts_with(|char: char| char.is_ascii_alphanumeric());
    if is_name || after.starts_with("://") {
        return false;
    }
    if VERBS.contains(&next.as_str()) {
        return false;
    }
    let begins = before.trim().is_empty();
    // Whatever follows a level that begins the message and is set apart is the task.
    if begins
        && (after.is_empty() || after.starts_with([',', ':', ';', '.', '!', '，', '：', '；', '。', '！']))
    {
        return true;
    }
    let is_thing = NAMES.contains(&last.as_str())
        || last == "is"
        || level == 4 && next == "hana"
        || level == 3 && is_storage(before, after);
    !is_thing
}

/// "S3" beside files, buckets and clients is Amazon's.
fn is_storage(before: &str, after: &str) -> bool {
    const THINGS: &[&str] = &[
        "aws",
        "bucket",
        "storage",
        "store",
        "upload",
        "minio",
        "boto",
        "amazon",
        "object",
        "download",
        "client",
        "sdk",
        "version",
        "integration",
        "support",
        "backup",
        "file",
        "presigned",
        "sync",
        "cdn",
        "桶",
        "存储",
        "存",
        "文件",
        "备份",
        "上传",
        "下载",
    ];
    let around = format!("{before} {after}").to_lowercase();
    after.starts_with("://") || after.starts_with('的') || THINGS.iter().any(|word| around.contains(word))
}

fn digit(char: char) -> u8 {
    match char {
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        other => other.to_digit(10).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0),
    }
}

fn levels(numbers: &[u8]) -> Vec<Speed> {
    let mut levels: Vec<Speed> = numbers
        .iter()
        .filter_map(|number| match number {
            1 => Some(Speed::S1),
            2 => Some(Speed::S2),
            3 => Some(Speed::S3),
            4 => Some(Speed::S4),
            _ => None,
        })
        .collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}
