//! What the proof needs to know about a run's batches, within bounds.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use mi_formats::ChangeKind;
use mi_model::{ProveReport, record::ChangeLook};

use crate::{
    checks::{CheckRun, CheckVerdict, Freshness, Scope, changed_later, is_fresh, recognise, runs_command},
    criteria::{Criterion, CriterionKind},
    facts::{BatchFacts, CommandFact},
    project::{
        ProjectProfile, STRATEGY_SOURCE,
        documents::{self, DocumentState},
        with_task_commands,
    },
    report::BatchReport,
    tamper::TamperSign,
};

const CHECKS_KEPT: usize = 60;
const FILES_KEPT: usize = 500;
/// Commands that are kept with what they printed.
const COMMANDS_KEPT: usize = 60;
const OUTPUT_KEPT: usize = 4000;

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
    /// The start and the end of what it printed.
    #[serde(default)]
    pub said: String,
}

/// One command of the run, whether or not it is a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanCommand {
    pub command: String,
    pub exit_code: Option<i32>,
    pub output: String,
    /// Nothing that the agent edited came after it.
    pub is_current: bool,
}

/// The run so far, as far as the proof needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
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
    /// Files whose content differs from when the run began, as far as the engine looked.
    pub changed_files: Vec<String>,
    /// What the newest look at the whole change showed.
    pub look: Option<ChangeLook>,
    /// The newest commands of the run.
    pub ran: Vec<RanCommand>,
    /// What the agent itself said is missing.
    pub admitted: Option<String>,
    /// Whether HEAD is another commit than when the run began.
    pub has_committed: bool,
    /// HEAD when the run began.
    pub first_head: Option<String>,
    /// Criteria that the person accepted; an empty text is all of them.
    pub accepted: BTreeSet<String>,
    /// Criteria that a model judged as shown, with what it said.
    pub judged: BTreeMap<String, String>,
}

impl History {
    /// What a counter-check alone knows: its checks ran on the tree that it looked at.
    pub(super) fn after_counter_check(report: &ProveReport) -> Self {
        let is_usable = report.status != mi_model::ProveStatus::Red;
        let checks = report.checks.iter().filter(|_| is_usable).map(|check| SeenCheck {
            batch: "prove".to_owned(),
            run: CheckRun {
                runner: crate::checks::Runner::Project,
                command: check.command.clone(),
                scope: Scope::Whole,
                runs_tests: true,
                families: Vec::new(),
                passed: check.head.passed,
                failed: check.head.failed,
                skipped: None,
                verdict: CheckVerdict::Passed,
            },
            exit_code: check.head.exit,
            tree: Some(String::new()),
            held_at_end: true,
            is_unknown: false,
            said: String::new(),
        });
        // A file of which only removed lines are known was deleted.
        let mut files: BTreeMap<String, bool> = BTreeMap::new();
        for hunk in &report.hunks {
            *files.entry(hunk.file.clone()).or_default() |= !hunk.lines.starts_with('-');
        }
        Self {
            checks: checks.collect(),
            was_edited: !files.is_empty(),
            changed_files: files.keys().cloned().collect(),
            files,
            last_batch: "prove".to_owned(),
            ..Self::default()
        }
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
        self.keep_commands(facts);
        self.changed_files.clone_from(&report.project.changed_files);
        let head = Some(report.repo.git_head.clone()).filter(|head| !head.is_empty());
        if is_first {
            self.first_head = report.project.first_head.clone().or_else(|| head.clone());
        }
        self.has_committed = self.first_head.is_some() && head.is_some() && head != self.first_head;
        let surplus = self.checks.len().saturating_sub(CHECKS_KEPT);
        self.checks.drain(..surplus);
        self.end_tree.clone_from(&facts.end_tree);
        self.tamper.clone_from(&report.tamper);
        self.present.clone_from(&report.project.present);
        self.tested.clone_from(&report.project.tested);
        self.changed.extend(report.project.changed.iter().cloned());
        self.documents = self.documents_after(&report.project.documents);
        self.last_message.clone_from(&facts.last_message);
        self.keep_admission(facts);
        self.was_edited |= facts.changed_tree();
        for file in &facts.files {
            if self.files.len() < FILES_KEPT || self.files.contains_key(&file.path) {
                self.files.insert(file.path.clone(), file.kind != ChangeKind::Delete);
            }
        }
    }

    /// What the agent admitted stands until files change or it plainly says that all is done.
    fn keep_admission(&mut self, facts: &BatchFacts) {
        let said = super::admission(&facts.last_message);
        let is_taken_back = facts.changed_tree() || super::claims_done(&facts.last_message);
        if said.is_some() || is_taken_back {
            self.admitted = said;
        }
    }

