//! Runs as short lists of steps, and the proof they give.

use mi_formats::{AgentEvent, ChangeKind, FileChange, Phase};
use mi_model::{BatchId, Usage, record::RepoObservation};

use super::*;
use crate::{
    criteria::criteria,
    facts::{Evidence, FactsBuilder, evidence, observation},
    project::{ProjectCheck, ProjectProfile},
    report::{BatchReport, HandsEnd, TranscriptRef},
    tamper::TamperSign,
};

/// One step of a batch.
pub(crate) enum Step {
    /// The edit tool changes a file, and the tree with it.
    Edit(&'static str),
    /// A command runs, with its exit code and output; the digest is taken when it ends.
    Run(&'static str, i32, &'static str),
    Say(&'static str),
}

pub(crate) use Step::{Edit, Run, Say};

pub(crate) const PASS: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
pub(crate) const FAIL: &str =
    "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";

pub(crate) fn rust_project() -> ProjectProfile {
    let check = ProjectCheck {
        command: "cargo test".to_owned(),
        source: "convention: rust".to_owned(),
        runs_tests: true,
        ..ProjectCheck::default()
    };
    ProjectProfile {
        root: "/p".to_owned(),
        has_tests: true,
        checks: vec![check],
        ..ProjectProfile::default()
    }
}

/// A run of batches; the tree's digest is `t` and how often it was edited so far.
pub(crate) struct Play {
    pub(crate) task: &'static str,
    pub(crate) project: ProjectProfile,
    pub(crate) history: History,
    pub(crate) last: Option<BatchReport>,
    edits: u32,
    batches: u32,
}

impl Play {
    pub(crate) fn new(task: &'static str) -> Self {
        let history = History::default();
        Self { task, project: rust_project(), history, last: None, edits: 0, batches: 0 }
    }

    pub(crate) fn batch(mut self, steps: &[Step]) -> Self {
        let mut builder = FactsBuilder::new("/p", format!("t{}", self.edits));
        for (index, step) in steps.iter().enumerate() {
            let id = format!("item_{index}");
            match step {
                Edit(path) => {
                    self.edits += 1;
                    let changes = vec![FileChange { path: format!("/p/{path}"), kind: ChangeKind::Update }];
                    builder.event(&AgentEvent::FilesChanged { id, changes, phase: Phase::Completed });
                }
                Run(command, code, output) => {
                    builder.event(&AgentEvent::CommandStarted {
                        id: id.clone(),
                        command: (*command).to_owned(),
                    });
                    builder.event(&AgentEvent::CommandFinished {
                        id: id.clone(),
                        command: (*command).to_owned(),
                        exit_code: Some(*code),
                        output: (*output).to_owned(),
                    });
                    builder.command_tree(&id, format!("t{}", self.edits));
                }
                Say(text) => builder.event(&AgentEvent::Message { text: (*text).to_owned() }),
            }
        }
        let report = BatchReport {
            batch_id: BatchId::numbered(self.batches),
            thread_id: "thread".to_owned(),
            input: self.task.to_owned(),
            end: HandsEnd::Completed,
            facts: builder.finish(format!("t{}", self.edits)),
            repo: RepoObservation::default(),
            project: self.project.clone(),
            tamper: Vec::new(),
            usage: Usage::default(),
            duration_ms: 0,
            elapsed_ms: 0,
            transcript: TranscriptRef::default(),
        };
        self.batches += 1;
        self.history.add(&report, &criteria(self.task));
        self.last = Some(report);
        self
    }

    fn proof(&self) -> Vec<Proof> {
        prove(&criteria(self.task), &self.history)
    }

    fn levels(&self) -> Vec<&'static str> {
        self.proof().iter().map(|proof| proof.level.as_str()).collect()
    }

    fn evidence(&self) -> Evidence {
        self.last.as_ref().map(evidence).unwrap_or_default()
    }
}

fn texts(proof: &Proof) -> Vec<&str> {
    proof.evidence.iter().map(|one| one.text.as_str()).collect()
}

/// One batch of a task, and the level it reaches.
#[test]
fn levels_of_one_batch() {
    for (steps, expected) in [
        (vec![Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")], "observed"),
        (vec![Edit("a.rs"), Run("cargo test", 0, PASS)], "observed"),
        (vec![Run("cargo test", 0, PASS), Edit("a.rs"), Say("Done.")], "claimed"),
        (vec![Edit("a.rs"), Say("Done, all tests pass.")], "claimed"),
        (vec![Edit("a.rs"), Say("Still looking.")], "absent"),
        (vec![Edit("a.rs"), Run("cargo test", 101, FAIL), Say("Fixed.")], "claimed"),
        (vec![Edit("a.rs"), Run("cargo test", 101, FAIL), Say("It fails.")], "absent"),
        (vec![Edit("a.rs"), Run("cargo test | tail -1", 0, PASS), Say("Done.")], "claimed"),
        (vec![Edit("a.rs"), Run("cargo test parse", 0, PASS), Say("Done.")], "claimed"),
        (vec![Edit("a.rs"), Run("echo 'test result: ok. 3 passed'", 0, PASS), Say("Done.")], "claimed"),
        (
            vec![Edit("a.rs"), Run("cargo test", 0, PASS), Run("cargo test", 101, FAIL), Say("Done.")],
            "claimed",
        ),
        (
            vec![Edit("a.rs"), Run("cargo test", 101, FAIL), Run("cargo test", 0, PASS), Say("Done.")],
            "observed",
        ),
        (vec![Run("cargo test", 0, PASS), Say("Done.")], "claimed"),
        (
            vec![Run("cargo test", 0, PASS), Say("The code already handles it; no changes were needed.")],
            "claimed",
        ),
        (vec![], "absent"),
    ] {
        assert_eq!(Play::new("Fix the parser").batch(&steps).levels(), [expected]);
    }
}

/// A task that asks for no change may leave the tree as it is.
#[test]
fn tasks_without_a_change() {
    let play = Play::new("Run the tests").batch(&[Run("cargo test", 0, PASS), Say("They pass.")]);
    assert_eq!(play.levels(), ["observed"]);
}

/// A check of an earlier batch counts as long as the tree is the same.
#[test]
fn proof_over_batches() {
    let early = Play::new("Fix the parser").batch(&[Edit("a.rs"), Run("cargo test", 0, PASS)]);
    let kept = early.batch(&[Run("git status", 0, ""), Say("Done.")]);
    assert_eq!(kept.levels(), ["observed"]);
    assert_eq!(kept.batch(&[Edit("b.rs"), Say("Done.")]).levels(), ["claimed"]);
}

/// The evidence names the command, its exit code, the counts and the tree.
#[test]
fn evidence_of_a_proof() {
    let play = Play::new("Fix the parser").batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")]);
    assert_eq!(texts(&play.proof()[0]), ["`cargo test`: exit code 0, 3 passed (batch b0)", "tree t1"]);
    let stale = Play::new("Fix the parser").batch(&[Run("cargo test", 0, PASS), Edit("a.rs"), Say("Done.")]);
    let expected =
        ["`cargo test` (batch b0) passed, but the tree changed after it", "the agent says that it is done"];
    assert_eq!(texts(&stale.proof()[0]), expected);
}

/// A sign of a weakened check lowers the proof and says why.
#[test]
fn weakened_checks_are_only_claims() {
    let mut play =
        Play::new("Fix the parser").batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")]);
    play.history.tamper = vec![TamperSign {
        path: "tests/a.rs".to_owned(),
        what: "tests removed: `adds`".to_owned(),
        ..TamperSign::default()
    }];
    let proof = play.proof().remove(0);
    assert_eq!(proof.level, ProofLevel::Claimed);
    assert_eq!(proof.evidence[2].text, "a check was weakened: tests/a.rs: tests removed: `adds`");
    assert!(!is_proven(&play.proof()));
}

/// Commands, files and tests that the criteria name.
#[test]
fn named_criteria() {
    let task = "Do it.\nDone when:\n- `make lint` passes\n- `out/report.md` exists\n- all tests pass\n- parse_week works";
    let play = Play::new(task).batch(&[
        Edit("out/report.md"),
        Run("make lint", 0, ""),
        Run("cargo test parse_week", 0, PASS),
        Say("Done."),
    ]);
    assert_eq!(play.levels(), ["observed", "observed", "claimed", "observed"]);
    let failed = Play::new(task).batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Run("make lint", 2, "")]);
    assert_eq!(failed.levels(), ["absent", "absent", "observed", "observed"]);
}

/// When `mi` looked at the tree itself, that outweighs what the edit tool reported.
#[test]
fn files_are_looked_for() {
    let task = "Done when:\n- `out.md` exists";
    for (present, expected) in
        [(None, "observed"), (Some(vec![]), "claimed"), (Some(vec!["out.md".to_owned()]), "observed")]
    {
        let mut play = Play::new(task);
        play.project.present = present;
        assert_eq!(play.batch(&[Edit("out.md"), Run("rm out.md", 0, ""), Say("Done.")]).levels(), [expected]);
    }
}

/// A file that the task wants gone is looked for; neither a passing check nor the agent's word stands for it.
#[test]
fn files_that_must_go_are_looked_for() {
    for (present, expected) in [(vec!["old.txt".to_owned()], "absent"), (vec![], "observed")] {
        let mut play = Play::new("Fix it.\nDone when:\n- tests pass\n- old.txt is deleted");
        play.project.present = Some(present);
        let play = play.batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")]);
        assert_eq!(play.levels(), ["observed", expected]);
    }
}

/// A part proves what names it, never what it left out.
#[test]
fn parts_prove_what_they_ran() {
    for (command, expected) in [
        ("cargo test parse_week", "observed"),
        ("cargo test -- --skip parse_week", "claimed"),
        ("cargo test parse", "claimed"),
        ("cargo nextest run -E 'not test(parse_week)'", "claimed"),
    ] {
        let output =
            "Summary [ 0.1s] 3 tests run: 3 passed, 0 skipped\ntest result: ok. 3 passed; 0 failed\n";
        let play = Play::new("Fix parse_week").batch(&[Edit("a.rs"), Run(command, 0, output), Say("Done.")]);
        assert_eq!(play.levels(), [expected], "{command}");
    }
}

/// In a project without tests, the person's command is the check.
#[test]
fn strategy_gives_observed() {
    let mut play = Play::new("Fix the script");
    play.project = crate::project::with_strategy(ProjectProfile::default(), "Run `sh app.sh --check`");
    let play = play.batch(&[Edit("app.sh"), Run("sh app.sh --check", 0, "fine\n"), Say("Done.")]);
    assert_eq!(play.levels(), ["observed"]);
}

/// 11-autopilot-semantics: commands in backticks in the strategy are the check; where there are several, all of them.
#[test]
fn all_commands_of_a_strategy_have_to_pass() {
    for (runs, expected) in [
        (vec!["python3 -m py_compile a.py"], "claimed"),
        (vec!["python3 a.py"], "claimed"),
        (vec!["python3 -m py_compile a.py", "python3 a.py"], "observed"),
        (vec!["python3 -m py_compile a.py && python3 a.py"], "observed"),
    ] {
        let mut play = Play::new("Change x");
        let strategy = "Run `python3 -m py_compile a.py` and then `python3 a.py`";
        play.project = crate::project::with_strategy(ProjectProfile::default(), strategy);
        let steps: Vec<Step> = std::iter::once(Edit("a.py"))
            .chain(runs.iter().map(|command| Run(command, 0, "")))
            .chain([Say("Done.")])
            .collect();
        assert_eq!(play.batch(&steps).levels(), [expected], "{runs:?}");
    }
}

/// "A command that the project itself names": not one that the agent named, nor one whose script cannot fail.
#[test]
fn checks_that_the_agent_made_or_that_cannot_fail_prove_nothing() {
    let check = |script: &str, is_new: bool| ProjectCheck {
        command: "make test".to_owned(),
        source: "Makefile".to_owned(),
        runs_tests: true,
        script: script.to_owned(),
        is_new,
    };
    for (check, output, expected) in [
        (check("./run.sh", false), "fine\n", "observed"),
        (check("./ok.sh", true), "fine\n", "claimed"),
        (check("./ok.sh", true), PASS, "claimed"),
        (check("cargo test", true), "fine\n", "claimed"),
        (check("cargo test", true), PASS, "observed"),
        (check("-./run.sh", false), PASS, "claimed"),
    ] {
        let mut play = Play::new("Change x");
        play.project = ProjectProfile {
            root: "/p".to_owned(),
            checks: vec![check.clone()],
            ..ProjectProfile::default()
        };
        let play = play.batch(&[Edit("a.rs"), Run("make test", 0, output), Say("Done.")]);
        assert_eq!(play.levels(), [expected], "{check:?}");
    }
}

/// The tests of one language say nothing about files of another that has tests of its own.
#[test]
fn another_languages_runner_proves_nothing() {
    let unit = "Ran 1 test in 0.0s\n\nOK\n";
    let jest = "Tests:       1 passed, 1 total\n";
    for (changed, runs, expected) in [
        (vec!["Python"], vec![("cargo test", PASS)], "claimed"),
        (vec!["Python"], vec![("npm test", jest)], "claimed"),
        (vec!["Python"], vec![("python3 -m unittest", unit)], "observed"),
        (vec!["Python", "JavaScript"], vec![("npm test", jest)], "claimed"),
        (vec!["Python", "JavaScript"], vec![("npm test", jest), ("python3 -m unittest", unit)], "observed"),
        (vec!["Python", "JavaScript"], vec![("npm test && python3 -m unittest", unit)], "observed"),
        (vec!["Python"], vec![("make test", PASS)], "observed"),
        (vec!["Ruby"], vec![("npm test", jest)], "observed"),
    ] {
        let mut play = Play::new("Change it");
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        play.project.tested = set(&["Python", "JavaScript"]);
        play.project.changed = set(&changed);
        play.project.checks = vec![ProjectCheck {
            command: "npm test".to_owned(),
            source: "package.json".to_owned(),
            runs_tests: true,
            script: "jest".to_owned(),
            is_new: false,
        }];
        let steps = std::iter::once(Edit("a.py"))
            .chain(runs.iter().map(|(command, output)| Run(command, 0, output)))
            .chain([Say("Done.")]);
        let play = play.batch(&steps.collect::<Vec<_>>());
        assert_eq!(play.levels(), [expected], "{changed:?} {runs:?}");
    }
}

/// Without digests, only the last batch can prove anything.
#[test]
fn without_digests() {
    let mut history = History::default();
    let play = Play::new("Fix the parser").batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Say("Done.")]);
    let mut report = play.last.expect("one batch");
    (report.facts.start_tree, report.facts.end_tree) = (String::new(), String::new());
    report.facts.commands[0].tree = None;
    history.add(&report, &criteria("Fix the parser"));
    assert_eq!(prove(&criteria("Fix the parser"), &history)[0].level, ProofLevel::Observed);
    report.batch_id = BatchId::numbered(1);
    report.facts.commands.clear();
    history.add(&report, &criteria("Fix the parser"));
    assert_eq!(prove(&criteria("Fix the parser"), &history)[0].level, ProofLevel::Claimed);
}

