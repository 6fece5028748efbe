//! What models are given, and how far their answers reach.

use mi_formats::{AgentEvent, ChangeKind, FileChange, Phase};
use mi_loop::{
    criteria::criteria,
    facts::FactsBuilder,
    message::{Command, Event, MindPrompt, MindQuestion},
    project::{ProjectCheck, ProjectProfile},
    report::{BatchReport, HandsEnd},
    run::Run,
    setup::{Limits, MindMode, Setup},
};
use mi_model::{
    BatchId, DecidedBy, HunkKind, LearnedRule, LearnedScope, MindSpec, ProveReport, ProveStatus, ProvenHunk,
    RiskCategory, RunStatus, Severity, ShownStrength, Timestamp, Usage,
    answers::SectionOrigin,
    record::{ChangeLook, Entry, EvidenceItem, QuestionPurpose, RepoObservation, RiskEvent, RunFinished},
};
use serde_json::{Value, json};

const TASK: &str = "Add a function median() to stats.py";
const PASS: &str = "Ran 3 tests in 0.001s\n\nOK\n";
const FAIL: &str = "Ran 3 tests in 0.001s\n\nFAILED (failures=1)\n";
const CHECK: &str = "python3 -m unittest";

/// A run whose model answers as it is told.
struct Play {
    run: Run,
    tree: u32,
    batch: u32,
    hunks: Vec<ProvenHunk>,
    unknown_events: u64,
    has_tests: bool,
    asked: Vec<MindQuestion>,
    records: Vec<Entry>,
    log: Vec<String>,
}

impl Play {
    fn new(mind_mode: MindMode, mind: MindSpec) -> Self {
        let setup = Setup {
            task: TASK.to_owned(),
            criteria: criteria(TASK),
            mind,
            learned: vec![LearnedRule {
                id: "l1".to_owned(),
                ts: Timestamp::from_millis(0),
                scope: LearnedScope::Project,
                enabled: true,
                text: "Keep helpers private.".to_owned(),
                rationale: String::new(),
                category: None,
            }],
            strategy: None,
            earlier_answers: Vec::new(),
            limits: Limits::default(),
            mind_mode,
        };
        let mut play = Self {
            run: Run::new(setup),
            tree: 0,
            batch: 0,
            hunks: vec![hunk(
                "stats.py",
                "10-12",
                "def median(values):\n    return sorted(values)[len(values) // 2]\n",
            )],
            unknown_events: 0,
            has_tests: true,
            asked: Vec::new(),
            records: Vec::new(),
            log: Vec::new(),
        };
        play.step(Event::Start);
        play
    }

    fn step(&mut self, event: Event) -> &mut Self {
        let mut waiting = std::collections::VecDeque::from(self.run.step(event));
        while let Some(command) = waiting.pop_front() {
            match command {
                Command::LookAtChange(_) => {
                    let report = ProveReport {
                        status: ProveStatus::Unshown,
                        hunks: self.hunks.clone(),
                        ..ProveReport::default()
                    };
                    let look =
                        ChangeLook { tree: format!("t{}", self.tree), report, ..ChangeLook::default() };
                    waiting.extend(self.run.step(Event::ChangeSeen { look: Box::new(look) }));
                }
                Command::Record(entry) => self.records.push(*entry),
                Command::RunBatch(order) => self.log.push(format!("send: {}", order.input)),
                Command::AskMind(question) => {
                    self.log.push(format!("mind: {}", question.prompt.as_str()));
                    self.asked.push(question);
                }
                Command::AskPerson(question) => self.log.push(format!("ask: {}", question.question)),
                Command::Finish => self.log.push(format!("finish: {}", self.finished().status)),
                Command::ReadEvidence { .. } | Command::SaveStrategy { .. } | Command::Learn { .. } => {}
            }
        }
        self
    }

