//! What the agent did in one batch, read off its events, in bounded memory.
//!
//! [`FactsBuilder`] takes the events as they arrive; [`evidence`] says what they mean in short sentences.
//! Holds: memory does not grow with the transcript, and what is left out is counted; a command whose text had to be
//! cut carries a mark, so that nothing is ever proven by it.
//! Elsewhere: digests of the tree are taken by the live loop; redaction is the caller's.

mod builder;
mod evidence;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use mi_formats::ChangeKind;

pub use builder::FactsBuilder;
pub use evidence::{Evidence, evidence, observation};

/// A shell command of the batch, as the agent's harness reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFact {
    /// Position among all commands and edits of the batch, from 0, by when it began.
    pub order: u32,
    pub command: String,
    /// None while the command runs, or when the harness did not say.
    pub exit_code: Option<i32>,
    pub finished: bool,
    /// Head and tail of the output, with a mark where something was cut.
    pub output: String,
    /// Digest of the project's inputs when the completion event arrived; None if it was not taken.
    pub tree: Option<String>,
}

/// A file that the agent's edit tool changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    pub order: u32,
    /// Relative to the project root when inside it, else as reported.
    pub path: String,
    pub kind: ChangeKind,
}

/// Everything the brain knows about one batch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchFacts {
    pub commands: Vec<CommandFact>,
    pub files: Vec<FileFact>,
    pub last_message: String,
    pub warnings: Vec<String>,
    /// Names and arguments of tools other than shell and edit.
    pub tool_calls: Vec<(String, String)>,
    pub web_searches: Vec<String>,
    pub event_type_counts: BTreeMap<String, u64>,
    pub item_type_counts: BTreeMap<String, u64>,
    pub unknown_events: u64,
    /// Digest of the project's inputs before and after the batch.
    pub start_tree: String,
    pub end_tree: String,
    /// How many commands and files were left out to stay within bounds.
    pub left_out: u64,
    /// Orders of commands during which the edit tool changed a file.
    pub edited_while_running: Vec<u32>,
    /// Orders of commands whose digest may show what came after them.
    pub late_trees: Vec<u32>,
    /// Absolute path of the project; empty when not known.
    pub root: String,
}

impl BatchFacts {
    /// Whether the batch changed the project, as far as digests and edits tell.
    pub fn changed_tree(&self) -> bool {
        if self.start_tree.is_empty() || self.end_tree.is_empty() {
            return !self.files.is_empty();
        }
        self.start_tree != self.end_tree
    }
}
