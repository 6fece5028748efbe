//! What is looked for, and how often a text has it.

use super::needles::Needles;
use crate::memory::terms::{Kind, for_terms_starting, query_terms};

/// More terms than this make a query slow and no better.
const MOST_TERMS: usize = 32;

/// Stems that stand in almost every English text; they are looked for only when there is nothing else.
pub(crate) const EMPTY: [&str; 24] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "how", "in", "is", "it", "of",
    "on", "or", "that", "the", "this", "to", "was", "with",
];

/// The terms of a query.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    terms: Vec<String>,
    /// For each first byte, the terms that start with it, one bit each.
    by_first: [u32; 256],
    needles: Needles,
}

/// How often each term of a query stands in a document, weighted by where, and how long the document is in bytes
/// (a word of English and one of Chinese take about as many, so the two compare).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    pub(crate) of_terms: Vec<f32>,
    pub(crate) length: u32,
}

impl Query {
    /// `None` when there is nothing to look for.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut terms = query_terms(text, MOST_TERMS);
        let says_something = |term: &String| !EMPTY.contains(&term.as_str());
        if terms.iter().any(says_something) {
            terms.retain(says_something);
        }
        let mut by_first = [0; 256];
        for (index, term) in terms.iter().enumerate() {
            by_first[usize::from(term.as_bytes()[0])] |= 1 << index;
        }
        let needles = Needles::new(&terms);
        (!terms.is_empty()).then_some(Self { terms, by_first, needles })
    }

    pub(crate) fn terms(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn nothing(&self) -> Counts {
        Counts { of_terms: vec![0.0; self.terms.len()], length: 0 }
    }

    /// False only if no text in this JSON has a term: nothing of one is escaped but by `\u`.
    pub(crate) fn may_be_in_json(&self, json: &[u8]) -> bool {
        self.needles.may_be_in(json) || memchr::memmem::find(json, b"\\u").is_some()
    }

    /// Adds what a part of a document has; a heading weighs more than a body.
    pub(crate) fn count(&self, text: &str, weight: f32, counts: &mut Counts) {
        counts.length = counts.length.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
        if !self.needles.may_be_in(text.as_bytes()) {
            return;
        }
        let wanted = |first: u8| self.by_first[usize::from(first)] != 0;
        for_terms_starting(text, &wanted, &mut |term, kind| {
            if kind == Kind::Lone {
                return;
            }
            let mut candidates = self.by_first[usize::from(term.as_bytes()[0])];
            while candidates != 0 {
                let index = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if self.terms[index] == term {
                    counts.of_terms[index] += weight;
                }
            }
        });
    }
}

impl Counts {
    pub(crate) fn is_empty(&self) -> bool {
        self.of_terms.iter().all(|count| *count == 0.0)
    }

    pub(crate) fn clear(&mut self) {
        self.of_terms.fill(0.0);
        self.length = 0;
    }
}
