//! Which reads count as an observation, and the logs of all harnesses together.
//!
//! Holds: only a completed read of a file below `.nexus/memory/` counts (NX-320); one harness writes only its own log;
//! reading all of them together is an aggregate that parses nothing but the shared fields (NX-162).

use mi_model::Timestamp;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::access::{AccessLog, AccessRecord, OddLine};
use crate::{FileError, Folder, HarnessId, Layout, OutsideError, Store, error::AtPath, without_dots};

/// Why a read was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    #[error("record a memory read without a reader: give the agent's id or name")]
    NoReader,
    #[error("record a memory read")]
    Outside(#[from] OutsideError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// All logs of a project as one, and what could not be read in them.
#[derive(Debug, Clone, Default)]
pub struct AllAccess {
    /// By path below `.nexus/memory/`, counts added.
    pub merged: AccessLog,
    pub harnesses: Vec<String>,
    pub problems: Vec<(PathBuf, OddLine)>,
}

/// Records that `agent` has read the file `path`; `None` when it is not a memory file and nothing was recorded.
pub fn observe(
    store: &Store,
    harness: &HarnessId,
    path: &Path,
    agent: &str,
    now: Timestamp,
) -> Result<Option<AccessRecord>, ObserveError> {
    let Some(file) = memory_file(store.layout(), path) else { return Ok(None) };
    if agent.is_empty() {
        return Err(ObserveError::NoReader);
    }
    let key = file.to_string_lossy();
    let state = Folder::new(store.layout().project(), &store.layout().state());
    let place = state.place(&format!("{harness}/memory-access.jsonl"))?;
    let lock = store.lock()?;
    store.set_torn_aside(&lock, &place)?;
    let mut log = AccessLog::parse(&store.read(&place)?.unwrap_or_default());
    log.observe(&key, agent, now);
    store.replace(&lock, &place, &log.to_bytes())?;
    Ok(log.find(&key).cloned())
}

/// The absolute path of a memory file that an absolute or project-relative path names; `None` for all other paths.
///
/// The file itself need not exist any more; where it does, a link that leads out of the folder is no memory file.
pub fn memory_file(layout: &Layout, path: &Path) -> Option<PathBuf> {
    let memory = layout.memory();
    let plain = without_dots(&layout.project().join(path));
    let below = match plain.strip_prefix(&memory) {
        Ok(below) => below.to_owned(),
        // The project may be reached by another name than its own.
        Err(_) => plain.canonicalize().ok()?.strip_prefix(memory.canonicalize().ok()?).ok()?.to_owned(),
    };
    if below.as_os_str().is_empty() || plain.is_dir() {
        return None;
    }
    if let (Ok(real), Ok(folder)) = (plain.canonicalize(), memory.canonicalize())
        && !real.starts_with(folder)
    {
        return None;
    }
    Some(memory.join(below))
}

/// Reads the logs of every harness of the project.
pub fn read_all(store: &Store) -> Result<AllAccess, FileError> {
    let mut all = AllAccess::default();
    for harness in harnesses(store.layout())? {
        let place = store.layout().memory_access(&harness);
        let Some(bytes) = store.read(&place)? else { continue };
        let log = AccessLog::parse(&bytes);
        all.problems.extend(log.odd_lines().into_iter().map(|odd| (place.clone(), odd)));
        let mut renamed = AccessLog::default();
        for record in log.records() {
            let path = name_below_memory(&record.path).to_owned();
            renamed.merge(&AccessLog::of(AccessRecord { path, ..record.clone() }));
        }
        all.merged.merge(&renamed);
        all.harnesses.push(harness.to_string());
    }
    Ok(all)
}

/// The part of a recorded path below the memory folder.
///
/// A project that was moved keeps its logs, whose paths are absolute: what counts is what stands after the folder, so
/// that no file is taken for unread because of a move.
pub fn name_below_memory(path: &str) -> &str {
    path.rsplit_once(".nexus/memory/").map_or(path, |(_, name)| name)
}

/// Everyone who keeps files in the state folder; links are not followed.
pub(crate) fn harnesses(layout: &Layout) -> Result<Vec<HarnessId>, FileError> {
    let state = layout.state();
    let entries = match fs::read_dir(&state) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).at("list", &state),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.at("list", &state)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name().to_str().and_then(|name| HarnessId::new(name).ok());
        found.extend(name.filter(|_| is_folder));
    }
    found.sort_by(|left, right| left.as_str().cmp(right.as_str()));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{memory_file, observe, read_all};
    use crate::{HarnessId, Layout, Store};
    use std::{fs, os::unix::fs::symlink, path::Path};

    fn project() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Layout::new(folder.path()));
        fs::create_dir_all(store.layout().memory()).unwrap();
        (folder, store)
    }

    /// Only files below the memory folder are memory files, by whatever name they are reached.
    #[test]
    fn nx_320_only_files_below_the_memory_folder_count() {
        let (folder, store) = project();
        let memory = store.layout().memory();
        fs::write(memory.join("a.md"), "x").unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        symlink(folder.path().join("secret"), memory.join("out.md")).unwrap();
        fs::create_dir(memory.join("deep")).unwrap();
        let other_name = folder.path().join("alias");
        symlink(folder.path(), &other_name).unwrap();
        let absolute = memory.join("a.md");
        for path in [
            absolute.as_path(),
            Path::new(".nexus/memory/a.md"),
            Path::new(".nexus/context/../memory/a.md"),
            &other_name.join(".nexus/memory/a.md"),
        ] {
            assert_eq!(memory_file(store.layout(), path).as_deref(), Some(absolute.as_path()), "{path:?}");
        }
        assert_eq!(
            memory_file(store.layout(), Path::new(".nexus/memory/gone.md")),
            Some(memory.join("gone.md"))
        );
        for path in [
            ".nexus/memory",
            ".nexus/memory/deep",
            ".nexus/memory/out.md",
            ".nexus/memory/../context/a.md",
            ".nexus/memoryx/a.md",
            "a.md",
            "",
            "/",
        ] {
            assert_eq!(memory_file(store.layout(), Path::new(path)), None, "{path}");
        }
    }

    /// The first observation creates the log with an absolute path; reading all harnesses adds their counts.
    #[test]
    fn nx_322_nx_323_nx_325_observations_are_kept_per_harness_and_read_together() {
        let (_folder, store) = project();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let later = "2026-01-02T00:00:00Z".parse().unwrap();
        let [one, two] = ["one", "two"].map(|name| HarnessId::new(name).unwrap());
        assert!(observe(&store, &one, Path::new("src/a.md"), "x", now).unwrap().is_none());
        assert!(!store.layout().memory_access(&one).exists());
        let path = Path::new(".nexus/memory/a.md");
        let record = observe(&store, &one, path, "x", now).unwrap().unwrap();
        assert_eq!(record.path, store.layout().memory().join("a.md").to_string_lossy());
        observe(&store, &two, path, "y", later).unwrap();
        assert!(observe(&store, &two, path, "", later).is_err());
        let all = read_all(&store).unwrap();
        let record = all.merged.find("a.md").unwrap();
        assert_eq!((record.access_count, record.last_agent.as_str()), (2, "y"));
        assert_eq!(all.harnesses, ["one", "two"]);
    }

    /// A harness folder that is a link would put the log elsewhere: refused, nothing written.
    #[test]
    fn a_linked_harness_folder_is_refused() {
        let (folder, store) = project();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::create_dir_all(store.layout().state()).unwrap();
        symlink(elsewhere.path(), store.layout().state().join("one")).unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let one = HarnessId::new("one").unwrap();
        assert!(observe(&store, &one, Path::new(".nexus/memory/a.md"), "x", now).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        drop(folder);
    }
}
