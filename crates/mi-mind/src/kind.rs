//! The six prompts of the seed and the judge of criteria, each with its text, its version and the schema of its answer.
//!
//! Holds: a prompt's text never changes under the same version; `kind::tests` pins the digests.

use mi_model::{
    answers::{CriteriaJudgement, EvidenceParts, NextMove},
    record::{AutoAnswer, CheckPlan, Risk},
};
use serde_json::Value;

use crate::{answers::CompiledMindSpec, schema::strict_schema};

/// Which question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PromptKind {
    CompileMindspec,
    ExtractEvidence,
    RiskJudge,
    PlanMinChecks,
    AutoAnswerToCodex,
    DecideNext,
    JudgeCriteria,
}

/// What every prompt begins with: who asks, that evidence is data, what counts as done.
const FRAME: &str = include_str!("../prompts/frame.v1.md");

impl PromptKind {
    /// All prompts, in the order a run meets them.
    pub const ALL: [Self; 7] = [
        Self::CompileMindspec,
        Self::ExtractEvidence,
        Self::RiskJudge,
        Self::PlanMinChecks,
        Self::AutoAnswerToCodex,
        Self::DecideNext,
        Self::JudgeCriteria,
    ];

    /// The seed's name of the prompt.
    pub fn name(self) -> &'static str {
        self.into()
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
            Self::JudgeCriteria => strict_schema::<CriteriaJudgement>(&[]),
        }
    }

    /// Texts that the record keeps as `""` when they do not apply, and that a model may answer with null.
    pub(crate) fn nullable_texts(self) -> &'static [&'static str] {
        match self {
            Self::PlanMinChecks => &["testless_strategy_question", "codex_check_input", "notes"],
            Self::AutoAnswerToCodex => &["codex_answer_input", "ask_user_question", "notes"],
            Self::CompileMindspec
            | Self::ExtractEvidence
            | Self::RiskJudge
            | Self::DecideNext
            | Self::JudgeCriteria => &[],
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
            Self::JudgeCriteria => include_str!("../prompts/judge_criteria.v1.md"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mi_model::sha256_hex;

    /// Changed words are a new version: a new file, a new `version()`, and then a new digest here.
    #[test]
    fn texts_are_pinned_to_their_version() {
        let pinned = PromptKind::ALL.map(|kind| {
            let digest = sha256_hex(kind.system_text().as_bytes());
            format!("{}.{} {}", kind.name(), kind.version(), &digest[..16])
        });
        let expected = [
            "compile_mindspec.v1 f16d6dad4e37e429",
            "extract_evidence.v1 720de2329440e2f4",
            "risk_judge.v1 a542c841534a9325",
            "plan_min_checks.v1 01c84e71fc771f23",
            "auto_answer_to_codex.v1 c12eda3b4159fdd4",
            "decide_next.v1 340fb292b8c6cffe",
            "judge_criteria.v1 c79ba6dfadb2a614",
        ];
        assert_eq!(pinned, expected);
    }

    /// Every prompt names each key of its schema, so that the words and the schema cannot drift apart.
    #[test]
    fn prompts_name_every_key_of_their_schema() {
        for kind in PromptKind::ALL {
            for key in kind.schema()["properties"].as_object().unwrap().keys() {
                let named = kind.own_text().contains(&format!("`{key}"));
                assert!(named, "{} does not speak of `{key}`", kind.name());
            }
        }
    }
}