    fn batch(&mut self, edits: bool, commands: &[(&str, i32, &str)], says: &str) -> &mut Self {
        let mut facts = FactsBuilder::new("/p", format!("t{}", self.tree));
        if edits {
            self.tree += 1;
            let changes = vec![FileChange { path: "/p/stats.py".into(), kind: ChangeKind::Update }];
            facts.event(&AgentEvent::FilesChanged { id: "e".into(), changes, phase: Phase::Completed });
        }
        for (index, (command, exit_code, output)) in commands.iter().enumerate() {
            let (id, command) = (format!("c{index}"), (*command).to_owned());
            facts.event(&AgentEvent::CommandStarted { id: id.clone(), command: command.clone() });
            let (exit_code, output) = (Some(*exit_code), (*output).to_owned());
            facts.event(&AgentEvent::CommandFinished { id: id.clone(), command, exit_code, output });
            facts.command_tree(&id, format!("t{}", self.tree));
        }
        facts.event(&AgentEvent::Message { text: says.to_owned() });
        let mut facts = facts.finish(format!("t{}", self.tree));
        facts.unknown_events = self.unknown_events;
        let check = ProjectCheck {
            command: CHECK.into(),
            source: "convention: python".into(),
            runs_tests: true,
            ..ProjectCheck::default()
        };
        let repo = RepoObservation {
            git_is_repo: true,
            git_diff_stat: " stats.py | 3 +++".to_owned(),
            ..RepoObservation::default()
        };
        let report = BatchReport {
            batch_id: BatchId::numbered(self.batch),
            thread_id: "thread".into(),
            input: String::new(),
            end: HandsEnd::Completed,
            facts,
            repo,
            project: ProjectProfile {
                root: "/p".into(),
                has_tests: self.has_tests,
                checks: if self.has_tests { vec![check] } else { Vec::new() },
                changed_files: if self.tree > 0 { vec!["stats.py".to_owned()] } else { Vec::new() },
                ..ProjectProfile::default()
            },
            tamper: Vec::new(),
            usage: Usage::default(),
            duration_ms: 1,
            elapsed_ms: 0,
            transcript: Default::default(),
        };
        self.batch += 1;
        self.step(Event::BatchEnded(Box::new(report)))
    }

    /// Answers the prompt that was asked last, which must be this one.
    fn answer(&mut self, prompt: MindPrompt, answer: Option<Value>) -> &mut Self {
        assert_eq!(self.log.last(), Some(&format!("mind: {}", prompt.as_str())), "{:?}", self.log);
        self.step(Event::MindAnswered { prompt, model: "m".into(), answer, usage: Usage::default() })
    }

    fn last(&self) -> &str {
        self.log.last().map_or("", String::as_str)
    }

    fn finished(&self) -> &RunFinished {
        let found = self.records.iter().rev().find_map(|entry| match entry {
            Entry::RunFinished(finished) => Some(finished),
            _ => None,
        });
        found.expect("the run is finished")
    }

    fn items(&self) -> Vec<&EvidenceItem> {
        let items = self.records.iter().filter_map(|entry| match entry {
            Entry::EvidenceItem(item) => Some(item.as_ref()),
            _ => None,
        });
        items.collect()
    }

    fn risks(&self) -> Vec<&RiskEvent> {
        let risks = self.records.iter().filter_map(|entry| match entry {
            Entry::RiskEvent(risk) => Some(risk),
            _ => None,
        });
        risks.collect()
    }
}

fn hunk(file: &str, lines: &str, added: &str) -> ProvenHunk {
    ProvenHunk {
        file: file.to_owned(),
        lines: lines.to_owned(),
        kind: HunkKind::Behaviour,
        strength: ShownStrength::None,
        shown_by: Vec::new(),
        is_asserted: false,
        group: None,
        is_test: false,
        within: None,
        removed: String::new(),
        added: added.to_owned(),
    }
}

fn mind() -> MindSpec {
    let mut mind = MindSpec {
        values_text: format!("Prefer small changes.\n{}Never use global state.", "Be kind.\n".repeat(600)),
        values_summary: vec!["Small steps win.".to_owned()],
        ..MindSpec::default()
    };
    mind.decision_procedure.summary = "Weigh safety before speed.".to_owned();
    mind.decision_procedure.mermaid = "flowchart TD\n  A[Unsure] --> B[Ask]".to_owned();
    mind.external_actions.network_policy = "deny".to_owned();
    mind.extra.insert("team".to_owned(), json!("blue"));
    mind
}

