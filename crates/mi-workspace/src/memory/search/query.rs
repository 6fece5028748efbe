//! What is looked for, and how often a text has it.

use super::super::terms::{Kind, for_each_term, query_terms};

/// More terms than this make a query slow and no better.
const MOST_TERMS: usize = 32;

/// The terms of a query.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    terms: Vec<String>,
    /// For each first byte, the terms that start with it, one bit each.
    by_first: [u32; 256],
}

/// How often each term of a query stands in a document, weighted by where, and how long the document is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    pub(crate) of_terms: Vec<f32>,
    pub(crate) length: u32,
}

impl Query {
    /// `None` when there is nothing to look for.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let terms = query_terms(text, MOST_TERMS);
        let mut by_first = [0; 256];
        for (index, term) in terms.iter().enumerate() {
            by_first[usize::from(term.as_bytes()[0])] |= 1 << index;
        }
        (!terms.is_empty()).then_some(Self { terms, by_first })
    }

    pub(crate) fn terms(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn nothing(&self) -> Counts {
        Counts { of_terms: vec![0.0; self.terms.len()], length: 0 }
    }

    /// Adds what a part of a document has; a heading weighs more than a body.
    pub(crate) fn count(&self, text: &str, weight: f32, counts: &mut Counts) {
        for_each_term(text, &mut |term, kind| {
            counts.length += match kind {
                Kind::Word | Kind::Character => 1,
                Kind::Piece | Kind::Pair => 0,
                Kind::Lone => return,
            };
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
