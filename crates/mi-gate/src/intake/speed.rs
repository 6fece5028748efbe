//! Speed levels (D.21): asked for by name, or taken from urgency.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::text::Text;

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
    let text = &text.cased;
    static LEVELS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[^A-Za-z0-9_./-])[Ss]([0-4])((?:\s*[-+~到至]\s*[Ss]?[0-4]|\s*(?:[、,&和]|and\s)?\s*[Ss][0-4])*)(?:$|[^A-Za-z0-9_/])|(?:速度级别|速度等级|[Ss]peed [Ll]evel)\s*[:：]?\s*([0-4])")
            .expect("a fixed pattern compiles")
    });
    let found = LEVELS.captures(text)?;
    if let Some(level) = found.get(3) {
        return Some(levels(&[digit(level.as_str())]));
    }
    let (first, rest) = (digit(found.get(1)?.as_str()), found.get(2).map_or("", |rest| rest.as_str()));
    let around = (&text[..found.get(1)?.start() - 1], &text[found.get(1)?.end()..]);
    if rest.is_empty() && (is_storage(text) || is_thing(around.0, around.1)) {
        return None;
    }
    let mut list = vec![first];
    let mut range = false;
    for char in rest.chars() {
        match char {
            '-' | '~' | '到' | '至' => range = true,
            '0'..='4' => {
                let level = digit(&char.to_string());
                let from = list.last().copied().unwrap_or(level);
                list.extend(if range { (from..=level).collect::<Vec<_>>() } else { vec![level] });
                range = false;
            }
            _ => {}
        }
    }
    Some(levels(&list))
}

/// "the S1 sensor" is a thing, "the S1 level" is not.
fn is_thing(before: &str, after: &str) -> bool {
    const BEFORE: [&str; 9] = ["the", "a", "an", "class", "model", "type", "sensor", "node", "server"];
    const LEVELS: [&str; 4] = ["level", "speed", "mode", "please"];
    let word = |text: Option<&str>| text.unwrap_or_default().to_lowercase();
    let (last, next) = (word(before.split_whitespace().last()), word(after.split_whitespace().next()));
    BEFORE.contains(&last.as_str()) && !LEVELS.contains(&next.trim_end_matches(['.', ',', '!']))
}

/// "S3" beside a bucket is Amazon's.
fn is_storage(text: &str) -> bool {
    let text = text.to_lowercase();
    ["aws", "bucket", "storage", "upload", "minio", "boto", "amazon", "桶", "存储", "object", "download"]
        .iter()
        .any(|word| text.contains(word))
}

fn digit(text: &str) -> u8 {
    text.bytes().next().map_or(0, |byte| byte.saturating_sub(b'0'))
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
