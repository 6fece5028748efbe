//! Monotonic time, for limits. The time of day that records carry comes from elsewhere and may be set by hand.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use std::{
    os::fd::BorrowedFd,
    time::{Duration, Instant},
};

/// Measures from its start.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// A stopwatch that starts now.
    pub fn start() -> Self {
        Self(now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        now().saturating_duration_since(self.0)
    }
}

/// An instant at which waiting ends, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now; a time too far away to be written is never.
    pub fn after(wait: Duration) -> Self {
        Self(now().checked_add(wait))
    }

    /// No limit.
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether it is reached.
    pub fn has_passed(self) -> bool {
        self.remaining() == Some(Duration::ZERO)
    }

    /// The time left; `None` is for ever.
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|instant| instant.saturating_duration_since(now()))
    }

    /// The earlier of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(mine), Some(theirs)) => Self(Some(mine.min(theirs))),
            (mine, theirs) => Self(mine.or(theirs)),
        }
    }
}

/// Why a [`pause`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    Over,
    /// The wake descriptor became readable; it is for the caller to read it.
    Woken,
}

/// Waits until `deadline`, or until `wake` is readable.
pub fn pause(deadline: Deadline, wake: Option<BorrowedFd<'_>>) -> std::io::Result<Pause> {
    loop {
        let mut fds: Vec<PollFd<'_>> =
            wake.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        if wait_for(&mut fds, deadline)? > 0 {
            return Ok(Pause::Woken);
        }
        if deadline.has_passed() {
            return Ok(Pause::Over);
        }
    }
}

/// Polls until one is ready or the deadline is reached; returns how many are ready.
pub(crate) fn wait_for(fds: &mut [PollFd<'_>], deadline: Deadline) -> std::io::Result<usize> {
    loop {
        let timeout = deadline.remaining().map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        });
        match poll(fds, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "limits need a clock that nobody sets; it never reaches a record"
)]
fn now() -> Instant {
    Instant::now()
}
