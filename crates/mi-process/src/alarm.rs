//! The answer of a program that ran out of time, or is ended from outside, given from the signal itself.
//!
//! A thread that watches the clock costs a short program a tenth of its whole time. Holds: the handler makes system
//! calls and nothing else; the words are written down before it can be called.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, OFlags},
    io::Errno,
    stdio::{stderr, stdout},
};
use signal_hook::{
    SigId,
    consts::{SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU},
    low_level,
};
use std::{
    ffi::c_int,
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
    /// What is said on standard error, and the code, where standard output takes nothing.
    pub unheard: Option<(String, u8)>,
}

/// Ends the process with these words after `time` (in whole seconds), unless somebody has set `answered` before; whoever
/// sets it gives the answer.
#[expect(unsafe_code, reason = "the alarm is the C library's")]
pub fn last_words_after(time: Duration, answered: &'static AtomicBool, words: LastWords) -> io::Result<()> {
    let seconds = u32::try_from(time.as_secs()).map_err(io::Error::other)?.max(1);
    on(SIGALRM, answered, words)?;
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

/// Ends the process with these words when it is ended from outside, or gives up on itself: a stack or a memory that is
/// full ends in an abort.
pub fn last_words_when_ended(answered: &'static AtomicBool, words: &LastWords) -> io::Result<()> {
    for signal in [SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU] {
        on(signal, answered, words.clone())?;
    }
    Ok(())
}

/// A file that may not grow is an error to whoever writes, not the end of the program.
#[expect(unsafe_code, reason = "ignoring a signal is the C library's")]
pub fn outlive_full_files() {
    // SAFETY: no handler is installed; the signal is ignored from now on.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Standard output was closed when the program began: the runtime puts `/dev/null`, open for reading and writing, there.
pub fn stdout_was_closed() -> bool {
    let flags = rustix::fs::fcntl_getfl(stdout());
    if !flags.is_ok_and(|flags| flags.contains(OFlags::RDWR)) {
        return false;
    }
    let (Ok(out), Ok(nowhere)) = (rustix::fs::fstat(stdout()), rustix::fs::stat("/dev/null")) else {
        return false;
    };
    FileType::from_raw_mode(out.st_mode) == FileType::CharacterDevice && out.st_rdev == nowhere.st_rdev
}

#[expect(unsafe_code, reason = "a handler must say that it makes system calls only")]
fn on(signal: c_int, answered: &'static AtomicBool, words: LastWords) -> io::Result<SigId> {
    let end = move || {
        if !answered.swap(true, Ordering::SeqCst) {
            low_level::exit(i32::from(speak(&words)));
        }
    };
    // SAFETY: the handler takes no lock and no memory: it swaps an atomic, writes what is there, and leaves.
    unsafe { low_level::register(signal, end) }
}

/// Writes the words, and gives the code.
fn speak(words: &LastWords) -> u8 {
    write_all(stderr(), words.stderr.as_bytes());
    let heard =
        words.stdout.is_empty() || (!stdout_was_closed() && write_all(stdout(), words.stdout.as_bytes()));
    match &words.unheard {
        Some((text, code)) if !heard => {
            write_all(stderr(), text.as_bytes());
            *code
        }
        _ => words.code,
    }
}

/// As much as can be written; whether it was all. Time is up: nobody is waited for who does not read.
fn write_all(to: BorrowedFd<'_>, bytes: &[u8]) -> bool {
    write_within(to, bytes, Duration::from_millis(100)).is_ok()
}

/// What a pipe takes at once where it takes anything.
const PART: usize = 4096;

/// Writes to whoever reads; a reader that takes nothing for `pause` is [`io::ErrorKind::TimedOut`].
pub fn write_within(to: BorrowedFd<'_>, mut bytes: &[u8], pause: Duration) -> io::Result<()> {
    let pause = Timespec::try_from(pause).map_err(io::Error::other)?;
    while !bytes.is_empty() {
        match poll(&mut [PollFd::new(&to, PollFlags::OUT)], Some(&pause)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match rustix::io::write(to, &bytes[..bytes.len().min(PART)]) {
            Ok(count) => bytes = &bytes[count.min(bytes.len())..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, os::fd::AsFd, thread};

    /// A pipe that nobody reads is given up; one that is read slowly takes everything.
    #[test]
    fn nobody_is_waited_for_who_does_not_read() {
        let (reader, writer) = io::pipe().unwrap();
        let text = vec![b'x'; 1 << 20];
        let pause = Duration::from_millis(20);
        let error = write_within(writer.as_fd(), &text, pause).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(reader);
        assert_eq!(write_within(writer.as_fd(), b"x", pause).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        let (mut reader, writer) = io::pipe().unwrap();
        let read = thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all)
        });
        write_within(writer.as_fd(), &text, Duration::from_secs(10)).unwrap();
        drop(writer);
        assert_eq!(read.join().unwrap().unwrap(), text);
    }
}
