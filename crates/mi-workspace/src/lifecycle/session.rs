//! The beginning and the end of a session (NX-181 to NX-186, NX-211 to NX-214).

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
};

use super::{Lifecycle, LifecycleError, Situation, TRACKER, skill::ACTIVE_SKILL, tracker};
use crate::{FileError, error::AtPath};

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
        let ignored = layout.gitignore().exists();
        self.ensure_folder()?;
        self.ensure_gitignore()?;
        let mut recorded: Vec<PathBuf> = (!ignored).then(|| layout.gitignore()).into_iter().collect();
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

    /// Writes the ignore file unless there is one: state is never committed (NX-136, NX-182).
    fn ensure_gitignore(&self) -> Result<(), FileError> {
        let path = self.store.layout().gitignore();
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => file.write_all(b"state/\n").at("write", &path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error).at("create", &path),
        }
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