/// The history is bounded and survives the journal.
#[test]
fn history_is_bounded_and_plain() {
    let mut play = Play::new("Fix the parser");
    for _ in 0..40 {
        play = play.batch(&[Edit("a.rs"), Run("cargo test", 0, PASS), Run("cargo test", 101, FAIL)]);
    }
    assert_eq!(play.history.checks.len(), 60);
    let text = serde_json::to_string(&play.history).expect("plain data");
    assert_eq!(serde_json::from_str::<History>(&text).expect("what was written"), play.history);
}

/// The stream of a real agent becomes facts, and its own script is no check.
#[test]
fn real_stream() {
    let stream = [
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.started","item":{"id":"item_3","type":"file_change","changes":[{"path":"/p/hello.sh","kind":"add"}],"status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_3","type":"file_change","changes":[{"path":"/p/hello.sh","kind":"add"}],"status":"completed"}}"#,
        r#"{"type":"item.started","item":{"id":"item_4","type":"command_execution","command":"/bin/bash -lc 'sh hello.sh && ls'","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_4","type":"command_execution","command":"/bin/bash -lc 'sh hello.sh && ls'","aggregated_output":"hi from script\nREADME.md\nhello.sh\n","exit_code":0,"status":"completed"}}"#,
        r#"{"type":"item.started","item":{"id":"item_5","type":"command_execution","command":"/bin/bash -lc 'pytest -q'","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_6","type":"agent_message","text":"Created hello.sh and ran it."}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":400,"cached_input_tokens":40,"output_tokens":80,"reasoning_output_tokens":20}}"#,
    ];
    let mut builder = FactsBuilder::new("/p", "t0".to_owned());
    stream.iter().for_each(|line| builder.event(&mi_formats::codex::read_line(line)));
    let facts = builder.finish("t1".to_owned());
    let seen: Vec<(&str, Option<i32>, bool)> =
        facts.commands.iter().map(|fact| (fact.command.as_str(), fact.exit_code, fact.finished)).collect();
    assert_eq!(seen, [("sh hello.sh && ls", Some(0), true), ("pytest -q", None, false)]);
    assert_eq!((facts.files.len(), facts.files[0].path.as_str()), (1, "hello.sh"));
    assert_eq!(facts.last_message, "Created hello.sh and ran it.");
    assert_eq!(crate::checks::recognise(&facts.commands[0], &rust_project()), None);
}

