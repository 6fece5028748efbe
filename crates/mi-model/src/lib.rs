//! The words that three or more rooms share: ids, times, proof, risk, the mind's settings, journal records.
//!
//! Holds: nothing here reads a clock, a file or the environment; every type that reaches the journal has a
//! serde form that is versioned from day one.
//! Elsewhere: agents' streams are `mi-formats`; what a run decides is `mi-loop`.

pub mod answers;
mod digest;
mod error_text;
mod ids;
mod knobs;
mod limits;
mod mindspec;
mod nearest;
mod outcome;
mod prove;
pub mod record;
mod risk;
mod text;
mod time;

pub use digest::{Sha256Hex, sha256_hex};
pub use error_text::{error_line, error_messages};
pub use ids::{BatchId, ProjectId, RunId, goal_ids};
pub use knobs::{ExternalStance, refused_knobs};
pub use limits::RunLimits;
pub use mindspec::{
    DecisionProcedure, Defaults, ExternalActions, Interrupt, InterruptMode, LearnedRule, LearnedScope,
    MindSpec, ProjectOverlay, TestlessStrategy, Transparency, Verification, ViolationResponse,
};
pub use nearest::nearest_name;
pub use outcome::{Bearing, DecidedBy, Evidence, EvidenceKind, Proof, ProofLevel, RunStatus, Usage};
pub use prove::{
    CheckRunSummary, HunkKind, NewTest, ProveReport, ProveStatus, ProvenCheck, ProvenHunk, ShownStrength,
};
pub use risk::{RiskCategory, Severity};
pub use text::{shell_word, shorten};
pub use time::{Beat, BeatClock, Hlc, Timestamp, TimestampError};