fn text_of(question: &MindQuestion) -> String {
    question.sections.iter().map(|section| format!("[{}]\n{}\n", section.title, section.text)).collect()
}

fn stop_done() -> Value {
    json!({"next_action": "stop", "status": "done", "next_codex_input": null, "ask_user_question": null,
        "reason": "looks fine", "confidence": 0.9})
}

fn no_checks() -> Value {
    json!({"should_run_checks": false, "needs_testless_strategy": false, "testless_strategy_question": "",
        "check_goals": [], "commands_hints": [], "codex_check_input": "", "notes": ""})
}

/// Whatever is asked, the model sees the task, the whole MindSpec, the criteria and the evidence; and the hunks as soon as the
/// run has looked at them, the files before that.
#[test]
fn every_prompt_sees_what_it_judges() {
    let mut play = Play::new(MindMode::ModelFirst, mind());
    play.batch(
        true,
        &[("curl https://example.com/x", 0, ""), (CHECK, 0, PASS)],
        "Added it. Shall I also rename mean()?",
    );
    play.answer(MindPrompt::ExtractEvidence, None);
    play.answer(MindPrompt::RiskJudge, None);
    play.step(Event::PersonAnswered { answer: "ok".to_owned() });
    play.answer(MindPrompt::JudgeCriteria, None);
    play.answer(MindPrompt::AutoAnswerToCodex, None);
    play.step(Event::PersonAnswered { answer: "no".to_owned() });
    play.batch(false, &[], "Fine.");
    play.answer(MindPrompt::JudgeCriteria, None);
    play.answer(MindPrompt::DecideNext, None);
    let prompts: Vec<MindPrompt> = play.asked.iter().map(|question| question.prompt).collect();
    for prompt in [
        MindPrompt::ExtractEvidence,
        MindPrompt::RiskJudge,
        MindPrompt::JudgeCriteria,
        MindPrompt::AutoAnswerToCodex,
        MindPrompt::DecideNext,
    ] {
        assert!(prompts.contains(&prompt), "{prompts:?}");
    }
    for question in &play.asked {
        let text = text_of(question);
        for seen in [
            TASK,
            "Prefer small changes.",
            "Never use global state.",
            "Small steps win.",
            "Weigh safety before speed.",
            "A[Unsure] --> B[Ask]",
            "external_actions.network_policy = \"deny\"",
            "defaults.ask_when_uncertain = true",
            "verification.no_tests_policy = ",
            "team = \"blue\"",
            "learned: Keep helpers private.",
            "c1: ",
            "level ",
            "bearing ",
            "stats.py | 3 +++",
        ] {
            assert!(text.contains(seen), "{}: {seen}\n{text}", question.prompt.as_str());
        }
        let is_looked_at = !matches!(question.prompt, MindPrompt::ExtractEvidence | MindPrompt::RiskJudge);
        assert_eq!(text.contains("+ def median(values):"), is_looked_at, "{}", question.prompt.as_str());
    }
    let decides = play.asked.iter().find(|question| question.prompt == MindPrompt::DecideNext).unwrap();
    let origin =
        |title: &str| decides.sections.iter().find(|section| section.title == title).map(|one| one.origin);
    assert_eq!(
        (origin("mindspec"), origin("change")),
        (Some(SectionOrigin::Person), Some(SectionOrigin::Evidence))
    );
}

