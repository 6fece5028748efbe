//! Whether a model's text is an answer: strict JSON, fits the schema, makes sense in itself.
//!
//! Holds: an accepted value reads as the prompt's Rust type; texts a model left null are `""` where the record
//! keeps a text. A refusal is a sentence that the model can repair its answer by.

use mi_formats::schema::Schema;
use mi_model::{
    answers::{CriteriaJudgement, CriterionJudgement, EvidenceParts, JudgedVerdict, MoveStatus, NextMove},
    record::{AutoAnswer, CheckPlan, NextAction, Risk},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{PromptKind, answers::CompiledMindSpec};

/// The most schema errors that are told to the model.
const ERRORS_SHOWN: usize = 8;

/// The value of an answer given as text.
pub(crate) fn accept_text(kind: PromptKind, text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    let value = serde_json::from_str(text).map_err(|error| format!("the answer is not JSON: {error}"))?;
    accept_value(kind, value)
}

/// The value of an answer that came as JSON.
pub(crate) fn accept_value(kind: PromptKind, mut value: Value) -> Result<Value, String> {
    check_schema(kind, &value)?;
    for name in kind.nullable_texts() {
        if let Some(text) = value.get_mut(*name).filter(|text| text.is_null()) {
            *text = Value::String(String::new());
        }
    }
    check_sense(kind, &value)?;
    Ok(value)
}

fn check_schema(kind: PromptKind, value: &Value) -> Result<(), String> {
    let schema = Schema::compile(&kind.schema())
        .map_err(|error| format!("the schema of {} is broken: {error}", kind.name()))?;
    let misfits = schema.misfits(value);
    let errors: Vec<String> = misfits
        .iter()
        .take(ERRORS_SHOWN)
        .map(|misfit| format!("at `{}`: {}", misfit.pointer, misfit.masked()))
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(format!("the answer does not fit the schema: {}", errors.join("; ")))
    }
}

fn check_sense(kind: PromptKind, value: &Value) -> Result<(), String> {
    match kind {
        PromptKind::CompileMindspec => sense_of_mindspec(&read(value)?),
        PromptKind::ExtractEvidence => read::<EvidenceParts>(value).map(drop),
        PromptKind::RiskJudge => read::<Risk>(value).map(drop),
        PromptKind::PlanMinChecks => sense_of_plan(&read(value)?),
        PromptKind::AutoAnswerToCodex => sense_of_answer(&read(value)?),
        PromptKind::DecideNext => sense_of_move(&read(value)?),
        PromptKind::JudgeCriteria => sense_of_judgement(&read(value)?),
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| format!("the answer cannot be read: {error}"))
}

fn sense_of_mindspec(spec: &CompiledMindSpec) -> Result<(), String> {
    let chart = spec.decision_procedure.mermaid.trim_start();
    demand(!spec.values_summary.is_empty(), "`values_summary` is empty")?;
    demand(chart.starts_with("flowchart") || chart.starts_with("graph"), "`mermaid` is not a flowchart")
}

fn sense_of_judgement(judgement: &CriteriaJudgement) -> Result<(), String> {
    let cites = |one: &CriterionJudgement| one.verdict != JudgedVerdict::Shown || !one.hunks.is_empty();
    demand(judgement.criteria.iter().all(cites), "a criterion is `shown` but `hunks` is empty")
}

fn sense_of_plan(plan: &CheckPlan) -> Result<(), String> {
    demand(
        !plan.should_run_checks || has_text(&plan.codex_check_input),
        "checks are to run but `codex_check_input` is empty",
    )?;
    demand(
        !plan.needs_testless_strategy || has_text(&plan.testless_strategy_question),
        "a strategy is needed but `testless_strategy_question` is empty",
    )
}

fn sense_of_answer(answer: &AutoAnswer) -> Result<(), String> {
    demand((0.0..=1.0).contains(&answer.confidence), "`confidence` is not between 0 and 1")?;
    demand(
        !answer.should_answer || has_text(&answer.codex_answer_input),
        "`should_answer` is true but `codex_answer_input` is empty",
    )?;
    demand(
        !answer.needs_user_input || has_text(&answer.ask_user_question),
        "`needs_user_input` is true but `ask_user_question` is empty",
    )
}

fn sense_of_move(next: &NextMove) -> Result<(), String> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(has_text);
    demand((0.0..=1.0).contains(&next.confidence), "`confidence` is not between 0 and 1")?;
    demand(has_text(&next.reason), "`reason` is empty")?;
    match next.next_action {
        NextAction::SendToCodex => demand(given(&next.next_codex_input), "`next_codex_input` is empty")?,
        NextAction::AskUser => demand(given(&next.ask_user_question), "`ask_user_question` is empty")?,
        NextAction::Stop => {}
    }
    let goes_on = next.next_action != NextAction::Stop;
    demand(!(goes_on && next.status == MoveStatus::Done), "`status` is done but `next_action` is not stop")
}

fn has_text(text: &str) -> bool {
    !text.trim().is_empty()
}

