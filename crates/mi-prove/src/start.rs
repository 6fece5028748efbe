//! Keeps the tree that a run begins with, so that its work can be taken back later.
//!
//! In a git repository the commit is enough for every file that is as committed; what is not is kept beside it.
//! Elsewhere every file is kept, up to [`MOST_BYTES`].

use mi_bearing::FileBody;
use mi_process::Spawner;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{change::read_body, git::Repository};

/// More than this is not kept; such a start cannot be compared with.
const MOST_BYTES: u64 = 256 << 20;
/// How many starts of a project are kept.
const STARTS_KEPT: usize = 5;
const MANIFEST: &str = "start.json";

/// The tree that a run began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStart {
    pub folder: PathBuf,
    pub commit: Option<String>,
    /// Files that were not as committed: the name of the kept copy, or `None` for a file that was deleted.
    files: BTreeMap<String, Option<KeptFile>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptFile {
    copy: String,
    is_executable: bool,
    is_link: bool,
}

/// Keeps the start of a run in `folder`. `files` are the project's inputs.
pub fn save_start(
    spawner: &Spawner,
    root: &Path,
    files: &[(String, blake3::Hash)],
    folder: &Path,
) -> io::Result<SavedStart> {
    let repository = Repository::open(spawner, root);
    let commit = repository.as_ref().and_then(|git| git.resolve("HEAD").ok());
    let names = match (&repository, &commit) {
        (Some(git), Some(commit)) => git.changed_files(commit, None).map_err(io::Error::other)?,
        _ => files.iter().map(|(name, _)| name.clone()).collect(),
    };
    if let Some(above) = folder.parent() {
        drop_old_starts(above);
    }
    fs::create_dir_all(folder)?;
    let mut start = SavedStart { folder: folder.to_owned(), commit, files: BTreeMap::new() };
    let mut total = 0;
    for (index, name) in names.iter().enumerate() {
        let kept = match read_body(&root.join(name)) {
            None => None,
            Some(body) => {
                total += body.bytes.len() as u64;
                if total > MOST_BYTES {
                    return Err(io::Error::other("the uncommitted files are over 256 MiB"));
                }
                let copy = format!("{index}");
                fs::write(folder.join(&copy), &body.bytes)?;
                Some(KeptFile { copy, is_executable: body.is_executable, is_link: body.is_link })
            }
        };
        start.files.insert(name.clone(), kept);
    }
    fs::write(folder.join(MANIFEST), serde_json::to_vec(&start)?)?;
    Ok(start)
}

fn drop_old_starts(above: &Path) {
    let mut starts: Vec<PathBuf> =
        fs::read_dir(above).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // Runs are named by their time, so the oldest come first.
    starts.sort();
    let surplus = starts.len().saturating_sub(STARTS_KEPT - 1);
    for old in &starts[..surplus] {
        // What cannot be removed now is tried again by the next run.
        let _ = fs::remove_dir_all(old);
    }
}

impl SavedStart {
    /// The start that was kept in `folder`.
    pub fn load(folder: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(folder.join(MANIFEST))?)?)
    }

    /// Every file that was kept, by name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// A file as it was: `None` when it was not kept and the commit has it, `Some(None)` when it was not there.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Option<FileBody>>> {
        let Some(kept) = self.files.get(name) else { return Ok(None) };
        let Some(kept) = kept else { return Ok(Some(None)) };
        let bytes = fs::read(self.folder.join(&kept.copy))?;
        Ok(Some(Some(FileBody { bytes, is_executable: kept.is_executable, is_link: kept.is_link })))
    }
}
