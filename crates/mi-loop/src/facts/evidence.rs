//! Says in short, true sentences what a batch did, what came of it, and what is not known.

use mi_formats::ChangeKind;
use mi_model::record::{Action, ActionKind, TranscriptObservation};

use super::{BatchFacts, CommandFact, builder::verb};
use crate::{
    checks::{CheckRun, CheckVerdict, Freshness, Scope, is_fresh, recognise},
    proof::claims_done,
    report::{BatchReport, HandsEnd},
};

/// At most this many sentences of each kind.
const SENTENCES: usize = 40;
const SHOWN_COMMAND: usize = 160;

/// What a batch shows, for the record of its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    pub facts: Vec<String>,
    pub actions: Vec<Action>,
    pub results: Vec<String>,
    pub unknowns: Vec<String>,
}

/// What the raw stream contained.
pub fn observation(facts: &BatchFacts) -> TranscriptObservation {
    let mut paths: Vec<String> = facts.files.iter().map(|file| file.path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(200);
    let tools = facts.tool_calls.iter().map(|(name, _)| format!("tool {name}"));
    let searches = facts.web_searches.iter().map(|query| format!("web search: {query}"));
    TranscriptObservation {
        event_type_counts: facts.event_type_counts.clone(),
        item_type_counts: facts.item_type_counts.clone(),
        file_paths: paths,
        non_command_actions: tools.chain(searches).collect(),
        errors: facts.warnings.clone(),
    }
}

/// What the batch shows.
pub fn evidence(report: &BatchReport) -> Evidence {
    let facts = &report.facts;
    let checks: Vec<(&CommandFact, CheckRun)> = facts
        .commands
        .iter()
        .filter_map(|command| Some((command, recognise(command, &report.project)?)))
        .collect();
    let mut evidence = Evidence {
        facts: stated(report),
        actions: actions(facts),
        results: results(facts, &checks),
        unknowns: unknowns(report, &checks),
    };
    keep_newest(&mut evidence.actions);
    keep_newest(&mut evidence.results);
    evidence
}

fn stated(report: &BatchReport) -> Vec<String> {
    let facts = &report.facts;
    let mut stated = vec![end_of(&report.end)];
    let count = |kind: ChangeKind| facts.files.iter().filter(|file| file.kind == kind).count();
    for kind in [ChangeKind::Add, ChangeKind::Update, ChangeKind::Delete] {
        if count(kind) > 0 {
            stated.push(format!("the edit tool {} {} file(s)", verb(kind), count(kind)));
        }
    }
    if !facts.start_tree.is_empty() && !facts.end_tree.is_empty() {
        let changed = if facts.changed_tree() { "changed" } else { "did not change" };
        stated.push(format!("the project's files {changed} in this batch"));
    }
    stated.extend(
        report.tamper.iter().map(|sign| format!("sign of a weakened check in {}: {}", sign.path, sign.what)),
    );
    if facts.left_out > 0 {
        stated.push(format!("{} more commands or edits are in the transcript", facts.left_out));
    }
    stated
}

fn end_of(end: &HandsEnd) -> String {
    match end {
        HandsEnd::Completed => "the agent completed its turn".to_owned(),
        HandsEnd::Failed { message } => format!("the agent's turn failed: {}", short(message)),
        HandsEnd::Died { message } => format!("the agent ended without saying so: {}", short(message)),
        HandsEnd::TimedOut { message } => {
            format!("the agent was stopped at a time limit: {}", short(message))
        }
        HandsEnd::Interrupted { command, reason } => {
            format!("mi interrupted the agent at `{}`: {}", short(command), short(reason))
        }
        HandsEnd::Stopped => "the person stopped the agent".to_owned(),
    }
}

fn actions(facts: &BatchFacts) -> Vec<Action> {
    let commands = facts.commands.iter().map(|command| {
        (command.order, Action { kind: ActionKind::Command, detail: short(&command.command) })
    });
    let edits = facts.files.iter().map(|file| {
        (file.order, Action { kind: ActionKind::Edit, detail: format!("{} {}", verb(file.kind), file.path) })
    });
    let mut ordered: Vec<(u32, Action)> = commands.chain(edits).collect();
    ordered.sort_by_key(|(order, _)| *order);
    let others = facts.tool_calls.iter().map(|(name, _)| format!("called the tool {name}"));
    let searches = facts.web_searches.iter().map(|query| format!("searched the web for: {query}"));
    let others = others.chain(searches).map(|detail| Action { kind: ActionKind::Other, detail });
    ordered.into_iter().map(|(_, action)| action).chain(others).collect()
}

fn results(facts: &BatchFacts, checks: &[(&CommandFact, CheckRun)]) -> Vec<String> {
    let result = |command: &CommandFact| match checks.iter().find(|(check, _)| check.order == command.order) {
        Some((_, run)) => Some(check_result(command, run)),
        None => plain_result(command),
    };
    facts.commands.iter().filter_map(result).collect()
}

/// `ran `cargo test`: exit 0, 12 passed`
fn check_result(command: &CommandFact, run: &CheckRun) -> String {
    let mut sentence = format!("ran `{}`: {}", short(&command.command), exit_of(command));
    let counts = run.counts();
    if !counts.is_empty() {
        sentence.push_str(&format!(", {counts}"));
    }
    match (&run.verdict, &run.scope) {
        (CheckVerdict::Failed { why }, _) => sentence.push_str(&format!("; it failed: {why}")),
        (CheckVerdict::NoProof { why }, _) => sentence.push_str(&format!("; it proves nothing: {why}")),
        (CheckVerdict::Passed, Scope::Subset { why, .. }) => {
            sentence.push_str(&format!("; only a part: {why}"))
        }
        (CheckVerdict::Passed, Scope::Whole) => {}
    }
    sentence
}

/// Other commands are worth a sentence when they failed or never ended.
fn plain_result(command: &CommandFact) -> Option<String> {
    let failed = !command.finished || command.exit_code.is_some_and(|code| code != 0);
    failed.then(|| format!("ran `{}`: {}", short(&command.command), exit_of(command)))
}

fn exit_of(command: &CommandFact) -> String {
    match (command.finished, command.exit_code) {
        (false, _) => "did not end within the batch".to_owned(),
        (true, None) => "ended, exit code not reported".to_owned(),
        (true, Some(code)) => format!("exit {code}"),
    }
}

fn unknowns(report: &BatchReport, checks: &[(&CommandFact, CheckRun)]) -> Vec<String> {
    let facts = &report.facts;
    let mut unknowns = Vec::new();
    let passed: Vec<&(&CommandFact, CheckRun)> = checks.iter().filter(|(_, run)| run.is_passed()).collect();
    let fresh = passed.iter().any(|(command, _)| is_fresh(command, facts) == Freshness::Fresh);
    if facts.changed_tree() && !fresh {
        unknowns.push("no check ran after the last change".to_owned());
    } else if claims_done(&facts.last_message) && !fresh {
        unknowns.push("the agent says it is done, and no check shows it".to_owned());
    }
    for (command, _) in passed {
        if let Freshness::Stale { why } = is_fresh(command, facts) {
            unknowns.push(format!("`{}` passed, but {why}", short(&command.command)));
        }
    }
    if report.project.main_check().is_none() {
        unknowns.push("no command is known that checks this project".to_owned());
    }
    if facts.unknown_events > 0 {
        unknowns.push(format!("{} lines of the agent's stream were not understood", facts.unknown_events));
    }
    unknowns.truncate(SENTENCES);
    unknowns
}

fn keep_newest<T>(list: &mut Vec<T>) {
    let surplus = list.len().saturating_sub(SENTENCES);
    list.drain(..surplus);
}

fn short(text: &str) -> String {
    mi_model::shorten(&text.trim().replace('\n', " "), SHOWN_COMMAND)
}
