//! The beginning and the end of a session (NX-181 to NX-186, NX-211 to NX-214).

use std::{fs, path::PathBuf};

use super::{Lifecycle, LifecycleError, Situation, TRACKER, skill::ACTIVE_SKILL, tracker};
use crate::error::AtPath;

/// What becomes of the tracker when a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracker {
    /// A new session: an empty list (NX-183).
    Reset,
    /// The same session goes on: only created where it is missing.
    Keep,
}

/// What a start changed.
#[derive(Debug)]
pub struct Started {
    pub recorded: Vec<PathBuf>,
    pub warnings: Vec<String>,
    pub situation: Situation,
}

/// What an end changed.
#[derive(Debug)]
pub struct Ended {
    pub removed: Vec<PathBuf>,
    pub warnings: Vec<String>,
}

/// Files of a harness that live as long as its session (NX-145, NX-213).
const SESSION_FILES: [&str; 4] = [TRACKER, "edit-tracker.json", "reopen-tracker.json", ACTIVE_SKILL];
/// Where a tracker that a new session does not continue is kept, so that nothing is lost.
const PREVIOUS_TRACKER: &str = "agent-tracker.previous.json";

impl Lifecycle<'_> {
    /// Prepares the folders and the tracker; says what an earlier session left.
    pub fn session_start(&self, tracker: Tracker) -> Result<Started, LifecycleError> {
        let place = self.place(TRACKER)?;
        let layout = self.store.layout();
        let folder = layout.harness(self.harness);
        fs::create_dir_all(&folder).at("create the folder", &folder)?;
        let mut recorded = Vec::new();
        if self.ensure_gitignore()? {
            recorded.push(layout.gitignore());
        }
        let mut warnings = Vec::new();
        let lock = self.store.lock()?;
        let old = self.store.read(&place)?;
        let parsed = old.as_deref().map(|bytes| tracker::parse(&place, bytes));
        let goes_on = tracker == Tracker::Keep && matches!(parsed, Some(Ok(_)));
        if !goes_on {
            if let Some(old) = old.filter(|_| !matches!(&parsed, Some(Ok(entries)) if entries.is_empty())) {
                let aside = self.place(PREVIOUS_TRACKER)?;
                self.store.replace(&lock, &aside, &old)?;
                warnings.push(set_aside(parsed.as_ref(), PREVIOUS_TRACKER));
                recorded.push(aside);
            }
            self.store.replace(&lock, &place, b"[]\n")?;
            recorded.push(place);
            self.store.remove(&lock, &self.place(ACTIVE_SKILL)?)?;
        }
        // Before 0.7 the tracker stood in the root of the state folder (NX-184).
        self.store.remove(&lock, &layout.state().join(TRACKER))?;
        drop(lock);
        let situation = self.situation();
        warnings.extend(situation.leftovers());
        Ok(Started { recorded, warnings, situation })
    }

    /// Removes what lives only as long as the session; warns of what is not finished.
    pub fn session_end(&self) -> Result<Ended, LifecycleError> {
        let mut removed = Vec::new();
        if self.store.layout().harness(self.harness).is_dir() {
            let lock = self.store.lock()?;
            for name in SESSION_FILES {
                let place = self.place(name)?;
                if place.exists() {
                    self.store.remove(&lock, &place)?;
                    removed.push(place);
                }
            }
        }
        Ok(Ended { removed, warnings: self.situation().unfinished() })
    }
}

fn set_aside(parsed: Option<&Result<tracker::Entries, LifecycleError>>, name: &str) -> String {
    match parsed {
        Some(Err(error)) => format!("{error}; it was set aside as {name}"),
        _ => format!("an earlier session did not end: its agents were set aside in {name}"),
    }
}
