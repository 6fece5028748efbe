//! What further edits of tracked files change in git's eyes, worked out without git.
//!
//! The first edit of a file is told by git; its staged content is worked out or asked for then, and our own summary is held
//! against git's. As long as they agree byte for byte, later edits are compared here.
//! Holds: HEAD and the index are those of the staged contents, else the caller starts anew; whatever is not a plain edit
//! of a plain text file, and all files of a project with attributes, is left to git.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path};

use super::{
    patch::staged_content,
    stat::{Counts, summary},
};

/// Staged files from this size on are not kept; a longer answer of git may have been cut off.
const KEPT_BYTES: usize = 100 * 1024;
/// No more files than this are kept.
const KEPT_FILES: usize = 64;
/// No more files than this are asked for with their patches.
const PATCHED_FILES: usize = 16;
/// Mode of a file that is not executable, and of one that is.
const MODES: [&str; 2] = ["100644", "100755"];

/// One unstaged change as `git diff --raw` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// `M` for modified, `D` for deleted and so on.
    pub(super) letter: char,
    pub(super) name: String,
    mode: String,
    object: String,
}

impl Change {
    /// Reads `100644 100644 1234567 0000000 M` and the name after it.
    pub(super) fn read(columns: &str, name: &str) -> Self {
        let columns: Vec<&str> = columns.split(' ').collect();
        let column = |at: usize| columns.get(at).copied().unwrap_or_default();
        let is_same_mode = column(0) == column(1);
        Self {
            letter: column(4).chars().next().unwrap_or('?'),
            name: name.to_owned(),
            mode: if is_same_mode { column(0).to_owned() } else { String::new() },
            object: column(2).to_owned(),
        }
    }

    fn is_plain_edit(&self) -> bool {
        self.letter == 'M' && MODES.contains(&self.mode.as_str()) && self.name.is_ascii()
    }
}

/// The staged contents of the files that were edited.
#[derive(Debug, Default)]
pub(super) struct Edits {
    staged: BTreeMap<String, Staged>,
    /// Git and we did not say the same, so git is asked.
    is_distrusted: bool,
}

#[derive(Debug)]
struct Staged {
    change: Change,
    content: Vec<u8>,
}

/// The edits of the work tree at one place.
pub(super) struct EditsAt<'a> {
    edits: &'a mut Edits,
    root: &'a Path,
}

impl Edits {
    pub(super) fn at<'a>(&'a mut self, root: &'a Path) -> EditsAt<'a> {
        EditsAt { edits: self, root }
    }
}

impl EditsAt<'_> {
    /// All unstaged changes, given the status before and the tracked files that were edited since.
    pub(super) fn diff(&self, status: &str, edited: &[&str]) -> Option<(Vec<Change>, String)> {
        if self.edits.is_distrusted || edited.iter().any(|name| name.ends_with(".gitattributes")) {
            return None;
        }
        let mut names: Vec<&str> = edited.to_vec();
        for line in status.lines().filter(|line| !line.starts_with("??")) {
            names.push(line.strip_prefix(" M ")?);
        }
        names.sort_unstable();
        names.dedup();
        self.compare(&names)
    }

    /// Keeps the staged contents of what git says was edited, if our own summary is then the same as git's.
    pub(super) fn learn(
        &mut self,
        changes: &[Change],
        stat: &str,
        patch: &str,
        git: &dyn Fn(&[&str]) -> String,
    ) {
        if self.edits.is_distrusted
            || changes.len() > KEPT_FILES
            || !changes.iter().all(Change::is_plain_edit)
        {
            return;
        }
        for change in changes {
            if !self.edits.staged.contains_key(&change.name) {
                let undone = self.undone(change, patch);
                let content =
                    undone.unwrap_or_else(|| git(&["cat-file", "blob", &change.object]).into_bytes());
                if is_whole(&content) {
                    self.edits.staged.insert(change.name.clone(), Staged { change: change.clone(), content });
                }
            }
        }
        let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        // What is missing from the kept contents is no disagreement; other words are.
        if let Some((_, ours)) = self.compare(&names) {
            self.edits.is_distrusted = ours != stat;
        }
    }

    /// Whether these are files of which a patch is worth its length.
    pub(super) fn are_small(&self, names: &[&str]) -> bool {
        let size = |name: &&str| fs::symlink_metadata(self.root.join(name)).map(|found| found.len());
        !self.edits.is_distrusted
            && names.len() <= PATCHED_FILES
            && names.iter().all(|name| size(name).is_ok_and(|size| size < KEPT_BYTES as u64))
    }

    /// What is staged, if the patch to the file as it is now tells it.
    fn undone(&self, change: &Change, patch: &str) -> Option<Vec<u8>> {
        let now = fs::read(self.root.join(&change.name)).ok().filter(|now| now.len() < KEPT_BYTES)?;
        staged_content(patch, &change.name, &change.object, &now)
    }

    fn compare(&self, names: &[&str]) -> Option<(Vec<Change>, String)> {
        let (mut changes, mut counts) = (Vec::new(), Vec::new());
        for name in names {
            let staged = self.edits.staged.get(*name)?;
            let now = self.content(staged)?;
            if now != staged.content {
                changes.push(staged.change.clone());
                counts.push((*name, Counts::between(&staged.content, &now)?));
            }
        }
        Some((changes, summary(&counts)))
    }

    /// The file as it is now; `None` when more than its text differs from what is staged.
    fn content(&self, staged: &Staged) -> Option<Vec<u8>> {
        let path = self.root.join(&staged.change.name);
        let metadata = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let is_executable = metadata.permissions().mode() & 0o100 != 0;
        let is_same_mode = staged.change.mode == MODES[usize::from(is_executable)];
        (is_same_mode && metadata.len() < KEPT_BYTES as u64).then(|| fs::read(&path).ok())?
    }
}

/// Whether git's answer is all of the file: there is one, it was not cut off, and every byte of it was text.
fn is_whole(content: &[u8]) -> bool {
    let text = std::str::from_utf8(content).unwrap_or_default();
    !text.is_empty() && text.len() < KEPT_BYTES && !text.contains(char::REPLACEMENT_CHARACTER)
}
