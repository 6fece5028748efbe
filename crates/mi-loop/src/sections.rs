//! What a model is given to think about: bounded texts, the most important first.
//!
//! Elsewhere: the instructions and the schema of each prompt, the total budget and redaction are `mi-mind`'s.

use mi_model::{ProvenHunk, record::CheckPlan};

use crate::{
    criteria::NameKind,
    evidence, judging,
    message::{MindPrompt, Origin, Section},
    report::BatchReport,
    run::{Run, clip},
};

/// The most commands of a batch that a model is told about.
const MOST_COMMANDS: usize = 40;

/// The sections for one prompt about one batch.
pub(crate) fn sections(
    run: &Run,
    report: &BatchReport,
    plan: &CheckPlan,
    prompt: MindPrompt,
) -> Vec<Section> {
    let person = |title, text| Section { title, origin: Origin::Person, text };
    let evidence = |title, text| Section { title, origin: Origin::Evidence, text };
    let mut sections = vec![
        person("task", clip(&run.setup.task)),
        person("values", values(run)),
        evidence("last_message", clip(&report.facts.last_message)),
        evidence("evidence", evidence_text(report)),
        evidence("proof", json(&run.proof)),
        evidence("criteria", judging::open_criteria(&run.proof)),
        evidence("change", change(run)),
    ];
    if prompt != MindPrompt::RiskJudge {
        sections.push(evidence("project", json(&report.project)));
        sections.push(evidence("check_plan", json(plan)));
        sections.push(person("strategy", run.strategy.clone().unwrap_or_default()));
        sections.push(evidence("earlier_answers", earlier(run)));
    }
    sections.push(evidence("commands", commands(report)));
    sections.push(evidence("repository", json(&report.repo)));
    sections.retain(|section| !section.text.is_empty());
    sections
}

/// The most bytes of a change that a model is given.
const CHANGE_BYTES: usize = 60_000;

/// The hunks of the change, the relevant and the largest first.
fn change(run: &Run) -> String {
    let Some(look) = run.history.current_look() else { return String::new() };
    let names: Vec<&str> = run
        .setup
        .criteria
        .iter()
        .flat_map(|criterion| &criterion.names)
        .filter(|name| name.kind != NameKind::Word)
        .map(|name| name.text.as_str())
        .collect();
    let mut hunks: Vec<&ProvenHunk> = look.report.hunks.iter().collect();
    let is_named = |hunk: &ProvenHunk| {
        names
            .iter()
            .any(|name| hunk.added.contains(name) || hunk.removed.contains(name) || hunk.file.contains(name))
    };
    hunks.sort_by_key(|hunk| {
        (!is_named(hunk), hunk.is_test, std::cmp::Reverse(hunk.added.len() + hunk.removed.len()))
    });
    let mut text = String::new();
    let mut left_out = 0;
    for hunk in hunks {
        let shown =
            if hunk.is_shown() { format!(", shown by {}", hunk.shown_by.join(", ")) } else { String::new() };
        let lines =
            |sign: &str, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
        let one = format!(
            "{}:{} ({}{shown})\n{}{}\n",
            hunk.file,
            hunk.lines,
            hunk.kind.as_str(),
            lines("-", &hunk.removed),
            lines("+", &hunk.added)
        );
        if text.len() + one.len() > CHANGE_BYTES {
            left_out += 1;
        } else {
            text.push_str(&one);
        }
    }
    if left_out > 0 {
        text.push_str(&format!("({left_out} more hunks)\n"));
    }
    text
}

fn values(run: &Run) -> String {
    let mut text = run.setup.mind.values_text.clone();
    for rule in &run.learned {
        text.push_str(&format!("\n- learned: {}", rule.text));
    }
    clip(&text)
}

fn evidence_text(report: &BatchReport) -> String {
    let item = evidence::evidence_item(report);
    let unknowns = item.unknowns.iter().map(|text| format!("unknown: {text}"));
    item.facts
        .iter()
        .cloned()
        .chain(item.results.iter().cloned())
        .chain(unknowns)
        .collect::<Vec<_>>()
        .join("\n")
}

fn commands(report: &BatchReport) -> String {
    let newest = report.facts.commands.iter().rev().take(MOST_COMMANDS);
    let lines = newest.map(|fact| {
        let exit = fact.exit_code.map_or("unknown".to_owned(), |code| code.to_string());
        format!("$ {}\n[exit {exit}]\n{}", fact.command, clip(&fact.output))
    });
    lines.collect::<Vec<_>>().join("\n\n")
}

/// As JSON, so that a question the agent wrote cannot pass for an answer of the person.
fn earlier(run: &Run) -> String {
    let newest: Vec<_> = run.answers.iter().rev().take(20).collect();
    if newest.is_empty() { String::new() } else { json(&newest) }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
