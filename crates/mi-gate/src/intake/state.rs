//! What one message leaves for the next: topic, obedience, approvals, what was suggested, when it was saved.

use std::collections::BTreeSet;

use mi_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::text::{Text, is_chinese};
use super::words::{self, Topic, WordTable};
use super::work::Work;

/// The state between two messages of a session; the default is a fresh session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// Words that tell the current topic from another (D.14).
    pub topic: BTreeSet<String>,
    /// Counts topics: an approval belongs to one of them.
    pub topic_number: u64,
    /// The person switched challenges off for this topic.
    pub obey: bool,
    /// A larger batch was proposed to be split, and waits for approval.
    pub batch_waits: bool,
    /// That was proposed in the last message: a bare yes answers it.
    pub batch_asked: bool,
    /// The person approved the batch that waited; the next large one uses it up.
    pub batch_approved: bool,
    /// The suggestion that waits for `save`.
    pub pending_card: Option<String>,
    /// What it is: a decision, a preference, a lesson, a principle.
    pub pending_kind: Option<String>,
    /// Digests of what was suggested; it is never suggested again.
    pub suggested: BTreeSet<String>,
    pub last_auto_save_ms: Option<i64>,
    /// The person asked for S2 and S4 before.
    pub prefers_silence: bool,
    /// Tools run, code is being written, tests are pending.
    pub in_progress: bool,
    /// Whether code or decisions came out since the last save; none in a fresh session.
    pub output_made: Option<bool>,
    /// When something last happened; work that nothing was heard of for long is not in progress.
    pub active_ms: Option<i64>,
    /// What hooks saw since the last save.
    pub work: Work,
    /// Cards that the model was given in this session; each is given once.
    pub cards_given: BTreeSet<String>,
}

impl State {
    /// Takes up the message's topic; true if it is a new one.
    pub(super) fn follow(&mut self, text: &Text, table: &WordTable) -> bool {
        let words = topic_words(text);
        let said = words::has(text, table, Topic::NewTopic);
        // Two telling words of English name a subject, unless they refer back; Chinese pairs overlap, so it takes three.
        let english = words.iter().filter(|word| !word.starts_with(is_chinese)).count();
        let refers_back = text
            .tokens
            .iter()
            .any(|token| matches!(token.word.as_str(), "it" | "them" | "too" | "also" | "same"));
        let names_subject = words.len() >= 3 || english >= 2 && !refers_back;
        // Who answers a question stays with it, in whatever words.
        let answers = self.batch_waits && words::has(text, table, Topic::ApproveBatch);
        // An override that nothing was said before is about what was denied: any subject is another one.
        let is_begun = !self.topic.is_empty() || self.obey;
        let unrelated = names_subject && !answers && is_begun && self.topic.is_disjoint(&words);
        if said || unrelated {
            self.topic = words;
            self.topic_number += 1;
            (self.batch_waits, self.batch_approved) = (false, false);
            return true;
        }
        self.topic.extend(words);
        // Topics do not grow without bound: the oldest in order of the alphabet go.
        while self.topic.len() > 200 {
            self.topic.pop_first();
        }
        false
    }

    /// Milliseconds since the last automatic save.
    pub(super) fn since_save(&self, now: Timestamp) -> Option<i64> {
        self.last_auto_save_ms.map(|saved| now.as_millis().saturating_sub(saved))
    }
}

/// Words that stand in messages about anything.
const COMMON: &[&str] = &[
    "this",
    "that",
    "with",
    "from",
    "have",
    "please",
    "just",
    "then",
    "when",
    "what",
    "will",
    "would",
    "should",
    "could",
    "there",
    "their",
    "them",
    "they",
    "into",
    "override",
    "make",
    "need",
    "want",
    "also",
    "like",
    "some",
    "more",
    "your",
    "about",
    "does",
    "done",
    "here",
    "look",
    "good",
    "okay",
    "sure",
    "change",
    "changes",
    "update",
    "file",
    "files",
    "code",
    "remove",
    "write",
    "thing",
    "things",
    "urgent",
    "urgently",
    "quickly",
    "asap",
    "hurry",
    "immediately",
    "let's",
    "lets",
    "after",
    "before",
    "because",
    "which",
    "where",
    "instead",
    "using",
    "used",
    "work",
    "works",
    "next",
    "first",
    "again",
    "still",
    "small",
    "quick",
    "right",
    "now",
    "continue",
    "anyway",
    "really",
    "thanks",
    "thank",
    "discuss",
    // What people say while they stay with a task.
    "ahead",
    "keep",
    "going",
    "goes",
    "looks",
    "great",
    "fine",
    "nice",
    "perfect",
    "exactly",
    "agree",
    "agreed",
    "proceed",
    "commit",
    "push",
    "merge",
    "ship",
    "test",
    "tests",
    "pass",
    "rerun",
    "start",
    "finish",
    "stop",
    "asking",
    "question",
    "questions",
    "don't",
    "that's",
    "it's",
    "same",
    "well",
    "everything",
    "already",
    "possible",
    "soon",
    "today",
    "main",
    "branch",
];

/// Characters that say nothing about the subject: 再跑一遍, 也改一下.
const COMMON_CHINESE: &str =
    "的了吧呢吗这那个一下再也就都还把请我你他它们做改跑来去好快很要用按遍先后是在有和与或";

fn topic_words(text: &Text) -> BTreeSet<String> {
    let english = text
        .tokens
        .iter()
        .map(|token| token.word.clone())
        .filter(|word| word.chars().count() >= 4 && !COMMON.contains(&word.as_str()));
    // Another file is another subject (D.14), however short its name.
    let files = text
        .plain
        .split(|char: char| !(char.is_ascii_alphanumeric() || "._/-".contains(char)))
        .filter(|name| {
            name.rsplit_once('.').is_some_and(|(stem, ending)| {
                stem.len() >= 2
                    && (1..=5).contains(&ending.len())
                    && ending.starts_with(|char: char| char.is_ascii_lowercase())
            })
        })
        .map(str::to_owned);
    let letters: Vec<char> = text.plain.chars().collect();
    let pairs = letters
        .windows(2)
        .filter(|pair| pair.iter().all(|char| is_chinese(*char) && !COMMON_CHINESE.contains(*char)))
        .map(|pair| pair.iter().collect());
    english.chain(files).chain(pairs).take(200).collect()
}
