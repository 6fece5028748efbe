//! `replay:DIR`: a recorded run, batch by batch, with what it did to the tree.
//!
//! `DIR/replay.toml`, then per batch `NN.jsonl` (the agent's own stream) and `NN.patch` (what the batch did to
//! the tree, applied just before the event that reports the first finished change of files, or at the end).
//! Holds: the same lines go through the same transcript and the same judgement as a live run's.

mod folder;
mod lines;

pub(crate) use folder::{PATCH, PROMPT, SETTINGS, STREAM};
pub use folder::{PromptPolicy, ReplaySettings};

use mi_formats::{AgentEvent, Phase, codex};
use mi_process::{Deadline, Environment, Pause, Spawner, pause};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    BatchEnd, BatchOrder, Hands, HandsError, HandsInfo, Observer,
    codex::judge as judge_codex,
    drive::{idle_message, total_message},
    exec::judge as judge_text,
    git::Git,
    interpret::Dialect,
    session::Session,
};
use folder::Folder;
use lines::{Lines, Next};

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("there is no recording {}: name a folder made by `mi run --record`", dir.display())]
    NoFolder { dir: PathBuf },
    #[error("read the recording {}: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },
    #[error("{}: {message}", path.display())]
    Settings { path: PathBuf, message: String },
    #[error("the recording {} has {count} batches and batch {} was asked for: record a longer run", dir.display(), index + 1)]
    NoBatch { dir: PathBuf, index: u32, count: usize },
    #[error("{}:{number}: {message}", path.display())]
    BadLine { path: PathBuf, number: u64, message: String },
    #[error("the batch changes files, but its patch {} is not there", path.display())]
    PatchMissing { path: PathBuf },
    #[error("apply the patch {} in {}: {message}", path.display(), cwd.display())]
    Patch { path: PathBuf, cwd: PathBuf, message: String },
    #[error("the prompt differs from the recorded one in {}, and prompt_policy is \"exact\"", path.display())]
    Prompt { path: PathBuf },
}

/// Replays a recorded run.
#[derive(Debug, Clone)]
pub struct Replay {
    folder: Folder,
    git: Git,
}

impl Replay {
    /// Opens the recording. `environment` is for git, which applies the patches: it needs `PATH` alone.
    pub fn open(dir: &Path, spawner: Spawner, environment: Environment) -> Result<Self, HandsError> {
        Ok(Self { folder: Folder::open(dir)?, git: Git::new(spawner, environment) })
    }

    /// Plays the lines into the session until they end or the session is stopped.
    fn play(
        &self,
        batch: &Path,
        session: &mut Session,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), HandsError> {
        let total = order.limits.total.map_or_else(Deadline::never, Deadline::after);
        let mut lines = Lines::open(batch)?;
        let mut has_patched = false;
        while let Some(next) = lines.next()? {
            match next {
                Next::Piece(bytes) => session.stdout(bytes, observer)?,
                Next::Line { delay, bytes } => {
                    wait(delay, total, session, order, observer)?;
                    if session.is_stopped() {
                        return Ok(());
                    }
                    if !has_patched && finishes_a_change(bytes) {
                        self.apply(batch, order, true)?;
                        has_patched = true;
                    }
                    session.stdout(bytes, observer)?;
                }
            }
            if session.is_stopped() {
                return Ok(());
            }
        }
        if has_patched { Ok(()) } else { self.apply(batch, order, false) }
    }

    fn apply(&self, batch: &Path, order: &BatchOrder<'_>, is_needed: bool) -> Result<(), HandsError> {
        let path = batch.with_extension(PATCH);
        match std::fs::read(&path) {
            Ok(patch) if patch.trim_ascii().is_empty() => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_needed => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ReplayError::PatchMissing { path }.into());
            }
            Err(reason) => return Err(ReplayError::Read { path, reason }.into()),
        }
        let name = path.canonicalize().map_err(|reason| ReplayError::Read { path: path.clone(), reason })?;
        let args = ["apply", "--whitespace=nowarn", "--", &name.to_string_lossy()];
        let applied = self.git.run(&order.cwd, &args);
        applied.map_err(|message| ReplayError::Patch { path, cwd: order.cwd.clone(), message })?;
        Ok(())
    }
}

impl Hands for Replay {
    fn describe(&self) -> HandsInfo {
        HandsInfo {
            name: format!("replay:{}", self.folder.dir.display()),
            agent: self.folder.settings.agent.clone(),
            version: Some(self.folder.settings.version.clone()).filter(|version| !version.is_empty()),
            program: None,
        }
    }

    fn run_batch(
        &mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, HandsError> {
        let batch = self.folder.batch(order.batch_index)?.to_owned();
        self.folder.check_prompt(&batch, &order.prompt)?;
        let is_codex = self.folder.settings.agent == "codex";
        let dialect = if is_codex { Dialect::Codex } else { Dialect::text() };
        let mut session = Session::begin(order, dialect, observer)?;
        self.play(&batch, &mut session, order, observer)?;
        let judge = if is_codex { judge_codex } else { judge_text };
        session.finish(order, observer, None, judge)
    }
}

/// Waits as long as the recording says; limits and the wake descriptor hold as in a live run.
fn wait(
    delay: Duration,
    total: Deadline,
    session: &mut Session,
    order: &BatchOrder<'_>,
    observer: &mut dyn Observer,
) -> Result<(), HandsError> {
    let idle = order.limits.idle.map_or_else(Deadline::never, Deadline::after);
    let over = Deadline::after(delay);
    loop {
        match pause(over.min(idle).min(total), order.wake).map_err(|reason| HandsError::Read { reason })? {
            Pause::Woken => {
                let verdict = observer.woken();
                session.obey(verdict);
                if session.is_stopped() {
                    return Ok(());
                }
            }
            Pause::Over if total.has_passed() => {
                session.time_out(total_message(order.limits.total));
                return Ok(());
            }
            Pause::Over if over.has_passed() => return Ok(()),
            Pause::Over => {
                session.time_out(idle_message(order.limits.idle));
                return Ok(());
            }
        }
    }
}

/// Whether this line reports that the agent's edit tool has changed files.
fn finishes_a_change(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"file_change").is_some()
        && std::str::from_utf8(line).is_ok_and(|line| {
            matches!(codex::read_line(line), AgentEvent::FilesChanged { phase: Phase::Completed, .. })
        })
}
