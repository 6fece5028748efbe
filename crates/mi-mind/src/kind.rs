//! The six prompts of the seed, each with its text, its version and the schema of its answer.
//!
//! Holds: a prompt's text never changes under the same version; `kind::tests` pins the digests.

use mi_model::record::{AutoAnswer, CheckPlan, Risk};
use serde_json::Value;

use crate::{
    answers::{CompiledMindSpec, EvidenceParts, NextMove},
    schema::strict_schema,
};

/// Which question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptKind {
    CompileMindspec,
    ExtractEvidence,
    RiskJudge,
    PlanMinChecks,
    AutoAnswerToCodex,
    DecideNext,
}

/// What every prompt begins with: who asks, that evidence is data, what counts as done.
const FRAME: &str = include_str!("../prompts/frame.v1.md");

impl PromptKind {
    /// All prompts, in the order a run meets them.
    pub const ALL: [Self; 6] = [
        Self::CompileMindspec,
        Self::ExtractEvidence,
        Self::RiskJudge,
        Self::PlanMinChecks,
        Self::AutoAnswerToCodex,
        Self::DecideNext,
    ];

    /// The seed's name of the prompt.
    pub fn name(self) -> &'static str {
        match self {
            Self::CompileMindspec => "compile_mindspec",
            Self::ExtractEvidence => "extract_evidence",
            Self::RiskJudge => "risk_judge",
            Self::PlanMinChecks => "plan_min_checks",
            Self::AutoAnswerToCodex => "auto_answer_to_codex",
            Self::DecideNext => "decide_next",
        }
    }

    /// The version of the prompt's text, as it stands in its file name.
    pub fn version(self) -> &'static str {
        "v1"
    }

    /// The standing instructions: the common frame and the prompt's own text.
    pub fn system_text(self) -> String {
        format!("{FRAME}\n{}", self.own_text())
    }

    /// The JSON Schema of the answer: every key required, optional = null, nothing else allowed.
    pub fn schema(self) -> Value {
        match self {
            Self::CompileMindspec => strict_schema::<CompiledMindSpec>(&[]),
            Self::ExtractEvidence => strict_schema::<EvidenceParts>(&[]),
            Self::RiskJudge => strict_schema::<Risk>(&[]),
            Self::PlanMinChecks => strict_schema::<CheckPlan>(self.nullable_texts()),
            Self::AutoAnswerToCodex => strict_schema::<AutoAnswer>(self.nullable_texts()),
            Self::DecideNext => strict_schema::<NextMove>(&[]),
        }
    }

    /// Texts that the record keeps as `""` when they do not apply, and that a model may answer with null.
    pub(crate) fn nullable_texts(self) -> &'static [&'static str] {
        match self {
            Self::PlanMinChecks => &["testless_strategy_question", "codex_check_input", "notes"],
            Self::AutoAnswerToCodex => &["codex_answer_input", "ask_user_question", "notes"],
            Self::CompileMindspec | Self::ExtractEvidence | Self::RiskJudge | Self::DecideNext => &[],
        }
    }

    fn own_text(self) -> &'static str {
        match self {
            Self::CompileMindspec => include_str!("../prompts/compile_mindspec.v1.md"),
            Self::ExtractEvidence => include_str!("../prompts/extract_evidence.v1.md"),
            Self::RiskJudge => include_str!("../prompts/risk_judge.v1.md"),
            Self::PlanMinChecks => include_str!("../prompts/plan_min_checks.v1.md"),
            Self::AutoAnswerToCodex => include_str!("../prompts/auto_answer_to_codex.v1.md"),
            Self::DecideNext => include_str!("../prompts/decide_next.v1.md"),
        }
    }
}
