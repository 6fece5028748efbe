//! Where everything lives under the home folder (MI seed, "Storage Layout"), and nowhere else.
//!
//! Holds: heads stand apart from the logs they vouch for; whatever is not a JSONL log has another extension.

use mi_model::{MindSpec, ProjectId, ProjectOverlay};
use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{FileError, JournalError, Log, StateFile, error::AtPath};

/// The home folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    home: PathBuf,
}

/// A chained log and where its head is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlace {
    pub log: PathBuf,
    pub head: PathBuf,
}

impl LogPlace {
    /// Opens the log for appending; creates it if need be.
    pub fn open(&self) -> Result<Log, JournalError> {
        Log::open(&self.log, &self.head)
    }
}

impl Layout {
    /// Names the home folder; touches nothing.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into() }
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Where scratch copies of projects are made.
    pub fn scratch(&self) -> PathBuf {
        self.home.join("scratch")
    }

    /// `mindspec/base.json`.
    pub fn base(&self) -> StateFile<MindSpec> {
        StateFile::new(self.home.join("mindspec/base.json")).refusing(mi_model::refused_knobs)
    }

    /// `mindspec/learned.jsonl`: rules that hold everywhere.
    pub fn global_learned(&self) -> LogPlace {
        LogPlace {
            log: self.home.join("mindspec/learned.jsonl"),
            head: self.home.join("heads/global/learned.head"),
        }
    }

    /// `gate/NAME.jsonl`: what the gate decided, and what the person changed about it.
    pub fn gate(&self, name: &str) -> LogPlace {
        LogPlace {
            log: self.home.join(format!("gate/{name}.jsonl")),
            head: self.home.join(format!("heads/gate/{name}.head")),
        }
    }

    /// `box/timeline.jsonl`: the runs of the box and what was published of them.
    pub fn timeline(&self) -> LogPlace {
        LogPlace { log: self.home.join("box/timeline.jsonl"), head: self.home.join("box/timeline.head") }
    }

    /// The paths of one project.
    pub fn project(&self, id: &ProjectId) -> ProjectLayout {
        ProjectLayout {
            folder: self.home.join("projects").join(id.as_str()),
            heads: self.home.join("heads").join(id.as_str()),
        }
    }

    /// Creates the folders of the home and of one project that every run needs.
    pub fn create(&self, id: &ProjectId) -> Result<(), FileError> {
        let project = self.project(id);
        for folder in [self.home.join("mindspec"), project.hands_transcripts(), project.heads.clone()] {
            fs::create_dir_all(&folder).at("create the folder", &folder)?;
        }
        Ok(())
    }

    /// A path as records carry it: relative to the home where it lies inside, else as it is.
    pub fn reference(&self, path: &Path) -> String {
        path.strip_prefix(&self.home).unwrap_or(path).display().to_string()
    }

    /// The file that a record's path names.
    pub fn resolve(&self, reference: &str) -> PathBuf {
        self.home.join(reference)
    }
}

/// The paths of one project under the home folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLayout {
    folder: PathBuf,
    heads: PathBuf,
}

impl ProjectLayout {
    /// `projects/<id>`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `overlay.json`.
    pub fn overlay(&self) -> StateFile<ProjectOverlay> {
        StateFile::new(self.folder.join("overlay.json"))
    }

    /// `learned.jsonl`: rules of this project.
    pub fn learned(&self) -> LogPlace {
        self.log("learned")
    }

    /// `evidence.jsonl`.
    pub fn evidence(&self) -> LogPlace {
        self.log("evidence")
    }

    /// `council.jsonl`: proposals, votes and decisions.
    pub fn council(&self) -> LogPlace {
        self.log("council")
    }

    /// The trees that runs began with, a folder for each run.
    pub fn starts(&self) -> PathBuf {
        self.folder.join("starts")
    }

    /// What checks said about trees, by what that depends on.
    pub fn check_outcomes(&self) -> PathBuf {
        self.folder.join("outcomes")
    }

    /// `transcripts/hands`.
    pub fn hands_transcripts(&self) -> PathBuf {
        self.folder.join("transcripts/hands")
    }

    /// `transcripts/mind`.
    pub fn mind_transcripts(&self) -> PathBuf {
        self.folder.join("transcripts/mind")
    }

    /// Every transcript in one of these folders. They are named by run and batch, so the last name is the newest.
    pub fn transcripts(folder: &Path) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let is_transcript = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jsonl");
        entries.map(|entry| entry.path()).filter(is_transcript)
    }

    /// `run.lock`: held while a run is open.
    pub fn run_lock(&self) -> PathBuf {
        self.folder.join("run.lock")
    }

    /// Where the heads of the project's logs are kept.
    pub(crate) fn heads(&self) -> &Path {
        &self.heads
    }

    fn log(&self, name: &str) -> LogPlace {
        LogPlace {
            log: self.folder.join(format!("{name}.jsonl")),
            head: self.heads.join(format!("{name}.head")),
        }
    }
}