/// The sentences of the evidence are true and short.
#[test]
fn sentences() {
    let play = Play::new("Fix the parser").batch(&[
        Run("cargo test", 101, FAIL),
        Edit("src/a.rs"),
        Run("cargo test | tail -1", 0, PASS),
        Run("cargo test", 0, PASS),
        Edit("src/b.rs"),
        Run("ls nothing", 2, ""),
        Say("Done."),
    ]);
    let evidence = play.evidence();
    assert_eq!(
        evidence.results,
        [
            "ran `cargo test`: exit 101, 2 passed, 1 failed; it failed: exit code 101, 1 test failed",
            "ran `cargo test | tail -1`: exit 0, 3 passed; it proves nothing: its exit code is hidden: it is piped, and the pipe reports the exit code of its last command",
            "ran `cargo test`: exit 0, 3 passed",
            "ran `ls nothing`: exit 2",
        ]
    );
    assert_eq!(
        evidence.unknowns,
        ["no check ran after the last change", "`cargo test` passed, but `src/b.rs` was changed after it"]
    );
    assert_eq!(evidence.actions.len(), 6);
    assert_eq!(
        evidence.facts,
        [
            "the agent completed its turn",
            "the edit tool changed 2 file(s)",
            "the project's files changed in this batch"
        ]
    );
    let observed = observation(&play.last.expect("one batch").facts);
    assert_eq!(observed.file_paths, ["src/a.rs", "src/b.rs"]);
    assert_eq!(observed.item_type_counts["command_execution"], 8);
}