/// Of a change that is too large, what the task names comes first, then work before tests; the rest is named.
#[test]
fn relevant_hunks_come_first() {
    let mut play = Play::new(MindMode::RulesFirst, mind());
    let mut hunks: Vec<ProvenHunk> =
        (0..40).map(|at| hunk("lock.json", &format!("{at}-{at}"), &"x".repeat(3900))).collect();
    hunks.push(hunk("stats.py", "10-12", "def median(values):\n"));
    hunks.insert(0, ProvenHunk { is_test: true, ..hunk("test_stats.py", "1-2", "def test_other(self):\n") });
    play.hunks = hunks;
    play.batch(true, &[(CHECK, 0, PASS)], "Done.");
    let question = play.asked.first().expect("the judge is asked");
    let change = question.sections.iter().find(|section| section.title == "change").unwrap();
    assert!(
        change.text.starts_with("stats.py:10-12 (behaviour)\n+ def median(values):"),
        "{:.200}",
        change.text
    );
    assert!(
        change.text.len() < 60_000 && change.text.contains("(not shown here: lock.json:"),
        "{}",
        change.text.len()
    );
    assert!(question.sections.iter().all(|section| section.most_bytes <= 64_000));
}

/// What the rules cannot read is read by a model: recorded beside the rules' own sentences, and proof of nothing.
#[test]
fn unread_output_is_read_by_a_model_and_proves_nothing() {
    let mut play = Play::new(MindMode::RulesFirst, mind());
    play.batch(true, &[("make test", 0, "everything went splendidly\n")], "Done, all tests pass.");
    play.answer(
        MindPrompt::ExtractEvidence,
        Some(json!({
            "facts": ["all 12 tests passed", " "], "actions": [], "results": ["make test: 12 passed"],
            "unknowns": ["whether median() handles an empty list"], "risk_signals": [],
        })),
    );
    let items = play.items();
    assert_eq!((items.len(), items[0].read_by.clone()), (2, None));
    assert_eq!(items[1].read_by, Some(DecidedBy::Model("m".to_owned())));
    assert_eq!((&items[1].batch_id, items[1].report.is_null()), (&items[0].batch_id, true));
    assert!(
        items[0].unknowns.iter().all(|one| items[1].unknowns.contains(one)),
        "nothing of the rules is lost"
    );
    assert!(items[1].facts.ends_with(&["all 12 tests passed".to_owned()]), "{:?}", items[1].facts);
    assert!(items[1].unknowns.contains(&"whether median() handles an empty list".to_owned()));
    // Twelve passed tests that only a model saw are no check that passed.
    assert!(!play.last().starts_with("finish"), "{:?}", play.log);
}

/// Lines that nothing understood are read too; where all is read or shown, no model is asked.
#[test]
fn models_read_only_what_is_unread() {
    let mut play = Play::new(MindMode::RulesFirst, mind());
    play.unknown_events = 3;
    play.batch(true, &[], "Working on it.");
    assert_eq!(play.last(), "mind: extract_evidence");
    let mut play = Play::new(MindMode::RulesFirst, mind());
    play.batch(true, &[(CHECK, 1, FAIL)], "It fails.");
    assert!(!play.log.contains(&"mind: extract_evidence".to_owned()), "{:?}", play.log);
    let mut play = Play::new(MindMode::RulesOnly, mind());
    play.unknown_events = 3;
    play.batch(true, &[("make test", 0, "fine\n")], "Done.");
    assert!(play.asked.is_empty(), "{:?}", play.log);
}

/// A risk that only a model read is weighed by a model, and no rule's signal is lost beside it.
#[test]
fn risk_that_was_read_is_weighed() {
    let mut play = Play::new(MindMode::RulesFirst, MindSpec::default());
    play.unknown_events = 1;
    play.batch(true, &[("git push origin main", 0, "")], "Pushed.");
    play.answer(
        MindPrompt::ExtractEvidence,
        Some(json!({"facts": [], "actions": [], "results": [], "unknowns": [], "risk_signals": ["mails the customer list"]})),
    );
    play.answer(
        MindPrompt::RiskJudge,
        Some(json!({"category": "other", "severity": "low", "should_ask_user": false, "mitigation": [],
            "learned_tightening": null})),
    );
    let risk = play.risks()[0];
    assert!(risk.risk_signals.len() == 2 && risk.risk_signals[1] == "mails the customer list", "{risk:?}");
    assert_eq!((risk.risk.category, risk.risk.severity), (RiskCategory::Push, Severity::High));
    assert!(risk.risk.should_ask_user && play.last().starts_with("ask: "), "{:?}", play.log);
}

