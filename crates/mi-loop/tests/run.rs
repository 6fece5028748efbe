//! A run, played in memory: what the brain orders after each event.

#[path = "support/look.rs"]
mod look;

use mi_council::budget::{Budget, Prices};
use mi_formats::{AgentEvent, ChangeKind, FileChange, Phase};
use mi_loop::{
    criteria::criteria,
    facts::FactsBuilder,
    message::{Command, Event, MindPrompt},
    project::{ProjectCheck, ProjectProfile},
    report::{BatchReport, HandsEnd},
    run::Run,
    setup::{Limits, MindMode, Setup},
    tamper::TamperSign,
};
use mi_model::{
    BatchId, Defaults, MindSpec, RunStatus, Usage,
    record::{Entry, QuestionPurpose, RepoObservation, RunFinished},
};
use serde_json::{Value, json};

const PASS: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
const FAIL: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";

/// A run under test: events in, a short log of what was ordered out.
struct Play {
    run: Run,
    task: String,
    project: ProjectProfile,
    tree: u32,
    batch: u32,
    elapsed_ms: u64,
    log: Vec<String>,
    records: Vec<Entry>,
}

impl Play {
    fn new(values: &str) -> Self {
        Self::with(setup(values))
    }

    fn with(setup: Setup) -> Self {
        let check = ProjectCheck {
            command: "cargo test".into(),
            source: "convention: rust".into(),
            runs_tests: true,
            ..ProjectCheck::default()
        };
        let project = ProjectProfile {
            root: "/p".into(),
            has_tests: true,
            checks: vec![check],
            ..ProjectProfile::default()
        };
        let mut play = Self {
            task: setup.task.clone(),
            run: Run::new(setup),
            project,
            tree: 0,
            batch: 0,
            elapsed_ms: 0,
            log: Vec::new(),
            records: Vec::new(),
        };
        play.step(Event::Start);
        play
    }

    fn step(&mut self, event: Event) -> &mut Self {
        let mut waiting = std::collections::VecDeque::from(self.run.step(event));
        while let Some(command) = waiting.pop_front() {
            match command {
                Command::LookAtChange(_) => {
                    let look = look::everything_shown(&self.task, &format!("t{}", self.tree));
                    waiting.extend(self.run.step(Event::ChangeSeen { look: Box::new(look) }));
                }
                Command::Record(entry) => self.records.push(*entry),
                Command::RunBatch(order) => self.log.push(format!("send: {}", order.input)),
                Command::AskMind(question) => self.log.push(format!("mind: {}", question.prompt.as_str())),
                Command::AskPerson(question) => self.log.push(format!("ask: {}", question.question)),
                Command::ReadEvidence { sources } => self.log.push(format!("read: {}", sources.join(", "))),
                Command::SaveStrategy { strategy } => self.log.push(format!("strategy: {strategy}")),
                Command::Learn { text, .. } => self.log.push(format!("learn: {text}")),
                Command::Finish => self.log.push(format!("finish: {}", self.finished().status)),
            }
        }
        self
    }

    /// A batch in which the agent edits (or not), runs commands and says something.
    fn batch(&mut self, edits: bool, commands: &[(&str, i32, &str)], says: &str) -> &mut Self {
        self.ended(edits, commands, says, HandsEnd::Completed, Vec::new())
    }

    fn ended(
        &mut self,
        edits: bool,
        commands: &[(&str, i32, &str)],
        says: &str,
        end: HandsEnd,
        tamper: Vec<TamperSign>,
    ) -> &mut Self {
        let mut facts = FactsBuilder::new("/p", format!("t{}", self.tree));
        if edits {
            self.tree += 1;
            let changes = vec![FileChange { path: "/p/src/lib.rs".into(), kind: ChangeKind::Update }];
            facts.event(&AgentEvent::FilesChanged { id: "e".into(), changes, phase: Phase::Completed });
        }
        for (index, (command, exit_code, output)) in commands.iter().enumerate() {
            let (id, command) = (format!("c{index}"), (*command).to_owned());
            facts.event(&AgentEvent::CommandStarted { id: id.clone(), command: command.clone() });
            let output = (*output).to_owned();
            facts.event(&AgentEvent::CommandFinished {
                id: id.clone(),
                command,
                exit_code: Some(*exit_code),
                output,
            });
            facts.command_tree(&id, format!("t{}", self.tree));
        }
        facts.event(&AgentEvent::Message { text: says.to_owned() });
        let report = BatchReport {
            batch_id: BatchId::numbered(self.batch),
            thread_id: "thread".into(),
            input: String::new(),
            end,
            facts: facts.finish(format!("t{}", self.tree)),
            repo: RepoObservation::default(),
            project: self.project.clone(),
            tamper,
            usage: Usage { input_tokens: 90, output_tokens: 10, ..Usage::default() },
            duration_ms: 1,
            elapsed_ms: self.elapsed_ms,
            transcript: Default::default(),
        };
        self.batch += 1;
        self.step(Event::BatchEnded(Box::new(report)))
    }

