//! One pass over the text: the prefilter names the rules that may apply at a place, the rules look.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::{
    Finding, key_block,
    tokens::{TOKENS, Token},
};

/// A text that is scanned.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t>(&'t str);

impl<'t> Text<'t> {
    pub(crate) fn as_str(self) -> &'t str {
        self.0
    }

    pub(crate) fn bytes(self) -> &'t [u8] {
        self.0.as_bytes()
    }
}

/// Everything that was found, in the order of the text. Findings may overlap.
pub fn find(text: &str) -> Vec<Finding> {
    let text = Text(text);
    let mut findings = Vec::new();
    let prefilter = &*PREFILTER;
    for hit in prefilter.literals.find_overlapping_iter(text.bytes()) {
        let (literal, rule) = &prefilter.rules[hit.pattern().as_usize()];
        findings.extend(match rule {
            Rule::Token(token) => token.find(text, hit.start(), literal),
            Rule::KeyBlock => key_block::find(text, hit.start()),
        });
    }
    findings.sort_by_key(|finding| (finding.start, finding.end));
    findings
}

/// What looks closer where a literal stands.
enum Rule {
    Token(&'static Token),
    KeyBlock,
}

struct Prefilter {
    literals: AhoCorasick,
    rules: Vec<(&'static str, Rule)>,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut rules = vec![(key_block::ANCHOR, Rule::KeyBlock)];
    for token in TOKENS {
        rules.extend(token.prefixes.iter().map(|prefix| (*prefix, Rule::Token(token))));
    }
    let literals = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(rules.iter().map(|(literal, _)| literal))
        .expect("some hundred short literals fit an automaton");
    Prefilter { literals, rules }
});

/// Whether a word can begin at `at`: what stands before is no letter or digit, or is an escape (`\n`, `%3D`).
pub(crate) fn starts_word(bytes: &[u8], at: usize) -> bool {
    match &bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'"'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [.., before] => !before.is_ascii_alphanumeric() && *before != b'_' && *before != b'-',
        [] => true,
    }
}
