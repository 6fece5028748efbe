//! Programs that need no supervisor: bubblewrap with `--die-with-parent` and a process namespace ends with the thread
//! that started it and takes all of its own with it, since the kernel does both.
//!
//! Holds: what is inherited is what is named, whatever other threads start meanwhile; who is dropped is dead.

use rustix::{
    io::{FdFlags, fcntl_setfd},
    process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper},
};
use std::{
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    process::Stdio,
};

use crate::{
    Child, ExitStatus, SpawnError, SpawnSpec, Stdin,
    child::Watch,
    spawn::{input_file, make_pipes, starting},
};

/// A program that is a child of this process.
#[derive(Debug)]
pub(crate) struct Bound {
    process: Dying,
    /// Readable when it has ended.
    end: OwnedFd,
}

/// Starts a program that ends by itself when the calling thread does. It inherits `descriptors` under the numbers that
/// they have here.
///
/// What it leaves behind becomes a child of this process: end that with [`crate::Tie::end`].
pub fn spawn_bound(spec: &SpawnSpec, descriptors: &[BorrowedFd<'_>]) -> Result<Child, SpawnError> {
    let program = || spec.program.to_string_lossy().into_owned();
    let input = match &spec.stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Bytes(bytes) => {
            input_file(bytes).map_err(|reason| SpawnError::Input { program: program(), reason })?.into()
        }
    };
    begin(spec, input, descriptors).map_err(|reason| SpawnError::Program { program: program(), reason })
}

fn begin(spec: &SpawnSpec, input: Stdio, descriptors: &[BorrowedFd<'_>]) -> io::Result<Child> {
    set_child_subreaper(Some(getpid()))?;
    let (pipes, theirs) = make_pipes()?;
    let mut command = spec.command();
    command.stdin(input).stdout(theirs.stdout).stderr(theirs.stderr);
    let process = {
        let _alone = starting();
        let open = Inheritable::new(descriptors)?;
        let process = command.spawn();
        drop(open);
        Dying(process?)
    };
    let id = i32::try_from(process.0.id()).map_err(io::Error::other)?;
    let pid = Pid::from_raw(id).ok_or_else(|| io::Error::other("the new process has no id"))?;
    let end = pidfd_open(pid, PidfdFlags::empty())?;
    Ok(Child::new(Watch::Itself(Bound { process, end }), pipes, id))
}

impl Bound {
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    /// Waits for the end and tells how it was.
    pub(crate) fn ended(mut self) -> ExitStatus {
        let status = self.process.0.wait().ok();
        let code = status.and_then(|status| status.code().map(ExitStatus::Code));
        let signal = || status.and_then(|status| status.signal().map(ExitStatus::Signal));
        code.or_else(signal).unwrap_or(ExitStatus::Lost)
    }
}

/// A child that does not outlive its handle.
#[derive(Debug)]
struct Dying(std::process::Child);

impl Drop for Dying {
    fn drop(&mut self) {
        // One that has been waited for is not touched by either.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Descriptors that the next program inherits; closed to all later ones when this is dropped.
struct Inheritable<'a>(&'a [BorrowedFd<'a>]);

impl<'a> Inheritable<'a> {
    fn new(descriptors: &'a [BorrowedFd<'a>]) -> io::Result<Self> {
        let open = Self(descriptors);
        descriptors.iter().try_for_each(|descriptor| fcntl_setfd(descriptor, FdFlags::empty()))?;
        Ok(open)
    }
}

impl Drop for Inheritable<'_> {
    fn drop(&mut self) {
        for descriptor in self.0 {
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
    }
}
