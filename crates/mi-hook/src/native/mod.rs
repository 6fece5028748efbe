//! The gate's answer to one native call of an agent.
//!
//! Holds: before a tool every way out that is not a decision is a denial, in the agent's own words (`armed`); other
//! events never block, so a failure there is exit 1, which agents take for "no answer".
//! Elsewhere: deciding is [`crate::gate`]; the words of each agent are `mi_formats::hooks`.

mod action;
mod ending;
mod message;
mod said;
mod seen;
mod tool;

use mi_formats::hooks::{Event, GateAnswer, Harness, encode_gate};
use mi_model::Timestamp;
use serde_json::{Map, Value};

use crate::{
    Exit, HookError, World,
    gate::{Gate, Session, Surroundings},
};

pub(crate) use said::harmless;
pub use seen::Seen;

/// One call of an agent, read.
pub(crate) struct NativeCall<'a> {
    pub(crate) harness: Harness,
    /// The event under which the agent called.
    pub(crate) event: Event,
    pub(crate) payload: &'a Map<String, Value>,
    pub(crate) world: &'a World<'a>,
}

/// What the gate says, and what went wrong on the way; the problems are for standard error.
pub(crate) struct Said {
    pub(crate) answer: GateAnswer,
    pub(crate) problems: Vec<String>,
}

impl Said {
    fn nothing() -> Self {
        Self { answer: GateAnswer::silence(), problems: Vec::new() }
    }
}

impl NativeCall<'_> {
    pub(crate) fn run(&self) -> Result<Said, HookError> {
        match self.event {
            Event::PreToolUse => self.before_tool(),
            Event::PostToolUse => self.after_tool(),
            Event::UserMessage => self.user_message(),
            Event::SessionStart => Ok(self.session_start()),
            Event::Stop | Event::AgentComplete => Ok(self.stop()),
            Event::AgentSpawn | Event::AgentResume | Event::MemoryRead | Event::ContextCompact => {
                Ok(Said::nothing())
            }
            Event::SessionEnd => Ok(self.session_end()),
        }
    }

    fn gate(&self) -> Gate {
        let world = self.world;
        Gate::open(Surroundings {
            home: world.mi_home.clone(),
            user_home: world.home.clone(),
            persona: world.persona.clone(),
            member: world.member.clone(),
            cwd: self.text("cwd").map_or_else(|| world.cwd.clone(), |cwd| world.cwd.join(cwd)),
            rules: Vec::new(),
        })
    }

    /// The session's folder; none without a home.
    fn session(&self) -> Option<Session> {
        let id = self.text("session_id").unwrap_or("unnamed");
        let name = format!("{}-{id}", self.harness.as_str());
        Some(Session::named(self.world.mi_home.as_deref()?, &name))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.payload.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn now(&self) -> Timestamp {
        self.world.now
    }
}

/// A denial of a tool in the agent's words.
pub(crate) fn denial(harness: Harness, reason: &str) -> Exit {
    harmless_denial(harness, harmless(reason))
}

/// The same with words that hold no secret.
pub(crate) fn harmless_denial(harness: Harness, reason: String) -> Exit {
    let answer = GateAnswer::Deny { reason };
    let stdout = encode_gate(harness, Event::PreToolUse, &answer).map(|value| format!("{value}\n"));
    Exit { stdout: stdout.unwrap_or_default(), stderr: String::new(), code: 0 }
}

/// A denial where it is not known whose words to use: both Claude Code and Codex take exit 2 for one.
pub(crate) fn plain_denial(reason: &str) -> Exit {
    let reason = harmless(reason).replace(['\n', '\r'], " ");
    Exit { stdout: String::new(), stderr: format!("mi hook: {reason}\n"), code: 2 }
}
