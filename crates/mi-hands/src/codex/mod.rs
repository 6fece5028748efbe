//! The Codex CLI: `codex exec --json`, a new conversation or an earlier one by its id.
//!
//! Holds: sandbox, working directory and model are given every time, because codex forgets them on resume;
//! `resume --last` is never used, because it silently starts anew; the exit code alone decides nothing.

mod native;
mod support;

pub use native::find_native;
pub use support::{CodexSupport, probe};

use mi_formats::TurnEnd;
use mi_process::{Environment, ExitStatus, SpawnSpec, Spawner, Stdin};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    BatchEnd, BatchOrder, Ending, Hands, HandsError, HandsInfo, Observer,
    drive::drive,
    interpret::{Dialect, Turn},
    session::last_words,
};

pub(crate) const MISSING: &str =
    "install it with `npm install -g @openai/codex`, or set hands.codex.program or $MI_CODEX to where it is";

/// How codex is to be run.
#[derive(Debug, Clone)]
pub struct CodexSettings {
    /// The program as found; the native one behind an npm wrapper is looked for by [`Codex::new`].
    pub program: PathBuf,
    pub model: Option<String>,
    /// `read-only`, `workspace-write` or `danger-full-access`.
    pub sandbox: String,
    pub extra_args: Vec<String>,
    pub environment: Environment,
}

/// The codex adapter.
#[derive(Debug, Clone)]
pub struct Codex {
    spawner: Spawner,
    settings: CodexSettings,
    support: Option<CodexSupport>,
}

impl Codex {
    /// An adapter for the installed codex. With `support` known from an earlier [`probe`] of the same file, it
    /// is not asked again.
    pub fn new(spawner: Spawner, mut settings: CodexSettings, support: Option<CodexSupport>) -> Self {
        settings.program = find_native(&settings.program);
        Self { spawner, settings, support }
    }

    /// What the installed version supports; asked once.
    pub fn support(&mut self) -> Result<&CodexSupport, HandsError> {
        let support = match self.support.take() {
            Some(support) => support,
            None => probe(&self.spawner, &self.settings.program, &self.settings.environment)?,
        };
        Ok(self.support.insert(support))
    }
}

impl Hands for Codex {
    fn describe(&self) -> HandsInfo {
        HandsInfo {
            name: "codex".to_owned(),
            agent: "codex".to_owned(),
            version: self.support.as_ref().map(|support| support.version.clone()),
            program: Some(self.settings.program.clone()),
        }
    }

    fn run_batch(
        &mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, HandsError> {
        let support = self.support()?.clone();
        let spec = SpawnSpec {
            program: self.settings.program.clone().into_os_string(),
            args: arguments(&self.settings, &support, order, is_in_git(&order.cwd)),
            cwd: order.cwd.clone(),
            environment: self.settings.environment.clone(),
            stdin: Stdin::Bytes(order.prompt.clone().into_bytes()),
        };
        drive(&self.spawner, &spec, Dialect::Codex, judge, order, observer).map_err(|error| match error {
            HandsError::Spawn(spawn) if spawn.is_missing_program() => missing(&self.settings.program),
            other => other,
        })
    }
}

pub(crate) fn missing(program: &Path) -> HandsError {
    HandsError::ProgramMissing { program: program.display().to_string(), hint: MISSING }
}

/// The prompt comes on standard input (`-`): it may be long, and it may be a word that is a subcommand. All
/// flags stand before `resume`, where codex takes them.
fn arguments(
    settings: &CodexSettings,
    support: &CodexSupport,
    order: &BatchOrder<'_>,
    is_in_git: bool,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["exec".into(), "--json".into()];
    let sandbox = if order.read_only { "read-only" } else { settings.sandbox.as_str() };
    if support.sandbox {
        args.extend(["-s".into(), sandbox.into()]);
    } else if support.full_auto && sandbox == "workspace-write" {
        args.push("--full-auto".into());
    } else {
        args.extend(["-c".into(), format!("sandbox_mode=\"{sandbox}\"").into()]);
    }
    if let Some(model) = &settings.model {
        args.extend(["-m".into(), model.clone().into()]);
    }
    args.extend(["-C".into(), order.cwd.clone().into_os_string()]);
    if support.skip_git_repo_check && !is_in_git {
        args.push("--skip-git-repo-check".into());
    }
    args.extend(settings.extra_args.iter().map(OsString::from));
    if let Some(thread_id) = &order.thread_id {
        args.extend(["resume".into(), thread_id.into()]);
    }
    args.push("-".into());
    args
}

fn is_in_git(folder: &Path) -> bool {
    folder.ancestors().any(|folder| folder.join(".git").exists())
}

/// Success is a completed turn in which the agent said something.
pub(crate) fn judge(turn: &Turn, exit: ExitStatus, stderr_tail: &str) -> Ending {
    match &turn.end {
        Some(TurnEnd::Completed) if turn.said_something => Ending::Completed,
        Some(TurnEnd::Completed) => Ending::Failed {
            message: "the turn ended without any message: a hook of the agent refused the prompt".to_owned(),
        },
        Some(TurnEnd::Failed { message }) => Ending::Failed { message: message.clone() },
        None => Ending::Died {
            message: format!("codex ended before its turn did ({exit}){}", last_words(stderr_tail)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BatchLimits;
    use mi_model::Usage;

    fn line_of(
        thread_id: Option<&str>,
        support: &CodexSupport,
        model: Option<&str>,
        is_in_git: bool,
        read_only: bool,
    ) -> String {
        let settings = CodexSettings {
            program: "codex".into(),
            model: model.map(str::to_owned),
            sandbox: "workspace-write".to_owned(),
            extra_args: vec!["--search".to_owned()],
            environment: Environment::Exactly(Vec::new()),
        };
        let order = BatchOrder {
            batch_index: 0,
            prompt: String::new(),
            thread_id: thread_id.map(str::to_owned),
            thread_usage: Usage::default(),
            cwd: "/p".into(),
            read_only,
            transcript_path: "/t".into(),
            store_raw: true,
            limits: BatchLimits { idle: None, total: None },
            stop_steps: Vec::new(),
            wake: None,
        };
        let args = arguments(&settings, support, &order, is_in_git);
        args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// The command line for each version and situation.
    #[test]
    fn arguments_fit_the_installed_version() {
        let today = CodexSupport {
            version: "0.166.0".to_owned(),
            full_auto: false,
            sandbox: true,
            json: true,
            skip_git_repo_check: true,
            output_schema: true,
        };
        let old = CodexSupport { full_auto: true, sandbox: false, ..today.clone() };
        let other = CodexSupport { sandbox: false, ..today.clone() };
        assert_eq!(
            line_of(None, &today, None, true, false),
            "exec --json -s workspace-write -C /p --search -"
        );
        assert_eq!(
            line_of(Some("t1"), &today, Some("m"), false, false),
            "exec --json -s workspace-write -m m -C /p --skip-git-repo-check --search resume t1 -"
        );
        assert_eq!(line_of(None, &old, None, true, false), "exec --json --full-auto -C /p --search -");
        assert_eq!(
            line_of(None, &today, None, true, true),
            "exec --json -s read-only -C /p --search -",
            "a reviewer looks and changes nothing"
        );
        assert_eq!(
            line_of(None, &other, None, true, false),
            "exec --json -c sandbox_mode=\"workspace-write\" -C /p --search -"
        );
    }
}
