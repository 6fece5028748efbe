//! The few lines about the person that go in front of a prompt ("light injection").
//!
//! Holds: bounded in size; asks for no report format and no steps, so the agent stays free in how it works.

use mi_model::{LearnedRule, MindSpec, RiskCategory};

use crate::{
    answers::policy_sentence,
    criteria::{Criterion, CriterionKind},
    setup::Setup,
};

/// The most bytes of values and rules that are put in front of a prompt.
const BUDGET_BYTES: usize = 4 * 1024;

/// The text for a new conversation.
pub fn light_injection(mind: &MindSpec, learned: &[LearnedRule]) -> String {
    let mut text = String::from("How the person you work for decides:\n");
    let lines = value_lines(mind).into_iter().chain(learned.iter().map(|rule| rule.text.clone()));
    let mut left_out = 0;
    for line in lines {
        if text.len() + line.len() + 3 > BUDGET_BYTES {
            left_out += 1;
        } else {
            text.push_str(&format!("- {line}\n"));
        }
    }
    if left_out > 0 {
        text.push_str(&format!("- ({left_out} more are kept by mi; ask when unsure)\n"));
    }
    if matches!(mind.defaults.refactor_intent.as_str(), "behavior_preserving" | "behaviour_preserving") {
        text.push_str("- A refactor keeps behaviour unless the task asks for a change of behaviour.\n");
    }
    for category in [RiskCategory::Network, RiskCategory::Install] {
        if let Some(sentence) = policy_sentence(&mind.external_actions, category) {
            text.push_str(&format!("- {sentence}\n"));
        }
    }
    text.push_str(
        "Work freely. Before anything outside this project that is not covered above (network, installing, \
         pushing, deleting, private data, cost), stop and ask in your last message. \
         Run the project's own checks before you say that something is done.\n",
    );
    text
}

/// What opens a conversation: how the person decides, and what a task that keeps behaviour means.
pub fn opening(setup: &Setup, learned: &[LearnedRule]) -> String {
    let mut text = light_injection(&setup.mind, learned);
    let keeps_behaviour = |criterion: &Criterion| {
        matches!(criterion.kind, CriterionKind::Preserving | CriterionKind::Renamed { .. })
    };
    if setup.criteria.iter().any(keeps_behaviour) {
        text.push_str(
            "This task preserves behaviour: the tests stay as they are, and pass before and after. Change what it does only \
             where the task says so.\n",
        );
    }
    text
}

/// The lines that tell a running conversation about rules learned since it began.
pub fn learned_since(learned: &[LearnedRule]) -> String {
    learned.iter().map(|rule| format!("From now on: {}\n", rule.text)).collect()
}

fn value_lines(mind: &MindSpec) -> Vec<String> {
    let lines = if mind.values_summary.is_empty() {
        mind.values_text.lines().map(str::to_owned).collect()
    } else {
        mind.values_summary.clone()
    };
    lines
        .iter()
        .map(|line| line.trim().trim_start_matches(['-', '*', '•']).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond values and learned rules the injection takes at most 1,200 bytes.
    #[test]
    fn injection_is_light() {
        let values = "Prefer small changes.\nNever push.";
        let mind = MindSpec { values_text: values.to_owned(), ..MindSpec::default() };
        let setup = Setup {
            task: "Refactor parse()".to_owned(),
            criteria: crate::criteria::criteria("Refactor parse()"),
            mind,
            learned: Vec::new(),
            strategy: None,
            earlier_answers: Vec::new(),
            limits: crate::setup::Limits::default(),
            mind_mode: crate::setup::MindMode::RulesOnly,
        };
        let text = opening(&setup, &[]);
        assert!(text.len() <= values.len() + 1200, "{} bytes", text.len());
        assert!(text.contains("preserves behaviour"), "{text}");
    }

    /// However much a person wrote, the prompt stays small and says that something was left out.
    #[test]
    fn long_values_are_cut_and_the_cut_is_said() {
        let mind = MindSpec { values_text: "Prefer small changes.\n".repeat(1000), ..MindSpec::default() };
        let text = light_injection(&mind, &[]);
        assert!(text.len() < BUDGET_BYTES + 1024, "{} bytes", text.len());
        assert!(text.contains("more are kept by mi"), "{text}");
    }
}
