//! Names of memory files: `[category-]topic.md` with a topic of two to four words (NX-328).
//!
//! Holds: a [`MemoryName`] matches `^[a-z0-9][a-z0-9-]*\.md$` and carries neither a date nor a version, because what it
//! names outlives both.

use std::fmt;

/// The categories of the contract (NX-329); a project may have more.
pub const CATEGORIES: [&str; 3] = ["empirical", "external", "pattern"];

/// A checked name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryName {
    file: String,
    category: Option<String>,
}

/// A text that cannot name a memory file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{name}` cannot name a memory file: {reason}; use two to four words such as `lock-order.md` or `empirical-lock-order.md`"
)]
pub struct NameError {
    name: String,
    reason: String,
}

/// Words after which a number names a thing and not a version: `utf-8`, `exit-code-137`, `rfc-9110`.
const NUMBERED: [&str; 22] = [
    "ansi", "arm", "base", "code", "error", "exit", "http", "ieee", "iso", "issue", "layer", "level", "pep",
    "port", "rfc", "sha", "signal", "status", "step", "top", "utf", "x86",
];
const MONTHS: [&str; 23] = [
    "jan",
    "january",
    "feb",
    "february",
    "mar",
    "march",
    "apr",
    "april",
    "may",
    "jun",
    "june",
    "jul",
    "july",
    "aug",
    "august",
    "sep",
    "september",
    "oct",
    "october",
    "nov",
    "november",
    "dec",
    "december",
];
const LONGEST: usize = 100;

impl MemoryName {
    /// Checks a name, with or without `.md`. `more_categories` are prefixes that the project uses besides the
    /// contract's; an empty list is the usual case.
    pub fn new(text: &str, more_categories: &[String]) -> Result<Self, NameError> {
        let refuse = |reason: String| NameError { name: text.to_owned(), reason };
        let stem = text.strip_suffix(".md").unwrap_or(text);
        check_letters(stem).map_err(|reason| refuse(reason.to_owned()))?;
        let words: Vec<&str> = stem.split('-').collect();
        let is_category =
            |word: &str| CATEGORIES.contains(&word) || more_categories.iter().any(|more| more == word);
        let category = words.first().copied().filter(|first| is_category(first));
        let topic = if category.is_some() { &words[1..] } else { &words[..] };
        if !(2..=4).contains(&topic.len()) {
            let prefix = category.map(|category| format!(" after the category `{category}-`"));
            let count = topic.len();
            return Err(refuse(format!(
                "its topic has {count} words{}, not 2 to 4",
                prefix.unwrap_or_default()
            )));
        }
        if let Some(reason) = date_or_version(topic) {
            return Err(refuse(reason));
        }
        Ok(Self { file: format!("{stem}.md"), category: category.map(str::to_owned) })
    }

    /// The name of a file that exists, however it is called.
    pub(crate) fn unchecked(file: &str) -> Self {
        Self { file: file.to_owned(), category: category_of(file, &[]).map(str::to_owned) }
    }

    /// The file's name, with `.md`.
    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// The topic as words: `lock order`.
    pub fn topic(&self) -> String {
        topic_words(&self.file, self.category())
    }
}

impl fmt::Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)
    }
}

/// The category of any file's name, checked or not.
pub fn category_of<'a>(file: &'a str, more_categories: &[String]) -> Option<&'a str> {
    let (first, _) = file.split_once('-')?;
    (CATEGORIES.contains(&first) || more_categories.iter().any(|more| more == first)).then_some(first)
}

/// The topic of any file's name, checked or not.
pub fn topic_words(file: &str, category: Option<&str>) -> String {
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let topic = category.and_then(|category| stem.strip_prefix(category)).unwrap_or(stem);
    topic.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn check_letters(stem: &str) -> Result<(), &'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if stem.is_empty() {
        return Err("it is empty");
    }
    if !stem.bytes().all(is_allowed) {
        return Err("only lower-case letters a-z, digits and `-` are allowed");
    }
    if stem.split('-').any(str::is_empty) {
        return Err("it has an empty word");
    }
    if stem.len() > LONGEST {
        return Err("it is too long");
    }
    Ok(())
}

/// Why these words hold a date or a version, if they do.
fn date_or_version(words: &[&str]) -> Option<String> {
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map(|at| words[at]);
        let after = words.get(index + 1).copied();
        if is_date(word) || MONTHS.contains(word) && (is_number(before) || is_number(after)) {
            return Some(format!("`{word}` is a date, and a lesson outlives it (git knows when)"));
        }
        if is_version(word)
            || is_bare_number(word) && !before.is_some_and(|before| NUMBERED.contains(&before))
        {
            return Some(format!(
                "`{word}` is a version number, and a lesson outlives it (say it in the text)"
            ));
        }
    }
    None
}