/// A document is shown by what the engine found in it, never by tests, and a missing one not by words either.
#[test]
fn documents_stand_on_themselves() {
    use crate::project::documents::DocumentState;
    let wanted = crate::criteria::criteria("Done when:\n- README mentions add()");
    let level = |state: DocumentState, message: &str| {
        let history = History {
            documents: vec![DocumentState { path: "README".to_owned(), ..state }],
            last_message: message.to_owned(),
            ..History::default()
        };
        prove(&wanted, &history).first().map(|proof| proof.level)
    };
    let file = || Some("README.md".to_owned());
    let says = || vec!["add()".to_owned()];
    let state = |file: Option<String>, changed: bool, says: Vec<String>| DocumentState {
        file,
        changed,
        says,
        ..DocumentState::default()
    };
    for (state, message, expected) in [
        (state(file(), true, says()), "", ProofLevel::Observed),
        (state(file(), true, Vec::new()), "Done.", ProofLevel::Claimed),
        (state(file(), false, says()), "Done.", ProofLevel::Claimed),
        (state(file(), false, says()), "", ProofLevel::Absent),
        (state(None, false, Vec::new()), "Done.", ProofLevel::Absent),
    ] {
        assert_eq!(level(state.clone(), message), Some(expected), "{state:?} {message}");
    }
}
