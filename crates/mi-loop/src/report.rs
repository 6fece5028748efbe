//! What the live loop hands the brain when a batch has ended. It is recorded whole, so that the same decision
//! can be made again from the journal.

use mi_model::{BatchId, Usage, record::RepoObservation};
use serde::{Deserialize, Serialize};

use crate::{facts::BatchFacts, project::ProjectProfile, tamper::TamperSign};

/// One ended batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchReport {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub input: String,
    pub end: HandsEnd,
    pub facts: BatchFacts,
    pub repo: RepoObservation,
    pub project: ProjectProfile,
    pub tamper: Vec<TamperSign>,
    pub usage: Usage,
    pub duration_ms: u64,
    /// The age of the run when the batch ended.
    pub elapsed_ms: u64,
    pub transcript: TranscriptRef,
}

/// Where the raw transcript is, and what it must hash to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TranscriptRef {
    pub path: String,
    pub sha256: String,
    pub bytes: u64,
}

/// How the agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum HandsEnd {
    /// The agent's own terminal event says that the turn is complete.
    Completed,
    /// The agent's own terminal event says that the turn failed.
    Failed { message: String },
    /// The process ended without a terminal event.
    Died { message: String },
    /// No output for the idle limit, or the total limit reached.
    TimedOut { message: String },
    /// `mi` interrupted it because of a running command.
    Interrupted { command: String, reason: String },
    /// The person stopped it.
    Stopped,
}
