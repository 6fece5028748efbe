//! Passes the brain's questions to a model and keeps what was said.

use mi_loop::message::{MindPrompt, MindQuestion, Origin};
use mi_mind::{Mind, PromptKind, Section};
use mi_model::{BatchId, record::MindCall};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

use crate::Clock;

/// Asks the model; its answer, if it is usable, and the record of the call.
pub(crate) fn ask(
    mind: &Mind,
    question: &MindQuestion,
    transcript: &Path,
    reference: String,
    clock: Clock,
    (batch_id, thread_id): (BatchId, String),
) -> (Option<Value>, MindCall) {
    let asked = mi_mind::MindQuestion {
        kind: kind(question.prompt),
        sections: sections(question),
        transcript_path: reference,
    };
    let mut file: Option<File> = None;
    let mut sink = |stream: &str, line: &str| -> Result<(), String> {
        let line = json!({"ts": clock.now(), "stream": stream, "line": line});
        let file = match &mut file {
            Some(file) => file,
            None => file.insert(open(transcript)?),
        };
        writeln!(file, "{line}").map_err(|error| format!("write {}: {error}", transcript.display()))
    };
    let answer = mind.ask(&asked, &mut sink);
    (answer.value, answer.call.into_record(batch_id, thread_id))
}

fn open(transcript: &Path) -> Result<File, String> {
    let opened = OpenOptions::new().create(true).append(true).open(transcript);
    opened.map_err(|error| format!("open {}: {error}", transcript.display()))
}

fn kind(prompt: MindPrompt) -> PromptKind {
    match prompt {
        MindPrompt::ExtractEvidence => PromptKind::ExtractEvidence,
        MindPrompt::RiskJudge => PromptKind::RiskJudge,
        MindPrompt::PlanMinChecks => PromptKind::PlanMinChecks,
        MindPrompt::AutoAnswerToCodex => PromptKind::AutoAnswerToCodex,
        MindPrompt::DecideNext => PromptKind::DecideNext,
    }
}

/// The brain lists the most important first; that is their priority.
fn sections(question: &MindQuestion) -> Vec<Section> {
    let numbered = question.sections.iter().zip(0_u8..);
    numbered
        .map(|(section, priority)| match section.origin {
            Origin::Person => Section::person(section.title, priority, section.text.clone()),
            Origin::Evidence => Section::evidence(section.title, priority, section.text.clone()),
        })
        .collect()
}
