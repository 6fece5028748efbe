//! A running program, as its owner sees it: one stream of events, in one thread.
//!
//! Holds: both pipes are read in turn, so that neither can block the program for long; the buffer is fixed;
//! after [`ProcessEvent::Exited`] nothing of the program is left and all it wrote has been handed out.

use rustix::{
    event::{PollFd, PollFlags},
    io::Errno,
    process::{Pid, kill_process_group},
};
use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::Duration,
};

use crate::{
    Deadline, ExitStatus, Signal, Spawner,
    bound::Bound,
    clock::wait_for,
    spawn::Supervision,
    wire::{REPORT_BYTES, Report},
};

/// How many bytes one event holds at most.
const BUFFER_BYTES: usize = 64 * 1024;
/// How long a pipe may stay silent after the program ended. Only a process outside the program's family that
/// was given the pipe can keep it open, and it is not waited for.
const DRAIN_PATIENCE: Duration = Duration::from_millis(300);
/// How much is read after the program ended; more than the pipes hold comes from such a stranger.
const DRAIN_BYTES: usize = 8 * 1024 * 1024;

/// One thing that happened to a running program.
#[derive(Debug)]
pub enum ProcessEvent<'a> {
    Stdout(&'a [u8]),
    Stderr(&'a [u8]),
    /// The program ended, and nothing of it is left.
    Exited(ExitStatus),
    /// The wake descriptor is readable. It is not read here: do that, or this event comes again.
    Wake,
    /// The deadline is reached and there was nothing to read.
    Timeout,
}

/// One step of a stop sequence: the signal, and how long to wait for the end before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopStep {
    pub signal: Signal,
    pub wait: Duration,
}

/// A running program. Dropping it kills the program and everything it started.
#[derive(Debug)]
pub struct Child {
    /// None once it is known how the program ended.
    watch: Option<Watch>,
    /// Process id and group of the program.
    agent: i32,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    buffer: Box<[u8]>,
    stdout_is_next: bool,
    steps: VecDeque<StopStep>,
    next_step: Option<Deadline>,
    status: Option<ExitStatus>,
    drained: usize,
    /// The last event was a wake: an owner that does not read its descriptor must not starve the rest.
    just_woke: bool,
}

/// Who sees to it that the program ends, and knows how it did.
#[derive(Debug)]
pub(crate) enum Watch {
    /// Given back when the program is over.
    Supervisor {
        supervision: Supervision,
        spawner: Spawner,
    },
    Itself(Bound),
}

pub(crate) struct Pipes {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Stdout,
    Stderr,
}

enum Outcome {
    Bytes(Source, usize),
    Exited(ExitStatus),
    Wake,
    Timeout,
}

impl Child {
    pub(crate) fn new(watch: Watch, pipes: Pipes, agent: i32) -> Self {
        Self {
            watch: Some(watch),
            agent,
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            stdout_is_next: true,
            steps: VecDeque::new(),
            next_step: None,
            status: None,
            drained: 0,
            just_woke: false,
        }
    }

    /// The process id of the program, which is also its process group.
    pub fn id(&self) -> i32 {
        self.agent
    }

