//! The real Codex CLI on the scripted model.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use common::{Memory, entries, spawner};
use mi_formats::AgentEvent;
use mi_hands::{BatchOrder, Codex, CodexSettings, Ending, Hands, HandsError, find_native};
use mi_model::Usage;
use mi_process::{Environment, ExitStatus, Stopwatch};
use mi_test_support::{
    CodexHome, FakeModel, TempHome, TempProject, codex, descendants_with_marker, scenario, sealed_environment,
};
use serde_json::{Value, json};
use std::time::Duration;

/// A codex with a home, a model and a project of its own.
struct Bench {
    model: FakeModel,
    home: TempHome,
    _codex_home: CodexHome,
    project: TempProject,
    codex: Codex,
}

impl Bench {
    /// None, and a skip, if codex is not installed.
    fn start(scenario: Value) -> Option<Self> {
        let program = codex()?.program;
        let model = FakeModel::start(scenario);
        let (home, codex_home, project) = (TempHome::new(), CodexHome::new(&model), TempProject::no_tests());
        let mut variables = sealed_environment(&home);
        variables.extend(codex_home.env());
        let settings = CodexSettings {
            program,
            model: Some("gpt-5.5".to_owned()),
            sandbox: "workspace-write".to_owned(),
            extra_args: Vec::new(),
            environment: Environment::Exactly(variables),
        };
        let codex = Codex::new(spawner(), settings, None);
        Some(Self { model, home, _codex_home: codex_home, project, codex })
    }

    fn order(&self, index: u32, prompt: &str) -> BatchOrder<'static> {
        let transcript_path = self.home.path().join(format!("{index}.jsonl"));
        BatchOrder { batch_index: index, transcript_path, ..common::order(self.project.path(), prompt) }
    }
}

/// Plan, edit, command, message: everything is seen, stored and done.
#[test]
fn happy_path() {
    let Some(mut bench) = Bench::start(scenario("happy")) else { return };
    let order = bench.order(0, "say hi");
    let mut memory = Memory { watched: Some(bench.project.path().join("hello.sh")), ..Memory::default() };
    let end = bench.codex.run_batch(&order, &mut memory).unwrap();
    assert_eq!(
        (&end.ending, end.exit),
        (&Ending::Completed, Some(ExitStatus::Code(0))),
        "{}",
        end.stderr_tail
    );
    assert_eq!(memory.messages(), ["Writing the script now.", "Created hello.sh and ran it."]);
    assert_eq!(bench.project.read("hello.sh"), "echo hi from script\n");
    let finished = memory.events.iter().find_map(|event| match event {
        AgentEvent::CommandFinished { command, exit_code, .. } => Some((command.as_str(), *exit_code)),
        _ => None,
    });
    assert_eq!(finished, Some(("sh hello.sh && ls", Some(0))));
    assert_eq!((end.unknown_events, end.event_types.get("turn.completed")), (0, Some(&1)));
    assert_eq!(
        end.usage,
        Usage { input_tokens: 400, cached_input_tokens: 40, output_tokens: 80, reasoning_output_tokens: 20 }
    );
    let stored = entries(&order.transcript_path);
    assert_eq!(
        stored.iter().filter(|entry| entry["stream"] == "stdout").count() as u64,
        end.event_types.values().sum::<u64>()
    );
    assert_eq!(bench.codex.describe().version.unwrap().split('.').count(), 3);
}

/// The question is answered in the same conversation, by a prompt on standard input that is longer than an
/// argument may be, and what the first batch used is not counted twice.
#[test]
fn question_is_answered_in_the_same_conversation() {
    let Some(mut bench) = Bench::start(scenario("question")) else { return };
    let mut memory = Memory::default();
    let first = bench.codex.run_batch(&bench.order(0, "review"), &mut memory).unwrap();
    assert_eq!(first.ending, Ending::Completed, "{}", first.stderr_tail);
    assert!(memory.messages()[0].ends_with("Shall I squash it, or leave it?"));
    let thread_id = first.thread_id.clone();
    assert!(thread_id.is_some());

    let answer = format!("{}\nleave it", "background ".repeat(20_000));
    let next = BatchOrder { thread_id, thread_usage: first.thread_usage, ..bench.order(1, &answer) };
    let mut memory = Memory::default();
    let second = bench.codex.run_batch(&next, &mut memory).unwrap();
    assert_eq!(second.ending, Ending::Completed, "{}", second.stderr_tail);
    assert_eq!(memory.messages(), ["Left it as it is."]);
    assert_eq!((second.thread_id, second.usage.input_tokens), (first.thread_id, 100));
    assert_eq!(second.thread_usage, first.usage.plus(&second.usage));
    let requests = bench.model.model_requests();
    assert_eq!(requests.last().unwrap()["last_text"], json!(answer));
}

