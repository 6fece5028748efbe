//! One call of git.

use mi_process::{Environment, ExitStatus, Output, RunEnd, RunError, SpawnSpec, Stdin, run_to_end};
use std::ffi::OsStr;

use crate::{GitRunner, RunGitError};

/// One call of git; it starts when its output is asked for.
#[derive(Debug, Clone)]
#[must_use = "a call starts when its output is asked for"]
pub struct GitCall<'a> {
    git: &'a GitRunner,
    args: &'a [&'a str],
    environment: Environment,
    stdin: Stdin,
    good_codes: &'a [i32],
}

impl<'a> GitCall<'a> {
    pub(crate) fn new(git: &'a GitRunner, args: &'a [&'a str]) -> Self {
        Self { git, args, environment: git.environment.clone(), stdin: Stdin::Null, good_codes: &[0] }
    }

    /// With one more variable.
    pub fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment = self.environment.with(name, value.as_ref());
        self
    }

    pub fn with_input(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = Stdin::Bytes(bytes);
        self
    }

    /// The exit codes that are no failure: `git diff --no-index` ends with 1 where files differ.
    pub fn accepting(mut self, codes: &'a [i32]) -> Self {
        self.good_codes = codes;
        self
    }

    /// Runs git to its end and returns what it printed.
    pub fn bytes(self) -> Result<Vec<u8>, RunGitError> {
        let (args, limits, good_codes) = (self.args, self.git.limits, self.good_codes);
        let keeps_cut_output = self.git.keeps_cut_output;
        let command = || name_command(args);
        let output = run_to_end(&self.git.spawner, &self.git.spec_of(self.clone()), limits, None).map_err(
            |error| match error {
                RunError::Spawn(spawn) if spawn.is_missing_program() => RunGitError::Missing,
                reason => RunGitError::Start { command: command(), reason },
            },
        )?;
        let Output { end, stdout, stderr, left_out_bytes } = output;
        let code = match end {
            RunEnd::Exited(ExitStatus::Code(code)) => Some(code),
            RunEnd::Exited(ExitStatus::Signal(_) | ExitStatus::Lost) => None,
            RunEnd::TimedOut | RunEnd::Woken => {
                return Err(RunGitError::TimedOut { command: command(), timeout: limits.timeout });
            }
        };
        if !code.is_some_and(|code| good_codes.contains(&code)) {
            let message = String::from_utf8_lossy(&stderr).trim().to_owned();
            return Err(RunGitError::Failed { command: command(), code, message });
        }
        if left_out_bytes > 0 && !keeps_cut_output {
            let max_bytes = limits.max_output_bytes;
            return Err(RunGitError::TooMuchOutput { command: command(), max_bytes });
        }
        Ok(stdout)
    }

    /// What git printed; bytes that are not UTF-8 are an error.
    pub fn text(self) -> Result<String, RunGitError> {
        let args = self.args;
        let not_utf8 = |_| RunGitError::NotUtf8 { command: name_command(args) };
        String::from_utf8(self.bytes()?).map_err(not_utf8)
    }

    /// What git printed; bytes that are not UTF-8 are replaced, as file names and contents may have some.
    pub fn lossy_text(self) -> Result<String, RunGitError> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
}

impl GitRunner {
    fn spec_of(&self, call: GitCall<'_>) -> SpawnSpec {
        SpawnSpec {
            program: "git".into(),
            args: self.arguments(call.args),
            cwd: self.folder.clone(),
            environment: call.environment,
            stdin: call.stdin,
        }
    }
}

/// The subcommand: the first word that is neither an option nor a setting.
fn name_command(args: &[&str]) -> String {
    let word = args.iter().find(|word| !word.starts_with('-') && !word.contains('='));
    word.copied().unwrap_or_default().to_owned()
}
