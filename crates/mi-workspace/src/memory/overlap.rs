//! How much two notes are about the same thing: the measure behind "merge before create" (NX-332).
//!
//! ```text
//! overlap = max(½ · topic + ½ · body, 0.8 · body) ± category    from 0 to 1; the same name is 1
//! topic   = |A∩B| / min(|A|, |B|)                          A, B: stems of the names' topics
//! body    = ½ · (shared / all) + ½ · (shared / smaller)    sums of weights of the terms of title and text
//! weight  = ln(1 + N / n)                                  N notes, n of which have the term
//! category: +0.1 when both have the same one, −0.15 when both have different ones
//! ```
//! Terms are stems, and pairs of characters in scripts without spaces. From [`THRESHOLD`] on two notes overlap.

use serde::Serialize;
use std::collections::{HashMap, HashSet};

use super::{
    files::{Note, split_tags},
    name::{category_of, topic_words},
    search::EMPTY_WORDS,
    terms::{Kind, for_each_term},
};

/// Where two notes begin to be about the same thing; tuned on the pairs in this module's tests.
pub const THRESHOLD: f64 = 0.5;

/// An existing note and how much a new one overlaps with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlap {
    pub name: String,
    /// Two decimals.
    pub overlap: f64,
}

/// What is compared of a note.
struct Side {
    category: Option<String>,
    topic: HashSet<String>,
    terms: HashSet<String>,
}

/// The notes that overlap with a new one called `name`, the most alike first.
pub fn overlapping(name: &str, text: &str, notes: &[Note], categories: &[String]) -> Vec<Overlap> {
    let new = Side::new(name, text, categories);
    let sides: Vec<Side> = notes.iter().map(|note| Side::new(&note.name, &note.text, categories)).collect();
    let mut notes_with: HashMap<&str, usize> = HashMap::new();
    for term in sides.iter().chain([&new]).flat_map(|side| &side.terms) {
        *notes_with.entry(term).or_default() += 1;
    }
    let all = sides.len() + 1;
    let weight = |term: &str| (1.0 + all as f64 / notes_with.get(term).copied().unwrap_or(1) as f64).ln();
    let mut found: Vec<Overlap> = notes
        .iter()
        .zip(&sides)
        .map(|(note, side)| {
            let overlap = if note.name == name { 1.0 } else { new.overlap(side, &weight) };
            Overlap { name: note.name.clone(), overlap: (overlap * 100.0).round() / 100.0 }
        })
        .filter(|found| found.overlap >= THRESHOLD)
        .collect();
    found.sort_by(|left, right| right.overlap.total_cmp(&left.overlap).then(left.name.cmp(&right.name)));
    found
}

impl Side {
    fn new(name: &str, text: &str, categories: &[String]) -> Self {
        let category = category_of(name, categories);
        let topic = terms_of(&topic_words(name, category));
        let (_, body) = split_tags(text);
        let terms = terms_of(body);
        Self { category: category.map(str::to_owned), topic, terms }
    }

    fn overlap(&self, other: &Self, weight: &impl Fn(&str) -> f64) -> f64 {
        let shared = self.topic.intersection(&other.topic).count() as f64;
        let topic = shared / self.topic.len().min(other.topic.len()).max(1) as f64;
        let sum = |terms: &HashSet<String>| terms.iter().map(|term| weight(term)).sum::<f64>();
        let (mine, others) = (sum(&self.terms), sum(&other.terms));
        let both: f64 = self.terms.intersection(&other.terms).map(|term| weight(term)).sum();
        let part = |whole: f64| if whole > 0.0 { both / whole } else { 0.0 };
        let body = 0.5 * part(mine + others - both) + 0.5 * part(mine.min(others));
        let category = match (&self.category, &other.category) {
            (Some(left), Some(right)) if left == right => 0.1,
            (Some(_), Some(_)) => -0.15,
            _ => 0.0,
        };
        ((0.5 * topic + 0.5 * body).max(0.8 * body) + category).clamp(0.0, 1.0)
    }
}

