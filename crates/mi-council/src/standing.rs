//! How a proposal stands: everything that decides its phase, and nothing else.
//!
//! [`Standing::apply`] takes one event; [`Standing::phase`] and the tally follow from the events, the artefact's digest
//! now and the beat. CONSENSUS is never stored: it is what the votes say.
//! Holds: the safety properties of `model`, which checks this very code exhaustively for small councils.
//! Elsewhere: what may happen next is `rules`; what people are shown is `status`.
//! Requirements: MI-COUNCIL-005, MI-COUNCIL-008, MI-COUNCIL-009.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

use crate::{
    Ballots, Colour, Digest, Event, Opened, Person, Quorum, RecordKind, RecordNumber, Role, Urgency,
    done::{Item, Proof},
    event::Closing,
    people::Aliases,
};

/// Where a proposal is, as people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    Draft,
    Review,
    Consensus,
    Submitted,
    Merged,
    Rejected,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Draft => "DRAFT",
            Self::Review => "REVIEW",
            Self::Consensus => "CONSENSUS",
            Self::Submitted => "SUBMITTED",
            Self::Merged => "MERGED",
            Self::Rejected => "REJECTED",
        })
    }
}

/// Where a proposal is by its events alone; what was handed over keeps the digest it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Draft,
    Review,
    Submitted(Digest),
    Merged(Digest),
    Rejected(Digest),
}

/// What the world is like when somebody asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    pub beat: i64,
    /// The artefact's digest, read now.
    pub digest: Digest,
}

/// The part of a vote that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ballot {
    pub vote: Colour,
    pub role: Role,
    pub digest: Digest,
    /// How often the scope had been narrowed.
    pub round: u32,
    /// It came after the hand-over.
    pub late: bool,
}

/// The part of a Decision Record that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RecordMark {
    pub number: RecordNumber,
    pub kind: RecordKind,
    /// The first beat on which it no longer holds.
    pub until: Option<i64>,
}

/// A vote that no longer is the person's vote, or never became it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastVote {
    pub name: Person,
    pub vote: Colour,
    pub role: Role,
    pub counted: bool,
    pub digest: Digest,
    pub late: bool,
}

impl PastVote {
    /// What was voted.
    pub fn ballot(&self) -> Ballot {
        Ballot { vote: self.vote, role: self.role, digest: self.digest, round: 0, late: self.late }
    }
}

/// How a proposal stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    pub author: Person,
    pub quorum: Quorum,
    pub urgency: Urgency,
    pub stage: Stage,
    /// The latest beat that any event had: it never goes back.
    pub beat: i64,
    pub due_beat: i64,
    pub round: u32,
    /// Kept apart from the rest, in lines.
    #[serde(skip)]
    pub ballots: Ballots,
    pub records: Vec<RecordMark>,
    /// Items of the Definition of Done that are not proven.
    pub open_items: BTreeSet<Item>,
    #[cfg(test)]
    #[serde(skip)]
    pub(crate) broken: Option<Safety>,
}

/// A property that a test can break on purpose, to see that the model check notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Safety {
    RedBlocks,
    StaleRedBlocks,
    QuorumNeeded,
    DomainNeeded,
    QualityNeeded,
    AuthorExcluded,
    DigestBound,
    NarrowingVoids,
    OnePersonOneVote,
    YellowIsNotGreen,
    ApprovalNeeded,
    LateIsLate,
    EscalationIsTold,
    EscalationWaits,
    EscalationExpires,
    BeatNeverGoesBack,
}

impl Standing {
    /// A proposal as it was opened.
    pub fn of(opened: &Opened, aliases: &Aliases) -> Self {
        let proven = |item: &Item| matches!(opened.evidence.get(item), Some(Proof::Proven { .. }));
        Self {
            author: aliases.person(&opened.author),
            quorum: opened.quorum,
            urgency: opened.urgency,
            stage: if opened.draft { Stage::Draft } else { Stage::Review },
            beat: opened.beat,
            due_beat: opened.beat.saturating_add(opened.urgency.beats(&opened.quorum)),
            round: 0,
            ballots: Ballots::default(),
            records: Vec::new(),
            open_items: Item::ALL.into_iter().filter(|item| !proven(item)).collect(),
            #[cfg(test)]
            broken: None,
        }
    }