fn is_number(word: Option<&str>) -> bool {
    word.is_some_and(is_bare_number)
}

fn is_bare_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `2026`, `202601`, `20260131`, `2026q1`, `2026w05`.
fn is_date(word: &str) -> bool {
    let Some((year, rest)) = word.split_at_checked(4) else { return false };
    let is_year = is_bare_number(year) && (year.starts_with("19") || year.starts_with("20"));
    let part = |text: &str, most: u32| text.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number));
    let fits = match rest.len() {
        0 => true,
        2 if is_bare_number(rest) => part(rest, 12),
        4 if is_bare_number(rest) => part(&rest[..2], 12) && part(&rest[2..], 31),
        _ => rest.starts_with(['q', 'w', 'h']) && is_bare_number(&rest[1..]),
    };
    is_year && fits
}

/// `v2`, `v1beta`, `v2rc1`, `rc1`, `beta2`.
fn is_version(word: &str) -> bool {
    let starts_with_digit = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    word.strip_prefix('v').is_some_and(starts_with_digit)
        || ["rc", "alpha", "beta"].iter().any(|stage| {
            word.strip_prefix(stage).is_some_and(|rest| !rest.is_empty() && is_bare_number(rest))
        })
}

#[cfg(test)]
mod tests {
    use super::MemoryName;
    use proptest::prelude::*;

    /// Names that tell a topic in a few words.
    #[test]
    fn nx_328_nx_329_good_names() {
        for (name, category, topic) in [
            ("lock-order.md", None, "lock order"),
            ("lock-order", None, "lock order"),
            ("empirical-lock-order.md", Some("empirical"), "lock order"),
            ("external-api-rate-limits.md", Some("external"), "api rate limits"),
            ("pattern-one-two-three-four.md", Some("pattern"), "one two three four"),
            ("a-b-c-d.md", None, "a b c d"),
            ("3d-model-export.md", None, "3d model export"),
            ("utf-8-decoding.md", None, "utf 8 decoding"),
            ("exit-code-137.md", None, "exit code 137"),
            ("sha256-file-hash.md", None, "sha256 file hash"),
            ("ipv6-dual-stack.md", None, "ipv6 dual stack"),
            ("march-release-plan.md", None, "march release plan"),
            ("version-pinning-rules.md", None, "version pinning rules"),
            ("ops-backup-window.md", Some("ops"), "backup window"),
        ] {
            let checked = MemoryName::new(name, &["ops".to_owned()]).unwrap();
            assert_eq!((checked.category(), checked.topic().as_str()), (category, topic), "{name}");
            assert!(checked.file().ends_with(".md"));
        }
    }

    /// Names with other letters, too few or too many words, a date or a version.
    #[test]
    fn nx_328_bad_names() {
        for (name, reason) in [
            ("", "empty"),
            (".md", "empty"),
            ("Lock-order.md", "lower-case"),
            ("lock order.md", "lower-case"),
            ("lock_order.md", "lower-case"),
            ("锁-顺序.md", "lower-case"),
            ("lock-order.txt", "lower-case"),
            ("../lock-order.md", "lower-case"),
            ("deep/lock-order.md", "lower-case"),
            ("lock-order.md.md", "lower-case"),
            ("-lock-order.md", "empty word"),
            ("lock--order.md", "empty word"),
            ("lock-order-.md", "empty word"),
            ("lock.md", "1 words"),
            ("empirical-lock.md", "1 words"),
            ("pattern.md", "0 words"),
            ("one-two-three-four-five.md", "5 words"),
            ("empirical-one-two-three-four-five.md", "5 words"),
            ("lock-order-2026.md", "date"),
            ("2026-01-31.md", "date"),
            ("empirical-lock-20260131.md", "date"),
            ("lock-order-202601.md", "date"),
            ("lock-order-2026q1.md", "date"),
            ("jan-5-outage.md", "date"),
            ("outage-5-january.md", "version"),
            ("lock-order-v2.md", "version"),
            ("codex-0-21-flags.md", "version"),
            ("python-3-strings.md", "version"),
            ("api-v1beta-limits.md", "version"),
            ("release-rc1-bugs.md", "version"),
        ] {
            let error = MemoryName::new(name, &[]).unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
        assert!(MemoryName::new(&format!("{}-order.md", "a".repeat(200)), &[]).is_err());
    }

    proptest! {
        /// Whatever is accepted matches the contract's pattern.
        #[test]
        fn accepted_names_match_the_pattern(name in "\\PC{0,40}|[a-z0-9-]{0,40}(\\.md)?") {
            if let Ok(name) = MemoryName::new(&name, &[]) {
                let stem = name.file().strip_suffix(".md").unwrap();
                let is_allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
                prop_assert!(stem.chars().all(is_allowed) && !stem.starts_with('-') && !stem.is_empty());
            }
        }
    }
}
