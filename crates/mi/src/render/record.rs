//! A record in one line, as a person would say it.

use mi_model::{
    Bearing, ProveStatus, RunStatus, Severity,
    record::{
        ChangeLook, Decision, Entry, EvidenceItem, NextAction, ProtocolEvidence, ProtocolStep, Record,
        RunFinished,
    },
};
use serde::Deserialize;
use serde_json::Value;

use super::style::{Look, columns};

/// One line of a listing: seq, time, batch and what happened.
pub fn listing(value: &Value, look: &Look) -> String {
    let seq = value.get("seq").and_then(Value::as_u64).map_or("-".to_owned(), |seq| seq.to_string());
    let time = value.get("ts").and_then(Value::as_str).map_or("", short_time);
    let batch = value.get("batch_id").and_then(Value::as_str).unwrap_or("");
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or("?");
    let head = format!("{seq:>5}  {time}  {batch:<4}  {kind:<13} ");
    let used = columns(&head);
    match Record::deserialize(value) {
        Ok(record) => format!(
            "{}{}",
            look.faint(&head),
            paint(&record.entry, &look.one_line(&sentence(&record.entry), used), look)
        ),
        Err(_) => format!("{}{}", look.faint(&head), look.one_line(&value.to_string(), used)),
    }
}

/// What the record says, in one sentence.
pub fn sentence(entry: &Entry) -> String {
    match entry {
        Entry::RunStarted(run) if run.resumed => format!("goes on: {}", run.task),
        Entry::RunStarted(run) => format!("begins with {}: {}", run.hands, run.task),
        Entry::CodexInput(input) => format!("sent to the agent: {}", flat(&input.input)),
        Entry::EvidenceItem(item) => evidence(item),
        Entry::RiskEvent(event) => format!(
            "{} risk ({}): {}",
            event.risk.severity.as_str(),
            event.risk.category.as_str(),
            event.risk_signals.join("; ")
        ),
        Entry::CheckPlan(plan) if plan.checks.should_run_checks => {
            format!("check wanted: {}", plan.checks.commands_hints.join(", "))
        }
        Entry::CheckPlan(plan) if plan.checks.needs_testless_strategy => {
            "no tests here: how is it checked?".to_owned()
        }
        Entry::CheckPlan(plan) => format!("no check needed: {}", plan.checks.notes),
        Entry::AutoAnswer(answer) if answer.auto_answer.should_answer => {
            let reply = flat(&answer.auto_answer.codex_answer_input);
            // The agent is told which question it is (`You asked: “…” No.`); the person wants the answer first.
            let end_of_question = reply.split_once("” ").or_else(|| reply.split_once("”："));
            format!("answered for you: {}", end_of_question.map_or(reply.as_str(), |(_, answer)| answer))
        }
        Entry::AutoAnswer(answer) => format!("needs you: {}", answer.auto_answer.ask_user_question),
        Entry::Decision(decision) => decided(decision),
        Entry::LoopGuard(guard) => guard.reason.clone(),
        Entry::Question(question) => format!("asks you: {}", flat(&question.question)),
        Entry::UserInput(input) => format!("you said: {}", flat(&input.answer)),
        Entry::MindCall(call) if call.ok => {
            format!("{} answered {} in {} ms", call.model, call.prompt, call.latency_ms)
        }
        Entry::MindCall(call) => {
            format!("{} failed {}: {}", call.model, call.prompt, call.error.as_deref().unwrap_or("?"))
        }
        Entry::Overlay(change) => format!("this project is checked by: {}", change.strategy),
        Entry::Learned(change) => {
            format!("learned: {} (take back: mi learned disable {})", change.text, change.learned_id)
        }
        Entry::Interrupt(sent) => format!("interrupted `{}`: {}", sent.command, sent.reason),
        Entry::Protocol(step) => judged(step),
        Entry::ProtocolEvidence(evidence) => read_evidence(evidence),
        Entry::CounterCheck(record) => looked(&record.look),
        Entry::NotVerified(refused) => format!("the check did not pass in the box: {}", flat(&refused.why)),
        Entry::Accepted(accepted) if accepted.criteria.is_empty() => {
            "you took what was open as done".to_owned()
        }
        Entry::Accepted(accepted) => format!("you took as done: {}", accepted.criteria.join("; ")),
        Entry::Note(note) => note.message.clone(),
        Entry::RunFinished(finished) => ended(finished),
    }
}

/// The sentence in the colour of what it means.
pub fn paint(entry: &Entry, text: &str, look: &Look) -> String {
    match entry {
        Entry::RunFinished(finished) if finished.status == RunStatus::Done => look.good(text),
        Entry::RunFinished(_) | Entry::LoopGuard(_) | Entry::Interrupt(_) => look.bad(text),
        Entry::RiskEvent(event) if event.risk.severity >= Severity::High => look.bad(text),
        Entry::RiskEvent(_) | Entry::Question(_) | Entry::Note(_) => look.warn(text),
        Entry::AutoAnswer(_) | Entry::UserInput(_) => look.strong(text),
        _ => text.to_owned(),
    }
}

