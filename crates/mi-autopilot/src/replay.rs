//! Decides a recorded run again, with other values or another mind, and says where the decisions differ.
//!
//! Holds: touches nothing. The agent's batches are as they were recorded, so after a different decision the
//! next recorded batch is judged all the same.

use mi_loop::{
    message::{Command, Event, MindQuestion},
    run::Run,
    setup::Setup,
};
use mi_model::record::{ChangeLook, Decision, Entry};
use mi_protocol::Protocol;
use serde_json::Value;
use std::sync::Arc;

use crate::Recorded;

/// A run decided again.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    pub decisions: usize,
    pub differences: Vec<Difference>,
}

/// A batch that is decided otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub batch_id: String,
    pub before: Option<Decision>,
    pub after: Option<Decision>,
}

/// Steps through the run's batches with `setup`; `ask` answers what the record does not. `protocol` is the one that
/// the run follows.
pub fn replay(
    recorded: &Recorded,
    setup: Setup,
    protocol: Option<Arc<Protocol>>,
    mut ask: impl FnMut(&MindQuestion) -> Option<(String, Value)>,
) -> Replayed {
    let mut run = crate::restore::new_run(setup, protocol);
    run.step(Event::Start);
    let mut differences = Vec::new();
    let mut decisions = 0;
    for batch in batches(recorded) {
        let after = decide_again(&mut run, &batch, &mut ask);
        decisions += 1;
        if !same(batch.decision.as_ref(), after.as_ref()) {
            differences.push(Difference { batch_id: batch.id, before: batch.decision, after });
        }
    }
    Replayed { decisions, differences }
}

/// One recorded batch: what it reported, what was answered in it, what was decided.
struct Batch {
    id: String,
    ended: Event,
    answers: Vec<Event>,
    decision: Option<Decision>,
}

fn batches(recorded: &Recorded) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (record, event) in
        recorded.records.iter().map(|record| (record, crate::restore::event_of(&record.entry)))
    {
        match (&record.entry, event) {
            (Entry::EvidenceItem(item), Some(ended)) => {
                batches.push(Batch { id: item.batch_id.clone(), ended, answers: Vec::new(), decision: None });
            }
            (Entry::Decision(decision), not_verified) => {
                if let Some(batch) = batches.last_mut() {
                    batch.decision = Some(decision.clone());
                    batch.answers.extend(not_verified);
                }
            }
            (
                _,
                Some(
                    answer @ (Event::MindAnswered { .. }
                    | Event::PersonAnswered { .. }
                    | Event::NotVerified { .. }
                    | Event::ChangeSeen { .. }
                    | Event::EvidenceRead { .. }),
                ),
            ) => {
                if let Some(batch) = batches.last_mut() {
                    batch.answers.push(answer);
                }
            }
            _ => {}
        }
    }
    batches
}

fn decide_again(
    run: &mut Run,
    batch: &Batch,
    ask: &mut impl FnMut(&MindQuestion) -> Option<(String, Value)>,
) -> Option<Decision> {
    let mut answers = batch.answers.clone();
    let mut next = Some(batch.ended.clone());
    let mut decision = None;
    while let Some(event) = next.take() {
        for command in run.step(event) {
            match command {
                Command::Record(entry) => {
                    if let Entry::Decision(made) = *entry {
                        decision = Some(made);
                    }
                }
                Command::AskMind(question) => next = Some(mind_event(&question, &mut answers, ask)),
                Command::AskPerson(_) => next = person_event(&mut answers),
                Command::ReadEvidence { .. } => next = evidence_event(&mut answers),
                Command::LookAtChange(_) => next = Some(look_event(&mut answers)),
                Command::Finish => next = not_verified(&mut answers),
                Command::RunBatch(_) | Command::SaveStrategy { .. } | Command::Learn { .. } => {}
            }
        }
    }
    decision
}

/// The recorded answer to the same prompt, or a new one.
fn mind_event(
    question: &MindQuestion,
    answers: &mut Vec<Event>,
    ask: &mut impl FnMut(&MindQuestion) -> Option<(String, Value)>,
) -> Event {
    if let Some((model, answer)) = ask(question) {
        return Event::MindAnswered {
            prompt: question.prompt,
            model,
            answer: Some(answer),
            usage: Default::default(),
        };
    }
    let recorded = answers
        .iter()
        .position(|event| matches!(event, Event::MindAnswered { prompt, .. } if *prompt == question.prompt));
    match recorded {
        Some(index) => answers.remove(index),
        None => Event::MindAnswered {
            prompt: question.prompt,
            model: "none".to_owned(),
            answer: None,
            usage: Default::default(),
        },
    }
}

/// The recorded look at the change; a run that took none then knows nothing of it now.
fn look_event(answers: &mut Vec<Event>) -> Event {
    let recorded = answers.iter().position(|event| matches!(event, Event::ChangeSeen { .. }));
    recorded.map(|index| answers.remove(index)).unwrap_or_else(|| {
        let obstacle = Some("the recorded run did not look at its change".to_owned());
        Event::ChangeSeen { look: Box::new(ChangeLook { obstacle, ..ChangeLook::default() }) }
    })
}

fn person_event(answers: &mut Vec<Event>) -> Option<Event> {
    let recorded = answers.iter().position(|event| matches!(event, Event::PersonAnswered { .. }));
    recorded.map(|index| answers.remove(index))
}

/// What the check in the box said is a fact that other values do not change.
fn not_verified(answers: &mut Vec<Event>) -> Option<Event> {
    let recorded = answers.iter().position(|event| matches!(event, Event::NotVerified { .. }));
    recorded.map(|index| answers.remove(index))
}

fn evidence_event(answers: &mut Vec<Event>) -> Option<Event> {
    let recorded = answers.iter().position(|event| matches!(event, Event::EvidenceRead { .. }));
    recorded.map(|index| answers.remove(index))
}

fn same(before: Option<&Decision>, after: Option<&Decision>) -> bool {
    let essence = |decision: Option<&Decision>| {
        decision.map(|decision| (decision.next_action, decision.status, decision.next_input.clone()))
    };
    essence(before) == essence(after)
}
