//! Starts a program under its supervisor.

use rustix::{
    fs::MemfdFlags,
    pipe::{PipeFlags, fcntl_setpipe_size},
};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    Child, SUPERVISE, SpawnSpec, Stdin,
    child::{Pipes, Watch},
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
        match self.begin(spec, input.as_ref()) {
            Ok((supervision, pipes, Report::Started(agent))) => {
                let watch = Watch::Supervisor { supervision, spawner: self.clone() };
                Ok(Child::new(watch, pipes, agent))
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

    /// Keeps a supervisor whose program is over for the next one.
    pub(crate) fn give_back(&self, supervision: Supervision) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervision);
    }

    fn begin(&self, spec: &SpawnSpec, input: Option<&File>) -> io::Result<(Supervision, Pipes, Report)> {
        let (pipes, theirs) = make_pipes()?;
        let streams = || Streams {
            stdout: theirs.stdout.as_fd(),
            stderr: theirs.stderr.as_fd(),
            stdin: input.map(AsFd::as_fd),
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // One that died while it was idle cannot have started anything: another takes its place.
        let mut supervision = match idle {
            Some(idle) if send_go(&idle.control, spec, streams()).is_ok() => idle,
            _ => {
                let mut new = start_supervisor(&self.supervisor)?;
                send_go(&new.control, spec, streams()).inspect_err(|_| new.kill())?;
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
    let _alone = starting();
    Ok(Supervision { process: command.spawn()?, control })
}

/// Held by whoever makes a process: a descriptor that is open for one new program must not be seen by another.
pub(crate) fn starting() -> MutexGuard<'static, ()> {
    static STARTING: Mutex<()> = Mutex::new(());
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file in memory instead of a pipe: nothing has to be written while the program runs, and a program that
/// does not read its input breaks nothing.
pub(crate) fn input_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("mi-stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Our ends of the program's pipes, which do not block, and the program's ends.
pub(crate) fn make_pipes() -> io::Result<(Pipes, Pipes)> {
    let (stdout, their_stdout) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, their_stderr) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    for pipe in [&stdout, &stderr] {
        rustix::io::ioctl_fionbio(pipe, true)?;
        // A user over the pipe quota keeps the default size.
        let _ = fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    Ok((Pipes { stdout, stderr }, Pipes { stdout: their_stdout, stderr: their_stderr }))
}
