//! What a person values, what was learned, and what one project decided (MI seed, "Data Models").
//!
//! Holds: a hand-edited file keeps the fields we do not know (`extra`), and every field has a default, so a
//! file with only `values_text` is complete.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{RiskCategory, Timestamp};

/// The person's values and defaults: `mindspec/base.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MindSpec {
    pub version: String,
    /// Exactly as the person gave it.
    pub values_text: String,
    pub values_summary: Vec<String>,
    pub decision_procedure: DecisionProcedure,
    pub defaults: Defaults,
    pub verification: Verification,
    pub external_actions: ExternalActions,
    pub interrupt: Interrupt,
    pub transparency: Transparency,
    pub violation_response: ViolationResponse,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Default for MindSpec {
    fn default() -> Self {
        Self {
            version: "v1".to_owned(),
            values_text: String::new(),
            values_summary: Vec::new(),
            decision_procedure: DecisionProcedure::default(),
            defaults: Defaults::default(),
            verification: Verification::default(),
            external_actions: ExternalActions::default(),
            interrupt: Interrupt::default(),
            transparency: Transparency::default(),
            violation_response: ViolationResponse::default(),
            extra: Map::new(),
        }
    }
}

/// How the person decides, in words and as a flowchart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DecisionProcedure {
    pub summary: String,
    pub mermaid: String,
}

/// What holds when the values are silent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Defaults {
    pub refactor_intent: String,
    pub ask_when_uncertain: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { refactor_intent: "behavior_preserving".to_owned(), ask_when_uncertain: true }
    }
}

/// What to do about projects without tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Verification {
    pub no_tests_policy: String,
}

impl Default for Verification {
    fn default() -> Self {
        Self { no_tests_policy: "ask_once_per_project_then_remember".to_owned() }
    }
}

/// How effects outside the project are judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExternalActions {
    pub network_policy: String,
    pub install_policy: String,
}

impl Default for ExternalActions {
    fn default() -> Self {
        Self { network_policy: "values_judged".to_owned(), install_policy: "values_judged".to_owned() }
    }
}

/// When the agent is interrupted, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Interrupt {
    pub mode: InterruptMode,
    /// Sent one after the other, `escalation_ms` apart.
    pub signal_sequence: Vec<String>,
    pub escalation_ms: Vec<u64>,
}

impl Default for Interrupt {
    fn default() -> Self {
        Self {
            mode: InterruptMode::Off,
            signal_sequence: ["SIGINT", "SIGTERM", "SIGKILL"].map(str::to_owned).to_vec(),
            escalation_ms: vec![2000, 5000],
        }
    }
}

/// Which running commands make `mi` interrupt the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptMode {
    #[default]
    Off,
    OnHighRisk,
    OnAnyExternal,
}

/// What is kept for the person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Transparency {
    pub store_raw_transcript: bool,
    pub store_evidence_log: bool,
    pub ui_expandable_transcript: bool,
}

impl Default for Transparency {
    fn default() -> Self {
        Self { store_raw_transcript: true, store_evidence_log: true, ui_expandable_transcript: true }
    }
}

/// What follows when the agent did something the values do not cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ViolationResponse {
    pub auto_learn: bool,
    pub prompt_user_on_high_risk: bool,
}

impl Default for ViolationResponse {
    fn default() -> Self {
        Self { auto_learn: true, prompt_user_on_high_risk: true }
    }
}

/// What one project decided: `projects/<id>/overlay.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectOverlay {
    pub project_id: String,
    pub root_path: String,
    pub stack_hints: Vec<String>,
    pub testless_verification_strategy: Option<TestlessStrategy>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How a project without tests is checked, asked once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TestlessStrategy {
    pub chosen_once: bool,
    pub strategy: String,
    pub rationale: String,
}

/// Whether a learned rule holds everywhere or in one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LearnedScope {
    Global,
    Project,
}

/// A learned preference that is in force (adds minus disables).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedRule {
    pub id: String,
    pub ts: Timestamp,
    pub scope: LearnedScope,
    pub enabled: bool,
    pub text: String,
    pub rationale: String,
    /// The risk this rule tightens, when `mi` learned it by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<RiskCategory>,
}