fn demand(holds: bool, complaint: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("the answer contradicts itself: {complaint}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn example(kind: PromptKind) -> Value {
        match kind {
            PromptKind::CompileMindspec => json!({
                "values_summary": ["Use tabs."],
                "decision_procedure": {"summary": "Ask before pushing.", "mermaid": "flowchart TD\n  A --> B"},
                "defaults": {"refactor_intent": "behavior_preserving", "ask_when_uncertain": null},
                "external_actions": {"network_policy": "ask", "install_policy": null},
                "interrupt_mode": null,
                "violation_response": {"auto_learn": true, "prompt_user_on_high_risk": null},
            }),
            PromptKind::ExtractEvidence => json!({
                "facts": ["`src/lib.rs` was changed"],
                "actions": [{"kind": "command", "detail": "cargo test"}, {"kind": "edit", "detail": "src/lib.rs"}],
                "results": ["`cargo test`: exit 0, 12 passed"], "unknowns": [], "risk_signals": [],
            }),
            PromptKind::RiskJudge => json!({"category": "push", "severity": "high", "should_ask_user": true,
                "mitigation": ["delete the remote branch"], "learned_tightening": null}),
            PromptKind::PlanMinChecks => json!({"should_run_checks": false, "needs_testless_strategy": false,
                "testless_strategy_question": null, "check_goals": [], "commands_hints": [],
                "codex_check_input": null, "notes": null}),
            PromptKind::AutoAnswerToCodex => json!({"should_answer": true, "confidence": 0.8,
                "codex_answer_input": "Tabs (values: \"Use tabs.\")", "needs_user_input": false,
                "ask_user_question": null, "unanswered_questions": [], "notes": null}),
            PromptKind::DecideNext => json!({"next_action": "send_to_codex", "status": "not_done",
                "next_codex_input": "Run the tests.", "ask_user_question": null, "reason": "nothing ran yet",
                "confidence": 0.7}),
            PromptKind::JudgeCriteria => {
                json!({"criteria": [{"id": "c1", "verdict": "shown", "hunks": ["a.py:1-2"],
                "reason": "it returns the sum"}]})
            }
        }
    }

    /// The examples are accepted; left out, added or wrongly typed keys are not, for every key of every prompt.
    #[test]
    fn answers_must_have_exactly_the_keys_of_the_schema() {
        for kind in PromptKind::ALL {
            let good = example(kind);
            accept_text(kind, &good.to_string()).unwrap_or_else(|error| panic!("{}: {error}", kind.name()));
            let mut added = good.clone();
            added["surprise"] = json!(1);
            assert!(accept_value(kind, added).is_err());
            for key in good.as_object().unwrap().keys() {
                let mut missing = good.clone();
                missing.as_object_mut().unwrap().remove(key);
                let error = accept_value(kind, missing).expect_err(key);
                assert!(error.contains("required"), "{error}");
                let mut mistyped = good.clone();
                mistyped[key] = json!({"text": [1]});
                assert!(accept_value(kind, mistyped).is_err(), "{}: {key}", kind.name());
            }
        }
    }

    /// Null texts become the empty texts that the journal's records hold.
    #[test]
    fn null_texts_are_empty_in_the_record() {
        let plan = accept_value(PromptKind::PlanMinChecks, example(PromptKind::PlanMinChecks)).unwrap();
        assert_eq!(serde_json::from_value::<CheckPlan>(plan).unwrap(), CheckPlan::default());
        let answer =
            accept_value(PromptKind::AutoAnswerToCodex, example(PromptKind::AutoAnswerToCodex)).unwrap();
        let answer: AutoAnswer = serde_json::from_value(answer).unwrap();
        assert_eq!((answer.ask_user_question.as_str(), answer.notes.as_str()), ("", ""));
    }

    /// Answers that fit the schema and still make no sense are refused with the reason.
    #[test]
    fn contradictions_are_refused() {
        use PromptKind::{AutoAnswerToCodex, CompileMindspec, DecideNext, JudgeCriteria, PlanMinChecks};
        let cases = [
            (CompileMindspec, "/values_summary", json!([]), "`values_summary` is empty"),
            (
                CompileMindspec,
                "/decision_procedure/mermaid",
                json!("A then B"),
                "`mermaid` is not a flowchart",
            ),
            (PlanMinChecks, "/should_run_checks", json!(true), "`codex_check_input` is empty"),
            (PlanMinChecks, "/needs_testless_strategy", json!(true), "`testless_strategy_question` is empty"),
            (AutoAnswerToCodex, "/codex_answer_input", json!(" "), "`codex_answer_input` is empty"),
            (AutoAnswerToCodex, "/needs_user_input", json!(true), "`ask_user_question` is empty"),
            (AutoAnswerToCodex, "/confidence", json!(80), "`confidence` is not between 0 and 1"),
            (DecideNext, "/confidence", json!(-0.1), "`confidence` is not between 0 and 1"),
            (DecideNext, "/reason", json!(""), "`reason` is empty"),
            (DecideNext, "/next_action", json!("ask_user"), "`ask_user_question` is empty"),
            (DecideNext, "/next_codex_input", Value::Null, "`next_codex_input` is empty"),
            (DecideNext, "/status", json!("done"), "`status` is done but `next_action` is not stop"),
            (JudgeCriteria, "/criteria/0/hunks", json!([]), "a criterion is `shown` but `hunks` is empty"),
        ];
        for (kind, place, wrong, expected) in cases {
            let mut value = example(kind);
            *value.pointer_mut(place).unwrap() = wrong;
            let error = accept_value(kind, value).expect_err(expected);
            assert!(
                error.starts_with("the answer contradicts itself: ") && error.ends_with(expected),
                "{error}"
            );
        }
    }
}
