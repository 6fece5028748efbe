//! What to start, spelled out, and how it ended.

use std::{ffi::OsString, fmt, os::unix::process::CommandExt, path::PathBuf, process::Command};

/// A program to start. There is no default: whoever starts a process says all of this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnSpec {
    /// A path, or a name that is looked up in the `PATH` of `environment`.
    pub program: OsString,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    pub environment: Environment,
    pub stdin: Stdin,
}

impl SpawnSpec {
    /// All but its streams, as the standard library starts it: in a process group of its own.
    #[expect(clippy::disallowed_methods, reason = "what is started here is started by this crate")]
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        match &self.environment {
            Environment::Exactly(variables) => {
                command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
            }
            Environment::Inherit { set, remove } => {
                for name in remove {
                    command.env_remove(name);
                }
                command.envs(set.iter().map(|(name, value)| (name, value)));
            }
        }
        command.args(&self.args).current_dir(&self.cwd).process_group(0);
        command
    }
}

/// The environment variables of a new process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Environment {
    /// These and no others.
    Exactly(Vec<(OsString, OsString)>),
    /// Those of this process, without `remove`, and then `set`.
    Inherit { set: Vec<(OsString, OsString)>, remove: Vec<OsString> },
}

impl Environment {
    /// The same environment with one more variable; a later value wins.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        match &mut self {
            Self::Exactly(variables) => variables.push((name.into(), value.into())),
            Self::Inherit { set, .. } => set.push((name.into(), value.into())),
        }
        self
    }

    /// The same environment without one variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        match &mut self {
            Self::Exactly(variables) => variables.retain(|(known, _)| known != name),
            Self::Inherit { set, remove } => {
                set.retain(|(known, _)| known != name);
                remove.push(name.into());
            }
        }
        self
    }
}

/// What a new process reads on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    Null,
    /// These bytes, then end of file. A program that does not read them disturbs nobody.
    Bytes(Vec<u8>),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    Code(i32),
    Signal(i32),
    /// Its supervisor was killed, so nobody knows.
    Lost,
}

impl ExitStatus {
    /// Whether the process says that all went well.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::Lost => f.write_str("unknown exit: the supervisor was killed"),
        }
    }
}