fn terms_of(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    for_each_term(text, &mut |term, kind| {
        let counts = matches!(kind, Kind::Word | Kind::Pair | Kind::Lone) && !EMPTY_WORDS.contains(&term);
        if counts && !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::overlapping;
    use crate::memory::files::Note;
    use mi_model::Timestamp;

    fn note(name: &str, text: &str) -> Note {
        let path = std::path::PathBuf::from(name);
        Note {
            name: name.to_owned(),
            path,
            text: text.to_owned(),
            modified: Timestamp::from_millis(0),
            bytes: 0,
        }
    }

    fn notes() -> Vec<Note> {
        vec![
            note(
                "empirical-lock-order.md",
                "# Lock order\nTake the plan lock before the task lock, or two servers deadlock.",
            ),
            note(
                "external-api-rate-limits.md",
                "# Rate limits\nThe vendor answers 429 after 60 requests a minute; wait for Retry-After.",
            ),
            note(
                "pattern-flaky-test-hunt.md",
                "Run the suspect test 200 times under load before you call it fixed.",
            ),
            note(
                "empirical-disk-flush.md",
                "# 写盘与刷新\n在容器里 fsync 比预期慢十倍，批量写入后只刷新一次目录。",
            ),
            note(
                "empirical-file-watch.md",
                "# 파일 감시\n파일 잠금이 풀린 뒤에만 변경 알림이 옵니다. 두 번 읽어야 합니다.",
            ),
            note(
                "build-cache-keys.md",
                "The cache key must contain the compiler version, or stale objects are linked.",
            ),
        ]
    }

    /// New notes and the note each should extend: the labelled set on which the measure was tuned.
    #[test]
    fn nx_332_the_same_topic_overlaps_and_another_one_does_not() {
        let cases = [
            ("empirical-lock-order.md", "Something else entirely.", Some("empirical-lock-order.md")),
            (
                "empirical-lock-ordering.md",
                "The task lock comes after the plan lock.",
                Some("empirical-lock-order.md"),
            ),
            (
                "empirical-server-deadlock.md",
                "Two servers deadlock unless the plan lock is taken before the task lock.",
                Some("empirical-lock-order.md"),
            ),
            ("lock-order-servers.md", "Take the plan lock first.", Some("empirical-lock-order.md")),
            (
                "external-rate-limits.md",
                "The vendor allows 60 requests a minute per key.",
                Some("external-api-rate-limits.md"),
            ),
            (
                "external-vendor-throttling.md",
                "After 60 requests a minute the vendor answers 429; honour Retry-After and wait.",
                Some("external-api-rate-limits.md"),
            ),
            ("pattern-flaky-tests.md", "Run it 200 times under load.", Some("pattern-flaky-test-hunt.md")),
            (
                "empirical-directory-flush.md",
                "批量写入后只刷新一次目录，容器里 fsync 很慢。",
                Some("empirical-disk-flush.md"),
            ),
            (
                "empirical-watch-events.md",
                "파일 잠금이 풀린 뒤에만 변경 알림이 옵니다.",
                Some("empirical-file-watch.md"),
            ),
            ("build-cache-key.md", "Include the compiler version.", Some("build-cache-keys.md")),
            (
                "empirical-memory-growth.md",
                "The server grows by 2 MB per 1000 sessions until the pool is recycled.",
                None,
            ),
            ("external-upload-size.md", "The vendor refuses uploads over 25 MB with 413.", None),
            ("pattern-release-steps.md", "Tag, wait for the build, then tell the testers.", None),
            ("pattern-test-data.md", "Keep one golden file per format and regenerate with the flag.", None),
            ("empirical-thread-order.md", "Worker threads start in reverse order of their ids.", None),
            ("empirical-token-expiry.md", "登录令牌一小时后过期，续期需要管理员权限。", None),
            (
                "external-login-token.md",
                "토큰은 한 시간 뒤에 만료되고 갱신에는 관리자 권한이 필요합니다.",
                None,
            ),
            ("build-machine-names.md", "The slow machine is the one called heron.", None),
            ("pattern-cache-warming.md", "Warm the CDN before a launch by fetching the sitemap twice.", None),
        ];
        for (name, text, expected) in cases {
            let found = overlapping(name, text, &notes(), &[]);
            let best = found.first().map(|found| found.name.as_str());
            assert_eq!(best, expected, "{name}: {found:?}");
        }
    }

    /// The same topic in another category is another kind of knowledge, unless the text is the same too.
    #[test]
    fn nx_332_another_category_overlaps_less() {
        let text = "Vendors document that locks are handed out in the order of request.";
        assert_eq!(overlapping("external-lock-order.md", text, &notes(), &[]), []);
    }
}