    /// Takes over one event; gives the vote that it made a matter of the past.
    pub fn apply(&mut self, event: &Event, aliases: &Aliases) -> Option<PastVote> {
        self.beat = self.beat_at(event.beat());
        match event {
            Event::ProposalOpened(_) | Event::BeatSeen { .. } => {}
            Event::ReviewRequested { .. } => {
                if self.stage == Stage::Draft {
                    self.stage = Stage::Review;
                    self.due_anew();
                }
            }
            Event::ReviewerAdded { .. } => self.due_anew(),
            Event::VoteCast(vote) => {
                let ballot = Ballot {
                    vote: vote.vote,
                    role: vote.role,
                    digest: vote.digest,
                    round: self.round,
                    late: self.is_over() && self.holds(Safety::LateIsLate),
                };
                return self.cast(self.person(&vote.name, aliases), ballot);
            }
            Event::ScopeNarrowed { .. } => {
                self.round += u32::from(self.holds(Safety::NarrowingVoids));
                self.due_anew();
            }
            Event::EvidenceAdded { item, proof, .. } => match proof {
                Proof::Proven { .. } => drop(self.open_items.remove(item)),
                Proof::Failed { .. } | Proof::Unknown => drop(self.open_items.insert(*item)),
            },
            Event::DecisionRecorded(record) => {
                let until = record.expires.map(|beats| record.beat.saturating_add(i64::from(beats)));
                self.records.retain(|mark| Some(mark.number) != record.supersedes);
                self.records.push(RecordMark { number: record.number, kind: record.record_kind, until });
            }
            Event::DecisionSuperseded { number, .. } => self.records.retain(|mark| mark.number != *number),
            Event::DeliverySubmitted(submission) => self.stage = Stage::Submitted(submission.digest),
            Event::DeliveryClosed { outcome, .. } => self.close(*outcome),
        }
        None
    }

    fn cast(&mut self, person: Person, ballot: Ballot) -> Option<PastVote> {
        let past = |ballot: Ballot| PastVote {
            name: person.clone(),
            vote: ballot.vote,
            role: ballot.role,
            counted: false,
            digest: ballot.digest,
            late: ballot.late,
        };
        match self.ballots.get(&person) {
            // Who voted in time keeps that vote; what comes late is only remembered.
            Some(earlier) if ballot.late && !earlier.late => Some(past(ballot)),
            earlier => {
                let displaced = earlier.map(past);
                self.ballots.insert(person, ballot);
                displaced
            }
        }
    }

    fn close(&mut self, outcome: Closing) {
        if let Stage::Submitted(digest) = self.stage {
            self.stage = match outcome {
                Closing::Merged => Stage::Merged(digest),
                Closing::Rejected => Stage::Rejected(digest),
            };
        }
    }

    fn due_anew(&mut self) {
        self.due_beat = self.beat.saturating_add(self.urgency.beats(&self.quorum));
    }

    /// Whether it was handed over: votes that come now are late.
    pub fn is_over(&self) -> bool {
        match self.stage {
            Stage::Draft | Stage::Review => false,
            Stage::Submitted(_) | Stage::Merged(_) | Stage::Rejected(_) => true,
        }
    }

    /// The proposal's own beat when a clock shows this one.
    pub fn beat_at(&self, beat: i64) -> i64 {
        if self.holds(Safety::BeatNeverGoesBack) { beat.max(self.beat) } else { beat }
    }

    pub(crate) fn person(&self, name: &Person, aliases: &Aliases) -> Person {
        if self.holds(Safety::OnePersonOneVote) { aliases.person(name) } else { name.clone() }
    }

    /// Whether a property is kept: always, but where a test breaks it on purpose.
    #[cfg(not(test))]
    pub(crate) fn holds(&self, _property: Safety) -> bool {
        true
    }

    #[cfg(test)]
    pub(crate) fn holds(&self, property: Safety) -> bool {
        self.broken != Some(property)
    }
}
