//! What a run tells whoever watches it. `mi` renders these for people and for programs alike.

use mi_formats::AgentEvent;
use mi_model::{RunId, Timestamp, record::Entry};
use mi_prove::Progress;

/// One thing worth telling.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// A record became durable.
    Recorded { ts: Timestamp, run_id: RunId, seq: u64, entry: Box<Entry> },
    /// The agent's stream reported something, while it runs.
    Agent { ts: Timestamp, run_id: RunId, batch: u32, event: AgentEvent },
    /// A model is being asked; its answer arrives as a `mind_call` record.
    AskingMind { ts: Timestamp, run_id: RunId, prompt: &'static str },
    /// The work is being taken back to see whether a check notices; the result arrives as a `counter_check` record.
    CounterChecking { ts: Timestamp, run_id: RunId, progress: Progress },
}
