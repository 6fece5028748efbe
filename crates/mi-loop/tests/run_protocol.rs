//! A run through a protocol, played in memory: what is sent to whom, what is read, and how it ends.

use mi_formats::{AgentEvent, ChangeKind, FileChange, Phase};
use mi_loop::{
    facts::FactsBuilder,
    message::{Command, Event},
    project::ProjectProfile,
    protocol,
    report::{BatchReport, HandsEnd},
    run::Run,
    setup::{Limits, MindMode, Setup},
};
use mi_model::{
    BatchId, MindSpec, Usage,
    record::{Entry, EvidenceRead, RepoObservation},
};
use mi_protocol::Protocol;
use serde_json::Value;
use std::sync::Arc;

const PASS: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";

const FILE: &str = "version: 1
name: build
start: BUILD
nodes:
  - { id: BUILD, kind: phase, checks: ['cargo test'] }
  - { id: REVIEW, kind: phase, validator: true }
  - { id: WRITE, kind: phase, subphases: [7A, 7B], files: [notes.md] }
  - { id: DONE, kind: end }
  - { id: GIVEN_UP, kind: end }
edges:
  - { id: B1, from: BUILD, to: REVIEW, class: Gate, guard_expr: state.gate_passed, on_guard_fail: rerun }
  - { id: B2, from: BUILD, to: GIVEN_UP, class: Exception, guard_expr: 'state.attempt_count > 2', guard_type: numeric }
  - { id: R1, from: REVIEW, to: WRITE, class: Gate, guard_expr: 'state.validator_verdict == \"APPROVE\"' }
  - { id: R2, from: REVIEW, to: BUILD, class: Rollback, guard_expr: 'state.attempt_count <= 3', guard_type: numeric }
  - { id: W1, from: WRITE, to: DONE, class: Progress, guard_expr: state.required_files_exist }
";

/// What the brain was told, what it ordered, what it recorded.
struct Play {
    run: Run,
    log: Vec<String>,
    records: Vec<Entry>,
    events: Vec<Event>,
    tree: u32,
    batch: u32,
}

fn protocol() -> Arc<Protocol> {
    Arc::new(mi_protocol::load(FILE.as_bytes()).protocol.expect("it loads"))
}

fn new_run() -> Run {
    let task = "Fix the parser; `cargo test` passes".to_owned();
    let setup = Setup {
        criteria: protocol::criteria(&task, &protocol()),
        task,
        mind: MindSpec::default(),
        learned: Vec::new(),
        strategy: None,
        earlier_answers: Vec::new(),
        limits: Limits::default(),
        mind_mode: MindMode::RulesOnly,
    };
    Run::with_protocol(setup, protocol())
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            run: new_run(),
            log: Vec::new(),
            records: Vec::new(),
            events: Vec::new(),
            tree: 0,
            batch: 0,
        };
        play.step(Event::Start);
        play
    }

    fn step(&mut self, event: Event) -> &mut Self {
        self.events.push(event.clone());
        for command in self.run.step(event) {
            match command {
                Command::Record(entry) => self.records.push(*entry),
                Command::RunBatch(order) => {
                    let who = if order.read_only { "reviewer" } else { "worker" };
                    let thread = order.thread_id.as_deref().unwrap_or("new");
                    let phase = order.input.split("phase").nth(1).unwrap_or_default();
                    let phase: String = phase
                        .trim_start_matches([' ', 'n', 'o', 'w', ':'])
                        .chars()
                        .take_while(|char| char.is_alphanumeric())
                        .collect();
                    self.log.push(format!("{who} {thread} {phase}"));
                }
                Command::ReadEvidence { sources } => self.log.push(format!("read {}", sources.join(" "))),
                Command::LookAtChange(_) => self.log.push("look".to_owned()),
                Command::AskPerson(question) => self.log.push(format!("ask {}", question.question)),
                Command::Finish => self.log.push("finish".to_owned()),
                Command::AskMind(_) | Command::SaveStrategy { .. } | Command::Learn { .. } => {}
            }
        }
        self
    }

    /// A batch that edits a file or not, runs the check or not, and says something.
    fn batch(&mut self, edits: Option<&str>, checks: bool, says: &str) -> &mut Self {
        let mut facts = FactsBuilder::new("/p", format!("t{}", self.tree));
        if let Some(path) = edits {
            self.tree += 1;
            let changes = vec![FileChange { path: format!("/p/{path}"), kind: ChangeKind::Update }];
            facts.event(&AgentEvent::FilesChanged { id: "e".into(), changes, phase: Phase::Completed });
        }
        if checks {
            let (id, command) = ("c".to_owned(), "cargo test".to_owned());
            facts.event(&AgentEvent::CommandStarted { id: id.clone(), command: command.clone() });
            facts.event(&AgentEvent::CommandFinished {
                id: id.clone(),
                command,
                exit_code: Some(0),
                output: PASS.into(),
            });
            facts.command_tree(&id, format!("t{}", self.tree));
        }
        facts.event(&AgentEvent::Message { text: says.to_owned() });
        let report = BatchReport {
            batch_id: BatchId::numbered(self.batch),
            thread_id: format!("thread{}", self.batch),
            input: "the input".to_owned(),
            end: HandsEnd::Completed,
            facts: facts.finish(format!("t{}", self.tree)),
            repo: RepoObservation::default(),
            project: ProjectProfile { root: "/p".into(), ..ProjectProfile::default() },
            tamper: Vec::new(),
            usage: Usage::default(),
            duration_ms: 1500,
            elapsed_ms: 0,
            transcript: Default::default(),
        };
        self.batch += 1;
        self.step(Event::BatchEnded(Box::new(report)))
    }

    fn evidence(&mut self, sha256: &str) -> &mut Self {
        let error = sha256.is_empty().then(|| "no such file".to_owned());
        let read =
            EvidenceRead { source: "notes.md".into(), sha256: sha256.into(), value: Value::Null, error };
        self.step(Event::EvidenceRead { read: vec![read] })
    }

    fn finished(&self) -> String {
        let found = self.records.iter().rev().find_map(|entry| match entry {
            Entry::RunFinished(finished) => Some(format!("{}: {}", finished.status, finished.reason)),
            _ => None,
        });
        found.expect("the run is finished")
    }
}

