//! What the proof needs to know about a run's batches, within bounds.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use mi_formats::ChangeKind;

use super::words::asks_for_change;
use crate::{
    checks::{CheckRun, CheckVerdict, Freshness, Scope, changed_later, is_fresh, recognise, runs_command},
    criteria::{Criterion, CriterionKind},
    facts::{BatchFacts, CommandFact},
    project::{ProjectProfile, STRATEGY_SOURCE, documents::DocumentState, with_task_commands},
    report::BatchReport,
    tamper::TamperSign,
};

const CHECKS_KEPT: usize = 60;
const FILES_KEPT: usize = 500;

/// One check of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCheck {
    pub batch: String,
    pub run: CheckRun,
    pub exit_code: Option<i32>,
    /// Digest of the tree it holds for; None when not known.
    pub tree: Option<String>,
    /// Whether it still held at the end of its batch.
    pub held_at_end: bool,
    /// Whether nothing tells if the tree changed after it.
    #[serde(default)]
    pub is_unknown: bool,
}

/// The run so far, as far as the proof needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    pub asks_for_change: bool,
    /// Digest of the tree before the first batch.
    pub start_tree: String,
    /// Digest of the tree after the last batch.
    pub end_tree: String,
    /// Oldest first.
    pub checks: Vec<SeenCheck>,
    /// Signs at the end of the last batch, against the state before the run.
    pub tamper: Vec<TamperSign>,
    /// Files that the edit tool wrote (true) or deleted (false).
    pub files: BTreeMap<String, bool>,
    /// Files that criteria name and that were there at the end of the last batch; None when nobody looked.
    pub present: Option<Vec<String>>,
    /// Documents that criteria name, at the end of the last batch.
    pub documents: Vec<DocumentState>,
    /// Families of languages in which there are tests.
    pub tested: BTreeSet<String>,
    /// Families of languages in which the run changed files.
    pub changed: BTreeSet<String>,
    /// The commands by which the person has the project checked; all of them have to pass.
    pub chosen: Vec<String>,
    pub last_message: String,
    pub last_batch: String,
    /// Whether a batch changed files, for projects without digests.
    pub was_edited: bool,
}

impl History {
    /// The history of a run that has not begun; the first batch brings its start tree.
    pub fn new(task: &str) -> Self {
        Self { asks_for_change: asks_for_change(task), ..Self::default() }
    }

    /// Takes in an ended batch.
    pub fn add(&mut self, report: &BatchReport, criteria: &[Criterion]) {
        let facts = &report.facts;
        let is_first = self.last_batch.is_empty();
        if is_first {
            self.start_tree.clone_from(&facts.start_tree);
        }
        self.last_batch = report.batch_id.as_str().to_owned();
        let project = with_task_commands(report.project.clone(), criteria);
        self.chosen = chosen(&project);
        for command in &facts.commands {
            self.checks.extend(self.seen(command, facts, &project));
        }
        let surplus = self.checks.len().saturating_sub(CHECKS_KEPT);
        self.checks.drain(..surplus);
        self.end_tree.clone_from(&facts.end_tree);
        self.tamper.clone_from(&report.tamper);
        self.present.clone_from(&report.project.present);
        self.tested.clone_from(&report.project.tested);
        self.changed.extend(report.project.changed.iter().cloned());
        self.documents = self.documents_after(&report.project.documents);
        self.last_message.clone_from(&facts.last_message);
        self.was_edited |= facts.changed_tree();
        for file in &facts.files {
            if self.files.len() < FILES_KEPT || self.files.contains_key(&file.path) {
                self.files.insert(file.path.clone(), file.kind != ChangeKind::Delete);
            }
        }
    }

    /// The documents as they are now. An engine that took over later does not know what was changed before it.
    fn documents_after(&self, now: &[DocumentState]) -> Vec<DocumentState> {
        let was_changed = |state: &DocumentState| {
            let before = self.documents.iter().find(|before| before.path == state.path);
            before.is_some_and(|before| before.changed && before.content == state.content)
        };
        now.iter()
            .map(|state| DocumentState { changed: state.changed || was_changed(state), ..state.clone() })
            .collect()
    }

    /// Reads the last batch's commands again: what counts as a check has changed.
    pub fn replan(&mut self, report: &BatchReport, criteria: &[Criterion]) {
        self.checks.retain(|seen| seen.batch != report.batch_id.as_str());
        let project = with_task_commands(report.project.clone(), criteria);
        self.chosen = chosen(&project);
        for command in &report.facts.commands {
            self.checks.extend(self.seen(command, &report.facts, &project));
        }
    }

