//! Proposals, votes, quorum, escalation, Decision Records, and the delivery packet that a stranger can check.
//!
//! An event-sourced state machine: a request becomes an [`Event`] or a [`Refusal`] that names its rule; [`Standing`] is
//! folded from events, and whether there is CONSENSUS follows from it, the artefact's digest now and the beat.
//!
//! Holds: no CONSENSUS with a red, without quorum, by the author or on other bytes (checked exhaustively in `model`).
//! Elsewhere: the log, the content store and files are `mi-delivery`; commands are `mi`.

mod agent_vote;
mod ballots;
pub mod beat;
pub mod budget;
mod digest;
pub mod done;
pub mod event;
pub mod licence;
pub mod packet;
pub mod people;
pub mod prompts;
mod proposal;
mod quorum;
mod record;
mod refusal;
mod role;
mod rules;
pub mod shhh;
mod standing;
mod status;
mod tally;
pub mod template;
pub mod trace;
pub mod ucxl;
mod vote;

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod model;

pub use agent_vote::{AGENT_VOTE_SCHEMA, AgentVote};
pub use ballots::{Ballots, Packed};
pub use digest::{Digest, DigestError, FileRecord};
pub use event::{Closing, Event, Opened, Submission};
pub use people::{AliasError, Aliases, NameError, Person};
pub use proposal::Proposal;
pub use quorum::{Quorum, Urgency};
pub use record::{DecisionRecord, FollowUp, RecordForm, RecordKind, RecordNumber};
pub use refusal::{Fault, Refusal, Rule};
pub use role::{Role, UnknownRole};
pub use standing::{Ballot, Now, PastVote, Phase, RecordMark, Stage, Standing};
pub use status::{ShownQuorum, ShownVote, Status};
pub use tally::{Blocker, Seats, Tally};
pub use vote::{Citation, Colour, Mitigation, Vote, VoteForm, refuse_floating};
