//! The answer of a program that ran out of time, given from the alarm's signal itself.
//!
//! A thread that watches the clock costs a short program a tenth of its whole time. Holds: the handler makes system
//! calls and nothing else; the words are written down before it can be called.

use rustix::stdio::{stderr, stdout};
use signal_hook::{consts::SIGALRM, low_level};
use std::{
    io,
    os::fd::BorrowedFd,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// What is printed, and how the program ends, if its time is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWords {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

/// Ends the process with these words after `time` (in whole seconds), unless somebody has set `answered` before; whoever
/// sets it gives the answer.
#[expect(
    unsafe_code,
    reason = "a handler must say that it makes system calls only; the alarm is the C library's"
)]
pub fn last_words_after(time: Duration, answered: &'static AtomicBool, words: LastWords) -> io::Result<()> {
    let seconds = u32::try_from(time.as_secs()).map_err(io::Error::other)?.max(1);
    let end = move || {
        if !answered.swap(true, Ordering::SeqCst) {
            write_all(stderr(), words.stderr.as_bytes());
            write_all(stdout(), words.stdout.as_bytes());
            low_level::exit(i32::from(words.code));
        }
    };
    // SAFETY: the handler takes no lock and no memory: it swaps an atomic, writes what is there, and leaves.
    unsafe { low_level::register(SIGALRM, end) }?;
    // SAFETY: a set of signals on the stack is filled before it is read; neither call fails for these values.
    unsafe {
        let mut alarm = std::mem::zeroed();
        libc::sigemptyset(&raw mut alarm);
        libc::sigaddset(&raw mut alarm, SIGALRM);
        // Whoever started this program may have it blocked.
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const alarm, std::ptr::null_mut());
        libc::alarm(seconds);
    }
    Ok(())
}

/// As much as can be written.
fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match rustix::io::write(to, bytes) {
            Ok(count) => bytes = &bytes[count.min(bytes.len())..],
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
