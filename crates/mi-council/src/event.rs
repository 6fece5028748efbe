//! What can happen to a proposal, as the journal carries it.
//!
//! Holds: an event is a fact that was accepted when it was written; applying it never fails. Old events always load:
//! fields are only ever added, with a default.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::{
    DecisionRecord, Digest, FileRecord, Person, Quorum, RecordNumber, Role, Urgency, Vote,
    done::{Item, Proof},
};

/// One thing that happened. `kind` is the record's kind in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    ProposalOpened(Box<Opened>),
    ReviewRequested {
        beat: i64,
    },
    ReviewerAdded {
        beat: i64,
        name: Person,
        role: Role,
    },
    VoteCast(Box<Vote>),
    ScopeNarrowed {
        beat: i64,
        scope: Vec<String>,
        paths: Vec<String>,
    },
    EvidenceAdded {
        beat: i64,
        item: Item,
        proof: Proof,
    },
    DecisionRecorded(Box<DecisionRecord>),
    DecisionSuperseded {
        beat: i64,
        number: RecordNumber,
        by: RecordNumber,
    },
    DeliverySubmitted(Box<Submission>),
    DeliveryClosed {
        beat: i64,
        outcome: Closing,
        why: String,
    },
    /// Somebody looked at a later beat than any event had.
    BeatSeen {
        beat: i64,
    },
}

/// A proposal as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub id: String,
    pub title: String,
    pub author: Person,
    /// As typed, from the project's root.
    pub paths: Vec<String>,
    pub files: Vec<FileRecord>,
    pub digest: Digest,
    pub urgency: Urgency,
    pub draft: bool,
    pub quorum: Quorum,
    #[serde(default)]
    pub evidence: BTreeMap<Item, Proof>,
    /// Requirement ids that the title and the files cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// The commit it was made on, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub beat: i64,
}

/// What was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// `D-3`.
    pub submission: String,
    pub digest: Digest,
    /// The digest of the packet's manifest.
    pub packet: Digest,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notify_roles: Vec<String>,
    pub beat: i64,
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    Merged,
    Rejected,
}

impl Event {
    /// The kind of the journal's record.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ProposalOpened(_) => "proposal_opened",
            Self::ReviewRequested { .. } => "review_requested",
            Self::ReviewerAdded { .. } => "reviewer_added",
            Self::VoteCast(_) => "vote_cast",
            Self::ScopeNarrowed { .. } => "scope_narrowed",
            Self::EvidenceAdded { .. } => "evidence_added",
            Self::DecisionRecorded(_) => "decision_recorded",
            Self::DecisionSuperseded { .. } => "decision_superseded",
            Self::DeliverySubmitted(_) => "delivery_submitted",
            Self::DeliveryClosed { .. } => "delivery_closed",
            Self::BeatSeen { .. } => "beat_seen",
        }
    }

    /// When it happened, on the proposal's own clock.
    pub fn beat(&self) -> i64 {
        match self {
            Self::ProposalOpened(opened) => opened.beat,
            Self::VoteCast(vote) => vote.beat,
            Self::DecisionRecorded(record) => record.beat,
            Self::DeliverySubmitted(submission) => submission.beat,
            Self::ReviewRequested { beat }
            | Self::ReviewerAdded { beat, .. }
            | Self::ScopeNarrowed { beat, .. }
            | Self::EvidenceAdded { beat, .. }
            | Self::DecisionSuperseded { beat, .. }
            | Self::DeliveryClosed { beat, .. }
            | Self::BeatSeen { beat } => *beat,
        }
    }
}
