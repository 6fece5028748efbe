//! One run of one agent, from its start to its exit, with every line on disk before it is interpreted.
//!
//! [`Hands::run_batch`] takes a [`BatchOrder`], tells an [`Observer`] what happens while it happens, and returns
//! how the batch ended. Adapters: [`Codex`], [`Exec`] (any program) and [`Replay`] (a recorded run);
//! [`Recorder`] makes recordings of any of them.
//! Holds: memory does not grow with the output; success is judged by the agent's own terminal events; when a
//! batch is over nothing of it runs.
//! Elsewhere: starting and killing processes is `mi-process`; what events mean is `mi-formats`; what to do next
//! is `mi-loop`.

mod batch;
mod codex;
mod drive;
mod error;
mod exec;
mod git;
mod interpret;
mod record;
mod replay;
mod session;
mod transcript;

pub use batch::{
    BatchEnd, BatchLimits, BatchOrder, Ending, Hands, HandsInfo, Observer, TranscriptRef, Verdict, stop_steps,
};
pub use codex::{Codex, CodexSettings, CodexSupport, find_native, probe};
pub use error::HandsError;
pub use exec::Exec;
pub use record::{RecordSettings, Recorder, Redact};
pub use replay::{PromptPolicy, Replay, ReplayError, ReplaySettings};
