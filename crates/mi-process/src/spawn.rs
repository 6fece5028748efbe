//! Starts a program under its supervisor.

use rustix::{
    fs::MemfdFlags,
    pipe::{PipeFlags, fcntl_setpipe_size},
};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    Child, SUPERVISE, SpawnSpec, Stdin,
    child::Pipes,
    wire::{REPORT_BYTES, Report, Streams, send_go},
};

/// The size asked for the pipes: fewer switches between a flooding program and its reader.
const PIPE_BYTES: usize = 256 * 1024;
/// How long a supervisor may take to answer; it answers within milliseconds or not at all.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// Starts programs with one binary as their supervisor.
///
/// A supervisor whose program has ended is used again by this spawner and its clones: one more `exec` per program
/// would cost more than all else that `mi` does in a batch.
#[derive(Debug, Clone)]
pub struct Spawner {
    supervisor: PathBuf,
    idle: Arc<Mutex<Vec<Supervision>>>,
}

/// A running supervisor. Dropping it lets go of it and waits until it and all it watches over are gone.
#[derive(Debug)]
pub(crate) struct Supervision {
    process: std::process::Child,
    pub(crate) control: UnixStream,
}

/// Why a program did not start. The message is whole: the reason of the system is in it.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("start `{program}`: the working directory {} is not there", cwd.display())]
    NoSuchFolder { program: String, cwd: PathBuf },
    #[error("start `{program}`: {reason}")]
    Program { program: String, reason: io::Error },
    #[error("start the supervisor {} of `{program}`: {reason}", supervisor.display())]
    Supervisor { program: String, supervisor: PathBuf, reason: io::Error },
    #[error("hand `{program}` its input: {reason}")]
    Input { program: String, reason: io::Error },
}

impl SpawnError {
    /// Whether the reason is that there is no such program.
    pub fn is_missing_program(&self) -> bool {
        matches!(self, Self::Program { reason, .. } if reason.kind() == io::ErrorKind::NotFound)
    }
}

impl Spawner {
    /// `supervisor` is the absolute path of a binary that calls [`crate::supervisor_main`] when its first
    /// argument is [`SUPERVISE`]; for `mi` that is `mi` itself.
    pub fn new(supervisor: impl Into<PathBuf>) -> Self {
        Self { supervisor: supervisor.into(), idle: Arc::default() }
    }

    /// Starts the program and returns once it runs.
    pub fn spawn(&self, spec: &SpawnSpec) -> Result<Child, SpawnError> {
        self.spawn_with(spec, &[])
    }

    /// As [`Spawner::spawn`]; the program also inherits these descriptors, numbered from
    /// [`crate::FIRST_DESCRIPTOR`] on, in their order.
    pub fn spawn_with(&self, spec: &SpawnSpec, descriptors: &[BorrowedFd<'_>]) -> Result<Child, SpawnError> {
        let program = spec.program.to_string_lossy().into_owned();
        if !spec.cwd.is_dir() {
            return Err(SpawnError::NoSuchFolder { program, cwd: spec.cwd.clone() });
        }
        let input = match &spec.stdin {
            Stdin::Null => None,
            Stdin::Bytes(bytes) => Some(
                input_file(bytes).map_err(|reason| SpawnError::Input { program: program.clone(), reason })?,
            ),
        };
        match self.begin(spec, input.as_ref(), descriptors) {
            Ok((supervision, pipes, Report::Started(agent))) => {
                Ok(Child::new(supervision, self.clone(), pipes, agent))
            }
            Ok((supervision, _, Report::Failed(number))) => {
                self.give_back(supervision);
                Err(SpawnError::Program { program, reason: io::Error::from_raw_os_error(number) })
            }
            Ok((_, _, other)) => {
                Err(self.broken(program, io::Error::other(format!("it answered {other:?}"))))
            }
            Err(reason) => Err(self.broken(program, reason)),
        }
    }

    /// Starts a supervisor ahead of its program, for those who have something else to do until it is ready.
    pub fn make_ready(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.is_empty() {
            // What goes wrong here goes wrong again, and is said, when there is a program to start.
            idle.extend(start_supervisor(&self.supervisor).ok());
        }
    }

    /// Tells supervisors without a program to go, for those who have something else to do until they are gone.
    pub fn dismiss(&self) {
        for supervision in self.idle.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = supervision.control.shutdown(std::net::Shutdown::Write);
        }
    }

    /// Keeps a supervisor whose program is over for the next one.
    pub(crate) fn give_back(&self, supervision: Supervision) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervision);
    }

    fn begin(
        &self,
        spec: &SpawnSpec,
        input: Option<&File>,
        more: &[BorrowedFd<'_>],
    ) -> io::Result<(Supervision, Pipes, Report)> {
        let (pipes, theirs) = make_pipes()?;
        let streams = || Streams {
            stdout: theirs.stdout.as_fd(),
            stderr: theirs.stderr.as_fd(),
            stdin: input.map(AsFd::as_fd),
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // One that died while it was idle cannot have started anything: another takes its place.
        let mut supervision = match idle {
            Some(idle) if send_go(&idle.control, spec, streams(), more).is_ok() => idle,
            _ => {
                let mut new = start_supervisor(&self.supervisor)?;
                send_go(&new.control, spec, streams(), more).inspect_err(|_| new.kill())?;
                new
            }
        };
        drop(theirs);
        let report = supervision.first_report().inspect_err(|_| supervision.kill())?;
        Ok((supervision, pipes, report))
    }

    fn broken(&self, program: String, reason: io::Error) -> SpawnError {
        SpawnError::Supervisor { program, supervisor: self.supervisor.clone(), reason }
    }
}

impl Supervision {
    fn first_report(&mut self) -> io::Result<Report> {
        self.control.set_read_timeout(Some(START_PATIENCE))?;
        let mut bytes = [0; REPORT_BYTES];
        self.control.read_exact(&mut bytes)?;
        self.control.set_read_timeout(None)?;
        Report::decode(bytes).ok_or_else(|| io::Error::other("it is not a supervisor"))
    }

    /// For what does not do as a supervisor does: it will not leave by itself either.
    fn kill(&mut self) {
        let _ = self.process.kill();
    }
}

impl Drop for Supervision {
    fn drop(&mut self) {
        let _ = self.control.shutdown(std::net::Shutdown::Write);
        let _ = self.process.wait();
    }
}

/// The command, and with it our copy of the supervisor's end of the socket, is dropped on return: end of file
/// on our end then means that the supervisor is gone.
#[expect(clippy::disallowed_methods, reason = "this is the one place where supervisors are started")]
fn start_supervisor(supervisor: &Path) -> io::Result<Supervision> {
    let (control, theirs) = UnixStream::pair()?;
    let mut command = Command::new(supervisor);
    // No folder is named here: a child with one is made by copying all of this process's tables.
    command.arg(SUPERVISE).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(Supervision { process: command.spawn()?, control })
}

/// A file in memory instead of a pipe: nothing has to be written while the program runs, and a program that
/// does not read its input breaks nothing.
fn input_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("mi-stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Our ends of the program's pipes, which do not block, and the program's ends.
fn make_pipes() -> io::Result<(Pipes, Pipes)> {
    let (stdout, their_stdout) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    for pipe in [&stdout, &stderr] {
        rustix::io::ioctl_fionbio(pipe, true)?;
        // A user over the pipe quota keeps the default size.
        let _ = fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    Ok((Pipes { stdout, stderr }, Pipes { stdout: their_stdout, stderr: their_stderr }))
}