    /// Waits for the next thing to happen, at most until `deadline`. Stop steps that fall due are taken.
    pub fn next(&mut self, deadline: Deadline, wake: Option<BorrowedFd<'_>>) -> io::Result<ProcessEvent<'_>> {
        Ok(match self.advance(deadline, wake)? {
            Outcome::Bytes(Source::Stdout, length) => ProcessEvent::Stdout(&self.buffer[..length]),
            Outcome::Bytes(Source::Stderr, length) => ProcessEvent::Stderr(&self.buffer[..length]),
            Outcome::Exited(status) => ProcessEvent::Exited(status),
            Outcome::Wake => ProcessEvent::Wake,
            Outcome::Timeout => ProcessEvent::Timeout,
        })
    }

    /// Begins to stop the program: the first signal goes out now, the others as [`Child::next`] is called,
    /// and after the last wait everything is killed. A second call replaces what is left of the first.
    pub fn stop(&mut self, steps: &[StopStep]) {
        self.steps = steps.iter().copied().collect();
        self.take_step();
    }

    /// Whether a stop was begun.
    pub fn is_stopping(&self) -> bool {
        self.next_step.is_some()
    }

    fn take_step(&mut self) {
        let kill = StopStep { signal: Signal::Kill, wait: Duration::from_secs(1) };
        let step = self.steps.pop_front().unwrap_or(kill);
        self.next_step = Some(Deadline::after(step.wait));
        self.tell(step.signal);
    }

    fn tell(&self, signal: Signal) {
        match &self.watch {
            // A supervisor that is gone shows as end of file on its socket.
            Some(Watch::Supervisor { supervision, .. }) => {
                let _ = (&supervision.control).write_all(&[signal.code()]);
            }
            Some(Watch::Itself(_)) => self.signal_group(signal),
            None => {}
        }
    }

    fn advance(&mut self, deadline: Deadline, wake: Option<BorrowedFd<'_>>) -> io::Result<Outcome> {
        loop {
            if self.status.is_none() && self.next_step.is_some_and(Deadline::has_passed) {
                self.take_step();
            }
            if let Some(status) = self.finished() {
                return Ok(Outcome::Exited(status));
            }
            let ready = self.poll(self.nearest(deadline), wake)?;
            if ready.wake && (!self.just_woke || !ready.has_other()) {
                self.just_woke = true;
                return Ok(Outcome::Wake);
            }
            self.just_woke = false;
            if let Some(outcome) = self.read_pipes(&ready)? {
                return Ok(outcome);
            }
            if ready.control {
                self.read_report();
            } else if !ready.stdout && !ready.stderr {
                if self.status.is_some() {
                    self.let_go_of_pipes();
                } else if deadline.has_passed() {
                    return Ok(Outcome::Timeout);
                }
            }
        }
    }

    fn finished(&mut self) -> Option<ExitStatus> {
        let status = self.status?;
        if self.drained > DRAIN_BYTES {
            self.let_go_of_pipes();
        }
        (self.stdout.is_none() && self.stderr.is_none()).then_some(status)
    }

    fn nearest(&self, deadline: Deadline) -> Deadline {
        if self.status.is_some() {
            return Deadline::after(DRAIN_PATIENCE);
        }
        self.next_step.map_or(deadline, |step| step.min(deadline))
    }

    fn poll(&self, deadline: Deadline, wake: Option<BorrowedFd<'_>>) -> io::Result<Ready> {
        let control = self.watch.as_ref().map(Watch::descriptor);
        let wake = if self.status.is_none() { wake } else { None };
        let sources =
            [self.stdout.as_ref().map(AsFd::as_fd), self.stderr.as_ref().map(AsFd::as_fd), control, wake];
        let mut fds: Vec<PollFd<'_>> =
            sources.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        wait_for(&mut fds, deadline)?;
        let mut results = fds.iter().map(|fd| !fd.revents().is_empty());
        let [stdout, stderr, control, wake] =
            sources.map(|source| source.is_some() && results.next().unwrap_or(false));
        Ok(Ready { stdout, stderr, control, wake })
    }

    /// Reads one pipe, beginning with the one that was not read last.
    fn read_pipes(&mut self, ready: &Ready) -> io::Result<Option<Outcome>> {
        let order = if self.stdout_is_next {
            [Source::Stdout, Source::Stderr]
        } else {
            [Source::Stderr, Source::Stdout]
        };
        for source in order {
            if ready.has(source)
                && let Some(length) = self.read_pipe(source)?
            {
                self.stdout_is_next = source == Source::Stderr;
                return Ok(Some(Outcome::Bytes(source, length)));
            }
        }
        Ok(None)
    }

    fn read_pipe(&mut self, source: Source) -> io::Result<Option<usize>> {
        let pipe = match source {
            Source::Stdout => &mut self.stdout,
            Source::Stderr => &mut self.stderr,
        };
        let Some(fd) = pipe else { return Ok(None) };
        match rustix::io::read(&*fd, &mut self.buffer[..]) {
            Ok(0) => {
                *pipe = None;
                Ok(None)
            }
            Ok(length) => {
                self.drained += if self.status.is_some() { length } else { 0 };
                Ok(Some(length))
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn read_report(&mut self) {
        let Some(watch) = self.watch.take() else { return };
        let ended = watch.ended();
        if ended == ExitStatus::Lost {
            // Without a supervisor the program's process group is all that can be reached.
            self.signal_group(Signal::Kill);
        }
        self.status = Some(ended);
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.agent) {
            let _ = kill_process_group(group, signal.raw());
        }
    }

    fn let_go_of_pipes(&mut self) {
        self.stdout = None;
        self.stderr = None;
    }
}

impl Watch {
    /// Readable when there is something to know.
    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Supervisor { supervision, .. } => supervision.control.as_fd(),
            Self::Itself(bound) => bound.descriptor(),
        }
    }

    /// How the program ended, which is to be known now.
    fn ended(self) -> ExitStatus {
        match self {
            Self::Supervisor { mut supervision, spawner } => {
                let mut bytes = [0; REPORT_BYTES];
                let report = supervision.control.read_exact(&mut bytes).ok();
                let status = match report.and_then(|()| Report::decode(bytes)) {
                    Some(Report::Exited(code)) => ExitStatus::Code(code),
                    Some(Report::Signaled(number)) => ExitStatus::Signal(number),
                    Some(Report::Started(_) | Report::Failed(_)) | None => return ExitStatus::Lost,
                };
                spawner.give_back(supervision);
                status
            }
            Self::Itself(bound) => bound.ended(),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Nothing to tell when the program is over; else the supervisor kills it and is then let go of.
        self.tell(Signal::Kill);
    }
}

struct Ready {
    stdout: bool,
    stderr: bool,
    control: bool,
    wake: bool,
}

impl Ready {
    fn has_other(&self) -> bool {
        self.stdout || self.stderr || self.control
    }

    fn has(&self, source: Source) -> bool {
        match source {
            Source::Stdout => self.stdout,
            Source::Stderr => self.stderr,
        }
    }
}
