//! The shapes of answers that no journal record has; the others are `mi_model::record::{Risk, CheckPlan, AutoAnswer}`.

pub use mi_model::record::ActionKind;
use mi_model::{InterruptMode, MindSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `compile_mindspec`. Null means that the values do not speak of it.
///
/// Not among the knobs: the signals of an interrupt, what is kept for the person to see, and the rule that a
/// project without tests is asked about once. Those are changed by hand, never by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompiledMindSpec {
    pub values_summary: Vec<String>,
    pub decision_procedure: mi_model::DecisionProcedure,
    pub defaults: CompiledDefaults,
    pub external_actions: CompiledExternalActions,
    pub interrupt_mode: Option<InterruptMode>,
    pub violation_response: CompiledViolationResponse,
}

/// See [`mi_model::Defaults`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompiledDefaults {
    pub refactor_intent: Option<RefactorIntent>,
    pub ask_when_uncertain: Option<bool>,
}

/// What "refactor" means to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefactorIntent {
    BehaviorPreserving,
    BehaviorChanging,
}

/// See [`mi_model::ExternalActions`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompiledExternalActions {
    pub network_policy: Option<ExternalPolicy>,
    pub install_policy: Option<ExternalPolicy>,
}

/// How effects outside the project are to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExternalPolicy {
    ValuesJudged,
    Ask,
    Allow,
    Deny,
}

impl ExternalPolicy {
    fn as_str(self) -> &'static str {
        match self {
            Self::ValuesJudged => "values_judged",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// See [`mi_model::ViolationResponse`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompiledViolationResponse {
    pub auto_learn: Option<bool>,
    pub prompt_user_on_high_risk: Option<bool>,
}

impl CompiledMindSpec {
    /// `base` with what the values say put in. The values themselves stay exactly as given.
    #[must_use]
    pub fn merge_into(self, mut base: MindSpec) -> MindSpec {
        base.values_summary = self.values_summary;
        base.decision_procedure = self.decision_procedure;
        put(&mut base.defaults.ask_when_uncertain, self.defaults.ask_when_uncertain);
        put(
            &mut base.defaults.refactor_intent,
            self.defaults.refactor_intent.map(|intent| intent_word(intent).to_owned()),
        );
        let policy = |wanted: Option<ExternalPolicy>| wanted.map(|policy| policy.as_str().to_owned());
        put(&mut base.external_actions.network_policy, policy(self.external_actions.network_policy));
        put(&mut base.external_actions.install_policy, policy(self.external_actions.install_policy));
        put(&mut base.interrupt.mode, self.interrupt_mode);
        put(&mut base.violation_response.auto_learn, self.violation_response.auto_learn);
        put(
            &mut base.violation_response.prompt_user_on_high_risk,
            self.violation_response.prompt_user_on_high_risk,
        );
        base
    }
}

fn intent_word(intent: RefactorIntent) -> &'static str {
    match intent {
        RefactorIntent::BehaviorPreserving => "behavior_preserving",
        RefactorIntent::BehaviorChanging => "behavior_changing",
    }
}

fn put<T>(place: &mut T, wanted: Option<T>) {
    if let Some(value) = wanted {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What the values are silent about keeps its default, and the values stay to the byte.
    #[test]
    fn merging_keeps_values_text_and_silent_defaults() {
        let base = MindSpec { values_text: "  Use tabs.\r\nNever push. ".to_owned(), ..MindSpec::default() };
        let compiled: CompiledMindSpec = serde_json::from_value(json!({
            "values_summary": ["Use tabs.", "Never push."],
            "decision_procedure": {"summary": "Ask before pushing.", "mermaid": "flowchart TD\n A-->B"},
            "defaults": {"refactor_intent": null, "ask_when_uncertain": false},
            "external_actions": {"network_policy": "deny", "install_policy": null},
            "interrupt_mode": "on_high_risk",
            "violation_response": {"auto_learn": null, "prompt_user_on_high_risk": null},
        }))
        .unwrap();
        let merged = compiled.merge_into(base.clone());
        let mut expected = base;
        expected.values_summary = vec!["Use tabs.".to_owned(), "Never push.".to_owned()];
        expected.decision_procedure.summary = "Ask before pushing.".to_owned();
        expected.decision_procedure.mermaid = "flowchart TD\n A-->B".to_owned();
        expected.defaults.ask_when_uncertain = false;
        expected.external_actions.network_policy = "deny".to_owned();
        expected.interrupt.mode = InterruptMode::OnHighRisk;
        assert_eq!(merged, expected);
    }
}
