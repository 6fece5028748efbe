//! Words that only stand for a secret: `your-key-here`, `changeme`, `xxxx`.
//!
//! Every value that may be a secret is asked for them, and hardly any has one, so it is the no that must be cheap: each
//! word has four letters or more, and three of them at every second place are enough to see that there is none.

use memchr::memchr2_iter;

use crate::prefilter::{SLOTS, eight_at, slot};

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "xxxx", "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy", "insert", "replace",
    "your-", "your_", "yourpass", "yourtoken", "yoursecret", "yourkey", "my-secret", "my_secret", "mysecret", "mypassword",
    "my-password", "mytoken", "my-token", "-here", "_here", "not-a-", "foobar", "todo",
];

/// Where the first of the words stands in a value, in any case.
pub(crate) fn next_word(value: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| rest.len() > 2) {
        let eight = eight_at(rest);
        let may_have = may_be_word(eight) | may_be_word(eight >> 16) | may_be_word(eight >> 32);
        let mut places = at.saturating_sub(1)..value.len().min(at + STRIDE);
        if may_have == 1
            && let Some(word) = places.find(|at| is_word(&value[*at..]))
        {
            return Some(word);
        }
        at += STRIDE;
    }
    None
}

/// Where the first dots or stars stand that are put for something that was left out.
pub(crate) fn next_cut(value: &[u8]) -> Option<usize> {
    let is_cut = |at: &usize| matches!(&value[*at..], [b'.', b'.', b'.', ..] | [b'*', b'*', b'*', ..]);
    memchr2_iter(b'.', b'*', value).find(is_cut)
}

/// How far the three places of one look reach.
const STRIDE: usize = 6;

/// One if three letters may be part of a word, otherwise zero.
fn may_be_word(three: u64) -> u64 {
    let slot = slot(three);
    BEGINNINGS[slot / 64] >> (slot % 64) & 1
}

fn is_word(rest: &[u8]) -> bool {
    let first = rest[0].to_ascii_lowercase();
    let is_at = |word: &[u8]| rest.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    WORDS.iter().map(|word| word.as_bytes()).any(|word| word[0] == first && is_at(word))
}

/// A bit for each slot of the first three letters of a word, and of the three after its first.
static BEGINNINGS: [u64; SLOTS / 64] = {
    let mut bits = [0; SLOTS / 64];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].as_bytes();
        let four = u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as u64;
        let (first, second) = (slot(four), slot(four >> 8));
        bits[first / 64] |= 1 << (first % 64);
        bits[second / 64] |= 1 << (second % 64);
        at += 1;
    }
    bits
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