    fn mind(&mut self, prompt: MindPrompt, answer: Option<Value>) -> &mut Self {
        self.step(Event::MindAnswered { prompt, model: "m".into(), answer, usage: Usage::default() })
    }

    fn last(&self) -> &str {
        self.log.last().map_or("", String::as_str)
    }

    fn finished(&self) -> RunFinished {
        let found = self.records.iter().rev().find_map(|entry| match entry {
            Entry::RunFinished(finished) => Some(finished.clone()),
            _ => None,
        });
        found.expect("the run is finished")
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.records.iter().map(Entry::kind).collect()
    }
}

fn setup(values: &str) -> Setup {
    let task = "Fix the parser".to_owned();
    Setup {
        criteria: criteria(&task),
        task,
        mind: MindSpec { values_text: values.to_owned(), ..MindSpec::default() },
        learned: Vec::new(),
        strategy: None,
        earlier_answers: Vec::new(),
        limits: Limits::default(),
        mind_mode: MindMode::RulesOnly,
    }
}

/// The shortest good run: work, a fresh check, done; each step is on record before the next.
#[test]
fn proven_work_is_done() {
    let mut play = Play::new("Prefer small changes.");
    play.batch(true, &[("cargo test", 0, PASS)], "Fixed.");
    assert_eq!(play.log, ["send: Fix the parser", "finish: done"]);
    assert_eq!(play.kinds(), ["EvidenceItem", "counter_check", "check_plan", "decision", "run_finished"]);
    assert_eq!(play.finished().tokens, 100);
}

/// The agent's word is not enough: the project's check is asked for.
#[test]
fn claim_without_check_gets_the_check() {
    let mut play = Play::new("Prefer small changes.");
    play.batch(true, &[], "Done, all tests pass!");
    assert!(play.last().starts_with("send:") && play.last().contains("cargo test"), "{}", play.last());
}

/// Arbitration: an answer and a check that is missing go out in one batch.
#[test]
fn answer_and_check_are_combined() {
    let mut play = Play::new("Use tabs.");
    play.batch(true, &[], "Done. Tabs or spaces?");
    assert!(play.last().contains("tabs") && play.last().contains("cargo test"), "{}", play.last());
}

