//! A process that somebody else started, and all that came from it: looked at, stopped, ended.

use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, kill_process, pidfd_open, pidfd_send_signal, waitid,
};
use std::{os::fd::AsFd, time::Duration};

use crate::{Deadline, Pause, Signal, descendants, pause};

/// A living process, told apart from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    pub id: i32,
    /// In ticks since the machine started.
    pub started: u64,
}

/// The ids of `root` and of every living process below it, parents first. Empty when `root` is gone.
pub fn family(root: Tie) -> Vec<i32> {
    if !root.is_alive() {
        return Vec::new();
    }
    let below = descendants::living(root.id).into_iter().map(|pid| pid.as_raw_nonzero().get());
    std::iter::once(root.id).chain(below).collect()
}

/// The processes that have something open whose name, as `/proc` shows it, contains `name`.
pub fn holders(name: &str) -> Vec<Tie> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(Tie::to).filter(|tie| tie.holds(name)).collect()
}

impl Tie {
    /// The process that has this id now.
    pub fn to(id: i32) -> Option<Self> {
        descendants::start_time(id).map(|started| Self { id, started })
    }

    /// Whether it still runs; a zombie counts until it is reaped.
    pub fn is_alive(self) -> bool {
        descendants::start_time(self.id) == Some(self.started)
    }

    fn holds(self, name: &str) -> bool {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.id)).into_iter().flatten().flatten();
        let mut targets = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        targets.any(|target| target.to_string_lossy().contains(name))
    }

    /// Kills it. As the first process of a process-id namespace it takes all others with it.
    pub fn kill(self) {
        if self.is_alive() {
            send(self.id, Signal::Kill.raw());
        }
    }

    /// Kills it and waits until it is gone, with all others of its namespace; also takes its last word if it is, or has
    /// become, a child of this process. False if it is still there when the time is over.
    pub fn end(self, patience: Duration) -> bool {
        let Some(pid) = Pid::from_raw(self.id) else { return true };
        // Opened before it is looked at: then a later process with the same id is not meant.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return !self.is_alive() };
        if !self.is_alive() {
            return true;
        }
        let _ = pidfd_send_signal(&process, Signal::Kill.raw());
        let gone = matches!(pause(Deadline::after(patience), Some(process.as_fd())), Ok(Pause::Woken));
        let _ = waitid(WaitId::PidFd(process.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        gone
    }

    /// Sends a signal to every process below it, not to itself.
    pub fn signal_below(self, signal: Signal) {
        self.each_below(signal.raw());
    }

    /// Stops every process below it until [`Tie::thaw`].
    pub fn freeze(self) {
        self.each_below(rustix::process::Signal::STOP);
    }

    /// Lets every process below it go on.
    pub fn thaw(self) {
        self.each_below(rustix::process::Signal::CONT);
    }

    fn each_below(self, signal: rustix::process::Signal) {
        for id in family(self).into_iter().skip(1) {
            send(id, signal);
        }
    }
}

/// One that has just ended is none of our concern.
fn send(id: i32, signal: rustix::process::Signal) {
    if let Some(pid) = Pid::from_raw(id) {
        let _ = kill_process(pid, signal);
    }
}
