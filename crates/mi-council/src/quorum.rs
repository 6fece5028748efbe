//! How many reviewers of which kind a proposal needs.
//!
//! Requirements: MI-COUNCIL-011, MI-COUNCIL-017.

use serde::{Deserialize, Serialize};

use crate::{Refusal, Rule};

/// The numbers in force when a proposal was opened; they stay with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Quorum {
    /// Reviewers in all.
    pub reviewers: u32,
    /// Of these, at least so many owners or domain reviewers.
    pub domain: u32,
    /// Of these, at least so many of quality, security or performance.
    pub quality: u32,
    /// Greens with which no Approval DR is needed.
    pub greens: u32,
    /// Beats until a proposal without quorum is escalated.
    pub beats: u32,
}

impl Default for Quorum {
    fn default() -> Self {
        Self { reviewers: 3, domain: 1, quality: 1, greens: 2, beats: 4 }
    }
}

impl Quorum {
    /// Refuses numbers with which nothing, or anything, could pass.
    pub fn check(&self) -> Result<(), Refusal> {
        let refuse = |message: String| Err(Refusal::forbidden(Rule::Quorum, message));
        let Self { reviewers, domain, quality, greens, .. } = *self;
        if reviewers == 0 || greens == 0 {
            return refuse(format!(
                "a quorum of {reviewers} reviewers and {greens} greens approves by silence; both must be 1 or more"
            ));
        }
        if greens > reviewers {
            return refuse(format!(
                "a quorum of {reviewers} reviewers cannot give {greens} greens; lower greens or raise reviewers"
            ));
        }
        if u64::from(domain) + u64::from(quality) > u64::from(reviewers) {
            return refuse(format!(
                "a quorum of {reviewers} reviewers has no room for {domain} domain and {quality} quality reviewers"
            ));
        }
        Ok(())
    }
}

/// How much of a hurry a proposal is in: it shortens beats, never the quorum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    #[default]
    Standard,
    Hotfix,
}

impl Urgency {
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "standard" => Some(Self::Standard),
            "hotfix" => Some(Self::Hotfix),
            _ => None,
        }
    }

    /// Beats until escalation.
    pub fn beats(self, quorum: &Quorum) -> i64 {
        match self {
            Self::Standard => i64::from(quorum.beats),
            Self::Hotfix => i64::from(quorum.beats.min(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings that cannot work are refused by the rule's name; the defaults and the edge cases can.
    #[test]
    fn mi_council_011_quorums_that_cannot_work_are_refused() {
        let quorum =
            |reviewers, domain, quality, greens| Quorum { reviewers, domain, quality, greens, beats: 4 };
        for bad in [
            quorum(0, 0, 0, 0),
            quorum(0, 0, 0, 1),
            quorum(3, 1, 1, 0),
            quorum(3, 1, 1, 4),
            quorum(3, 2, 2, 2),
            quorum(1, 1, 1, 1),
            quorum(u32::MAX, u32::MAX, u32::MAX, 1),
        ] {
            let refusal = bad.check().unwrap_err();
            assert!(refusal.to_string().contains("rule `quorum`: a quorum"), "{refusal}");
        }
        for good in [Quorum::default(), quorum(1, 0, 0, 1), quorum(2, 1, 1, 2), quorum(5, 0, 5, 5)] {
            assert_eq!(good.check(), Ok(()));
        }
    }
}
