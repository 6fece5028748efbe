//! Agent programs as minds: scripted runs of both, and the real Codex on the scripted model.

use mi_mind::{
    AgentRun, AgentRunner, AgentSettings, Mind, MindSettings, Provider, REQUEST_LIMIT_BYTES, RunOutput,
    Section,
};
use mi_test_support::{CodexHome, FakeModel, Scratch, TempHome, codex, sealed_environment};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use crate::support::{ask_mind, good_move, question, surroundings, token};

type Asked = Arc<Mutex<Vec<(Vec<String>, String)>>>;

/// Plays prepared outputs, one per run, and remembers what was asked.
struct ScriptedRunner {
    outputs: Mutex<Vec<Result<RunOutput, String>>>,
    asked: Asked,
}

impl AgentRunner for ScriptedRunner {
    fn run(&self, run: &AgentRun<'_>) -> Result<RunOutput, String> {
        self.asked.lock().unwrap().push((run.args.to_vec(), run.stdin.to_owned()));
        self.outputs.lock().unwrap().remove(0)
    }
}

fn lines(values: &[Value]) -> Result<RunOutput, String> {
    let stdout_lines = values.iter().map(Value::to_string).collect();
    Ok(RunOutput { stdout_lines, exit: Some(0), ..RunOutput::default() })
}

fn codex_says(text: &str) -> Result<RunOutput, String> {
    lines(&[
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "error", "message": "Reconnecting... 1/5"}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "Let me think."}}),
        json!({"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 7, "cached_input_tokens": 2, "output_tokens": 3}}),
    ])
}

fn claude_says(result: Value) -> Result<RunOutput, String> {
    lines(&[json!({"type": "system", "subtype": "init"}), result])
}

fn ask_agent(
    provider: fn(AgentSettings) -> Provider,
    outputs: Vec<Result<RunOutput, String>>,
) -> (mi_mind::MindAnswer, Vec<(Vec<String>, String)>) {
    let scratch = Scratch::new("mind");
    let agent = AgentSettings {
        program: "agent".to_owned(),
        model: Some("some-model".to_owned()),
        extra_args: vec!["-c".to_owned(), "a=1".to_owned()],
        working_dir: scratch.path().to_owned(),
    };
    let asked = Asked::default();
    let mut around = surroundings(Arc::default());
    around.runner =
        Some(Box::new(ScriptedRunner { outputs: Mutex::new(outputs), asked: Arc::clone(&asked) }));
    let mut with_secret = question();
    with_secret.sections.push(Section::evidence("env", 2, format!("T={}", token())));
    let (answer, transcript) = ask_mind(&Mind::new(MindSettings::new(provider(agent)), around), &with_secret);
    assert!(!format!("{transcript:?}").contains(&token()));
    let asked = asked.lock().unwrap().clone();
    assert!(asked.iter().all(|(_, stdin)| stdin.contains("T=[redacted]") && !stdin.contains(&token())));
    (answer, asked)
}

fn as_codex(agent: AgentSettings) -> Provider {
    Provider::Codex { agent }
}

fn as_claude(agent: AgentSettings) -> Provider {
    Provider::Claude { agent }
}

/// Codex is run read-only with the schema in a file; its last message is the answer.
#[test]
fn codex_answers_by_its_last_message() {
    let (answer, asked) = ask_agent(as_codex, vec![codex_says(&good_move().to_string())]);
    assert_eq!(answer.value, Some(good_move()), "{:?}", answer.call.error);
    assert_eq!(
        (answer.call.attempts, answer.call.usage.total(), answer.call.provider.as_str()),
        (1, 10, "codex")
    );
    let (args, _) = &asked[0];
    let schema_path = &args[6];
    assert!(schema_path.ends_with("decide_next.v1.schema.json"));
    let expected =
        ["exec", "--sandbox", "read-only", "--json", "--skip-git-repo-check", "--output-schema", schema_path];
    assert_eq!(args[..7], expected);
    assert_eq!(args[7..], ["-m", "some-model", "-c", "a=1", "-"]);
}

/// A Codex that talks instead of answering is asked once more; a failed or unfinished turn is a failure.
#[test]
fn codex_failures_are_failures() {
    let (repaired, asked) =
        ask_agent(as_codex, vec![codex_says("Sure! It is done."), codex_says(&good_move().to_string())]);
    assert_eq!((repaired.value, asked.len()), (Some(good_move()), 2));
    assert!(asked[1].1.contains("the answer is not JSON") && asked[1].1.contains("Sure! It is done."));

    let failed_turn = lines(&[json!({"type": "turn.failed", "error": {"message": "401 Unauthorized"}})]);
    let empty_turn = lines(&[json!({"type": "turn.completed", "usage": {}})]);
    let unfinished = RunOutput {
        stderr_tail: "error: unexpected argument".to_owned(),
        exit: Some(2),
        ..RunOutput::default()
    };
    let late = RunOutput { timed_out: true, ..RunOutput::default() };
    for (output, expected) in [
        (failed_turn, "run agent as the mind: its turn failed: 401 Unauthorized"),
        (empty_turn, "run agent as the mind: it ended without an answer"),
        (
            Ok(unfinished),
            "(exit code 2) without finishing its turn; its last words: error: unexpected argument",
        ),
        (Ok(late), "agent gave no answer within 120 s"),
        (Err("no such program".to_owned()), "run agent as the mind: no such program"),
    ] {
        let (answer, asked) = ask_agent(as_codex, vec![output]);
        assert_eq!((answer.value, asked.len()), (None, 1));
        let error = answer.call.error.unwrap();
        assert!(error.contains(expected), "{error}");
    }
}

