//! What a model is given to think about: everything that bears on the batch, the most important first, each text bounded.
//!
//! Every prompt gets the same: task, the whole MindSpec, criteria with their proof, the change, the evidence. A model that
//! judges without one of them would guess.
//! Elsewhere: the instructions and the schema of each prompt, the total budget, redaction and cutting are `mi-mind`'s, so that
//! nothing is cut before its secrets are out. A change that the run has not looked at yet is added by the live loop.

use mi_model::{
    Bearing, MindSpec, ProvenHunk,
    answers::{EvidenceParts, SectionOrigin},
    record::CheckPlan,
};
use serde_json::Value;

use crate::{
    criteria::{Criterion, NameKind},
    evidence,
    message::Section,
    report::BatchReport,
    run::Run,
};

/// The section that shows the hunks of the change.
pub const CHANGE: &str = "change";
/// The section that lists the criteria; the change comes after it.
pub const CRITERIA: &str = "criteria";

/// The most commands of a batch that a model is told about.
const MOST_COMMANDS: usize = 40;
/// The most bytes of one command's output.
const OUTPUT_BYTES: usize = 3_000;
/// The most bytes of a change that a model is given.
pub const CHANGE_BYTES: usize = 64_000;
/// The most bytes of hunks in it, before quotes and newlines count double.
const HUNK_BYTES: usize = 58_000;
/// The most pieces of evidence of one criterion.
const MOST_EVIDENCE: usize = 12;

/// The sections for a prompt about one batch.
pub(crate) fn sections(
    run: &Run,
    report: &BatchReport,
    plan: &CheckPlan,
    read: &EvidenceParts,
) -> Vec<Section> {
    let mind = &run.setup.mind;
    let person = |title, most_bytes, text| Section { title, origin: SectionOrigin::Person, most_bytes, text };
    let evidence = Section::evidence;
    let mut sections = vec![
        person("task", 24_000, run.setup.task.clone()),
        person("values", 40_000, values(run)),
        person("mindspec", 16_000, mindspec(mind)),
        person("strategy", 4_000, run.strategy.clone().unwrap_or_default()),
        evidence("last_message", 16_000, report.facts.last_message.clone()),
        evidence(CRITERIA, 24_000, criteria(run)),
        evidence(CHANGE, CHANGE_BYTES, known_change(run)),
        evidence("changed_files", 8_000, changed_files(report)),
        evidence("evidence", 16_000, evidence_text(report, read)),
        evidence("earlier_answers", 8_000, earlier(run)),
        evidence("commands", 32_000, commands(report)),
        evidence("input", 8_000, report.input.clone()),
        evidence("check_plan", 4_000, json(plan)),
        evidence("project", 8_000, json(&report.project)),
        evidence("repository", 8_000, json(&report.repo)),
    ];
    sections.retain(|section| !section.text.trim().is_empty());
    sections
}

/// The change as far as the run has looked at it.
fn known_change(run: &Run) -> String {
    run.history
        .current_look()
        .map(|look| render_change(&look.report.hunks, &run.setup.criteria))
        .unwrap_or_default()
}

/// The hunks of a change: what the criteria name first, then work before tests, behaviour before the rest, large before
/// small.
pub fn render_change(hunks: &[ProvenHunk], criteria: &[Criterion]) -> String {
    let names: Vec<&str> = criteria
        .iter()
        .flat_map(|criterion| &criterion.names)
        .filter(|name| name.kind != NameKind::Word)
        .map(|name| name.text.as_str())
        .collect();
    let is_named = |hunk: &ProvenHunk| {
        let texts = [&hunk.added, &hunk.removed, &hunk.file];
        names.iter().any(|name| texts.iter().any(|text| text.contains(name)))
    };
    let mut ordered: Vec<&ProvenHunk> = hunks.iter().collect();
    ordered.sort_by_key(|hunk| {
        let size = hunk.added.len() + hunk.removed.len();
        (!is_named(hunk), hunk.is_test, !hunk.kind.can_be_shown(), std::cmp::Reverse(size))
    });
    let mut text = String::new();
    let mut left_out: Vec<String> = Vec::new();
    for hunk in ordered {
        let one = render_hunk(hunk);
        if text.len() + one.len() > HUNK_BYTES {
            left_out.push(place(hunk));
        } else {
            text.push_str(&one);
        }
    }
    if !left_out.is_empty() {
        let more = left_out.len().saturating_sub(20);
        left_out.truncate(20);
        text.push_str(&format!("(not shown here: {}", left_out.join(", ")));
        text.push_str(&if more > 0 { format!(" and {more} more hunks)\n") } else { ")\n".to_owned() });
    }
    text
}

fn place(hunk: &ProvenHunk) -> String {
    format!("{}:{}", hunk.file, hunk.lines)
}

