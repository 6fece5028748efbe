//! Words that only stand for a secret: `your-key-here`, `changeme`, `xxxx`.
//!
//! Every value that may be a secret is asked for them, and hardly any has one, so it is the no that must be cheap: each
//! word has four letters or more, and three of them at every second place are enough to see that there is none.

use memchr::memchr2_iter;

use crate::prefilter::{SLOTS, eight_at, slot, small};

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "xxxx", "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy", "insert", "replace",
    "your-", "your_", "yourpass", "yourtoken", "yoursecret", "yourkey", "my-secret", "my_secret", "mysecret", "mypassword",
    "my-password", "mytoken", "my-token", "-here", "_here", "not-a-", "foobar", "todo",
];

/// Where the first of the words stands in a value, in any case.
pub(crate) fn next_word(value: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let eight = small(eight_at(&value[at..]));
        let may_have =
            BEGINNINGS[slot(eight)] | BEGINNINGS[slot(eight >> 16)] | BEGINNINGS[slot(eight >> 32)];
        if may_have && let Some(word) = word_near(value, at) {
            return Some(word);
        }
        // The last look ends where the value does.
        at = (at + STRIDE).min(value.len().checked_sub(8).filter(|last| *last > at)?);
    }
}

/// The word that one look at `at` may have seen a part of.
#[cold]
fn word_near(value: &[u8], at: usize) -> Option<usize> {
    let mut places = at.saturating_sub(1)..value.len().min(at + STRIDE);
    places.find(|at| is_word(&value[*at..]))
}

/// Where the first dots or stars stand that are put for something that was left out.
pub(crate) fn next_cut(value: &[u8]) -> Option<usize> {
    let is_cut = |at: &usize| matches!(&value[*at..], [b'.', b'.', b'.', ..] | [b'*', b'*', b'*', ..]);
    memchr2_iter(b'.', b'*', value).find(is_cut)
}

/// How far the three places of one look reach.
const STRIDE: usize = 6;

fn is_word(rest: &[u8]) -> bool {
    let first = rest[0].to_ascii_lowercase();
    let is_at = |word: &[u8]| rest.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    WORDS.iter().map(|word| word.as_bytes()).any(|word| word[0] == first && is_at(word))
}

/// The slots of the first three letters of a word, and of the three after its first.
static BEGINNINGS: [bool; SLOTS] = {
    let mut slots = [false; SLOTS];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].as_bytes();
        let four = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as u64;
        slots[slot(small(four))] = true;
        slots[slot(small(four) >> 8)] = true;
        at += 1;
    }
    slots
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A word is found wherever it stands, and in any case.
    #[test]
    fn words_are_found_at_every_place() {
        for word in WORDS {
            for (before, after) in (0..9).flat_map(|before| (0..9).map(move |after| (before, after))) {
                let value = format!("{}{word}{}", &"Q7mZp2Lk9"[..before], &"9kL2pZm7Q"[..after]);
                assert_eq!(next_word(value.as_bytes()), Some(before), "{value}");
                assert_eq!(next_word(value.to_uppercase().as_bytes()), Some(before), "{value}");
            }
            assert_eq!(next_word(&word.as_bytes()[1..]), None, "{word}");
        }
        assert_eq!(next_word(b"Q7mZp2Lk9XxxyourHere"), None);
    }
}
