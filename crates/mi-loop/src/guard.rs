//! Finds out that a run goes in circles before one more input is sent (MI seed, "Loop/stuck guard").
//!
//! Holds: two messages that differ only in times, ids, counters or temporary paths count as the same.

mod volatile;

use mi_model::{record::LoopPattern, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many answers without a change of the tree make a loop.
const ANSWERS_WITHOUT_CHANGE: u32 = 3;
/// How much of a message goes into its signature.
const SIGNATURE_BYTES: usize = 4 * 1024;

/// The signatures of what was sent so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoopGuard {
    /// The last four, oldest first.
    recent: Vec<String>,
    answers_without_change: u32,
    /// How often each input was sent, and how often of that on the tree of the last time.
    #[serde(default)]
    sent: BTreeMap<String, Sent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Sent {
    times: u32,
    times_on_tree: u32,
    tree: String,
}

/// Whether an input was sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    First,
    /// So often before, and files changed since.
    AfterChange(u32),
    /// So often before on this very tree.
    Unchanged(u32),
}

impl LoopGuard {
    /// The loop that sending `next_input` after `last_message` would close, if any; remembers the pair.
    pub fn check(&mut self, last_message: &str, next_input: &str) -> Option<LoopPattern> {
        self.recent.push(signature(last_message, next_input));
        if self.recent.len() > 4 {
            self.recent.remove(0);
        }
        match self.recent.as_slice() {
            [.., a, b, c] if a == b && b == c => Some(LoopPattern::Aaa),
            [a, b, c, d] if a == c && b == d && a != b => Some(LoopPattern::Abab),
            _ if self.answers_without_change >= ANSWERS_WITHOUT_CHANGE => {
                Some(LoopPattern::AnsweredWithoutChange)
            }
            _ => None,
        }
    }

    /// Whether `input` was sent before; remembers that it is sent now, on this tree.
    pub fn repetition(&mut self, input: &str, tree: &str) -> Repetition {
        let key = sha256_hex(normalise(input).as_bytes())[..16].to_owned();
        let sent = self.sent.entry(key).or_default();
        let found = match sent.times {
            0 => Repetition::First,
            times if sent.tree != tree => Repetition::AfterChange(times),
            _ => Repetition::Unchanged(sent.times_on_tree),
        };
        sent.times_on_tree = if sent.tree == tree { sent.times_on_tree + 1 } else { 1 };
        sent.times += 1;
        tree.clone_into(&mut sent.tree);
        found
    }

    /// A batch ended: did it ask, and did it change anything?
    pub fn batch_ended(&mut self, asked: bool, tree_changed: bool) {
        self.answers_without_change =
            if asked && !tree_changed { self.answers_without_change + 1 } else { 0 };
    }

    /// The person said how to go on: what came before no longer counts.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

fn signature(last_message: &str, next_input: &str) -> String {
    sha256_hex(format!("{}\0{}", normalise(last_message), normalise(next_input)).as_bytes())[..16].to_owned()
}

/// The text without what differs from one time to the next though nothing happened.
fn normalise(text: &str) -> String {
    let head = &text[..text.floor_char_boundary(SIGNATURE_BYTES)];
    let plain = volatile::without_volatile(head);
    plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(pairs: &[(&str, &str)]) -> Vec<Option<LoopPattern>> {
        let mut guard = LoopGuard::default();
        pairs.iter().map(|(message, input)| guard.check(message, input)).collect()
    }

    /// The same answer to the same message for the third time is a loop.
    #[test]
    fn three_equal_pairs_are_aaa() {
        assert_eq!(patterns(&[("m", "i"); 3]), [None, None, Some(LoopPattern::Aaa)]);
    }

    /// Two moves that undo each other are a loop at the second round.
    #[test]
    fn two_alternating_pairs_are_abab() {
        let seen = patterns(&[("m", "i"), ("n", "j"), ("m", "i"), ("n", "j")]);
        assert_eq!(seen, [None, None, None, Some(LoopPattern::Abab)]);
    }

    /// Times, ids, counts and temporary paths do not hide a loop.
    #[test]
    fn volatile_parts_do_not_hide_a_loop() {
        let seen = patterns(&[
            ("failed at 12:01:09 in /tmp/a8/x, run 1 (id 3f2a9c1d)", "try again"),
            ("failed at 12:04:55 in /tmp/zz/x, run 2 (id 99aa01bc)", "try  again"),
            ("Failed at 2026-01-01T00:00:00Z in /tmp/q, run 31 (id 0a0b0c0d)", "try again"),
        ]);
        assert_eq!(seen, [None, None, Some(LoopPattern::Aaa)]);
    }

    /// Questions that are answered again and again while nothing changes are a loop, whatever their words.
    #[test]
    fn answers_without_change_are_a_loop() {
        let mut guard = LoopGuard::default();
        let mut seen = Vec::new();
        for (message, input) in [("which one?", "a"), ("and that?", "b"), ("really?", "c")] {
            guard.batch_ended(true, false);
            seen.push(guard.check(message, input));
        }
        assert_eq!(seen, [None, None, Some(LoopPattern::AnsweredWithoutChange)]);
    }

    /// A change of the tree means that the questions led somewhere.
    #[test]
    fn a_changed_tree_starts_the_count_anew() {
        let mut guard = LoopGuard::default();
        for changed in [false, false, true, false] {
            guard.batch_ended(true, changed);
        }
        assert_eq!(guard.check("m", "i"), None);
    }
}