/// A model's "done" does not outweigh a red check, a missing one, or a criterion that nothing shows.
#[test]
fn done_of_a_model_never_outweighs_a_check() {
    let cases: [&[(&str, i32, &str)]; 4] =
        [&[(CHECK, 1, FAIL)], &[("ls", 0, "")], &[], &[("python3 -m unittest | tail -1", 0, "OK\n")]];
    for commands in cases {
        let mut play = Play::new(MindMode::ModelFirst, MindSpec::default());
        play.batch(true, commands, "Done, everything passes.");
        for _ in 0..6 {
            let Some(prompt) = play.last().strip_prefix("mind: ").and_then(MindPrompt::from_name) else {
                break;
            };
            let answer = match prompt {
                MindPrompt::PlanMinChecks => Some(no_checks()),
                MindPrompt::DecideNext => Some(stop_done()),
                _ => None,
            };
            play.answer(prompt, answer);
        }
        assert!(!play.log.iter().any(|line| line == "finish: done"), "{commands:?}: {:?}", play.log);
    }
    // Green, and nothing shows the task: the judge says no, and "done" is not taken either.
    let mut play = Play::new(MindMode::ModelFirst, MindSpec::default());
    play.batch(true, &[(CHECK, 0, PASS)], "Done.");
    play.answer(MindPrompt::ExtractEvidence, None);
    play.answer(MindPrompt::JudgeCriteria, Some(json!({"criteria": []})));
    play.answer(MindPrompt::DecideNext, Some(stop_done()));
    assert!(!play.last().starts_with("finish"), "{:?}", play.log);
}

/// A judge that cites the hunks is believed where every check is green, and is named; one that invents a hunk is not.
#[test]
fn judge_is_believed_by_its_hunks() {
    let judgement = |hunk: &str| {
        json!({"criteria": [
            {"id": "c1", "verdict": "shown", "hunks": [hunk], "reason": "median() returns the middle value"},
            {"id": "c9", "verdict": "shown", "hunks": [hunk], "reason": "nobody asked"},
        ]})
    };
    let mut play = Play::new(MindMode::RulesFirst, MindSpec::default());
    play.batch(true, &[(CHECK, 0, PASS)], "Done.");
    play.answer(MindPrompt::JudgeCriteria, Some(judgement("stats.py:10-12")));
    assert_eq!((play.last(), play.finished().status), ("finish: done", RunStatus::Done));
    let proof = serde_json::to_string(&play.finished().proof).unwrap();
    assert!(proof.contains("judged by m on 1 hunk: median() returns the middle value"), "{proof}");
    let mut play = Play::new(MindMode::RulesFirst, MindSpec::default());
    play.batch(true, &[(CHECK, 0, PASS)], "Done.");
    play.answer(MindPrompt::JudgeCriteria, Some(judgement("stats.py:10-13")));
    assert!(play.last().starts_with("send: "), "{:?}", play.log);
}

/// `no_tests_policy`: what the person said about checking is kept for the project, or for this run alone.
#[test]
fn strategy_is_kept_as_the_policy_says() {
    for (policy, is_kept) in [("ask_once_per_project_then_remember", true), ("ask_every_run", false)] {
        let mut spec = MindSpec::default();
        spec.verification.no_tests_policy = policy.to_owned();
        let mut play = Play::new(MindMode::RulesOnly, spec);
        play.has_tests = false;
        play.batch(true, &[], "Done.");
        let purpose = play.run.waiting_for().map(|question| question.purpose);
        assert_eq!(purpose, Some(QuestionPurpose::TestlessStrategy), "{:?}", play.log);
        play.step(Event::PersonAnswered { answer: "`sh check.sh`".to_owned() });
        let kept = play.records.iter().any(|entry| matches!(entry, Entry::Overlay(_)));
        assert_eq!(kept, is_kept, "{policy}");
        assert!(play.last().contains("sh check.sh"), "{policy}: {:?}", play.log);
    }
}
