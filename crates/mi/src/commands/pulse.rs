//! A StatusClaim every beat while something is being worked on (Rule T).
//!
//! Holds: one claim per beat, the first at once; it ends with its owner, and a claim that cannot be written disturbs
//! nobody, since the work itself is recorded elsewhere.

use mi_autopilot::Clock;
use mi_council::{
    Digest,
    beat::{BeatFrame, StatusClaim},
};
use mi_delivery::artefact;
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

use super::council;
use crate::app::App;

/// What is being worked on, and where.
#[derive(Debug, Clone, Default)]
pub struct Claimed {
    pub task_id: String,
    /// The requirements that the task cites.
    pub goal_ids: Vec<String>,
    pub image_digest: Option<String>,
    pub workspace: Workspace,
}

/// The files that are worked on, as the work began.
#[derive(Debug, Clone, Default)]
pub enum Workspace {
    #[default]
    Unknown,
    /// Its hash.
    Known(String),
    /// Still to be hashed, which happens beside the work.
    Folder(PathBuf),
}

impl Workspace {
    fn hash(&self) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Known(hash) => Some(hash.clone()),
            Self::Folder(folder) => {
                let files = artefact::read(folder, &[".".to_owned()]).ok()?;
                Some(format!("sha256:{}", Digest::of_files(&files)))
            }
        }
    }
}

/// Claims until it is dropped.
pub struct Pulse {
    /// Wakes the thread when it is dropped.
    _stop: Sender<()>,
    /// Tells that the first claim was made, or that none can be.
    first: Receiver<()>,
    /// Held while a claim is written.
    is_over: Arc<Mutex<bool>>,
}

impl Pulse {
    /// Claims now, and at every beat from now on.
    pub fn start(app: &App, claimed: Claimed) -> Self {
        let (app, clock) = (app.clone(), app.clock);
        let (stop, stopped) = channel();
        let (made, first) = channel();
        let is_over = Arc::new(Mutex::new(false));
        let over = Arc::clone(&is_over);
        std::thread::spawn(move || {
            let Ok(mut chamber) = council::chamber(&app) else { return };
            let mut last = None;
            let workspace = claimed.workspace.hash();
            loop {
                let frame = BeatFrame::at(clock.now());
                if last != Some(frame.beat_index) {
                    let claim = claim(&frame, &claimed, workspace.clone());
                    let over = over.lock().unwrap_or_else(PoisonError::into_inner);
                    if *over {
                        return;
                    }
                    let _ = chamber.claim(&claim, clock.now());
                    let _ = made.send(());
                    last = Some(frame.beat_index);
                }
                match stopped.recv_timeout(until_next(&frame, clock)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { _stop: stop, first, is_over }
    }
}

fn claim(frame: &BeatFrame, claimed: &Claimed, workspace_manifest_hash: Option<String>) -> StatusClaim {
    StatusClaim {
        goal_ids: claimed.goal_ids.clone(),
        image_digest: claimed.image_digest.clone(),
        workspace_manifest_hash,
        ..frame.claim(&claimed.task_id, "working")
    }
}

/// Never less than a second, so that a clock that stands still is not asked all the time.
fn until_next(frame: &BeatFrame, clock: Clock) -> Duration {
    let left = frame.ends_at.as_millis().saturating_sub(clock.now().as_millis());
    Duration::from_millis(u64::try_from(left).unwrap_or(0).max(1000))
}

impl Drop for Pulse {
    /// Waits for the first claim and for one that is being written, not for the thread.
    fn drop(&mut self) {
        let _ = self.first.recv();
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}
