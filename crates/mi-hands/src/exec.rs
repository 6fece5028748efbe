//! `exec:CMD`: any program that reads a prompt and writes text or codex-style JSON lines.

use mi_formats::TurnEnd;
use mi_process::{Environment, ExitStatus, SpawnSpec, Spawner, Stdin};

use crate::{
    BatchEnd, BatchOrder, Ending, Hands, HandsError, HandsInfo, Observer,
    drive::drive,
    interpret::{Dialect, Turn},
    session::last_words,
};

/// Runs a shell command for each batch, with the prompt on its standard input.
///
/// The command finds `MI_BATCH` (number of the batch) and, once it has named one, `MI_THREAD_ID`; `MI_READ_ONLY=1` when
/// it is to change nothing.
#[derive(Debug, Clone)]
pub struct Exec {
    spawner: Spawner,
    command: String,
    environment: Environment,
}

impl Exec {
    /// An adapter for `sh -c command`.
    pub fn new(spawner: Spawner, command: impl Into<String>, environment: Environment) -> Self {
        Self { spawner, command: command.into(), environment }
    }
}

impl Hands for Exec {
    fn describe(&self) -> HandsInfo {
        HandsInfo {
            name: format!("exec:{}", self.command),
            agent: "exec".to_owned(),
            version: None,
            program: None,
        }
    }

    fn run_batch(
        &mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, HandsError> {
        let mut environment = self.environment.clone().with("MI_BATCH", order.batch_index.to_string());
        if let Some(thread_id) = &order.thread_id {
            environment = environment.with("MI_THREAD_ID", thread_id);
        }
        if order.read_only {
            environment = environment.with("MI_READ_ONLY", "1");
        }
        let spec = SpawnSpec {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), self.command.clone().into()],
            cwd: order.cwd.clone(),
            environment,
            stdin: Stdin::Bytes(order.prompt.clone().into_bytes()),
        };
        let end = drive(&self.spawner, &spec, Dialect::text(), judge, order, observer)?;
        // What the shell says of a program that is not there, or cannot be run; nothing took place.
        let not_run = matches!(end.exit, Some(ExitStatus::Code(126 | 127))) && end.event_types.is_empty();
        if not_run && matches!(end.ending, Ending::Died { .. }) {
            return Err(HandsError::ProgramMissing { program: self.command.clone(), hint: MISSING });
        }
        Ok(end)
    }
}

const MISSING: &str =
    "check the command that follows `exec:`, and that its program is installed and executable";

/// A plain program is done when it ends with exit code 0; one that prints codex events must also say so.
pub(crate) fn judge(turn: &Turn, exit: ExitStatus, stderr_tail: &str) -> Ending {
    match &turn.end {
        Some(TurnEnd::Failed { message }) => Ending::Failed { message: message.clone() },
        _ if !exit.is_success() => {
            Ending::Died { message: format!("the program ended with {exit}{}", last_words(stderr_tail)) }
        }
        None if turn.saw_codex_event => Ending::Died {
            message: format!("the program ended before its turn did{}", last_words(stderr_tail)),
        },
        None | Some(TurnEnd::Completed) => Ending::Completed,
    }
}