/// A whole way: rejected once, approved, two parts, a file that was missing at first.
fn whole() -> Play {
    let mut play = Play::new();
    play.batch(Some("a.rs"), true, "All tests pass.")
        .batch(None, true, "VERDICT: REJECT")
        .batch(Some("a.rs"), true, "Mended; all tests pass.")
        .batch(None, true, "VERDICT: APPROVE")
        .batch(Some("7a.md"), false, "Part one is written.")
        .batch(Some("7b.md"), true, "Part two is written.")
        .evidence("")
        .batch(Some("notes.md"), true, "Notes are there.")
        .evidence("ab");
    play
}

/// Who is sent what: the worker keeps its conversation, reviewers never share one.
#[test]
fn phases_go_to_the_worker_and_reviews_to_a_stranger() {
    let play = whole();
    assert_eq!(
        play.log,
        [
            "worker new BUILD",
            "reviewer new REVIEW",
            "worker thread0 BUILD",
            "reviewer new REVIEW",
            "worker thread2 WRITE",
            "worker thread4 WRITE",
            "read notes.md",
            "worker thread5 WRITE",
            "read notes.md",
            "finish",
        ]
    );
    assert_eq!(play.finished(), "done: the protocol ended at DONE over W1, and the task is proven");
}

/// The same events make the same records: a run that is taken up from its journal stands where it stood.
#[test]
fn the_same_events_make_the_same_records() {
    let play = whole();
    for cut in 0..=play.events.len() {
        let mut again = new_run();
        let mut records = Vec::new();
        for event in play.events.iter().take(cut).cloned().collect::<Vec<_>>() {
            let commands = again.step(event);
            records.extend(commands.into_iter().filter_map(|command| match command {
                Command::Record(entry) => Some(*entry),
                _ => None,
            }));
        }
        assert_eq!(records[..], play.records[..records.len()], "cut at {cut}");
    }
}

/// An exception is taken when its guard holds, and its end is not "done".
#[test]
fn an_end_over_an_exception_is_blocked() {
    let mut play = Play::new();
    play.batch(Some("a.rs"), false, "Tried this.").batch(Some("a.rs"), false, "Tried that.").batch(
        Some("a.rs"),
        false,
        "Tried it all.",
    );
    assert_eq!(
        play.finished(),
        "blocked: the protocol ended at GIVEN_UP over B2, which does not lead forward"
    );
}

/// After a crash the open sub-phase begins anew, in the same conversation.
#[test]
fn a_resumed_run_begins_its_subphase_anew() {
    let mut play = Play::new();
    play.batch(Some("a.rs"), true, "All tests pass.")
        .batch(None, true, "VERDICT: APPROVE")
        .batch(Some("7a.md"), false, "Part one is written.")
        .step(Event::Resumed { limits: Limits::default() });
    let steps: Vec<String> = play
        .records
        .iter()
        .filter_map(|entry| match entry {
            Entry::Protocol(step) => Some(step),
            _ => None,
        })
        .map(|step| {
            format!(
                "{} {}",
                step.protocol_event["type"].as_str().unwrap_or_default(),
                step.protocol_event["subphase"].as_str().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(steps[steps.len() - 2..], ["resume ", "subphase_start 7B"]);
    assert!(play.log.last().is_some_and(|told| told.starts_with("worker thread2")), "{:?}", play.log);
}
