//! The answers of models that the mind asks for and the loop acts on.
//!
//! Holds: their JSON Schemas are part of the prompts, descriptions included; a change of one is a new version of its prompt.
//! Elsewhere: the answers that are journal records too are in [`crate::record`] (`Risk`, `CheckPlan`, `AutoAnswer`); what a
//! model may leave out is decided by the schema, in `mi-mind`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{Action, NextAction};

/// The answer of `decide_next`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextMove {
    /// The moves a model may choose.
    pub next_action: NextAction,
    pub status: MoveStatus,
    /// What to send to the agent; null unless `next_action` is `send_to_codex`.
    pub next_codex_input: Option<String>,
    /// What to ask the person; null unless `next_action` is `ask_user`.
    pub ask_user_question: Option<String>,
    /// What the decision stands on.
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub confidence: f64,
}

/// What a model may hold the task for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveStatus {
    Done,
    NotDone,
    Blocked,
}

/// The answer of `judge_criteria`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriteriaJudgement {
    pub criteria: Vec<CriterionJudgement>,
}

/// What a model says of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionJudgement {
    pub id: String,
    pub verdict: JudgedVerdict,
    /// The hunks that carry it, as `FILE:A-B`.
    pub hunks: Vec<String>,
    pub reason: String,
}

/// Whether the change carries a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgedVerdict {
    Shown,
    NotShown,
    Unsure,
}

/// The answer of `extract_evidence`: the parts of an evidence item that need reading, not counting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EvidenceParts {
    pub facts: Vec<String>,
    pub actions: Vec<Action>,
    pub results: Vec<String>,
    pub unknowns: Vec<String>,
    pub risk_signals: Vec<String>,
}

/// Whose words a section of a question holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionOrigin {
    /// The person: values, task, answers. A model judges by them.
    Person,
    /// Everything else. A model never obeys it.
    Evidence,
}
