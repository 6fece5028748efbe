//! Starts a program under its supervisor.

use rustix::{fs::MemfdFlags, pipe::fcntl_setpipe_size};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Seek, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::{
    Child, Environment, SUPERVISE, SpawnSpec, Stdin,
    child::Pipes,
    wire::{REPORT_BYTES, Report, send_go},
};

/// The size asked for the pipes: fewer switches between a flooding program and its reader.
const PIPE_BYTES: usize = 256 * 1024;
/// How long a supervisor may take to answer; it answers within milliseconds or not at all.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// Starts programs with one binary as their supervisor.
#[derive(Debug, Clone)]
pub struct Spawner {
    supervisor: PathBuf,
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
        Self { supervisor: supervisor.into() }
    }

    /// Starts the program and returns once it runs.
    pub fn spawn(&self, spec: &SpawnSpec) -> Result<Child, SpawnError> {
        let program = spec.program.to_string_lossy().into_owned();
        if !spec.cwd.is_dir() {
            return Err(SpawnError::NoSuchFolder { program, cwd: spec.cwd.clone() });
        }
        let fail = |reason| SpawnError::Supervisor {
            program: program.clone(),
            supervisor: self.supervisor.clone(),
            reason,
        };
        let input = match &spec.stdin {
            Stdin::Null => None,
            Stdin::Bytes(bytes) => Some(
                input_file(bytes).map_err(|reason| SpawnError::Input { program: program.clone(), reason })?,
            ),
        };
        let (control, theirs) = UnixStream::pair().map_err(fail)?;
        let mut process = start_supervisor(&self.supervisor, spec, theirs).map_err(fail)?;
        let answer = begin(&control, input.as_ref());
        if let Ok(Report::Started(agent)) = answer {
            let pipes = take_pipes(&mut process).map_err(fail)?;
            return Child::new(process, control, pipes, agent).map_err(fail);
        }
        drop(control);
        let _ = process.kill();
        let _ = process.wait();
        match answer {
            Ok(Report::Failed(number)) => {
                Err(SpawnError::Program { program, reason: io::Error::from_raw_os_error(number) })
            }
            Ok(other) => Err(fail(io::Error::other(format!("it answered {other:?}")))),
            Err(reason) => Err(fail(reason)),
        }
    }
}

/// The command, and with it our copy of the supervisor's end of the socket, is dropped on return: end of file
/// on our end then means that the supervisor is gone.
#[expect(clippy::disallowed_methods, reason = "this is the one place where supervisors are started")]
fn start_supervisor(
    supervisor: &Path,
    spec: &SpawnSpec,
    theirs: UnixStream,
) -> io::Result<std::process::Child> {
    let mut command = Command::new(supervisor);
    command.arg(SUPERVISE).arg(&spec.program).args(&spec.args).current_dir(&spec.cwd);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    set_environment(&mut command, &spec.environment);
    command.spawn()
}

fn set_environment(command: &mut Command, environment: &Environment) {
    let pairs = |list: &[(OsString, OsString)]| list.to_vec();
    match environment {
        Environment::Exactly(variables) => command.env_clear().envs(pairs(variables)),
        Environment::Inherit { set, remove } => {
            for name in remove {
                command.env_remove(name);
            }
            command.envs(pairs(set))
        }
    };
}

fn begin(control: &UnixStream, input: Option<&File>) -> io::Result<Report> {
    send_go(control, input.map(AsFd::as_fd))?;
    control.set_read_timeout(Some(START_PATIENCE))?;
    let mut bytes = [0; REPORT_BYTES];
    (&mut &*control).read_exact(&mut bytes)?;
    Report::decode(bytes).ok_or_else(|| io::Error::other("it is not a supervisor"))
}

/// A file in memory instead of a pipe: nothing has to be written while the program runs, and a program that
/// does not read its input breaks nothing.
fn input_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("mi-stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

fn take_pipes(process: &mut std::process::Child) -> io::Result<Pipes> {
    let missing = || io::Error::other("its pipes are missing");
    let stdout = OwnedFd::from(process.stdout.take().ok_or_else(missing)?);
    let stderr = OwnedFd::from(process.stderr.take().ok_or_else(missing)?);
    for pipe in [&stdout, &stderr] {
        rustix::io::ioctl_fionbio(pipe, true)?;
        // A user over the pipe quota keeps the default size.
        let _ = fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    Ok(Pipes { stdout, stderr })
}
