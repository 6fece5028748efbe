//! One hook call of an agent: JSON in, what happened recorded, JSON out.
//!
//! [`run`] takes the command line after `mi hook`, the standard input and what it needs of the environment, and returns
//! what to print and the exit code. No async runtime and no command-line parser: an agent waits for every call.
//! Holds: bad input gets one line on standard error and changes nothing. With `--harness` the gate is asked too: before a
//! tool whatever goes wrong is a denial; at other events a failure is never an exit code that an agent takes for "blocked".
//! Elsewhere: the files are `mi-workspace`, the agents' dialects `mi-formats`, the rules `mi-gate`.

mod agents;
mod arguments;
mod capability;
mod field;
pub mod gate;
mod gated;
mod message;
mod native;
mod persona;
mod reply;
mod session;
mod shell;
mod tags;
mod tools;

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use mi_formats::{
    hooks::{Answer, Encoded, Event, Harness, encode, flatten},
    strict_json::parse_object,
};
use mi_gate::messages::Locale;
use mi_model::Timestamp;
use mi_workspace::{HarnessId, Layout, Store, lifecycle::Lifecycle};
use serde_json::{Map, Value};

pub use arguments::{CommandLine, FixedSurroundings, HELP};
pub use capability::classes_of;
pub use field::HookError;
pub use gated::{last_word, not_begun, unheard};
pub use native::Seen;
pub use persona::propose;
pub use tags::{FoundTag, detect};

use arguments::{Arguments, Part};
use field::Fields;
use reply::Reply;

/// What a call needs to know of the world around it.
pub struct World<'a> {
    pub now: Timestamp,
    /// The working directory.
    pub cwd: PathBuf,
    /// `NEXUS_HARNESS_ID`.
    pub harness_id: Option<String>,
    /// `NEXUS_PROJECT_ROOT`.
    pub project: Option<PathBuf>,
    /// The folder that the agent itself calls its project (`CLAUDE_PROJECT_DIR`).
    pub agent_project: Option<PathBuf>,
    /// The person's home: no state is kept right in it.
    pub home: Option<PathBuf>,
    /// The gates that a project has switched on, and what is wrong with its settings. Asked only when it matters.
    pub gates: &'a dyn Fn(&Path) -> (Gates, Vec<String>),
    /// The home of `mi`; without one nothing of the gate is kept.
    pub mi_home: Option<PathBuf>,
    /// The persona folder, and whose memory is one's own.
    pub persona: Option<PathBuf>,
    pub member: Option<String>,
    /// The person's language. Asked only when something is said.
    pub locale: &'a dyn Fn() -> Locale,
    /// The day where the person is. Asked only when something is written into the persona.
    pub today: &'a dyn Fn() -> mi_persona::Date,
    /// What opens encrypted private memory with the identity in a file. Asked only at a boot.
    pub unseal: &'a dyn Fn(PathBuf) -> Box<dyn mi_persona::Unseal>,
}

/// The contract's blocking gates: off unless a project wants them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gates {
    /// No edits while there is no task list (NX-202).
    pub edit_without_tasks: bool,
    /// No edits through the shell while there is one (NX-206).
    pub shell_edits: bool,
    /// No end while tasks are pending (NX-216).
    pub stop_with_pending: bool,
    /// Settings that may switch a gate on cannot be understood: a rule that cannot be evaluated denies.
    pub unreadable: bool,
}

/// What to print, and how to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

/// The longest input that is read; before a tool it is less, since an agent waits and nothing longer is understood.
const MOST_BYTES: u64 = 64 << 20;
const MOST_BYTES_BEFORE_TOOL: u64 = 8 << 20;

/// One call.
pub fn run(command: &CommandLine, input: impl Read, world: &World<'_>) -> Exit {
    if command.asks_for_help {
        return Exit { stdout: HELP.to_owned(), stderr: String::new(), code: 0 };
    }
    let arguments = match &command.arguments {
        Ok(arguments) => arguments,
        Err(problem) => return gated::misunderstood(problem, input),
    };
    match arguments.harness {
        Some(harness) if arguments.part != Part::Lifecycle => gated::run(arguments, harness, input, world),
        harness => {
            match read(input, harness, MOST_BYTES).and_then(|payload| answer(arguments, payload, world)) {
                Ok((reply, stdout)) => {
                    // A flat answer holds them.
                    let told = reply.warnings.iter().filter(|_| harness.is_some());
                    Exit { stdout, stderr: told.map(|text| line(text)).collect(), code: 0 }
                }
                Err(error) => {
                    let code = if harness.is_some() { 1 } else { error.code() };
                    let asks = harness.is_none() && arguments.event == Event::PreToolUse;
                    let stdout = if asks { denial(&error) } else { String::new() };
                    Exit { stdout, ..failed(&error.to_string(), code) }
                }
            }
        }
    }
}

