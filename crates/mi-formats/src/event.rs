//! The one event type all agents are read into.

use mi_model::Usage;
use serde::{Deserialize, Serialize};

/// One thing an agent's stream reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The agent's own id of the conversation, for resuming.
    ThreadStarted {
        thread_id: String,
    },
    TurnStarted,
    /// Text addressed to the person; the last one of a turn is the answer.
    Message {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// A shell command began. `command` is the script itself, without the `bash -lc` around it.
    CommandStarted {
        id: String,
        command: String,
    },
    /// A shell command ended, as the agent's harness (not the model) reports it.
    CommandFinished {
        id: String,
        command: String,
        exit_code: Option<i32>,
        output: String,
    },
    /// Files were (or are about to be) changed by the agent's own edit tool.
    FilesChanged {
        id: String,
        changes: Vec<FileChange>,
        phase: Phase,
    },
    /// A tool other than the shell and the edit tool.
    ToolCall {
        id: String,
        name: String,
        arguments: String,
        phase: Phase,
    },
    WebSearch {
        query: String,
    },
    Plan {
        items: Vec<(String, bool)>,
    },
    /// Not a failure: retries, missing metadata, and the like.
    Warning {
        message: String,
    },
    /// The turn ended. `usage` is as the agent reports it: codex sums over the whole thread.
    TurnEnded {
        end: TurnEnd,
        usage: Option<Usage>,
    },
    /// A line that is no event of this agent: kept and counted.
    Unknown {
        kind: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    Completed,
    Failed { message: String },
}

/// Where a tool call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Started,
    Completed,
    Failed,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: String,
    pub kind: ChangeKind,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Add,
    Update,
    Delete,
}
