//! How deep a change is reviewed: the matrix of D.18 over change units and risk.

use serde::Serialize;

/// What the matrix says about one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Review {
    pub level: Level,
    /// What must happen, in order.
    pub must: Vec<Must>,
}

/// One cell of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Skip,
    Optional,
    Review,
    ReviewConfirm,
    ReviewConfirmSplit,
}

/// One thing that must happen before a change goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Must {
    OfferReview,
    Review,
    HumanConfirm,
    SuggestSplit,
}

/// The cell for `units` change units at `risk`.
pub fn matrix(units: u64, risk: u32) -> Review {
    let level = match (units, risk) {
        (0..=2, 0..=1) => Level::Skip,
        (0..=2, 2..=3) | (3..=5, 0..=1) => Level::Optional,
        (0..=2, _) | (3..=5, 2..=3) | (6.., 0..=1) => Level::Review,
        (3..=5, _) | (6.., 2..=3) => Level::ReviewConfirm,
        (6.., _) => Level::ReviewConfirmSplit,
    };
    let mut must = match level {
        Level::Skip => Vec::new(),
        Level::Optional => vec![Must::OfferReview],
        Level::Review => vec![Must::Review],
        Level::ReviewConfirm | Level::ReviewConfirmSplit => vec![Must::Review, Must::HumanConfirm],
    };
    if units >= 6 {
        must.push(Must::SuggestSplit);
    }
    Review { level, must }
}

#[cfg(test)]
mod tests {
    use super::{Level::*, Must::*, *};

    /// All nine cells, and the borders between them.
    #[test]
    fn d_18_matrix_has_the_seeds_cells() {
        type Case<'a> = (&'a [u64], &'a [u32], Level, &'a [Must]);
        let cases: [Case<'_>; 9] = [
            (&[0, 1, 2], &[0, 1], Skip, &[]),
            (&[1, 2], &[2, 3], Optional, &[OfferReview]),
            (&[1, 2], &[4, 9], Level::Review, &[Must::Review]),
            (&[3, 5], &[0, 1], Optional, &[OfferReview]),
            (&[3, 5], &[2, 3], Level::Review, &[Must::Review]),
            (&[3, 5], &[4, u32::MAX], ReviewConfirm, &[Must::Review, HumanConfirm]),
            (&[6, 100], &[0, 1], Level::Review, &[Must::Review, SuggestSplit]),
            (&[6, 100], &[2, 3], ReviewConfirm, &[Must::Review, HumanConfirm, SuggestSplit]),
            (&[6, u64::MAX], &[4, 8], ReviewConfirmSplit, &[Must::Review, HumanConfirm, SuggestSplit]),
        ];
        for (units, risks, level, must) in cases {
            for (units, risk) in units.iter().flat_map(|units| risks.iter().map(move |risk| (*units, *risk)))
            {
                let review = super::Review { level, must: must.to_vec() };
                assert_eq!(matrix(units, risk), review, "{units} units at risk {risk}");
            }
        }
    }
}
