//! Agent programs as minds: Codex with an output schema, Claude Code with a JSON schema.
//!
//! Holds: a run counts only by its own terminal event, never by its exit code; the prompt goes in by standard
//! input. Elsewhere: starting, stopping and sweeping the program is the caller's [`AgentRunner`].

use mi_formats::{AgentEvent, TurnEnd, codex};
use mi_model::Usage;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Call, Reply, ReplyAnswer, Request, anthropic};
use crate::{AgentSettings, AskError};

/// Starts an agent program and waits for its end.
pub trait AgentRunner: Send + Sync {
    /// Runs it to its end or to the time limit, with all it started gone afterwards. An error means that it
    /// could not be started.
    fn run(&self, run: &AgentRun<'_>) -> Result<RunOutput, String>;
}

/// One run of an agent program.
#[derive(Debug, Clone, Copy)]
pub struct AgentRun<'a> {
    pub program: &'a str,
    pub args: &'a [String],
    pub stdin: &'a str,
    pub working_dir: &'a Path,
    pub timeout: Duration,
}

/// What a run left behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOutput {
    pub stdout_lines: Vec<String>,
    pub stderr_tail: String,
    /// None when a signal ended it.
    pub exit: Option<i32>,
    pub timed_out: bool,
}

/// The seed's way: a read-only run of Codex that answers by a schema.
pub(crate) fn send_codex(
    agent: &AgentSettings,
    request: &Request<'_>,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let schema_path = write_schema(agent, request)?;
    let mut args: Vec<String> =
        ["exec", "--sandbox", "read-only", "--json", "--skip-git-repo-check"].map(str::to_owned).to_vec();
    args.extend(["--output-schema".to_owned(), schema_path.display().to_string()]);
    args.extend(agent.model.iter().flat_map(|model| ["-m".to_owned(), model.clone()]));
    args.extend(agent.extra_args.iter().cloned());
    args.push("-".to_owned());
    let output = run(agent, &args, request, call)?;
    read_codex(&output).map_err(|message| failed(agent, &call.scrub.text(&message)))
}

/// Claude Code without tools of its own; the answer is `structured_output` of its result.
pub(crate) fn send_claude(
    agent: &AgentSettings,
    request: &Request<'_>,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let mut args: Vec<String> =
        ["-p", "--output-format", "stream-json", "--verbose", "--json-schema"].map(str::to_owned).to_vec();
    args.push(request.schema.to_string());
    args.extend(agent.model.iter().flat_map(|model| ["--model".to_owned(), model.clone()]));
    args.extend(agent.extra_args.iter().cloned());
    let output = run(agent, &args, request, call)?;
    read_claude(&output).map_err(|message| failed(agent, &call.scrub.text(&message)))
}

fn run(
    agent: &AgentSettings,
    args: &[String],
    request: &Request<'_>,
    call: &mut Call<'_>,
) -> Result<RunOutput, AskError> {
    let Some(runner) = &call.surroundings.runner else {
        return Err(failed(agent, "nothing is set up to start programs"));
    };
    let stdin = request.prompt.joined();
    call.record("request", &json!({"program": agent.program, "args": args, "stdin": stdin}).to_string())?;
    let timeout = call.begin_try(&agent.program)?;
    let run =
        AgentRun { program: &agent.program, args, stdin: &stdin, working_dir: &agent.working_dir, timeout };
    let output = runner.run(&run).map_err(|message| failed(agent, &call.scrub.text(&message)))?;
    for line in &output.stdout_lines {
        call.record("response", line)?;
    }
    let end = json!({"exit": output.exit, "timed_out": output.timed_out, "stderr_tail": output.stderr_tail});
    call.record("response", &end.to_string())?;
    if output.timed_out { Err(call.timed_out(&agent.program)) } else { Ok(output) }
}

/// Codex reads the schema from a file.
fn write_schema(agent: &AgentSettings, request: &Request<'_>) -> Result<PathBuf, AskError> {
    let path =
        agent.working_dir.join(format!("{}.{}.schema.json", request.kind.name(), request.kind.version()));
    fs::write(&path, request.schema.to_string())
        .map_err(|error| failed(agent, &format!("write {}: {error}", path.display())))?;
    Ok(path)
}

fn read_codex(output: &RunOutput) -> Result<Reply, String> {
    let mut message = None;
    let mut ended = None;
    for line in &output.stdout_lines {
        match codex::read_line(line) {
            AgentEvent::Message { text } => message = Some(text),
            AgentEvent::TurnEnded { end, usage } => ended = Some((end, usage)),
            _ => {}
        }
    }
    match ended {
        None => Err(without_end(output)),
        Some((TurnEnd::Failed { message }, _)) => Err(format!("its turn failed: {message}")),
        Some((TurnEnd::Completed, usage)) => {
            let text = message.ok_or("it ended without an answer")?;
            let usage = usage.unwrap_or_default();
            Ok(Reply { answer: ReplyAnswer::Text(text), usage, cost_usd: None, cut_off: false })
        }
    }
}

fn read_claude(output: &RunOutput) -> Result<Reply, String> {
    let lines = output.stdout_lines.iter().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let result = lines
        .into_iter()
        .find(|line| line.get("type").and_then(Value::as_str) == Some("result"))
        .ok_or_else(|| without_end(output))?;
    let text = result.get("result").and_then(Value::as_str).unwrap_or_default();
    if result.get("is_error").and_then(Value::as_bool) != Some(false) {
        return Err(format!("it reported an error: {text} {}", result.get("errors").unwrap_or(&Value::Null)));
    }
    let answer = match result.get("structured_output") {
        Some(value) if !value.is_null() => ReplyAnswer::Value(value.clone()),
        _ => ReplyAnswer::Text(text.to_owned()),
    };
    let usage = result.get("usage").map_or_else(Usage::default, anthropic::read_usage);
    let cost_usd = result.get("total_cost_usd").and_then(Value::as_f64);
    Ok(Reply { answer, usage, cost_usd, cut_off: false })
}

fn without_end(output: &RunOutput) -> String {
    let exit = output.exit.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
    let tail = crate::fence::clip(output.stderr_tail.trim(), 600);
    format!("it ended ({exit}) without finishing its turn; its last words: {tail}")
}

fn failed(agent: &AgentSettings, message: &str) -> AskError {
    AskError::Agent { place: agent.program.clone(), message: message.to_owned() }
}
