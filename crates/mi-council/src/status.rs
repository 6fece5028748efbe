//! What `mi review status --json` prints.

use serde::Serialize;
use std::collections::BTreeMap;

use crate::{Blocker, Colour, Digest, Now, Person, Phase, Role, Seats, Standing};

/// The contract: phase, votes, blockers, quorum, due beat; then what helps a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status<'a> {
    pub phase: Phase,
    pub votes: BTreeMap<&'a Person, ShownVote>,
    pub blockers: Vec<Blocker>,
    pub quorum: ShownQuorum,
    pub due_beat: i64,
    /// The proposal's own beat.
    pub beat: i64,
    /// The digest that votes are held against.
    pub digest: Digest,
    pub author: &'a Person,
}

/// One person's vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ShownVote {
    pub vote: Colour,
    pub role: Role,
    pub counted: bool,
    pub digest: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ShownQuorum {
    pub need: Seats,
    pub have: Seats,
    pub met: bool,
}

impl Standing {
    /// How the proposal stands, for people and programs.
    pub fn status(&self, now: &Now) -> Status<'_> {
        let tally = self.tally(now);
        let votes = self.ballots.iter().map(|(person, ballot)| {
            let counted = self.counts(person, ballot, now);
            (person, ShownVote { vote: ballot.vote, role: ballot.role, counted, digest: ballot.digest })
        });
        Status {
            phase: self.phase_by(&tally),
            votes: votes.collect(),
            blockers: self.blockers(&tally, now),
            quorum: ShownQuorum { need: tally.need, have: tally.have, met: tally.met },
            due_beat: self.due_beat,
            beat: self.beat_at(now.beat),
            digest: self.digest(now),
            author: &self.author,
        }
    }
}
