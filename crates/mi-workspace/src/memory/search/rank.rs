//! Which documents fit a query best: BM25 over all memories as one collection.
//!
//! ```text
//! score = cover · Σ_t idf(t) · tf·(k+1) / (tf + k·(1 − b + b·length/average))
//! idf(t) = ln(1 + (N − n_t + ½) / (n_t + ½))        cover = ½ + ½ · (Σ idf of terms found / Σ idf of all terms)
//! ```
//! `tf` is weighted by place (name 3, tags and headings 2, body 1). `average` is that of the same source, since a learned
//! rule is one line and a cycle is a page. `cover` puts a text that has all words before one that repeats a single one.

use super::{query::Counts, source::Source};

const K: f32 = 1.2;
const B: f32 = 0.75;

/// Gathers documents and ranks those that have a term.
#[derive(Debug)]
pub(crate) struct Ranking<T> {
    documents_with: Vec<u32>,
    totals: [Total; Source::ALL.len()],
    found: Vec<(Source, Counts, T)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Total {
    documents: u32,
    length: u64,
}

impl<T> Ranking<T> {
    pub(crate) fn new(terms: usize) -> Self {
        Self { documents_with: vec![0; terms], totals: Default::default(), found: Vec::new() }
    }

    /// Takes one document; `what` is asked for only if it has a term of the query.
    pub(crate) fn add(&mut self, source: Source, counts: &Counts, what: impl FnOnce() -> T) {
        let total = &mut self.totals[source as usize];
        total.documents += 1;
        total.length += u64::from(counts.length);
        if counts.is_empty() {
            return;
        }
        for (with, count) in self.documents_with.iter_mut().zip(&counts.of_terms) {
            *with += u32::from(*count > 0.0);
        }
        self.found.push((source, counts.clone(), what()));
    }

    /// How much each term says: rare ones say more.
    pub(crate) fn weights(&self) -> Vec<f32> {
        let all = self.totals.iter().map(|total| total.documents).sum::<u32>() as f32;
        let weight = |with: &u32| (1.0 + (all - *with as f32 + 0.5) / (*with as f32 + 0.5)).ln();
        self.documents_with.iter().map(weight).collect()
    }

    /// The best first, with their scores; equals stay in the order in which they were added.
    pub(crate) fn best(self, most: usize) -> Vec<(f32, Source, T)> {
        let weights = self.weights();
        let totals = self.totals;
        let mut scored: Vec<_> = self
            .found
            .into_iter()
            .map(|(source, counts, what)| (score(&counts, &weights, totals[source as usize]), source, what))
            .collect();
        scored.sort_by(|left, right| right.0.total_cmp(&left.0));
        scored.truncate(most);
        scored
    }

    pub(crate) fn found(&self) -> usize {
        self.found.len()
    }
}

fn score(counts: &Counts, weights: &[f32], total: Total) -> f32 {
    let average = (total.length as f32 / total.documents.max(1) as f32).max(1.0);
    let long = K * (1.0 - B + B * counts.length as f32 / average);
    let (mut sum, mut covered) = (0.0, 0.0);
    for (count, weight) in counts.of_terms.iter().zip(weights) {
        if *count > 0.0 {
            sum += weight * count * (K + 1.0) / (count + long);
            covered += weight;
        }
    }
    sum * (0.5 + 0.5 * covered / weights.iter().sum::<f32>())
}