/// What a flat question before a tool is answered with when it cannot be judged.
fn denial(error: &HookError) -> String {
    let answer = serde_json::json!({
        "ok": false, "event": Event::PreToolUse.as_str(), "decision": "block", "reason": error.to_string(),
    });
    format!("{answer}\n")
}

fn failed(message: &str, code: u8) -> Exit {
    Exit { stdout: String::new(), stderr: line(message), code }
}

fn line(message: &str) -> String {
    format!("mi hook: {}\n", message.replace(['\n', '\r'], " "))
}

/// The life cycle's reply, and its words.
fn answer(
    arguments: &Arguments,
    payload: Map<String, Value>,
    world: &World<'_>,
) -> Result<(Reply, String), HookError> {
    let (event, flat) = match arguments.harness {
        Some(_) => flatten(arguments.event, &payload),
        None => (arguments.event, payload),
    };
    let fields = Fields::new(flat);
    let Some(project) = project(arguments, &fields, world) else {
        return Ok((Reply::default(), String::new()));
    };
    if !project.is_dir() {
        return Err(HookError::NoProject { folder: project });
    }
    let harness_id = harness_id(arguments, &fields, world)?;
    let store = Store::new(Layout::new(project));
    let lifecycle = Lifecycle { store: &store, harness: &harness_id, now: world.now };
    let call = Call { event, fields: &fields, lifecycle, gates: world.gates, harness: arguments.harness };
    let mut reply = call.run()?;
    reply.warnings.extend(store.take_notes());
    let words = match arguments.harness {
        Some(harness) => native_words(harness, arguments.event, &reply),
        None => format!("{}\n", reply.to_json(event, store.layout().project())),
    };
    Ok((reply, words))
}

fn native_words(harness: Harness, called: Event, reply: &Reply) -> String {
    let answer = Answer { context: reply.context.clone(), block: reply.block.clone() };
    let Encoded(value) = encode(harness, called, &answer);
    value.map(|value| format!("{value}\n")).unwrap_or_default()
}

fn read(input: impl Read, harness: Option<Harness>, most: u64) -> Result<Map<String, Value>, HookError> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes).map_err(HookError::Input)?;
    if bytes.len() as u64 > most {
        return Err(HookError::TooLong { most });
    }
    // An event without parameters may come without any input.
    if harness.is_none() && bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    Ok(parse_object(&bytes)?)
}

/// The payload names the harness most exactly (NX-221), then the flag, then the environment (C-07).
fn harness_id(arguments: &Arguments, fields: &Fields, world: &World<'_>) -> Result<HarnessId, HookError> {
    let own = arguments.harness.map(Harness::as_str);
    let named = fields.text("harness_id")?.or(arguments.harness_id.as_deref());
    let named = named.or(world.harness_id.as_deref().filter(|id| !id.is_empty())).or(own);
    Ok(HarnessId::new(named.ok_or(HookError::NoHarnessId)?)?)
}

/// The project's folder; none where nothing is to be kept.
///
/// An agent's working directory changes with its commands; what it calls its project does not, and is where its MCP
/// server runs.
fn project(arguments: &Arguments, fields: &Fields, world: &World<'_>) -> Option<PathBuf> {
    let absolute = |folder: &Path| {
        let folder = world.cwd.join(folder);
        folder.canonicalize().unwrap_or(folder)
    };
    let named = arguments.cd.as_deref().or(world.project.as_deref());
    if arguments.harness.is_none() || named.is_some() {
        return Some(absolute(named.unwrap_or(Path::new(""))));
    }
    let payload = fields.text("cwd").ok().flatten().map(Path::new);
    let found = absolute(world.agent_project.as_deref().or(payload).unwrap_or(Path::new("")));
    // An agent that is started in the home folder works on no project.
    let is_home = world.home.as_deref().is_some_and(|home| absolute(home) == found);
    (found.parent().is_some() && !is_home).then_some(found)
}

/// One call, understood.
struct Call<'a> {
    event: Event,
    fields: &'a Fields,
    lifecycle: Lifecycle<'a>,
    gates: &'a dyn Fn(&Path) -> (Gates, Vec<String>),
    harness: Option<Harness>,
}

impl Call<'_> {
    fn run(&self) -> Result<Reply, HookError> {
        match self.event {
            Event::SessionStart => self.session_start(),
            Event::UserMessage => self.user_message(),
            Event::PreToolUse => self.pre_tool_use(),
            Event::PostToolUse => self.post_tool_use(),
            Event::AgentSpawn => self.agent_spawn(),
            Event::AgentComplete => self.agent_complete(),
            Event::AgentResume => self.agent_resume(),
            Event::MemoryRead => self.memory_read(),
            Event::ContextCompact => self.context_compact(),
            Event::Stop => self.stop(),
            Event::SessionEnd => self.session_end(),
        }
    }
}
