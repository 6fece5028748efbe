//! Starts the real agent on a scripted model that asks for a denied command, and looks what became of it.
//!
//! Holds: the command harms nobody where the gate does not work: it reads a file that does not exist. The agent gets no
//! key of the person's and talks to loopback alone; its own configuration, where the hooks stand, is used as it is.

use mi_process::{Environment, Limits, SpawnSpec, Stdin, find_program, run_to_end};
use serde_json::json;
use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::scripted::ScriptedModel;
use crate::{app::App, args::hooks::HookPlace, commands::launch, failure::Failure};

/// Another member's memory, which the built-in rules deny to everybody.
const COMMAND: &str = "cat persona/.mi-probe/private/none";
/// What the rule says, and so what the model must hear.
const DENIAL: &str = "private memory of another member";
const TIMEOUT: Duration = Duration::from_secs(120);

/// What became of the denied command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// The agent did not run it, and told the model why.
    Honoured,
    /// The agent went on without the gate.
    Ignored { told: String },
    /// It could not be found out.
    Unknown { why: String },
}

/// Probes one agent in `folder`, or in an empty one.
pub fn run(app: &App, place: HookPlace, folder: Option<&Path>) -> Result<Probe, Failure> {
    let search = app.variable("PATH").unwrap_or_default();
    let Some(program) = find_program(OsStr::new(place.name()), OsStr::new(search)) else {
        return Ok(Probe::Unknown { why: format!("`{}` is not installed", place.name()) });
    };
    let model = ScriptedModel::start(COMMAND)
        .map_err(|error| Failure::new("listen for the agent on loopback").because(&error))?;
    let empty = EmptyFolder::new(app)?;
    let folder = folder.unwrap_or(&empty.0);
    let (args, set) = command_line(place, folder, model.port);
    let spec = SpawnSpec {
        program: program.into(),
        args: args.into_iter().map(OsString::from).collect(),
        cwd: folder.to_owned(),
        environment: Environment::Inherit { set, remove: Vec::new() },
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: TIMEOUT, max_output_bytes: 1 << 20 };
    let output = run_to_end(&launch::spawner()?, &spec, limits, None)
        .map_err(|error| Failure::new(format!("start `{}`", place.name())).because(&error))?;
    let heard = model.heard();
    Ok(match heard.result {
        Some(result) if result.contains(DENIAL) => Probe::Honoured,
        Some(result) => Probe::Ignored { told: mi_model::shorten(&result, 300) },
        None => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said");
            let asked =
                if heard.asked { "it asked the model and ran nothing" } else { "it never asked the model" };
            Probe::Unknown { why: format!("{asked}: {}", mi_model::shorten(last, 300)) }
        }
    })
}

type Variables = Vec<(OsString, OsString)>;

fn command_line(place: HookPlace, folder: &Path, port: u16) -> (Vec<String>, Variables) {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let set = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect::<Variables>()
    };
    let root = format!("http://127.0.0.1:{port}");
    match place {
        HookPlace::Claude => (
            words(&[
                "-p",
                "mi probe",
                "--output-format",
                "stream-json",
                "--verbose",
                "--no-session-persistence",
                "--allowedTools",
                "Bash",
            ]),
            set(&[
                ("ANTHROPIC_BASE_URL", &root),
                ("ANTHROPIC_API_KEY", "probe"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                ("DISABLE_AUTOUPDATER", "1"),
                ("DISABLE_TELEMETRY", "1"),
                ("CLAUDE_CODE_MAX_RETRIES", "0"),
            ]),
        ),
        HookPlace::Codex => {
            let provider = format!(
                "model_providers.mi_probe={{name=\"mi_probe\",base_url=\"{root}/v1\",wire_api=\"responses\",env_key=\"MI_PROBE_KEY\",request_max_retries=0,stream_max_retries=0}}"
            );
            let mut args = words(&[
                "exec",
                "--json",
                "--ephemeral",
                "--skip-git-repo-check",
                "-s",
                "read-only",
                "-m",
                "gpt-5.5",
                "-c",
            ]);
            args.push(provider);
            args.extend(words(&["-c", "model_provider=\"mi_probe\"", "-C"]));
            args.push(folder.display().to_string());
            args.extend(words(&["--", "mi probe"]));
            (args, set(&[("MI_PROBE_KEY", "probe")]))
        }
        HookPlace::Opencode | HookPlace::Git => {
            let options = json!({"baseURL": format!("{root}/v1"), "apiKey": "probe"});
            let provider = json!({"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"probe": {"tool_call": true}}});
            let config = json!({"provider": {"mi_probe": provider}, "model": "mi_probe/probe", "small_model": "mi_probe/probe"});
            (
                words(&["run", "--format", "json", "-m", "mi_probe/probe", "mi probe"]),
                set(&[
                    ("OPENCODE_CONFIG_CONTENT", &config.to_string()),
                    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                ]),
            )
        }
    }
}

/// A folder with nothing in it, removed afterwards.
struct EmptyFolder(PathBuf);

impl EmptyFolder {
    fn new(app: &App) -> Result<Self, Failure> {
        let path = app.home.join(format!("probe-{}", std::process::id()));
        fs::create_dir_all(&path)
            .map_err(|error| Failure::new(format!("make the folder `{}`", path.display())).because(&error))?;
        Ok(Self(path))
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        // What an agent left in it is the agent's; a leftover folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
