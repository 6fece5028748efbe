//! The few calls of git that replaying and recording need, independent of the person's own git settings.

use mi_process::{Environment, Limits, RunEnd, RunError, SpawnSpec, Spawner, Stdin, run_to_end};
use std::{path::Path, time::Duration};

const LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 64 * 1024 * 1024 };

/// Calls git with a given environment, from which the person's settings are kept away.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    spawner: Spawner,
    environment: Environment,
}

impl Git {
    pub(crate) fn new(spawner: Spawner, environment: Environment) -> Self {
        let environment = environment
            .without("GIT_DIR")
            .without("GIT_WORK_TREE")
            .without("GIT_INDEX_FILE")
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("GIT_CONFIG_GLOBAL", "/dev/null")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("LC_ALL", "C");
        Self { spawner, environment }
    }

    /// Runs `git args` in `cwd` and returns its output, or in words why there is none. No repository above
    /// `cwd` is found, so that paths are relative to it.
    pub(crate) fn run(&self, cwd: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
        let mut environment = self.environment.clone();
        if let Some(above) = cwd.canonicalize().ok().as_deref().and_then(Path::parent) {
            environment = environment.with("GIT_CEILING_DIRECTORIES", above);
        }
        let spec = SpawnSpec {
            program: "git".into(),
            args: args.iter().map(Into::into).collect(),
            cwd: cwd.to_owned(),
            environment,
            stdin: Stdin::Null,
        };
        let output = run_to_end(&self.spawner, &spec, LIMITS, None).map_err(|error| match error {
            RunError::Spawn(spawn) if spawn.is_missing_program() => "git is not installed".to_owned(),
            other => other.to_string(),
        })?;
        match output.end {
            _ if output.left_out_bytes > 0 => Err("git printed more than can be kept".to_owned()),
            RunEnd::Exited(status) if status.is_success() => Ok(output.stdout),
            RunEnd::Exited(_) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            RunEnd::TimedOut | RunEnd::Woken => Err(format!("git did not end within {:?}", LIMITS.timeout)),
        }
    }
}
