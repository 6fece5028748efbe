//! When a rule may become milder or stricter (D.19 permission_transitions, D.17).

use serde::{Deserialize, Serialize};

use super::decide::Verdict;

/// What the person made of a rule; it stands until they take it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permit {
    pub rule: String,
    pub verdict: Verdict,
    /// Nobody vouches for it: it makes a rule stricter, never milder than it came.
    #[serde(default)]
    pub only_tightens: bool,
}

impl Permit {
    /// A change that the person is known to have made.
    pub fn new(rule: &str, verdict: Verdict) -> Self {
        Self { rule: rule.to_owned(), verdict, only_tightens: false }
    }

    /// The permit of a rule, if the person gave one that counts.
    pub fn of<'a>(permits: &'a [Self], rule: &str) -> Option<&'a Self> {
        let counts = |permit: &&Self| !is_fixed(rule) || permit.verdict == Verdict::Deny;
        permits.iter().find(|permit| permit.rule == rule).filter(counts)
    }

    /// What it makes of a rule that comes as `own`.
    pub fn of_shipped(&self, own: Verdict) -> Verdict {
        if self.only_tightens { self.verdict.max(own) } else { self.verdict }
    }
}

/// Rules that guard the gate itself never become milder: whoever could change them could change all others.
pub fn is_fixed(rule: &str) -> bool {
    matches!(rule, "mi.human-only" | "mi.gate-records" | "mi.own-files" | "mi.rules-not-loaded")
}

/// What is on record about a rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct History<'a> {
    pub human_approved: bool,
    /// The person's reason, which is journalled.
    pub justification: &'a str,
    pub safe_uses: u32,
    /// How many safe uses a prompt needs before it may become an allow: a setting, 5 unless the person says otherwise.
    pub needed_uses: u32,
}

/// Why a rule stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this rule guards the gate itself and stays as it is")]
    Fixed,
    #[error("deny never becomes allow in one step; make it prompt first")]
    TwoSteps,
    #[error("only the person can make a rule milder")]
    NoApproval,
    #[error("a deny becomes a prompt only with a written reason")]
    NoJustification,
    #[error("a prompt becomes an allow after {needed} safe uses; there are {seen}")]
    TooFewUses { seen: u32, needed: u32 },
}

/// Whether this rule may go from one verdict to the other. Tightening always may.
pub fn transition_of(rule: &str, from: Verdict, to: Verdict, history: &History<'_>) -> Result<(), Refusal> {
    if to < from && is_fixed(rule) {
        return Err(Refusal::Fixed);
    }
    transition(from, to, history)
}

/// Whether a rule may go from one verdict to the other. Tightening always may.
pub fn transition(from: Verdict, to: Verdict, history: &History<'_>) -> Result<(), Refusal> {
    if to >= from {
        return Ok(());
    }
    match (from, to) {
        (Verdict::Deny, Verdict::Allow) => Err(Refusal::TwoSteps),
        _ if !history.human_approved => Err(Refusal::NoApproval),
        (Verdict::Deny, _) if history.justification.trim().is_empty() => Err(Refusal::NoJustification),
        (Verdict::Prompt, _) if history.safe_uses < history.needed_uses => {
            Err(Refusal::TooFewUses { seen: history.safe_uses, needed: history.needed_uses })
        }
        (Verdict::Deny | Verdict::Prompt | Verdict::Allow, _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict::*, *};

    /// The whole table of transitions.
    #[test]
    fn d_19_rules_become_milder_only_step_by_step() {
        let nobody = History { needed_uses: 5, ..History::default() };
        let person = History { human_approved: true, justification: "needed", safe_uses: 5, needed_uses: 5 };
        for (from, to) in [(Allow, Prompt), (Allow, Deny), (Prompt, Deny), (Deny, Deny)] {
            assert_eq!(transition(from, to, &nobody), Ok(()));
        }
        assert_eq!(transition(Deny, Allow, &person), Err(Refusal::TwoSteps));
        assert_eq!(transition(Deny, Prompt, &nobody), Err(Refusal::NoApproval));
        assert_eq!(
            transition(Deny, Prompt, &History { justification: " ", ..person }),
            Err(Refusal::NoJustification)
        );
        assert_eq!(transition(Deny, Prompt, &person), Ok(()));
        assert_eq!(transition(Prompt, Allow, &nobody), Err(Refusal::NoApproval));
        assert_eq!(
            transition(Prompt, Allow, &History { safe_uses: 4, ..person }),
            Err(Refusal::TooFewUses { seen: 4, needed: 5 })
        );
        assert_eq!(transition(Prompt, Allow, &person), Ok(()));
        assert_eq!(
            transition(Prompt, Allow, &History { needed_uses: 8, ..person }),
            Err(Refusal::TooFewUses { seen: 5, needed: 8 })
        );
    }
}
