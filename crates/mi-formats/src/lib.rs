//! Each agent's stream, read into one kind of event.
//!
//! A reader takes the lines of one process in order and yields [`AgentEvent`]s. What it does not know it
//! counts and passes on as [`AgentEvent::Unknown`]; it never fails, whatever the bytes.
//! Holds: no I/O, no clock; memory is bounded by the longest line the caller hands over (see [`clip`]).
//! [`schema`] checks values that come from models and files against the program's own JSON Schemas.
//! Elsewhere: starting agents and storing raw lines is `mi-hands`.

pub mod agent_config;
pub mod clip;
pub mod codex;
mod event;
pub mod hooks;
pub mod schema;
pub mod shell;
pub mod strict_json;
pub mod text;

pub use event::{AgentEvent, ChangeKind, FileChange, Phase, TurnEnd};
