//! Whether the compact JSON of a cycle contains a text, both in lower case (NX-106).
//!
//! Most cycles do not, and are told from their raw bytes: a run of letters of the query that is not in them cannot be
//! in their JSON either, unless something in them stands for a letter without being one (`\u0041`, the Kelvin sign).
//! Only what passes is parsed, written compactly, folded and searched.

use memchr::{memchr2_iter, memmem};
use serde_json::Value;
use std::io::{self, Read};

/// A file is looked through in pieces of this size.
const PIECE_BYTES: usize = 256 << 10;

/// Letters from the rarest to the most frequent in English text and our keys.
const RAREST_FIRST: &[u8; 26] = b"zqxjkvwyfgbhmupldnrsocaite";

/// Bytes of the longest sign that may stand for a letter.
const LONGEST_DISGUISE: usize = 3;

/// A query, ready to be held against cycles.
pub(super) struct Matcher {
    folded: String,
    /// What must be in the raw bytes. `None` when the query has no such run.
    run: Option<Run>,
    /// What may stand for a letter of the run without being one.
    disguises: Vec<memmem::Finder<'static>>,
}

/// A part of the query that stands in raw JSON as it is.
enum Run {
    /// ASCII letters in lower case, and which of them is searched for.
    Letters { letters: Vec<u8>, rarest: usize },
    /// Letters of scripts without case.
    Caseless(Box<memmem::Finder<'static>>),
}

impl Matcher {
    pub(super) fn new(query: &str) -> Self {
        let folded = query.to_lowercase();
        let run = longest_run(&folded).map(Run::new);
        // An escape, and the two characters beyond ASCII whose lower case is or begins with an ASCII letter.
        let disguises =
            ["\\u", "\u{212A}", "\u{130}"].map(|sign| memmem::Finder::new(sign.as_bytes())).to_vec();
        Self { folded, run, disguises }
    }

    /// Whether raw bytes, read in pieces, cannot hold a match. `false` says nothing.
    pub(super) fn is_absent_from(&self, source: &mut impl Read) -> io::Result<bool> {
        let Some(run) = &self.run else { return Ok(false) };
        // What is looked for may lie across two pieces.
        let overlap = run.length().max(LONGEST_DISGUISE) - 1;
        let (mut piece, mut kept) = (vec![0; PIECE_BYTES + overlap], 0);
        loop {
            let read = source.read(&mut piece[kept..])?;
            let filled = kept + read;
            if read == 0 {
                return Ok(true);
            }
            let bytes = &piece[..filled];
            if run.is_in(bytes) || self.disguises.iter().any(|sign| sign.find(bytes).is_some()) {
                return Ok(false);
            }
            let from = filled.saturating_sub(overlap);
            piece.copy_within(from..filled, 0);
            kept = filled - from;
        }
    }

    /// Whether the cycle with these raw bytes matches; an error when they are not JSON.
    pub(super) fn matches(&self, bytes: &[u8]) -> serde_json::Result<bool> {
        let disguised = || self.disguises.iter().any(|sign| sign.find(bytes).is_some());
        if self.run.as_ref().is_some_and(|run| !run.is_in(bytes) && !disguised()) {
            return Ok(false);
        }
        let cycle: Value = serde_json::from_slice(bytes)?;
        Ok(cycle.to_string().to_lowercase().contains(&self.folded))
    }
}

impl Run {
    fn new(text: &str) -> Self {
        let letters = text.as_bytes().to_vec();
        let rank = |letter: u8| RAREST_FIRST.iter().position(|other| *other == letter);
        match (0..letters.len()).min_by_key(|index| rank(letters[*index])) {
            Some(rarest) if text.is_ascii() => Self::Letters { letters, rarest },
            _ => Self::Caseless(Box::new(memmem::Finder::new(text.as_bytes()).into_owned())),
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Letters { letters, .. } => letters.len(),
            Self::Caseless(finder) => finder.needle().len(),
        }
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Caseless(finder) => finder.find(bytes).is_some(),
            Self::Letters { letters, rarest } => {
                let letter = letters[*rarest];
                memchr2_iter(letter, letter.to_ascii_uppercase(), bytes).any(|found| {
                    let start = found.checked_sub(*rarest);
                    let place = start.and_then(|start| bytes.get(start..start + letters.len()));
                    place.is_some_and(|place| place.eq_ignore_ascii_case(letters))
                })
            }
        }
    }
}

