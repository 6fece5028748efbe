//! What a run is started with. It is journalled whole, so that the run can be decided again.

use mi_council::budget::Budget;
use mi_model::{LearnedRule, MindSpec};
use serde::{Deserialize, Serialize};

use crate::criteria::Criterion;

/// Everything the brain knows before the first batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    pub task: String,
    pub criteria: Vec<Criterion>,
    pub mind: MindSpec,
    pub learned: Vec<LearnedRule>,
    /// How this project is checked when it has no tests, if that was asked before.
    pub strategy: Option<String>,
    /// Questions and answers of earlier runs in this project, newest last.
    pub earlier_answers: Vec<(String, String)>,
    pub limits: Limits,
    pub mind_mode: MindMode,
}

/// What a run may use up. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    pub max_batches: Option<u32>,
    pub max_minutes: Option<u64>,
    #[serde(flatten)]
    pub budget: Budget,
}

/// Who thinks, in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MindMode {
    /// Rules and person; no model.
    RulesOnly,
    /// Rules first, a model where they are undecided, the person last.
    RulesFirst,
    /// A model for every question of the seed's prompt pack; evidence still decides what is done.
    ModelFirst,
}
