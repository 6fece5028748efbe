//! One labelled case: a real agent stream, the project around it, and what a person expects next.

use mi_formats::{AgentEvent, TurnEnd, codex};
use mi_loop::{
    checks,
    criteria::{Criterion, CriterionKind, criteria},
    facts::FactsBuilder,
    project::{
        self, ProjectFiles, ProjectProfile,
        documents::{self, DocumentState},
    },
    report::{BatchReport, HandsEnd, TranscriptRef},
    setup::{Limits, MindMode, Setup},
    tamper::{self, TestInventory},
};
use mi_model::{BatchId, LearnedRule, LearnedScope, MindSpec, Timestamp, Usage, record::RepoObservation};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where every project lay when its stream was normalised.
const ROOT: &str = "/home/dev/app";

/// One line of `data/cases/*.jsonl`, made by `dev/make-cases`.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    pub task: String,
    values: String,
    learned: Vec<String>,
    strategy: Option<String>,
    earlier: Vec<(String, String)>,
    /// The project before the run.
    files: BTreeMap<String, String>,
    pub batches: Vec<Batch>,
}

/// One turn of the agent.
#[derive(Debug, Deserialize)]
pub struct Batch {
    stream: Vec<String>,
    start_tree: String,
    /// The digest of the tree when each command ended, by item.
    trees: BTreeMap<String, String>,
    end_tree: String,
    /// Files as they were after the batch; `None` is gone.
    changes: BTreeMap<String, Option<String>>,
    pub expect: Label,
    /// What the person says when asked, and what is expected then.
    pub person: Option<(String, Label)>,
}

/// What a thoughtful person expects to happen next.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Label {
    pub next: String,
    /// Part of what is sent to the agent or asked of the person.
    pub contains: String,
    /// Part of a source that the answer names.
    pub cites: String,
    /// The level of each criterion; empty when it does not matter.
    pub proof: Vec<String>,
}

impl Case {
    /// The part of the name that says which kind of situation it is.
    pub fn group(&self) -> &str {
        self.name.split('-').next().unwrap_or_default()
    }

    pub fn is_chinese(&self) -> bool {
        let han = |text: &str| text.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char));
        han(&self.task) || self.batches.iter().any(|batch| batch.stream.iter().any(|line| han(line)))
    }

    pub fn setup(&self, mind_mode: MindMode) -> Setup {
        Setup {
            task: self.task.clone(),
            criteria: criteria(&self.task),
            mind: MindSpec { values_text: self.values.clone(), ..MindSpec::default() },
            learned: self.learned.iter().enumerate().map(|(at, text)| learned(at, text)).collect(),
            strategy: self.strategy.clone(),
            earlier_answers: self.earlier.clone(),
            limits: Limits::default(),
            mind_mode,
        }
    }

    /// What the live loop would report after batch `index` that was sent `input`.
    pub fn report(&self, index: usize, input: &str) -> BatchReport {
        let batch = &self.batches[index];
        let criteria = criteria(&self.task);
        let (before, after) = (self.files_after(index), self.files_after(index + 1));
        let events: Vec<AgentEvent> = batch.stream.iter().map(|line| codex::read_line(line)).collect();
        let mut facts = FactsBuilder::new(ROOT, batch.start_tree.clone());
        let known = self.known_checks(&before, &criteria);
        for event in &events {
            facts.event(event);
            if let AgentEvent::CommandFinished { id, command, .. } = event
                && checks::is_check_like(command, &known)
            {
                facts.command_tree(id, batch.trees[id].clone());
            }
        }
        BatchReport {
            batch_id: BatchId::numbered(u32::try_from(index).expect("a case has few batches")),
            thread_id: thread(&events),
            input: input.to_owned(),
            end: end(&events),
            facts: facts.finish(batch.end_tree.clone()),
            repo: RepoObservation::default(),
            project: self.profile_after(&after, &criteria),
            tamper: tamper::compare(&tests(&self.files), &tests(&after), &self.task),
            usage: Usage::default(),
            duration_ms: 0,
            elapsed_ms: 0,
            transcript: TranscriptRef::default(),
        }
    }

    /// The profile with what the engine would have looked at: documents that the task names, and changed files.
    fn profile_after(&self, after: &BTreeMap<String, String>, criteria: &[Criterion]) -> ProjectProfile {
        let differs = |name: &str| self.files.get(name) != after.get(name);
        let document = |path: &String, texts: Vec<&String>| {
            let found = documents::candidates(path, after.keys().map(String::as_str));
            let text =
                |wanted: &&&String| found.iter().any(|name| documents::says(path, &after[*name], wanted));
            DocumentState {
                path: path.clone(),
                file: found.first().map(|name| (*name).to_owned()),
                changed: found.iter().any(|name| differs(name)),
                content: String::new(),
                says: texts.iter().filter(text).map(|wanted| (*wanted).clone()).collect(),
            }
        };
        let named = criteria.iter().filter_map(|criterion| match &criterion.kind {
            CriterionKind::Document { path, says, no_longer } => {
                Some(document(path, says.iter().chain(no_longer).collect()))
            }
            _ => None,
        });
        let gone = self.files.keys().filter(|name| !after.contains_key(*name));
        let changed_files = after.keys().filter(|name| differs(name)).chain(gone).cloned().collect();
        ProjectProfile { documents: named.collect(), changed_files, ..profile(after, criteria) }
    }

    fn known_checks(&self, files: &BTreeMap<String, String>, criteria: &[Criterion]) -> ProjectProfile {
        let profile = profile(files, criteria);
        let mut said =
            self.batches.iter().filter_map(|batch| batch.person.as_ref()).map(|(answer, _)| answer.as_str());
        let strategy = self.strategy.as_deref().or_else(|| said.rfind(|text| text.contains('`')));
        strategy.map_or(profile.clone(), |strategy| project::with_strategy(profile, strategy))
    }

    fn files_after(&self, batches: usize) -> BTreeMap<String, String> {
        let mut files = self.files.clone();
        for (path, text) in self.batches[..batches].iter().flat_map(|batch| &batch.changes) {
            match text {
                Some(text) => files.insert(path.clone(), text.clone()),
                None => files.remove(path),
            };
        }
        files
    }
}