    fn keep_commands(&mut self, facts: &BatchFacts) {
        for ran in &mut self.ran {
            ran.is_current &= facts.files.is_empty();
        }
        let last_edit = facts.files.iter().map(|file| file.order).max();
        self.ran.extend(facts.commands.iter().filter(|command| command.finished).map(|command| RanCommand {
            command: mi_formats::shell::unwrap_shell(command.command.trim()),
            exit_code: command.exit_code,
            output: clip_output(&command.output),
            is_current: last_edit.is_none_or(|edit| edit < command.order),
        }));
        let surplus = self.ran.len().saturating_sub(COMMANDS_KEPT);
        self.ran.drain(..surplus);
    }

    /// The checks that stand on the tree as it is now, or that failed on it, as a shell would run them.
    pub fn counter_checks(&self) -> Vec<String> {
        let runs = |seen: &&SeenCheck| seen.run.runs_tests && self.is_current(seen);
        let counts = |seen: &&SeenCheck| !matches!(seen.run.verdict, CheckVerdict::NoProof { .. });
        let mut found: Vec<String> = Vec::new();
        for seen in self.checks.iter().rev().filter(runs).filter(counts) {
            let command = mi_formats::shell::unwrap_shell(seen.run.command.trim());
            if !found.contains(&command) && found.len() < 6 {
                found.push(command);
            }
        }
        found.reverse();
        found
    }

    /// The look at the change, if it was taken at the tree as it is now.
    pub fn current_look(&self) -> Option<&ChangeLook> {
        self.look.as_ref().filter(|look| look.tree == self.end_tree)
    }

    /// Whether the person accepted a criterion.
    pub fn is_accepted(&self, criterion: &str) -> bool {
        self.accepted.contains("") || self.accepted.contains(criterion)
    }

    /// What a model said for a criterion, on the tree as it is now.
    pub fn judgement(&self, criterion: &str) -> Option<&str> {
        self.judged.get(criterion).map(String::as_str)
    }

    /// Whether everything that was changed is a document.
    pub fn changed_documents_only(&self) -> bool {
        !self.changed_files.is_empty() && self.changed_files.iter().all(|file| documents::is_document(file))
    }

    /// Whether a check of these packages or folders covers everything that was changed.
    pub fn covers_change(&self, selects: &[String], command: &str) -> bool {
        let folders: Vec<&str> = selects.iter().map(|selected| selected.trim_end_matches('/')).collect();
        let below = |file: &str| {
            folders.iter().any(|folder| {
                file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
                    || !folder.contains('/') && file.split('/').rev().skip(1).any(|part| part == *folder)
            })
        };
        let counts = |file: &&String| !documents::is_document(file);
        // A single test or file that was picked is never the whole of a package.
        let picks_folder = folders
            .iter()
            .all(|folder| !folder.contains("::") && !folder.contains('.') && !folder.starts_with('-'));
        picks_folder
            && !command.contains(" -k ")
            && !folders.is_empty()
            && !self.changed_files.is_empty()
            && self.changed_files.iter().filter(counts).all(|file| below(file))
    }

    /// The newest run of a program of the project that ended well.
    pub fn run_of(&self, path: &str) -> Option<&RanCommand> {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.ran.iter().rev().find(|ran| {
            let words = ran.command.split(|char: char| char.is_whitespace() || "\"';&|".contains(char));
            let mut words = words.filter(|word| !word.is_empty());
            let calls = words.any(|word| word == path || word.rsplit('/').next() == Some(name));
            calls && ran.exit_code == Some(0) && !is_only_looking(&ran.command)
        })
    }

    /// Whether a path is there now; `None` when nobody looked.
    pub fn files_there(&self, path: &str) -> Option<bool> {
        Some(self.present.as_ref()?.iter().any(|known| known == path))
    }

    /// The newest relevant command that ran on the tree as it is now.
    pub fn newest_current(&self, relevant: impl Fn(&&SeenCheck) -> bool) -> Option<&SeenCheck> {
        self.checks.iter().rev().filter(|seen| self.is_current(seen)).find(relevant)
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
                CriterionKind::Command(named) => runs_command(&seen.run.command, &named.command),
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
        let said = clip_output(&command.output);
        Some(SeenCheck { batch, run, exit_code: command.exit_code, tree, held_at_end, is_unknown, said })
    }
}

fn chosen(project: &ProjectProfile) -> Vec<String> {
    let of_person = project.checks.iter().filter(|check| check.source == STRATEGY_SOURCE);
    of_person.map(|check| check.command.clone()).collect()
}

/// The start and the end of an output.
fn clip_output(output: &str) -> String {
    if output.len() <= OUTPUT_KEPT {
        return output.to_owned();
    }
    let half = OUTPUT_KEPT / 2;
    let (head, tail) = (output.floor_char_boundary(half), output.ceil_char_boundary(output.len() - half));
    format!("{}\n…\n{}", &output[..head], &output[tail..])
}

/// Whether a command only shows a file instead of running it.
fn is_only_looking(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    [
        "cat", "less", "head", "tail", "ls", "grep", "rg", "wc", "git", "echo", "sed", "chmod", "touch",
        "mv", "cp", "rm", "diff",
    ]
    .contains(&first)
}
