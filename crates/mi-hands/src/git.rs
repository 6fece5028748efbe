//! The few calls of git that replaying and recording need, independent of the person's own git settings.

use mi_git::{GitRunner, RunGitError};
use mi_process::{Environment, Limits, Spawner};
use std::{path::Path, time::Duration};

const LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 64 * 1024 * 1024 };

/// Calls git with a given environment, from which the person's settings are kept away.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    runner: GitRunner,
}

impl Git {
    pub(crate) fn new(spawner: Spawner, environment: Environment) -> Self {
        let runner = GitRunner::with_environment(spawner, environment, Path::new("/"));
        Self { runner: runner.without_personal_settings().with_limits(LIMITS) }
    }

    /// Runs `git args` in `cwd` and returns its output, or in words why there is none. No repository above
    /// `cwd` is found, so that paths are relative to it.
    pub(crate) fn run(&self, cwd: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
        let runner = self.runner.clone().in_folder(cwd);
        let mut call = runner.call(args);
        if let Some(above) = cwd.canonicalize().ok().as_deref().and_then(Path::parent) {
            call = call.with("GIT_CEILING_DIRECTORIES", above);
        }
        call.bytes().map_err(|error: RunGitError| error.reason())
    }
}
