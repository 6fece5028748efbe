//! Counting: which votes count, whether the quorum is met, whether it passes, and what stands in the way.
//!
//! Requirements: MI-COUNCIL-005, MI-COUNCIL-006, MI-COUNCIL-007, MI-COUNCIL-010.

use serde::Serialize;
use std::fmt;

use crate::{
    Ballot, Colour, Digest, Now, Person, Phase, RecordKind, Role, Stage, Standing, done::Item,
    standing::Safety,
};

/// Numbers of reviewers, needed or there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Seats {
    pub total: u32,
    pub domain: u32,
    pub quality: u32,
}

/// What the votes come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    pub need: Seats,
    pub have: Seats,
    pub met: bool,
    pub greens: u32,
    pub yellows: u32,
    /// Whose red blocks, counted or on earlier bytes.
    pub reds: Vec<Person>,
    /// Whose vote is on other bytes.
    pub drifted: Vec<Person>,
    pub passes: bool,
}

/// Something that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocker {
    Red(Person),
    Drift(Person),
    QuorumTotal,
    QuorumDomain,
    QuorumQuality,
    Greens,
    Record,
    PermaYellow,
    EscalationDue,
    Done(Item),
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Red(person) => write!(f, "red:{person}"),
            Self::Drift(person) => write!(f, "drift:{person}"),
            Self::QuorumTotal => f.write_str("quorum:total"),
            Self::QuorumDomain => f.write_str("quorum:domain"),
            Self::QuorumQuality => f.write_str("quorum:quality"),
            Self::Greens => f.write_str("greens"),
            Self::Record => f.write_str("dr"),
            Self::PermaYellow => f.write_str("perma_yellow"),
            Self::EscalationDue => f.write_str("escalation_due"),
            Self::Done(item) => write!(f, "dod:{item}"),
        }
    }
}

impl Serialize for Blocker {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Standing {
    /// Where the proposal is, now.
    pub fn phase(&self, now: &Now) -> Phase {
        self.phase_by(&self.tally(now))
    }

    pub(crate) fn phase_by(&self, tally: &Tally) -> Phase {
        match self.stage {
            Stage::Draft => Phase::Draft,
            Stage::Review if tally.passes => Phase::Consensus,
            Stage::Review => Phase::Review,
            Stage::Submitted(_) => Phase::Submitted,
            Stage::Merged(_) => Phase::Merged,
            Stage::Rejected(_) => Phase::Rejected,
        }
    }

    /// The digest that votes are held against: after the hand-over, the one that was handed over.
    pub fn digest(&self, now: &Now) -> Digest {
        match self.stage {
            Stage::Draft | Stage::Review => now.digest,
            Stage::Submitted(digest) | Stage::Merged(digest) | Stage::Rejected(digest) => digest,
        }
    }

    /// Whether a vote counts.
    pub fn counts(&self, name: &str, ballot: &Ballot, now: &Now) -> bool {
        !ballot.late
            && self.may_vote(name)
            && (ballot.digest == self.digest(now) || !self.holds(Safety::DigestBound))
            && ballot.round == self.round
    }

    /// Everybody but the author.
    pub(crate) fn may_vote(&self, name: &str) -> bool {
        name != self.author.as_str() || !self.holds(Safety::AuthorExcluded)
    }

    /// Counts the votes.
    pub fn tally(&self, now: &Now) -> Tally {
        let need =
            Seats { total: self.quorum.reviewers, domain: self.quorum.domain, quality: self.quorum.quality };
        let have = Seats { total: 0, domain: 0, quality: 0 };
        let mut tally = Tally {
            need,
            have,
            met: false,
            greens: 0,
            yellows: 0,
            reds: Vec::new(),
            drifted: Vec::new(),
            passes: false,
        };
        let (mut architect, mut qa) = (false, false);
        for (name, ballot) in self.ballots.iter() {
            if self.counts(name, &ballot, now) {
                tally.count(name, &ballot, self);
                let green = ballot.vote == Colour::Green;
                architect |= green && ballot.role == Role::Architect;
                qa |= green && ballot.role == Role::Qa;
            } else if !ballot.late && self.may_vote(name) {
                tally.drifted.push(Person::folded(name));
                if ballot.vote == Colour::Red && self.holds(Safety::StaleRedBlocks) {
                    tally.reds.push(Person::folded(name));
                }
            }
        }
        let stands_in = architect && qa && self.has_escalation(now);
        tally.met = stands_in || self.quorum_met(&tally);
        tally.passes = self.passes(&tally, now);
        tally
    }