/// A model that fails is a failed turn with its message, not a death.
#[test]
fn failing_model_is_a_failed_turn() {
    let Some(mut bench) = Bench::start(scenario("failing")) else { return };
    let end = bench.codex.run_batch(&bench.order(0, "go"), &mut Memory::default()).unwrap();
    assert!(matches!(&end.ending, Ending::Failed { message } if !message.is_empty()), "{:?}", end.ending);
    assert_eq!(end.exit, Some(ExitStatus::Code(1)));
}

/// A running command is interrupted from its start event, nothing of it is left, and the conversation goes on.
#[test]
fn interrupted_command_leaves_nothing_and_resumes() {
    let Some(mut bench) = Bench::start(scenario("interrupt")) else { return };
    let mut memory = Memory { interrupt_at: Some("sleep 60".to_owned()), ..Memory::default() };
    let watch = Stopwatch::start();
    let end = bench.codex.run_batch(&bench.order(0, "go"), &mut memory).unwrap();
    let command = "echo start; sleep 60; echo end".to_owned();
    assert_eq!(end.ending, Ending::Interrupted { command, reason: "test".to_owned() });
    assert!(watch.elapsed() < Duration::from_secs(20), "{:?}", watch.elapsed());
    let marker = bench.home.path().to_string_lossy().into_owned();
    assert!(descendants_with_marker(&marker).is_empty());

    let thread_usage = end.thread_usage;
    let next = BatchOrder { thread_id: end.thread_id, thread_usage, ..bench.order(1, "carry on") };
    let mut memory = Memory::default();
    let end = bench.codex.run_batch(&next, &mut memory).unwrap();
    assert_eq!((end.ending, memory.messages()), (Ending::Completed, vec!["Carried on."]));
}

/// A conversation that is not there is a death with codex's own words, and codex outside git works.
#[test]
fn unknown_conversation_is_said() {
    let Some(mut bench) = Bench::start(json!({"turns": [{"say": "Hello."}]})) else { return };
    let unknown = Some("00000000-0000-0000-0000-000000000000".to_owned());
    let order = BatchOrder { thread_id: unknown, ..bench.order(0, "go") };
    let end = bench.codex.run_batch(&order, &mut Memory::default()).unwrap();
    assert!(
        matches!(&end.ending, Ending::Died { message } if message.contains("no rollout found")),
        "{:?}",
        end.ending
    );

    let plain = mi_test_support::Scratch::outside_any_repository("plain");
    let order = BatchOrder { cwd: plain.path().to_owned(), ..bench.order(1, "go") };
    let mut memory = Memory::default();
    let end = bench.codex.run_batch(&order, &mut memory).unwrap();
    assert_eq!((end.ending, memory.messages()), (Ending::Completed, vec!["Hello."]), "{}", end.stderr_tail);
}

/// The wrapper leads to the native binary.
#[test]
fn native_binary_is_found_behind_the_wrapper() {
    let Some(install) = codex() else { return };
    let native = find_native(&install.program);
    let mut magic = [0; 4];
    std::io::Read::read_exact(&mut std::fs::File::open(&native).unwrap(), &mut magic).unwrap();
    assert_eq!(&magic, b"\x7fELF", "{}", native.display());
}

/// A codex that is not there, or is something else, is said with what to do.
#[test]
fn missing_and_wrong_programs_are_said() {
    let home = common::folder();
    let run = |program: &str| {
        let settings = CodexSettings {
            program: program.into(),
            model: None,
            sandbox: "workspace-write".to_owned(),
            extra_args: Vec::new(),
            environment: common::environment(),
        };
        let mut codex = Codex::new(spawner(), settings, None);
        codex.run_batch(&common::order(home.path(), "go"), &mut Memory::default()).unwrap_err()
    };
    let missing = run("/no/such/codex").to_string();
    assert!(
        missing.starts_with("there is no program `/no/such/codex`: install it with `npm install"),
        "{missing}"
    );
    assert!(matches!(run("/bin/false"), HandsError::Probe { .. }));
    assert!(matches!(run("/bin/echo"), HandsError::TooOld { .. }));
}