    /// Whether the run changed the project.
    pub fn has_changed(&self) -> bool {
        if self.start_tree.is_empty() || self.end_tree.is_empty() {
            return self.was_edited;
        }
        self.start_tree != self.end_tree
    }

    /// Whether a check saw the tree as it is now.
    pub fn is_current(&self, seen: &SeenCheck) -> bool {
        if self.end_tree.is_empty() {
            return seen.held_at_end && seen.batch == self.last_batch;
        }
        seen.tree.as_deref() == Some(self.end_tree.as_str())
    }

    /// The newest relevant check that passed on the present tree, unless a check failed on that tree after it.
    pub fn standing_check(&self, relevant: impl Fn(&&SeenCheck) -> bool) -> Option<&SeenCheck> {
        let now = || self.checks.iter().enumerate().filter(|(_, seen)| self.is_current(seen));
        let matters = |seen: &&SeenCheck| seen.run.runs_tests || relevant(seen);
        let is_failure = |seen: &&SeenCheck| matches!(seen.run.verdict, CheckVerdict::Failed { .. });
        let failed = now().filter(|(_, seen)| is_failure(seen) && matters(seen));
        let last_failure = failed.map(|(index, _)| index).next_back();
        let passed = now().rfind(|(_, seen)| seen.run.is_passed() && relevant(seen));
        passed.filter(|(index, _)| last_failure.is_none_or(|failure| failure < *index)).map(|(_, seen)| seen)
    }

    /// The first family of languages that the run changed, that has tests, and that no relevant check tested: the tests of
    /// another language say nothing about it.
    pub fn untested(&self, relevant: impl Fn(&&SeenCheck) -> bool) -> Option<&String> {
        let mut changed = self.changed.intersection(&self.tested);
        changed.find(|family| self.standing_check(|seen| relevant(seen) && seen.run.fits(family)).is_none())
    }

    /// The first of several chosen commands that has not passed on the present tree. One alone may be made up for by the
    /// project's tests.
    pub fn missing_chosen(&self) -> Option<&String> {
        let several = self.chosen.iter().filter(|_| self.chosen.len() > 1);
        several
            .into_iter()
            .find(|command| self.standing_check(|seen| runs_command(&seen.run.command, command)).is_none())
    }

    /// The newest check that failed on the present tree and that no later pass makes up for: of the same command, or
    /// of all tests. What the task names counts beside what runs tests.
    pub fn standing_failure(&self, criteria: &[Criterion]) -> Option<&SeenCheck> {
        let named = |seen: &SeenCheck| {
            criteria.iter().any(|criterion| match &criterion.kind {
                CriterionKind::Command(command) => runs_command(&seen.run.command, command),
                _ => false,
            })
        };
        let counts = |seen: &&SeenCheck| self.is_current(seen) && (seen.run.runs_tests || named(seen));
        let now: Vec<&SeenCheck> = self.checks.iter().filter(counts).collect();
        let is_failure = |seen: &&SeenCheck| matches!(seen.run.verdict, CheckVerdict::Failed { .. });
        let at = now.iter().rposition(is_failure)?;
        let makes_up = |later: &&&SeenCheck| {
            let of_all = later.run.runs_tests && later.run.scope == Scope::Whole && now[at].run.runs_tests;
            later.run.is_passed() && (of_all || later.run.command == now[at].run.command)
        };
        now[at + 1..].iter().find(makes_up).is_none().then_some(now[at])
    }

    fn seen(&self, command: &CommandFact, facts: &BatchFacts, project: &ProjectProfile) -> Option<SeenCheck> {
        let run = recognise(command, project)?;
        let freshness = is_fresh(command, facts);
        let (held_at_end, is_unknown) = (freshness == Freshness::Fresh, freshness == Freshness::Unknown);
        let disturbed = facts.edited_while_running.contains(&command.order)
            || facts.late_trees.contains(&command.order)
            || changed_later(command, facts).is_some();
        let digest = command.tree.clone().filter(|tree| !tree.is_empty() && !disturbed);
        let tree = if held_at_end { Some(facts.end_tree.clone()) } else { digest };
        let batch = self.last_batch.clone();
        Some(SeenCheck { batch, run, exit_code: command.exit_code, tree, held_at_end, is_unknown })
    }
}

fn chosen(project: &ProjectProfile) -> Vec<String> {
    let of_person = project.checks.iter().filter(|check| check.source == STRATEGY_SOURCE);
    of_person.map(|check| check.command.clone()).collect()
}