/// What taking the work back showed.
fn looked(look: &ChangeLook) -> String {
    if let Some(obstacle) = &look.obstacle {
        return format!("the work could not be taken back: {obstacle}");
    }
    let report = &look.report;
    let needed = report.hunks.iter().filter(|hunk| hunk.needs_showing());
    let (all, shown) =
        needed.fold((0, 0), |(all, shown), hunk| (all + 1, shown + usize::from(hunk.is_shown())));
    let time = format!("{} runs, {:.1} s", report.runs, report.elapsed_ms as f64 / 1000.0);
    match report.status {
        ProveStatus::Shown | ProveStatus::Unshown => {
            format!("taken back: checks notice {shown} of {all} hunks ({time})")
        }
        ProveStatus::Red => format!("a check fails: {}", report.left.join("; ")),
        ProveStatus::Unknown => format!("cannot be told: {}", report.left.join("; ")),
        ProveStatus::NothingToShow => "nothing was changed that a check could notice".to_owned(),
    }
}

/// How a run ended, with the proof of each criterion below.
pub fn proof_lines(finished: &RunFinished, look: &Look) -> Vec<String> {
    finished
        .proof
        .iter()
        .map(|proof| {
            let level = format!("{:<8}", proof.level_word());
            let level = if proof.is_shown() { look.good(&level) } else { look.warn(&level) };
            let bearing = match proof.bearing {
                None => "no bearing",
                Some(Bearing::Accepted) => "by you",
                Some(bearing) => bearing.as_str(),
            };
            let mut line = format!("  {level}  {} ({bearing})", look.one_line(&proof.criterion, 28));
            for evidence in &proof.evidence {
                line.push_str(&format!("\n            {}", look.faint(&look.one_line(&evidence.text, 12))));
            }
            line
        })
        .collect()
}

fn evidence(item: &EvidenceItem) -> String {
    let commands =
        item.actions.iter().filter(|action| action.kind == mi_model::record::ActionKind::Command).count();
    let edits =
        item.actions.iter().filter(|action| action.kind == mi_model::record::ActionKind::Edit).count();
    let counts = format!("{}, {} changed", counted(commands, "command"), counted(edits, "file"));
    if let Some(by) = &item.read_by {
        return format!("{by} read more: {}", item.facts.last().or(item.unknowns.last()).unwrap_or(&counts));
    }
    match item.results.last().or(item.unknowns.first()) {
        Some(result) => format!("{result} ({counts})"),
        None => counts,
    }
}

/// An event of a protocol and what was said to it.
fn judged(step: &ProtocolStep) -> String {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let event: Vec<String> = ["type", "phase", "subphase", "edge", "path", "claim"]
        .iter()
        .map(|key| text(&step.protocol_event, key))
        .filter(|word| !word.is_empty())
        .collect();
    let allowed = step.verdict.get("allowed").and_then(Value::as_bool) == Some(true);
    let word = if allowed { "allowed" } else { "refused" };
    let by = match (text(&step.verdict, "action"), text(&step.verdict, "by")) {
        (_, by) if by.is_empty() => String::new(),
        (action, by) if action.is_empty() => format!(" by {by}"),
        (action, by) => format!(", {action} by {by}"),
    };
    format!("{}: {word}{by}, now at {}", event.join(" "), text(&step.verdict, "node"))
}

fn read_evidence(evidence: &ProtocolEvidence) -> String {
    let told = evidence.read.iter().map(|read| match &read.error {
        Some(error) => format!("{}: {error}", read.source),
        None if read.value.is_null() => read.source.clone(),
        None => format!("{} is {}", read.source, read.value),
    });
    format!("evidence: {}", told.collect::<Vec<_>>().join("; "))
}

fn decided(decision: &Decision) -> String {
    let verb = match decision.next_action {
        NextAction::SendToCodex => "go on",
        NextAction::AskUser => "ask",
        NextAction::Stop => decision.status.as_str(),
    };
    format!("{verb}: {} [{}]", flat(&decision.reason), decision.decided_by)
}

fn ended(finished: &RunFinished) -> String {
    let batches =
        if finished.batches == 1 { "1 batch".to_owned() } else { format!("{} batches", finished.batches) };
    format!("{} after {batches}: {}", finished.status, flat(&finished.reason))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `12:34:56` out of an RFC 3339 time.
fn short_time(ts: &str) -> &str {
    ts.get(11..19).unwrap_or(ts)
}
