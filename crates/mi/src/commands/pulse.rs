//! A StatusClaim every beat while something is being worked on (Rule T).
//!
//! Holds: one claim per beat, the first at once; it ends with its owner, and a claim that cannot be written disturbs
//! nobody, since the work itself is recorded elsewhere.

use mi_autopilot::Clock;
use mi_council::{
    Digest,
    beat::{BeatFrame, StatusClaim},
};
use mi_delivery::{Chamber, artefact};
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
    /// Claims now, and at every beat from now on; beside the work, since others may be writing claims, and files may still
    /// have to be hashed.
    pub fn start(app: &App, claimed: Claimed) -> Self {
        let app = app.clone();
        Self::beat_in_thread(move || {
            let chamber = council::chamber(&app).ok()?;
            Some(Heart::new(chamber, app.clock, claimed))
        })
    }

    /// The same for a project that is open already.
    pub fn start_in(chamber: Chamber, clock: Clock, claimed: Claimed) -> Self {
        Self::beat_in_thread(move || Some(Heart::new(chamber, clock, claimed)))
    }

    fn beat_in_thread(heart: impl FnOnce() -> Option<Heart> + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let (made, first) = channel();
        let is_over = Arc::new(Mutex::new(false));
        let over = Arc::clone(&is_over);
        std::thread::spawn(move || {
            let Some(mut heart) = heart() else { return };
            loop {
                let over = over.lock().unwrap_or_else(PoisonError::into_inner);
                if *over {
                    return;
                }
                let wait = heart.beat();
                drop(over);
                let _ = made.send(());
                if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self { _stop: stop, first, is_over }
    }
}

/// What a claim is made from.
struct Heart {
    chamber: Chamber,
    clock: Clock,
    claimed: Claimed,
    workspace: Option<String>,
    /// The beat that was claimed last.
    last: Option<i64>,
}

impl Heart {
    fn new(chamber: Chamber, clock: Clock, claimed: Claimed) -> Self {
        let workspace = claimed.workspace.hash();
        Self { chamber, clock, claimed, workspace, last: None }
    }

    /// Claims, if this beat was not claimed yet; the time until the next one.
    fn beat(&mut self) -> Duration {
        let frame = BeatFrame::at(self.clock.now());
        if self.last != Some(frame.beat_index) {
            let claim = claim(&frame, &self.claimed, self.workspace.clone());
            let _ = self.chamber.claim(&claim, self.clock.now());
            self.last = Some(frame.beat_index);
        }
        until_next(&frame, self.clock)
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
