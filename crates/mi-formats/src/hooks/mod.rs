//! Hook calls: what an agent hands to a hook, read into flat fields, and the answer in the agent's own words.
//!
//! A *flat* payload is one JSON object with the fields of `docs/hooks.md`. [`flatten`] makes one from what Claude Code,
//! Codex or OpenCode send; [`encode`] turns an [`Answer`] into what they understand.
//! Holds: no I/O; an unknown field is never an error; an answer that an agent would not understand is not given.
//! Elsewhere: what is recorded and decided is `mi-hook`.

mod answer;
mod event;
mod flatten;
mod gate_answer;
mod tools;
mod transcript;

pub use answer::{Answer, Encoded, encode};
pub use event::{Event, Harness};
pub use flatten::flatten;
pub use gate_answer::{GateAnswer, encode_gate};
pub use tools::{Effect, command_line, effect_of, effect_of_call, input_files, patch_files};
pub use transcript::{ToolFact, never_hooked, tool_facts};