/// Claude's structured output is the answer, its own cost the cost; `is_error` decides, not the exit code.
#[test]
fn claude_answers_by_its_structured_output() {
    let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 2});
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": "x",
                        "structured_output": good_move(), "usage": usage, "total_cost_usd": 0.25});
    let (answer, asked) = ask_agent(as_claude, vec![claude_says(result)]);
    assert_eq!(answer.value, Some(good_move()), "{:?}", answer.call.error);
    assert_eq!((answer.call.cost_usd, answer.call.usage.input_tokens), (Some(0.25), 9));
    assert_eq!(asked[0].0[..5], ["-p", "--output-format", "stream-json", "--verbose", "--json-schema"]);
    assert_eq!(asked[0].0[6..], ["--model", "some-model", "-c", "a=1"]);

    let error = json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 500"});
    for (output, expected) in
        [(claude_says(error), "it reported an error: API Error: 500"), (lines(&[]), "without finishing")]
    {
        let (answer, _) = ask_agent(as_claude, vec![output]);
        assert_eq!(answer.value, None);
        assert!(answer.call.error.unwrap().contains(expected));
    }
}

/// Runs a real program with a sealed environment.
struct RealRunner {
    environment: Vec<(OsString, OsString)>,
}

impl AgentRunner for RealRunner {
    #[expect(clippy::disallowed_methods, reason = "the test starts the real agent itself")]
    fn run(&self, run: &AgentRun<'_>) -> Result<RunOutput, String> {
        let mut child = Command::new(run.program)
            .args(run.args)
            .current_dir(run.working_dir)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        child.stdin.take().unwrap().write_all(run.stdin.as_bytes()).map_err(|error| error.to_string())?;
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        Ok(RunOutput {
            stdout_lines: String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect(),
            stderr_tail: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit: output.status.code(),
            timed_out: false,
        })
    }
}

/// The native program behind npm's wrapper, where there is one.
fn native(program: &Path) -> PathBuf {
    let packages = program.parent().and_then(Path::parent).map(|modules| modules.join("@openai"));
    let candidates = packages.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let vendors =
        candidates.filter_map(|package| fs::read_dir(package.path().join("vendor")).ok()).flatten().flatten();
    let found = vendors.map(|vendor| vendor.path().join("bin/codex")).find(|path| path.is_file());
    found.unwrap_or_else(|| program.to_owned())
}

fn ask_real_codex(
    turns: Value,
    asked: &mi_mind::MindQuestion,
    evidence_bytes: usize,
) -> Option<(mi_mind::MindAnswer, Vec<Value>)> {
    let install = codex()?;
    let model = FakeModel::start(json!({"turns": turns}));
    let (codex_home, home, scratch) = (CodexHome::new(&model), TempHome::new(), Scratch::new("mind"));
    let agent = AgentSettings {
        program: native(&install.program).display().to_string(),
        model: Some("gpt-5.5".to_owned()),
        extra_args: Vec::new(),
        working_dir: scratch.path().to_owned(),
    };
    let settings = MindSettings { evidence_bytes, ..MindSettings::new(Provider::Codex { agent }) };
    let mut around = surroundings(Arc::default());
    let environment = sealed_environment(&home).into_iter().chain(codex_home.env()).collect();
    around.runner = Some(Box::new(RealRunner { environment }));
    let (answer, _) = ask_mind(&Mind::new(settings, around), asked);
    Some((answer, model.model_requests()))
}

/// The real Codex hands our schema to the model as strict, and its repaired answer comes back as a value.
#[test]
fn real_codex_answers_by_the_schema() {
    let turns = json!([{"say": "{\"status\": \"done\"}"}, {"json": good_move()}]);
    let Some((answer, requests)) = ask_real_codex(turns, &question(), 48_000) else { return };
    assert_eq!(answer.value, Some(good_move()), "{:?}", answer.call.error);
    assert_eq!((answer.call.attempts, answer.call.usage.output_tokens), (2, 40));
    let format = &requests[0]["body"]["text"]["format"];
    assert_eq!(
        (&format["strict"], &format["schema"]),
        (&json!(true), &mi_mind::PromptKind::DecideNext.schema())
    );
}

/// With ten megabytes of evidence and no budget set, what the real Codex sends stays below the limit of one request.
#[test]
fn real_codex_request_is_bounded() {
    let mut asked = question();
    asked.sections.push(Section::evidence("transcript", 3, "\u{1}\"汉\n".repeat(2_000_000)));
    let Some((answer, requests)) = ask_real_codex(json!([{"json": good_move()}]), &asked, usize::MAX) else {
        return;
    };
    assert_eq!(answer.value, Some(good_move()), "{:?}", answer.call.error);
    let bytes: usize = requests[0]["headers"]["content-length"].as_str().unwrap().parse().unwrap();
    assert!((280_000..REQUEST_LIMIT_BYTES).contains(&bytes), "{bytes}");
}

/// A model that fails under the real Codex is a failure with Codex's own words.
#[test]
fn real_codex_failure_is_a_failure() {
    let turns = json!([{"status": 400, "error": "no such model", "repeat": 0}]);
    let Some((answer, _)) = ask_real_codex(turns, &question(), 48_000) else { return };
    assert_eq!(answer.value, None);
    assert!(answer.call.error.as_deref().unwrap().contains("its turn failed"), "{:?}", answer.call.error);
}
