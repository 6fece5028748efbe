//! What an adapter is asked to do, whom it tells, and what it returns.

use mi_formats::AgentEvent;
use mi_model::{Sha256Hex, Timestamp, Usage};
use mi_process::{ExitStatus, StopStep, UnknownSignal};
use std::{collections::BTreeMap, os::fd::BorrowedFd, path::PathBuf, time::Duration};

use crate::HandsError;

/// An agent that can be given batches of work.
pub trait Hands {
    /// What this is, for people and records.
    fn describe(&self) -> HandsInfo;

    /// Runs one batch to its end. An error means that the batch did not take place or could not be stored;
    /// an agent that fails, dies or hangs is an [`Ending`].
    fn run_batch(
        &mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, HandsError>;
}

/// What an adapter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandsInfo {
    /// As on the command line: `codex`, `exec:CMD`, `replay:DIR`.
    pub name: String,
    /// The agent whose stream this is: `codex`, `exec`, or what a recording says.
    pub agent: String,
    /// As far as it is known.
    pub version: Option<String>,
    pub program: Option<PathBuf>,
}

/// One batch of work.
#[derive(Debug, Clone)]
pub struct BatchOrder<'a> {
    /// Number of the batch in its run, from 0; a recording is replayed by it.
    pub batch_index: u32,
    /// Exactly what the agent gets.
    pub prompt: String,
    /// The conversation to go on with.
    pub thread_id: Option<String>,
    /// What that conversation had used up before this batch, as [`BatchEnd::thread_usage`] said.
    pub thread_usage: Usage,
    pub cwd: PathBuf,
    /// The agent is to look and change nothing: codex is started in its read-only sandbox, a program finds
    /// `MI_READ_ONLY`.
    pub read_only: bool,
    /// A file that does not exist yet; its folder is made if needed.
    pub transcript_path: PathBuf,
    /// If false, digests of the lines and the normalised events are stored instead of the lines.
    pub store_raw: bool,
    pub limits: BatchLimits,
    /// How an agent is stopped, at a limit or by a verdict; it always ends with SIGKILL.
    pub stop_steps: Vec<StopStep>,
    /// When this is readable, [`Observer::woken`] is asked.
    pub wake: Option<BorrowedFd<'a>>,
}

/// How long a batch may take; `None` is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Without any output on either stream.
    pub idle: Option<Duration>,
    pub total: Option<Duration>,
}

/// Whoever watches a batch. Its answers are obeyed until the first one that is not [`Verdict::Continue`].
pub trait Observer {
    /// The time of day, for the transcript.
    fn now(&self) -> Timestamp;

    /// The agent reported something; the line is on disk.
    fn event(&mut self, event: &AgentEvent) -> Verdict;

    /// The wake descriptor is readable. Read it, or this is asked again at once.
    fn woken(&mut self) -> Verdict;
}

/// What is to happen to a running batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Continue,
    /// Stop the agent because of what it is doing.
    Interrupt {
        command: String,
        reason: String,
    },
    /// Stop the agent because the person says so.
    Stop,
}

/// How a batch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The agent's own terminal event says that the turn is complete, and it said something.
    Completed,
    /// The agent's own terminal event says that the turn failed.
    Failed {
        message: String,
    },
    /// The process ended without a terminal event.
    Died {
        message: String,
    },
    /// No output for the idle limit, or the total limit reached.
    TimedOut {
        message: String,
    },
    Interrupted {
        command: String,
        reason: String,
    },
    /// The person stopped it.
    Stopped,
}

/// A batch that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchEnd {
    pub ending: Ending,
    pub thread_id: Option<String>,
    /// Of this batch alone.
    pub usage: Usage,
    /// Of the whole conversation: pass it with the next order.
    pub thread_usage: Usage,
    /// The last of what the agent wrote to standard error.
    pub stderr_tail: String,
    /// `type` of each event and of its item, counted.
    pub event_types: BTreeMap<String, u64>,
    pub item_types: BTreeMap<String, u64>,
    pub unknown_events: u64,
    pub transcript: TranscriptRef,
    /// None for a replay: no process ran.
    pub exit: Option<ExitStatus>,
    pub duration: Duration,
    /// What a person should know besides, such as a recording that could not be completed.
    pub notes: Vec<String>,
}

/// A stored transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptRef {
    pub path: PathBuf,
    pub bytes: u64,
    pub sha256: Sha256Hex,
}

/// The steps of a stop sequence as settings give it: names, and the waits between them in milliseconds.
///
/// A step without a wait of its own takes the last one given, or two seconds.
pub fn stop_steps(names: &[String], waits_ms: &[u64]) -> Result<Vec<StopStep>, UnknownSignal> {
    let step = |(index, name): (usize, &String)| {
        let wait_ms = waits_ms.get(index).or(waits_ms.last()).copied().unwrap_or(2000);
        Ok(StopStep { signal: name.parse()?, wait: Duration::from_millis(wait_ms) })
    };
    names.iter().enumerate().map(step).collect()
}
