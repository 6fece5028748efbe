//! The process between `mi` and the programs it starts, one after the other.
//!
//! It adopts every descendant of a program (child subreaper), in a session of its own, so that a terminal's
//! Ctrl-C reaches `mi` alone. Its standard input is the control socket.
//! Holds: it leaves no descendant behind: not when a program ends, not when its owner dies.

use rustix::{
    event::{PollFd, PollFlags},
    io::Errno,
    process::{
        Pid, WaitOptions, WaitStatus, getpid, kill_process_group, set_child_subreaper, setsid,
        test_kill_process_group, wait,
    },
    stdio::stdin,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::{
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    process::{ExitCode, Stdio},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use crate::{
    Deadline, Signal,
    clock::wait_for,
    descendants::signal_all,
    wire::{Go, Report, receive_go},
};

/// The first argument that makes a binary act as supervisor: call [`supervisor_main`].
pub const SUPERVISE: &str = "__supervise";

/// How long what an ended program left behind may take before it is looked for: most of it is just ending, and to find
/// it every process of the machine is read.
const ENDING: Duration = Duration::from_millis(5);
/// How long what an ended program left behind may take to end when it is asked to.
const LEFTOVER_PATIENCE: Duration = Duration::from_millis(150);
/// How long descendants of a dead owner may take: with the kill it stays under the promised two seconds.
const ORPHAN_PATIENCE: Duration = Duration::from_millis(1000);
/// How long to go on killing what does not die (uninterruptible sleep, another user's process).
const KILL_PATIENCE: Duration = Duration::from_millis(5000);

/// Runs one program after the other for its owner and watches over each. Call it first thing in `main`: a
/// program's start waits for it.
pub fn supervisor_main() -> ExitCode {
    match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn supervise() -> io::Result<()> {
    // No folder and no mount is held by a process that outlives its programs.
    std::env::set_current_dir("/")?;
    // Fails only for a leader of a process group, which then is out of the terminal's reach anyway.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    let mut children = watch_signals()?;
    let control = stdin();
    while let Some(go) = receive_go(control)? {
        match start(go) {
            Err(error) => send(control, Report::Failed(error.raw_os_error().unwrap_or(0))),
            Ok(agent) => {
                send(control, Report::Started(agent.as_raw_nonzero().get()));
                let supervisor = Supervisor {
                    control,
                    children: &mut children,
                    agent,
                    ended: None,
                    has_children: true,
                    signalled: false,
                };
                if supervisor.run()? == Owner::Gone {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Catches what would end this process, and makes ends of children readable.
///
/// The signals get handlers that do nothing. To ignore them would be inherited by the program.
fn watch_signals() -> io::Result<UnixStream> {
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let (children, writer) = UnixStream::pair()?;
    children.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, writer)?;
    Ok(children)
}

/// Starts the program. Its pipes are let go of here, so that end of file means what it says.
fn start(Go { spec, streams }: Go) -> io::Result<Pid> {
    let mut command = spec.command();
    command
        .stdin(streams.stdin.map_or_else(Stdio::null, Stdio::from))
        .stdout(streams.stdout)
        .stderr(streams.stderr);
    let id = i32::try_from(command.spawn()?.id()).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("the new process has no id"))
}

/// A report that nobody can read any more is not an error: its owner is gone, and that is seen elsewhere.
fn send(control: BorrowedFd<'_>, report: Report) {
    let _ = rustix::io::write(control, &report.encode());
}

/// Whether there is somebody to work for when a program is over.
#[derive(PartialEq, Eq)]
enum Owner {
    There,
    Gone,
}

struct Supervisor<'a> {
    control: BorrowedFd<'static>,
    /// Readable when a child ended.
    children: &'a mut UnixStream,
    agent: Pid,
    ended: Option<Report>,
    has_children: bool,
    /// A signal other than the last one was passed on.
    signalled: bool,
}

enum News {
    Signal(Signal),
    LetGo,
    Children,
}

impl Supervisor<'_> {
    fn run(mut self) -> io::Result<Owner> {
        loop {
            self.reap();
            if let Some(report) = self.ended.filter(|_| !self.is_being_stopped()) {
                self.sweep(Signal::Terminate, LEFTOVER_PATIENCE)?;
                send(self.control, report);
                return Ok(Owner::There);
            }
            match self.news()? {
                News::Children => {}
                News::Signal(Signal::Kill) => signal_all(Signal::Kill),
                News::Signal(signal) => {
                    self.signalled = true;
                    let _ = kill_process_group(self.agent, signal.raw());
                }
                News::LetGo => {
                    self.sweep(Signal::Interrupt, ORPHAN_PATIENCE)?;
                    return Ok(Owner::Gone);
                }
            }
        }
    }

    /// Whether a stop is under way that a shell in front of the program has not outlived: the rest of its group gets
    /// the rest of the signals, at their times.
    fn is_being_stopped(&self) -> bool {
        self.signalled && test_kill_process_group(self.agent).is_ok()
    }

    fn news(&mut self) -> io::Result<News> {
        let mut fds = [
            PollFd::from_borrowed_fd(self.control, PollFlags::IN),
            PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN),
        ];
        wait_for(&mut fds, Deadline::never())?;
        let [control, _] = fds.map(|fd| !fd.revents().is_empty());
        if !control {
            self.forget_wakeups();
            return Ok(News::Children);
        }
        let mut byte = [0];
        match rustix::io::read(self.control, &mut byte) {
            Ok(0) | Err(Errno::CONNRESET) => Ok(News::LetGo),
            Ok(_) => Ok(Signal::from_code(byte[0]).map_or(News::Children, News::Signal)),
            Err(Errno::INTR | Errno::AGAIN) => Ok(News::Children),
            Err(error) => Err(error.into()),
        }
    }

    fn forget_wakeups(&mut self) {
        let mut bytes = [0; 64];
        while matches!(self.children.read(&mut bytes), Ok(count) if count == bytes.len()) {}
    }

    /// Collects every child that ended, adopted ones too, and notes how the program ended.
    fn reap(&mut self) {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.agent => self.ended = report_of(status).or(self.ended),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return,
                Err(_) => {
                    self.has_children = false;
                    return;
                }
            }
        }
    }

    /// Asks every descendant to end, waits, then kills until none is left.
    fn sweep(&mut self, first: Signal, patience: Duration) -> io::Result<()> {
        self.wait_for_none(Deadline::after(ENDING))?;
        if !self.has_children {
            return Ok(());
        }
        signal_all(first);
        self.wait_for_none(Deadline::after(patience))?;
        let last = Deadline::after(KILL_PATIENCE);
        while self.has_children && !last.has_passed() {
            signal_all(Signal::Kill);
            self.wait_for_none(Deadline::after(Duration::from_millis(10)))?;
        }
        Ok(())
    }

    fn wait_for_none(&mut self, deadline: Deadline) -> io::Result<()> {
        loop {
            self.reap();
            if !self.has_children || deadline.has_passed() {
                return Ok(());
            }
            let mut fds = [PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN)];
            wait_for(&mut fds, deadline)?;
            self.forget_wakeups();
        }
    }
}

fn report_of(status: WaitStatus) -> Option<Report> {
    let exited = status.exit_status().map(Report::Exited);
    exited.or_else(|| status.terminating_signal().map(Report::Signaled))
}
