//! What every engine is given, and what it answers.

use mi_admission::{Denial, RunSpec};
use mi_model::Timestamp;
use mi_process::Deadline;
use serde::Serialize;
use std::{
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, TrySendError, sync_channel},
    thread::JoinHandle,
    time::Duration,
};

use crate::home::Live;

/// How much output waits for a slow reader before the box has to wait too.
const CHUNKS_AHEAD: usize = 16;

/// What is run, and what it may take: the part of a run that does not depend on who runs it.
#[derive(Clone, Copy)]
pub struct Workload<'a> {
    pub spec: &'a RunSpec,
    pub slots: SlotLimits,
    /// Bound read-only at their own paths, and whose `bin` is searched first.
    pub toolchains: &'a [PathBuf],
    /// Critical advisories in this local file deny images that have the package.
    pub advisories: Option<&'a Path>,
    /// When the whole job has to be over.
    pub job_deadline: Deadline,
    /// Readable when the person wants to stop.
    pub wake: Option<BorrowedFd<'a>>,
}

/// One run.
pub struct Job<'a> {
    pub work: Workload<'a>,
    /// The verdict on the spec; the command starts only after it was asked and has admitted.
    pub verdict: &'a dyn Fn() -> Result<(), EngineError>,
    pub live: &'a Live,
    /// The image's SBOM as it was made earlier, or when it is to be made.
    pub sbom: Sbom,
    /// Whether an Exception DR lifts a rule: a control of that rule may then be missing.
    pub lifts: &'a dyn Fn(&str) -> bool,
}

/// What is known of an image's packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sbom {
    Known(String),
    MadeAt(Timestamp),
    /// The engine has no images.
    None,
}

/// What the slots may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotLimits {
    /// By apparent size.
    pub output_bytes: u64,
    /// By what it takes on the disk.
    pub data_bytes: u64,
    pub temp_bytes: u64,
}

/// How a run ended, and under what.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    pub end: End,
    pub container_id: Option<String>,
    pub controls: Vec<Control>,
    pub took: Duration,
    /// The SPDX document of the image, if it was asked for.
    pub sbom: Option<String>,
    /// Controls that were missing, and that an Exception DR lets be missing.
    pub lifted: Vec<Denial>,
}

/// What stands for a control that an Exception DR lifted.
pub(crate) const MISSING: &str = "nothing; an exception lets it be missing";

/// A control that held during the run, and by what means; or [`MISSING`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Control {
    pub control: String,
    pub by: String,
}

impl Control {
    pub(crate) fn new(control: &str, by: impl Into<String>) -> Self {
        Self { control: control.to_owned(), by: by.into() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By itself; a signal is 128 and its number.
    Exited(i32),
    TimedOut,
    OutOfMemory,
    /// A hard-fail rule ended it (F.6).
    Denied(Denial),
    Interrupted,
}

impl End {
    /// The exit code that stands for it (X7).
    pub fn exit(&self) -> i32 {
        match self {
            Self::Exited(code) => *code,
            Self::TimedOut => 124,
            Self::OutOfMemory => 137,
            Self::Denied(_) => 4,
            Self::Interrupted => 130,
        }
    }
}

/// Why there was no run, or none that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    #[error("the engine cannot hold a control: {}", .0.iter().map(|denial| denial.reason.as_str()).collect::<Vec<_>>().join("; "))]
    Denied(Vec<Denial>),
    #[error("{attempt}: {reason}")]
    Failed { attempt: String, reason: String },
}

impl EngineError {
    pub(crate) fn failed(attempt: impl Into<String>, reason: impl ToString) -> Self {
        Self::Failed { attempt: attempt.into(), reason: reason.to_string() }
    }

    pub(crate) fn denied(rule: &str, field: &str, reason: impl Into<String>) -> Self {
        Self::Denied(vec![Denial::new(rule, field, reason.into())])
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Takes the command's output to its reader in a thread of its own: a reader that sleeps must not keep the limits
/// from being enforced.
pub struct Outlet {
    state: Flow,
    pub bytes: u64,
}

type Sink = Box<dyn FnMut(Stream, &[u8]) + Send>;

/// Whether the thread is there: it is started when there is something to hand on.
enum Flow {
    Dry(Sink),
    Wet(SyncSender<(Stream, Vec<u8>)>, JoinHandle<()>),
    Over,
}

impl Outlet {
    pub fn new(sink: impl FnMut(Stream, &[u8]) + Send + 'static) -> Self {
        Self { state: Flow::Dry(Box::new(sink)), bytes: 0 }
    }

    fn sender(&mut self) -> Option<&SyncSender<(Stream, Vec<u8>)>> {
        if matches!(self.state, Flow::Dry(_))
            && let Flow::Dry(mut sink) = std::mem::replace(&mut self.state, Flow::Over)
        {
            let (sender, receiver) = sync_channel::<(Stream, Vec<u8>)>(CHUNKS_AHEAD);
            let thread = std::thread::spawn(move || {
                while let Ok((stream, bytes)) = receiver.recv() {
                    sink(stream, &bytes);
                }
            });
            self.state = Flow::Wet(sender, thread);
        }
        match &self.state {
            Flow::Wet(sender, _) => Some(sender),
            Flow::Dry(_) | Flow::Over => None,
        }
    }

    /// Hands on a piece. While the reader is slow, `meanwhile` is called; when that says that the run is being
    /// ended, the piece is dropped instead of waiting for ever.
    pub fn push(&mut self, stream: Stream, bytes: &[u8], mut meanwhile: impl FnMut() -> bool) {
        self.bytes += bytes.len() as u64;
        let Some(sender) = self.sender() else { return };
        let mut piece = (stream, bytes.to_vec());
        while let Err(TrySendError::Full(back)) = sender.try_send(piece) {
            if meanwhile() {
                return;
            }
            piece = back;
            let _ = mi_process::pause(Deadline::after(Duration::from_millis(5)), None);
        }
    }

    /// Waits until the reader has everything.
    pub fn finish(&mut self) {
        if let Flow::Wet(sender, thread) = std::mem::replace(&mut self.state, Flow::Over) {
            drop(sender);
            // A sink that panicked has printed why; the run itself is not touched by it.
            let _ = thread.join();
        }
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.finish();
    }
}
