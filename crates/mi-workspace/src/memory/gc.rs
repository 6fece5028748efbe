//! Forgetting: a note is deleted by a person, or by three signals that a person asked for, and git can give it back.
//!
//! Holds: every deletion is a commit of its own whose message has the command that undoes it (NX-335); content that git
//! does not have yet is committed first; no other change of the person is swept in; a failure leaves the note in place.

use serde::Serialize;
use std::fs;

use super::{
    access::{AccessLog, AccessRecord},
    files::read_notes,
    git::{Change, Git, GitError},
    observe::{harnesses, name_below_memory},
    save::{self, SaveError},
    signals::{Candidates, Signals},
};
use crate::{FileError, Folder, Lock, OutsideError, Store};

/// A note that was deleted.
#[derive(Debug, Clone, Serialize)]
pub struct Deleted {
    pub name: String,
    /// The note that has its text now, if it was merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The commit that deletes it.
    pub commit: String,
    /// The shell command that brings it back.
    pub recover: String,
}

/// Why a note was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeleteError {
    #[error("there is no note `{name}`; `mi memory list` has them all")]
    Unknown { name: String },
    #[error(
        "git ignores `{path}`, so it could not give it back: stop ignoring .nexus/memory/, or delete the note yourself"
    )]
    Ignored { path: String },
    #[error(
        "nobody observes which notes are read here, so none is deleted automatically; install the hooks with `mi mcp install`"
    )]
    NotObserved,
    #[error("a note cannot be merged into itself")]
    Itself,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error(transparent)]
    Outside(#[from] OutsideError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// Deletes one note.
pub fn delete(store: &Store, git: &Git, signals: &Signals) -> Result<Deleted, DeleteError> {
    let lock = store.lock()?;
    let note = Tracked::find(store, git, &signals.name)?;
    let kept = note.keep(git)?;
    let recover = note.recover(&kept);
    let message = format!(
        "Forget the memory note {}\n\n{}\n\nTo get it back:\n\n    {recover}\n",
        note.name,
        reasons(signals)
    );
    let commit = git.commit(&[note.change(None)], &message)?;
    store.remove(&lock, &store.layout().memory().join(&note.name))?;
    for_each_log(store, &lock, |log| log.remove(|record| is_about(record, &note.name)) > 0)?;
    Ok(Deleted { name: note.name, merged_into: None, commit, recover })
}

/// Without observed reads nothing is deleted automatically, since nobody knows what is used (NX-336).
pub fn check_observed(candidates: &Candidates) -> Result<(), DeleteError> {
    if candidates.reads_are_observed { Ok(()) } else { Err(DeleteError::NotObserved) }
}

/// Adds the text of `from` to `into` as a section of its own and deletes `from`, in one commit.
pub fn merge(store: &Store, git: &Git, into: &str, from: &str) -> Result<Deleted, DeleteError> {
    let lock = store.lock()?;
    let (target, note) = (Tracked::find(store, git, into)?, Tracked::find(store, git, from)?);
    if target.name == note.name {
        return Err(DeleteError::Itself);
    }
    let notes = read_notes(&store.layout().memory())?.notes;
    let find = |name: &str| notes.iter().find(|note| note.name == name);
    let (Some(known), Some(added)) = (find(&target.name), find(&note.name)) else {
        return Err(DeleteError::Unknown { name: from.to_owned() });
    };
    let text = save::merged(known, added)?;
    target.keep(git)?;
    let kept = note.keep(git)?;
    let recover = note.recover(&kept);
    let place = store.layout().memory().join(&target.name);
    let before = fs::read(&place).unwrap_or_default();
    store.replace(&lock, &place, text.as_bytes())?;
    let message = format!(
        "Merge the memory note {} into {}\n\nTo get it back:\n\n    {recover}\n",
        note.name, target.name
    );
    let committed = git
        .store(&place, &target.path)
        .and_then(|blob| git.commit(&[target.change(Some(blob)), note.change(None)], &message));
    let commit = match committed {
        Ok(commit) => commit,
        Err(error) => {
            store.replace(&lock, &place, &before)?;
            return Err(error.into());
        }
    };
    store.remove(&lock, &store.layout().memory().join(&note.name))?;
    for_each_log(store, &lock, |log| move_reads(log, &note.name, &target.name))?;
    Ok(Deleted { name: note.name, merged_into: Some(target.name), commit, recover })
}

/// A note and its name in the repository.
struct Tracked {
    name: String,
    path: String,
    blob: String,
}

impl Tracked {
    fn find(store: &Store, git: &Git, name: &str) -> Result<Self, DeleteError> {
        let layout = store.layout();
        let name = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
        let place = Folder::new(layout.project(), &layout.memory()).place(&name)?;
        if name.contains('/') || !place.is_file() {
            return Err(DeleteError::Unknown { name });
        }
        let path = git.path_of(&format!(".nexus/memory/{name}"));
        let blob = git.store(&place, &path)?;
        Ok(Self { name, path, blob })
    }

    /// Makes sure that HEAD has this very content; returns the commit that has it.
    fn keep(&self, git: &Git) -> Result<String, DeleteError> {
        if git.blob_in_head(&self.path).as_ref() != Some(&self.blob) {
            if git.is_ignored(&self.path) {
                return Err(DeleteError::Ignored { path: self.path.clone() });
            }
            let message = format!("Keep the memory note {} before it is deleted\n", self.name);
            return Ok(git.commit(&[self.change(Some(self.blob.clone()))], &message)?);
        }
        git.head().ok_or_else(|| {
            GitError::Failed { command: "rev-parse".to_owned(), said: "HEAD went away".to_owned() }.into()
        })
    }

    fn change(&self, blob: Option<String>) -> Change {
        Change { path: self.path.clone(), blob }
    }

    fn recover(&self, commit: &str) -> String {
        format!("git checkout {commit} -- ':/{}'", self.path.replace('\'', "'\\''"))
    }
}

/// The signals as a sentence, for the commit's message.
fn reasons(signals: &Signals) -> String {
    let reader = signals.last_agent.as_deref().map(|agent| format!(", last by {agent}")).unwrap_or_default();
    format!(
        "Last changed {} days ago; {} cycles since it was read; read {} times{reader}.",
        signals.age_days, signals.cycles_since_read, signals.read_count
    )
}

/// The log is a file of one shared purpose whose upkeep is the collector's (NX-337): every harness's log is changed.
fn for_each_log(
    store: &Store,
    lock: &Lock,
    change: impl Fn(&mut AccessLog) -> bool,
) -> Result<(), FileError> {
    for harness in harnesses(store.layout())? {
        let place = store.layout().memory_access(&harness);
        let Some(bytes) = store.read(&place)? else { continue };
        let mut log = AccessLog::parse(&bytes);
        if change(&mut log) {
            store.replace(lock, &place, &log.to_bytes())?;
        }
    }
    Ok(())
}

/// Who read the one note has read what is now in the other.
fn move_reads(log: &mut AccessLog, from: &str, into: &str) -> bool {
    let moved: Vec<AccessRecord> = log.records().filter(|record| is_about(record, from)).cloned().collect();
    log.remove(|record| is_about(record, from));
    for record in &moved {
        let path = record.path.strip_suffix(from).map(|folder| format!("{folder}{into}"));
        let path = path.unwrap_or_else(|| record.path.clone());
        log.merge(&AccessLog::of(AccessRecord { path, ..record.clone() }));
    }
    !moved.is_empty()
}

fn is_about(record: &AccessRecord, name: &str) -> bool {
    name_below_memory(&record.path) == name
}