fn learned(at: usize, text: &str) -> LearnedRule {
    LearnedRule {
        id: format!("l{at}"),
        ts: Timestamp::from_millis(0),
        scope: LearnedScope::Global,
        enabled: true,
        text: text.to_owned(),
        rationale: String::new(),
        category: None,
    }
}

fn profile(files: &BTreeMap<String, String>, criteria: &[Criterion]) -> ProjectProfile {
    let seen = ProjectFiles {
        root: ROOT.to_owned(),
        names: files.keys().cloned().collect(),
        texts: files.clone().into_iter().filter(|(path, _)| project::wanted_text(path)).collect(),
        has_inline_tests: files
            .iter()
            .any(|(path, text)| path.ends_with(".rs") && project::has_inline_test(text)),
    };
    let names = seen.names.iter().map(String::as_str);
    project::with_present(project::profile(&seen), names, criteria, |_| false)
}

fn tests(files: &BTreeMap<String, String>) -> BTreeMap<String, TestInventory> {
    let known = files.iter().filter(|(path, _)| tamper::is_inventoried(path));
    known.filter_map(|(path, text)| Some((path.clone(), tamper::inventory(path, text)?))).collect()
}

fn thread(events: &[AgentEvent]) -> String {
    let started = events.iter().find_map(|event| match event {
        AgentEvent::ThreadStarted { thread_id } => Some(thread_id.clone()),
        _ => None,
    });
    started.unwrap_or_default()
}

/// As `mi-hands` judges it: a turn that ended, in which the agent said something.
fn end(events: &[AgentEvent]) -> HandsEnd {
    let ended = events.iter().rev().find_map(|event| match event {
        AgentEvent::TurnEnded { end, .. } => Some(end),
        _ => None,
    });
    let spoke = events.iter().any(|event| matches!(event, AgentEvent::Message { .. }));
    match ended {
        Some(TurnEnd::Completed) if spoke => HandsEnd::Completed,
        Some(TurnEnd::Completed) => {
            HandsEnd::Failed { message: "the turn ended without any message".to_owned() }
        }
        Some(TurnEnd::Failed { message }) => HandsEnd::Failed { message: message.clone() },
        None => HandsEnd::Died { message: "codex ended before its turn did".to_owned() },
    }
}