/// `FILE:A-B (kind, in NAME, shown by TESTS)` and the lines.
fn render_hunk(hunk: &ProvenHunk) -> String {
    let within = hunk.within.as_ref().map(|name| format!(", in {name}")).unwrap_or_default();
    let side = if hunk.is_test { ", a test" } else { "" };
    let shown = if hunk.is_shown() {
        let tests: Vec<&str> = hunk.shown_by.iter().take(10).map(String::as_str).collect();
        format!(", shown by {}", tests.join(", "))
    } else {
        String::new()
    };
    let lines =
        |sign: &str, text: &str| text.lines().map(|line| format!("{sign} {line}\n")).collect::<String>();
    let (removed, added) = (lines("-", &hunk.removed), lines("+", &hunk.added));
    format!("{} ({}{side}{within}{shown})\n{removed}{added}\n", place(hunk), hunk.kind.as_str())
}

/// Which files changed, for a change whose hunks are not known.
fn changed_files(report: &BatchReport) -> String {
    let mut files: Vec<&str> = report.project.changed_files.iter().map(String::as_str).collect();
    files.extend(report.facts.files.iter().map(|file| file.path.as_str()));
    files.sort_unstable();
    files.dedup();
    let stats = [&report.repo.git_diff_stat, &report.repo.git_diff_cached_stat];
    let stats = stats.into_iter().map(String::as_str).filter(|stat| !stat.trim().is_empty());
    files.into_iter().chain(stats).collect::<Vec<_>>().join("\n")
}

/// Every criterion with its id, level, bearing and evidence.
fn criteria(run: &Run) -> String {
    let line = |(index, proof): (usize, &mi_model::Proof)| {
        let state = if proof.is_shown() { "shown" } else { "open" };
        let bearing = proof.bearing.map_or("none", Bearing::as_str);
        let mut text = format!(
            "c{}: {}\n   {state}; level {}, bearing {bearing}\n",
            index + 1,
            proof.criterion,
            proof.level.as_str()
        );
        for one in proof.evidence.iter().rev().take(MOST_EVIDENCE).rev() {
            text.push_str(&format!("   - {}\n", one.text));
        }
        text
    };
    run.proof.iter().enumerate().map(line).collect()
}

/// The person's own words, and the rules learned since.
fn values(run: &Run) -> String {
    let mut text = run.setup.mind.values_text.clone();
    for rule in &run.learned {
        text.push_str(&format!("\n- learned: {}", rule.text));
    }
    text
}

/// The rest of the MindSpec: the summary, how the person decides, and every knob.
fn mindspec(mind: &MindSpec) -> String {
    let mut text = String::new();
    for line in &mind.values_summary {
        text.push_str(&format!("- {line}\n"));
    }
    let procedure = &mind.decision_procedure;
    if !procedure.summary.trim().is_empty() {
        text.push_str(&format!("How the person decides: {}\n", procedure.summary));
    }
    if !procedure.mermaid.trim().is_empty() {
        text.push_str(&format!("{}\n", procedure.mermaid));
    }
    let whole = serde_json::to_value(mind).unwrap_or_default();
    for (group, knobs) in whole.as_object().into_iter().flatten() {
        if ["version", "values_text", "values_summary", "decision_procedure"].contains(&group.as_str()) {
            continue;
        }
        match knobs {
            Value::Object(knobs) => {
                for (name, value) in knobs {
                    text.push_str(&format!("{group}.{name} = {value}\n"));
                }
            }
            other => text.push_str(&format!("{group} = {other}\n")),
        }
    }
    text
}

/// What the rules found, then what a model read, marked as such.
fn evidence_text(report: &BatchReport, read: &EvidenceParts) -> String {
    let item = evidence::evidence_item(report);
    let ruled = [
        ("", &item.facts),
        ("", &item.results),
        ("unknown: ", &item.unknowns),
        ("risk: ", &item.risk_signals),
    ];
    let read = [
        ("read by a model: ", &read.facts),
        ("read by a model: ", &read.results),
        ("unknown, read by a model: ", &read.unknowns),
        ("risk, read by a model: ", &read.risk_signals),
    ];
    let lines = ruled
        .into_iter()
        .chain(read)
        .flat_map(|(mark, list)| list.iter().map(move |text| format!("{mark}{text}\n")));
    lines.collect()
}

/// The newest commands, oldest first: where something is cut, the end is kept longest.
fn commands(report: &BatchReport) -> String {
    let all = &report.facts.commands;
    let newest = &all[all.len().saturating_sub(MOST_COMMANDS)..];
    let lines = newest.iter().map(|fact| {
        let exit = fact.exit_code.map_or("unknown".to_owned(), |code| code.to_string());
        format!("$ {}\n[exit {exit}]\n{}", fact.command, ends(&fact.output, OUTPUT_BYTES))
    });
    lines.collect::<Vec<_>>().join("\n\n")
}

/// The first and the last lines of a long text; whole lines, so that no half of a secret is left at the cut.
fn ends(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 3);
    let tail = text.ceil_char_boundary(text.len() - (most - most / 3));
    let head = text[..head].rfind('\n').map_or(0, |end| end + 1);
    let tail = text[tail..].find('\n').map_or(text.len(), |start| tail + start + 1);
    format!("{}[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..])
}

/// As JSON, so that a question the agent wrote cannot pass for an answer of the person.
fn earlier(run: &Run) -> String {
    let newest: Vec<_> = run.answers.iter().rev().take(20).collect();
    if newest.is_empty() { String::new() } else { json(&newest) }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
