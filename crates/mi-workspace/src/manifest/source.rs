//! The files that are validated: a folder on the disk, or the set that is shipped.
//!
//! Holds: paths are relative, with `/`, and sorted, so that the same files give the same findings in the same order;
//! no link is followed; only files that matter are opened.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::vocabulary::STARTER;

/// Folders that are looked into by no gate.
const IGNORED: [&str; 4] = ["node_modules", ".git", "dist", ".nexus"];
/// A file that people wrote is smaller.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A set of files.
#[derive(Debug, Clone, Default)]
pub struct Source {
    entries: BTreeMap<String, Kind>,
    texts: BTreeMap<String, Result<String, String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    /// A file, a link or something else that is not a folder.
    File,
}

/// The folder itself cannot be looked at: there is nothing to validate.
#[derive(Debug, thiserror::Error)]
#[error("look into `{}`", path.display())]
pub struct SourceError {
    path: PathBuf,
    source: io::Error,
}

impl Source {
    /// The files below a folder.
    pub fn open(root: &Path) -> Result<Self, SourceError> {
        let mut source = Self::default();
        let mut folders = vec![(root.to_owned(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let listed =
                list(&folder).map_err(|error| SourceError { path: folder.clone(), source: error })?;
            for (name, kind) in listed {
                let (path, place) = (format!("{prefix}{name}"), folder.join(&name));
                if kind == Kind::Folder && !IGNORED.contains(&name.as_str()) {
                    folders.push((place, format!("{path}/")));
                } else if kind == Kind::File && is_read(&path) {
                    source.texts.insert(path.clone(), read(&place));
                }
                source.entries.insert(path, kind);
            }
        }
        Ok(source)
    }

    /// The set that is shipped.
    pub fn starter() -> Self {
        Self::of(STARTER.iter().copied())
    }

    /// A set in memory.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut source = Self::default();
        for (path, text) in files {
            for (at, _) in path.match_indices('/') {
                source.entries.insert(path[..at].to_owned(), Kind::Folder);
            }
            source.entries.insert(path.to_owned(), Kind::File);
            if is_read(path) {
                source.texts.insert(path.to_owned(), Ok(text.to_owned()));
            }
        }
        source
    }

    /// Every path and what it is.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.entries.iter().map(|(path, kind)| (path.as_str(), *kind))
    }

    /// What lies directly in a folder: names and kinds.
    pub(super) fn children<'s>(&'s self, folder: &str) -> impl Iterator<Item = (&'s str, Kind)> {
        let prefix = format!("{folder}/");
        self.entries().filter_map(move |(path, kind)| {
            path.strip_prefix(&prefix).filter(|name| !name.contains('/')).map(|name| (name, kind))
        })
    }

    /// The text of a file, or why it cannot be read; `None` when there is no such file.
    pub(super) fn text(&self, path: &str) -> Option<Result<&str, &str>> {
        self.texts.get(path).map(|text| text.as_deref().map_err(String::as_str))
    }

    /// The files that were opened and could be read.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref().ok()?)))
    }
}

/// Sorted, so that what is found does not hang on the file system.
fn list(folder: &Path) -> io::Result<Vec<(String, Kind)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = if entry.file_type()?.is_dir() { Kind::Folder } else { Kind::File };
        found.push((entry.file_name().to_string_lossy().into_owned(), kind));
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

fn is_read(path: &str) -> bool {
    let is_asset = (path.starts_with("agents/") || path.starts_with("skills/"))
        && (path.ends_with("/meta.yml") || path.ends_with("/body.md"));
    let is_vocabulary =
        path.strip_prefix("vocabulary/").is_some_and(|name| name.ends_with(".yml") && !name.contains('/'));
    is_asset || is_vocabulary || path == "package.json"
}

fn read(path: &Path) -> Result<String, String> {
    let metadata = fs::symlink_metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if metadata.is_symlink() {
        return Err("is a symbolic link, and links are not followed: put the file itself here".to_owned());
    }
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if metadata.len() > MOST_BYTES {
        return Err(format!("has {} bytes; more than {MOST_BYTES} are not read", metadata.len()));
    }
    let bytes = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8: byte {} is not", error.utf8_error().valid_up_to()))
}