/// The longest part of a folded query that stands in raw JSON as it is: ASCII letters, at least two, since one alone
/// may be the exponent of a number, or letters of scripts without case.
fn longest_run(folded: &str) -> Option<&str> {
    let ascii = folded.split(|letter: char| !letter.is_ascii_lowercase()).filter(|run| run.len() >= 2);
    let caseless = folded.split(|letter| !is_caseless(letter)).filter(|run| !run.is_empty());
    ascii.chain(caseless).max_by_key(|run| run.len())
}

/// Kana, Chinese characters and Hangul syllables.
fn is_caseless(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

#[cfg(test)]
mod tests {
    use super::{Matcher, PIECE_BYTES};
    use serde_json::Value;
    use std::io::{self, Read};

    /// The worst that a file can do: every read gives one byte.
    struct ByteByByte<'a>(&'a [u8]);

    impl Read for ByteByByte<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = into.len().min(1);
            self.0.read(&mut into[..count])
        }
    }

    /// A text that is nowhere is told from the raw bytes, one that lies across two pieces is not overlooked.
    #[test]
    fn a_text_across_two_pieces_is_seen() {
        let mut bytes = vec![b' '; PIECE_BYTES + 10];
        let matcher = Matcher::new("Needle");
        assert!(matcher.is_absent_from(&mut bytes.as_slice()).unwrap());
        bytes[PIECE_BYTES - 3..PIECE_BYTES + 3].copy_from_slice(b"nEEdle");
        assert!(!matcher.is_absent_from(&mut bytes.as_slice()).unwrap());
    }

    /// The quick way and the plain one agree, whatever the text and the query.
    #[test]
    fn nx_106_prefilter_never_changes_the_answer() {
        let cycles = [
            r#"{"topic":"Deploy the API","n":1e2,"ok":true}"#,
            r#"{ "topic" : "de\u0070loy caf\u00e9 ÉCOLE", "tasks" : [ 1.50, 1E3, null ] }"#,
            r#"{"topic":"\u212Aelvin İstanbul K scale","x":"a\"b\\c\nd\/e"}"#,
            r#"{"topic":"计划 评审 회의 カナ","branch":"Main"}"#,
            r#"{"topic":"ΣΑΣ straße STRASSE ǅ","e":100000000000000000000}"#,
            r#"{"a":{"title":"x"},"b":[]}"#,
        ];
        let queries = [
            "deploy",
            "DEPLOY",
            "café",
            "école",
            "kelvin",
            "istanbul",
            "i̇stanbul",
            "计划",
            "회의",
            "カナ",
            "σας",
            "straße",
            "strasse",
            "1e2",
            "100",
            "1.5",
            "1.50",
            "1e20",
            "e",
            "k",
            "\"topic\":",
            "{\"a\":{",
            "\":\"x\"",
            "a\\\"b",
            "\\n",
            "/e",
            "\\/",
            "true",
            "null",
            "Σ",
            "ǆ",
            ",\"b\":[]}",
            " ",
            "zz",
            "é",
            "main\"}",
            "\u{212A}",
            "İ",
        ];
        for text in cycles {
            let cycle: Value = serde_json::from_str(text).unwrap();
            for query in queries {
                let plain = cycle.to_string().to_lowercase().contains(&query.to_lowercase());
                let matcher = Matcher::new(query);
                assert_eq!(matcher.matches(text.as_bytes()).unwrap(), plain, "{query} in {text}");
                let absent = matcher.is_absent_from(&mut ByteByByte(text.as_bytes())).unwrap();
                assert!(!(absent && plain), "{query} in {text}");
            }
        }
    }
}
