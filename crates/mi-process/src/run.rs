//! Runs a short program to its end and keeps what it printed: `git`, a probe, a mind call.

use std::{
    ffi::OsString,
    io,
    os::{fd::BorrowedFd, unix::process::CommandExt},
    process::Command,
    time::Duration,
};

use crate::{Child, Deadline, ExitStatus, ProcessEvent, Signal, SpawnError, SpawnSpec, Spawner, StopStep};

/// What a program may use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub timeout: Duration,
    /// Kept of each stream; what is over is counted.
    pub max_output_bytes: usize,
}

/// What a program printed and how it ended.
#[derive(Debug)]
pub struct Output {
    pub end: RunEnd,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// How many bytes of both streams were over the limit.
    pub left_out_bytes: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    Exited(ExitStatus),
    /// It was stopped at its time limit.
    TimedOut,
    /// It was stopped because the wake descriptor became readable.
    Woken,
}

impl RunEnd {
    /// Whether the program ended by itself and says that all went well.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Exited(status) if status.is_success())
    }
}

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("read the output of `{program}`: {reason}")]
    Read { program: String, reason: io::Error },
}

/// Starts the program, waits for its end and returns what it printed.
pub fn run_to_end(
    spawner: &Spawner,
    spec: &SpawnSpec,
    limits: Limits,
    wake: Option<BorrowedFd<'_>>,
) -> Result<Output, RunError> {
    let mut child = spawner.spawn(spec)?;
    collect(&mut child, limits, wake)
        .map_err(|reason| RunError::Read { program: spec.program.to_string_lossy().into_owned(), reason })
}

fn collect(child: &mut Child, limits: Limits, mut wake: Option<BorrowedFd<'_>>) -> io::Result<Output> {
    let mut deadline = Deadline::after(limits.timeout);
    let mut output = Output {
        end: RunEnd::Exited(ExitStatus::Lost),
        stdout: Vec::new(),
        stderr: Vec::new(),
        left_out_bytes: 0,
    };
    let mut stopped_by = None;
    loop {
        let event = child.next(deadline, wake)?;
        let cause = match event {
            ProcessEvent::Stdout(bytes) => {
                output.left_out_bytes += keep(&mut output.stdout, bytes, limits.max_output_bytes);
                deadline.has_passed().then_some(RunEnd::TimedOut)
            }
            ProcessEvent::Stderr(bytes) => {
                output.left_out_bytes += keep(&mut output.stderr, bytes, limits.max_output_bytes);
                deadline.has_passed().then_some(RunEnd::TimedOut)
            }
            ProcessEvent::Timeout => Some(RunEnd::TimedOut),
            ProcessEvent::Wake => Some(RunEnd::Woken),
            ProcessEvent::Exited(status) => {
                output.end = stopped_by.unwrap_or(RunEnd::Exited(status));
                return Ok(output);
            }
        };
        if cause.is_some() {
            stopped_by = cause;
            wake = None;
            deadline = Deadline::never();
            child.stop(&[StopStep { signal: Signal::Interrupt, wait: Duration::from_millis(500) }]);
        }
    }
}

/// Keeps what fits and returns how much did not.
fn keep(kept: &mut Vec<u8>, bytes: &[u8], limit: usize) -> u64 {
    let room = limit.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
    (bytes.len() - room) as u64
}

/// Turns this process into a program, with this environment and working directory. Returns only if that failed.
#[expect(clippy::disallowed_methods, reason = "this is where a process becomes another program")]
pub fn become_program(command: &[OsString]) -> io::Error {
    match command.split_first() {
        Some((program, args)) => Command::new(program).args(args).exec(),
        None => io::ErrorKind::InvalidInput.into(),
    }
}
