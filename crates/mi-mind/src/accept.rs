//! Whether a model's text is an answer: strict JSON, fits the schema, makes sense in itself.
//!
//! Holds: an accepted value reads as the prompt's Rust type; texts a model left null are `""` where the record
//! keeps a text. A refusal is a sentence that the model can repair its answer by.

use mi_model::record::{AutoAnswer, CheckPlan, Risk};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    PromptKind,
    answers::{CompiledMindSpec, EvidenceParts, MoveAction, MoveStatus, NextMove},
};

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
    let schema = kind.schema();
    let validator = jsonschema::validator_for(&schema)
        .map_err(|error| format!("the schema of {} is broken: {error}", kind.name()))?;
    let errors: Vec<String> = validator
        .iter_errors(value)
        .take(ERRORS_SHOWN)
        .map(|error| format!("at `{}`: {}", error.instance_path(), error.masked()))
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
        MoveAction::SendToCodex => demand(given(&next.next_codex_input), "`next_codex_input` is empty")?,
        MoveAction::AskUser => demand(given(&next.ask_user_question), "`ask_user_question` is empty")?,
        MoveAction::Stop => {}
    }
    let goes_on = next.next_action != MoveAction::Stop;
    demand(!(goes_on && next.status == MoveStatus::Done), "`status` is done but `next_action` is not stop")
}

fn has_text(text: &str) -> bool {
    !text.trim().is_empty()
}

fn demand(holds: bool, complaint: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("the answer contradicts itself: {complaint}")) }
}