/// Arbitration: a question for the person comes before everything else.
#[test]
fn question_for_the_person_comes_first() {
    let mut play = Play::new("Use tabs.");
    play.project = ProjectProfile::default();
    play.batch(true, &[], "Done. Which of the two designs do you like better?");
    assert!(play.last().starts_with("ask: ") && play.last().contains("designs"), "{:?}", play.log);
    play.step(Event::PersonAnswered { answer: "The first.".into() });
    assert!(play.last().starts_with("ask: "), "then the project's strategy is asked for: {:?}", play.log);
    assert_eq!(
        play.run.waiting_for().map(|question| question.purpose),
        Some(QuestionPurpose::TestlessStrategy)
    );
    play.step(Event::PersonAnswered { answer: "Run `make demo`.".into() });
    assert!(
        play.last().contains("The first.") && play.last().contains("make demo"),
        "both go out: {}",
        play.last()
    );
    let plans: Vec<String> = play
        .records
        .iter()
        .filter_map(|entry| match entry {
            Entry::CheckPlan(plan) => Some(plan.batch_id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(plans, ["b0", "b0.after_testless"]);
}

/// Nobody there: blocked, and the question stays open for a later answer.
#[test]
fn absent_person_blocks_and_the_question_waits() {
    let mut play = Play::new("Use tabs.");
    play.batch(true, &[], "Which of the two designs do you like better?").step(Event::PersonAbsent);
    assert_eq!((play.finished().status, play.finished().exit), (RunStatus::Blocked, 3));
    assert!(play.run.waiting_for().is_some());
    play.step(Event::PersonAnswered { answer: "The first.".into() });
    assert!(play.last().contains("The first."), "{}", play.last());
}

/// `ask_when_uncertain: false`: nobody is asked, the run is blocked at once.
#[test]
fn without_leave_to_ask_the_run_is_blocked() {
    let mut setup = setup("Use tabs.");
    setup.mind.defaults = Defaults { ask_when_uncertain: false, ..Defaults::default() };
    let mut play = Play::with(setup);
    play.batch(true, &[], "Which of the two designs do you like better?");
    assert_eq!(play.last(), "finish: blocked");
}

/// A run that would be done goes on when `mi` itself saw the check fail, and ends when that happens again and again.
#[test]
fn what_the_box_does_not_verify_goes_back_to_the_agent() {
    let mut play = Play::new("Prefer small changes.");
    let not_verified = || Event::NotVerified { why: "`cargo test` failed with exit code 101".into() };
    play.batch(true, &[("cargo test", 0, PASS)], "Done.");
    assert_eq!(play.last(), "finish: done");
    play.step(not_verified());
    assert!(play.last().starts_with("send: ") && play.last().contains("exit code 101"), "{}", play.last());
    play.step(not_verified());
    assert!(play.last().starts_with("send: "), "it is only heard once per end: {}", play.last());
    for _ in 0..2 {
        play.batch(true, &[("cargo test", 0, PASS)], "Done.").step(not_verified());
    }
    assert!(play.last().starts_with("ask: The agent goes in circles"), "{}", play.last());
}

/// A failed check is sent back with what failed.
#[test]
fn failed_check_is_sent_back() {
    let mut play = Play::new("Prefer small changes.");
    play.batch(true, &[("cargo test", 101, FAIL)], "Done.");
    assert!(play.last().contains("`cargo test` failed"), "{}", play.last());
}

/// A weakened check is put back, and the criterion is only claimed.
#[test]
fn weakened_check_is_put_back() {
    let mut play = Play::new("Prefer small changes.");
    let sign = TamperSign {
        path: "tests/parser.rs".into(),
        what: "a test was deleted".into(),
        ..TamperSign::default()
    };
    play.ended(true, &[("cargo test", 0, PASS)], "Done.", HandsEnd::Completed, vec![sign]);
    assert!(play.last().contains("Put them back"), "{}", play.last());
}

/// One failure of the agent is forgiven, two in a row are not, and an authentication error never is.
#[test]
fn failures_of_the_agent() {
    let failed = |message: &str| HandsEnd::Failed { message: message.into() };
    let mut play = Play::new("x");
    play.ended(false, &[], "", failed("stream disconnected"), Vec::new());
    assert!(play.last().starts_with("send:"), "{}", play.last());
    play.ended(false, &[], "", failed("stream disconnected"), Vec::new());
    assert_eq!(play.last(), "finish: blocked");

    let mut play = Play::new("x");
    play.ended(false, &[], "", failed("unexpected status 401 Unauthorized"), Vec::new());
    assert_eq!(play.last(), "finish: blocked");
}

/// Each limit blocks before one more batch is sent, and a later process with other limits goes on.
#[test]
fn limits_hold_and_can_be_raised() {
    let limits = [
        Limits { max_batches: Some(1), ..Limits::default() },
        Limits { budget: Budget { max_tokens: Some(50), ..Budget::default() }, ..Limits::default() },
        Limits {
            budget: Budget {
                max_cents: Some(1),
                prices: Prices { input_cents: 1_000_000, output_cents: 0 },
                ..Budget::default()
            },
            ..Limits::default()
        },
        Limits { max_minutes: Some(1), ..Limits::default() },
    ];
    for limit in limits {
        let mut play = Play::with(Setup { limits: limit, ..setup("x") });
        play.elapsed_ms = 60_000;
        play.batch(true, &[], "Done.");
        assert_eq!(play.last(), "finish: blocked", "{limit:?}");
        assert_eq!(play.finished().left, ["Fix the parser (claimed): no check ran"]);
        play.step(Event::Resumed { limits: Limits::default() });
        assert!(play.last().contains("cargo test"), "{limit:?}: {}", play.last());
    }
}

/// AAA: the third equal pair of message and input asks the person, whose answer goes on.
#[test]
fn loop_guard_asks_the_person() {
    let mut play = Play::new("x");
    for _ in 0..3 {
        play.batch(false, &[("ls", 0, "")], "Still thinking.");
    }
    assert!(play.last().starts_with("ask: The agent goes in circles"), "{:?}", play.log);
    assert!(play.kinds().contains(&"loop_guard"));
    play.step(Event::PersonAnswered { answer: "Start with the lexer.".into() });
    assert_eq!(play.last(), "send: Start with the lexer.");
}

/// Rules first: a model is asked only where they are undecided, and its answer counts.
#[test]
fn model_is_asked_where_rules_are_undecided() {
    let mut play = Play::with(Setup { mind_mode: MindMode::RulesFirst, ..setup("Prefer simple designs.") });
    play.batch(true, &[], "Which of the two designs do you like better?");
    assert_eq!(play.last(), "mind: auto_answer_to_codex");
    play.mind(
        MindPrompt::AutoAnswerToCodex,
        Some(json!({
            "should_answer": true, "confidence": 0.9, "codex_answer_input": "The simple one.",
            "needs_user_input": false, "ask_user_question": "", "unanswered_questions": [], "notes": "",
        })),
    );
    assert!(play.last().contains("The simple one."), "{}", play.last());
}

/// A model that fails, or is not sure, leaves the question to the person.
#[test]
fn failing_or_unsure_model_leaves_it_to_the_person() {
    let unsure = json!({
        "should_answer": true, "confidence": 0.2, "codex_answer_input": "Maybe the first?",
        "needs_user_input": false, "ask_user_question": "", "unanswered_questions": [], "notes": "",
    });
    for answer in [None, Some(json!({"wrong": "shape"})), Some(unsure)] {
        let mut play =
            Play::with(Setup { mind_mode: MindMode::RulesFirst, ..setup("Prefer simple designs.") });
        play.batch(true, &[], "Which of the two designs do you like better?");
        play.mind(MindPrompt::AutoAnswerToCodex, answer.clone());
        assert!(play.last().starts_with("ask: "), "{answer:?}: {}", play.last());
    }
}

/// A model's "done" without proof is not taken: the check is asked for instead.
#[test]
fn done_of_a_model_needs_proof() {
    let mut play = Play::with(Setup { mind_mode: MindMode::ModelFirst, ..setup("x") });
    play.batch(true, &[("ls", 0, "")], "All good.");
    let nothing = json!({
        "should_run_checks": false, "needs_testless_strategy": false, "testless_strategy_question": "",
        "check_goals": [], "commands_hints": [], "codex_check_input": "", "notes": "fine",
    });
    play.mind(MindPrompt::ExtractEvidence, None);
    assert_eq!(play.last(), "mind: plan_min_checks");
    play.mind(MindPrompt::PlanMinChecks, Some(nothing));
    assert_eq!(play.last(), "mind: decide_next");
    play.mind(
        MindPrompt::DecideNext,
        Some(json!({"next_action": "stop", "status": "done", "reason": "looks fine"})),
    );
    assert!(play.last().starts_with("send:") && play.last().contains("cargo test"), "{}", play.last());
}

/// A risky effect is recorded, learned from once, and asked about; plain consent goes on.
#[test]
fn risk_is_judged_learned_and_asked() {
    let mut play = Play::new("Prefer small changes.");
    play.batch(true, &[("cargo test", 0, PASS), ("git push --force origin main", 0, "")], "Pushed.");
    assert!(play.log.iter().any(|line| line.starts_with("learn: ")), "{:?}", play.log);
    assert!(play.last().starts_with("ask: "), "{:?}", play.log);
    play.step(Event::PersonAnswered { answer: "ok".into() });
    assert_eq!(play.last(), "finish: done", "{:?}", play.log);
}

/// What the person stopped can be taken up again, in the same conversation.
#[test]
fn stopped_batch_is_taken_up_again() {
    let mut play = Play::new("x");
    play.ended(false, &[], "", HandsEnd::Stopped, Vec::new());
    assert_eq!(play.last(), "finish: interrupted");
    play.step(Event::Resumed { limits: Limits::default() });
    assert!(play.last().contains("Go on from where you were"), "{}", play.last());
}

/// "stop" ends the run, whatever was asked.
#[test]
fn stop_is_an_answer() {
    let mut play = Play::new("Use tabs.");
    play.batch(true, &[], "Which of the two designs do you like better?");
    play.step(Event::PersonAnswered { answer: "Stop.".into() });
    assert_eq!(play.last(), "finish: not_done");
}

/// The same events give the same records, so that a journal can be stepped through again.
#[test]
fn same_events_same_records() {
    let play = || {
        let mut play = Play::new("Use tabs.");
        play.batch(true, &[], "Done. Tabs or spaces?").batch(false, &[("cargo test", 0, PASS)], "All pass.");
        play.records
    };
    assert_eq!(play(), play());
}

/// A model that was to decide and fails is never "done", although the rules would say so.
#[test]
fn failing_model_that_decides_is_never_done() {
    let mut play = Play::with(Setup { mind_mode: MindMode::ModelFirst, ..setup("x") });
    play.batch(true, &[("cargo test", 0, PASS)], "Fixed.");
    play.mind(MindPrompt::ExtractEvidence, None);
    assert_eq!(play.last(), "mind: decide_next");
    play.mind(MindPrompt::DecideNext, None);
    assert!(play.last().starts_with("ask: "), "{}", play.last());
}
