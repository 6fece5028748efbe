//! The person at this terminal, or nobody.

use mi_autopilot::{Person, Reply};
use mi_model::record::Question;
use rustix::event::{PollFd, PollFlags, poll};
use std::{
    io::{self, BufRead, Write},
    os::fd::{AsFd, BorrowedFd},
};

use crate::render::style::harmless;

/// Asks on the terminal; Ctrl-C while waiting stops the run.
pub struct Terminal<'a> {
    pub wake: BorrowedFd<'a>,
}

/// Nobody can be asked: the question waits in the journal.
pub struct Nobody;

impl Person for Nobody {
    fn ask(&mut self, _: &Question) -> Reply {
        Reply::Absent
    }
}

impl Person for Terminal<'_> {
    fn ask(&mut self, question: &Question) -> Reply {
        let mut out = io::stderr().lock();
        let asked = format!("\n? {}\n  ({})\n> ", question.question.trim(), question.why);
        drop(write!(out, "{}", harmless(&asked)));
        drop(out.flush());
        drop(out);
        let stdin = io::stdin();
        loop {
            let mut fds = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return Reply::Absent,
                Ok(_) if !fds[1].revents().is_empty() => return Reply::Stop,
                Ok(_) => {}
            }
            let mut answer = String::new();
            return match stdin.lock().read_line(&mut answer) {
                Ok(0) | Err(_) => Reply::Absent,
                Ok(_) if answer.trim().is_empty() => {
                    drop(write!(io::stderr(), "> "));
                    continue;
                }
                Ok(_) => Reply::Answer(answer.trim().to_owned()),
            };
        }
    }
}
