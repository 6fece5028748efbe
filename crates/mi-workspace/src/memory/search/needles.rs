//! A quick look that spares most texts the slow one: is any term of the query in there at all?

use aho_corasick::{AhoCorasick, MatchKind};

/// The beginnings of terms, looked for all at once.
#[derive(Debug, Clone)]
pub(crate) struct Needles {
    /// None when they could not be prepared; then every text is looked at closely.
    all: Option<AhoCorasick>,
}

impl Needles {
    pub(crate) fn new(terms: &[String]) -> Self {
        // `retries` has the stem `retry`, of which only `retr` stands in it; all other stems are beginnings.
        let starts = terms.iter().map(|term| term.strip_suffix('y').unwrap_or(term));
        let all =
            AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(starts);
        Self { all: all.ok() }
    }

    /// False only if none of the terms is in the text.
    pub(crate) fn may_be_in(&self, text: &[u8]) -> bool {
        match &self.all {
            Some(all) => !is_plain(text) || all.is_match(text),
            None => true,
        }
    }
}

/// Whether folding leaves a text as it is but for the case of ASCII letters: ASCII, punctuation, kana, Han and
/// Hangul. Looks at the bytes alone, since this is done for every text there is.
fn is_plain(bytes: &[u8]) -> bool {
    if bytes.is_ascii() {
        return true;
    }
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let second = || after.first().copied().unwrap_or_default();
        let third = || after.get(1).copied().unwrap_or_default();
        let is_plain = match first {
            0..=0xc1 => true,
            0xe2 => second() == 0x80 && (0x90..=0xa7).contains(&third()),
            0xe3 => match second() {
                0x80 => third() <= 0xa9,
                0x81 | 0x83 => third() != 0xbf,
                0x82 => !(0x97..=0xa0).contains(&third()),
                _ => false,
            },
            0xe4 => second() >= 0xb8,
            0xe5..=0xe9 | 0xeb | 0xec => true,
            0xea => second() >= 0xb0,
            0xed => second() <= 0x9d,
            0xef => second() == 0xbc && matches!(third(), 0x81..=0x8f | 0x9a..=0xa0),
            _ => false,
        };
        if !is_plain {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Needles, is_plain};
    use crate::memory::terms::{Kind, for_each_term, query_terms};
    use proptest::prelude::*;

    /// What has other forms, cases or accents is looked at closely.
    #[test]
    fn only_texts_without_other_forms_are_plain() {
        for plain in ["abc XYZ", "文件锁，读者；（写）。", "파일", "ファイル", "“x” – y…", ""]
        {
            assert!(is_plain(plain.as_bytes()), "{plain}");
        }
        for other in ["é", "ＡＢ", "ｶﾞ", "か\u{3099}", "\u{1111}\u{1161}", "Дом", "ﬁ", "…ß", "𝐀", "㍿"]
        {
            assert!(!is_plain(other.as_bytes()), "{other}");
        }
    }

    proptest! {
        /// Whatever term a text has, the quick look does not miss it.
        #[test]
        fn no_term_is_missed(text in "[a-zA-ZäÄéＡ５，：가-힣一-龥ァ-ヶ\u{3099}ies,。 ]{0,30}|\\PC{0,20}") {
            let mut terms = query_terms(&text, 100);
            for_each_term(&text, &mut |term, kind| if kind != Kind::Lone { terms.push(term.to_owned()) });
            for term in terms {
                prop_assert!(Needles::new(std::slice::from_ref(&term)).may_be_in(text.as_bytes()), "{} {}", term, text);
            }
        }
    }
}