    fn quorum_met(&self, tally: &Tally) -> bool {
        let Tally { need, have, .. } = tally;
        (have.total >= need.total || !self.holds(Safety::QuorumNeeded))
            && (have.domain >= need.domain || !self.holds(Safety::DomainNeeded))
            && (have.quality >= need.quality || !self.holds(Safety::QualityNeeded))
    }

    /// From `due_beat` on, an Escalation DR that has not run out.
    fn has_escalation(&self, now: &Now) -> bool {
        let beat = self.beat_at(now.beat);
        (beat >= self.due_beat || !self.holds(Safety::EscalationWaits))
            && self.has_record(RecordKind::Escalation, beat)
    }

    fn has_record(&self, kind: RecordKind, beat: i64) -> bool {
        let holds = |until: Option<i64>| {
            until.is_none_or(|until| beat < until) || !self.holds(Safety::EscalationExpires)
        };
        self.records.iter().any(|mark| mark.kind == kind && holds(mark.until))
    }

    fn passes(&self, tally: &Tally, now: &Now) -> bool {
        if !tally.met || (!tally.reds.is_empty() && self.holds(Safety::RedBlocks)) {
            return false;
        }
        let greens = tally.greens + if self.holds(Safety::YellowIsNotGreen) { 0 } else { tally.yellows };
        greens >= self.quorum.greens || (tally.has_mixed_votes() && self.is_approved(now))
    }

    fn is_approved(&self, now: &Now) -> bool {
        self.has_record(RecordKind::Approval, self.beat_at(now.beat)) || !self.holds(Safety::ApprovalNeeded)
    }

    /// Whether nobody was found in time.
    pub fn is_escalation_due(&self, tally: &Tally, now: &Now) -> bool {
        self.stage == Stage::Review
            && !tally.met
            && self.beat_at(now.beat) >= self.due_beat
            && self.holds(Safety::EscalationIsTold)
    }

    /// What stands in the way of a delivery; CONSENSUS has only items of the Definition of Done.
    pub fn blockers(&self, tally: &Tally, now: &Now) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        match self.phase_by(tally) {
            Phase::Submitted | Phase::Merged | Phase::Rejected => return blockers,
            Phase::Consensus => {}
            Phase::Draft | Phase::Review => self.review_blockers(tally, now, &mut blockers),
        }
        blockers.extend(self.open_items.iter().copied().map(Blocker::Done));
        blockers
    }

    fn review_blockers(&self, tally: &Tally, now: &Now, blockers: &mut Vec<Blocker>) {
        blockers.extend(tally.reds.iter().cloned().map(Blocker::Red));
        blockers.extend(tally.drifted.iter().cloned().map(Blocker::Drift));
        if !tally.met {
            let Tally { need, have, .. } = tally;
            let seats = [
                (have.total < need.total, Blocker::QuorumTotal),
                (have.domain < need.domain, Blocker::QuorumDomain),
                (have.quality < need.quality, Blocker::QuorumQuality),
            ];
            blockers.extend(seats.into_iter().filter(|(lacks, _)| *lacks).map(|(_, blocker)| blocker));
        }
        let calm = tally.met && tally.reds.is_empty();
        if tally.greens < self.quorum.greens {
            match tally.greens {
                0 if calm => blockers.push(Blocker::PermaYellow),
                _ if calm && tally.has_mixed_votes() => blockers.push(Blocker::Record),
                _ => blockers.push(Blocker::Greens),
            }
        }
        if self.is_escalation_due(tally, now) {
            blockers.push(Blocker::EscalationDue);
        }
    }
}

impl Tally {
    fn count(&mut self, name: &str, ballot: &Ballot, standing: &Standing) {
        self.have.total += 1;
        self.have.domain += u32::from(ballot.role.is_domain());
        self.have.quality += u32::from(ballot.role.is_quality());
        match ballot.vote {
            Colour::Green => self.greens += 1,
            Colour::Yellow => self.yellows += 1,
            Colour::Red if standing.holds(Safety::RedBlocks) => self.reds.push(Person::folded(name)),
            Colour::Red => {}
        }
    }

    /// One green and two yellows: with an Approval DR that is enough.
    fn has_mixed_votes(&self) -> bool {
        self.greens >= 1 && self.yellows >= 2
    }
}
