//! The configuration files of the agents: our entries put in and taken out, everything else left byte for byte.
//!
//! Each function takes the text of a file and returns the new text. Holds: adding twice is adding once; what is taken
//! out is what was added, also after the person changed other parts; a text that cannot be read is an error with its
//! place, and nothing is guessed.
//! Elsewhere: where the files are, showing, asking, backing up and writing is `mi`.

mod claude;
mod codex;
mod git_hook;
mod hooks;
mod json_text;
mod opencode;

pub use claude::{
    add_claude_hooks, add_claude_server, has_all_hooks as claude_has_hooks, remove_claude_hooks,
    remove_claude_server,
};
pub use codex::{
    add_codex, add_codex_gate, codex_set_is_trusted, remove_codex, remove_codex_gate, trust_codex,
};
pub use git_hook::{add_git_hook, remove_git_hook};
pub use hooks::{HookSet, Program, events_of};
pub use opencode::{add_opencode, opencode_gate_plugin, opencode_plugin, remove_opencode};

/// The name under which our server is registered.
pub const SERVER: &str = "mi";

/// Why a configuration cannot be changed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EditError {
    #[error("line {line}, column {column}: {reason}")]
    Syntax { line: usize, column: usize, reason: String },
    #[error("`{path}` is not {wanted}")]
    Shape { path: String, wanted: &'static str },
    #[error("`{path}` is there already and is not ours: rename it")]
    Taken { path: String },
}
