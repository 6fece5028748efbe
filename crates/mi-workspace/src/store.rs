//! Reading and replacing whole files below `.nexus/`, one writer at a time.
//!
//! Holds: who changes a file has the [`Lock`]; when a change returns, it is on the disk; a reader without the lock sees
//! the old file or the new one. The lock is the state folder itself, so that no file of ours lies about in a folder
//! whose names are fixed (NX-161), and it dies with its process.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{FileError, Layout, error::AtPath};

/// The files of one project.
#[derive(Debug, Clone)]
pub struct Store {
    layout: Layout,
}

/// The right to change files; held until dropped, by one process and one thread at a time.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct Lock {
    _folder: File,
}

impl Store {
    pub fn new(layout: Layout) -> Self {
        Self { layout }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Waits for the right to change files; creates `.nexus/state/` and the ignore file where they are missing.
    pub fn lock(&self) -> Result<Lock, FileError> {
        let state = self.layout.state();
        fs::create_dir_all(&state).at("create the folder", &state)?;
        let folder = File::open(&state).at("open the folder", &state)?;
        folder.lock().at("lock", &state)?;
        Ok(Lock { _folder: folder })
    }

    /// The bytes of a file, `None` when there is none.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, FileError> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", path),
        }
    }

    /// Replaces a file, or creates it with its folders.
    pub fn replace(&self, _lock: &Lock, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput.into()).at("replace", path)?;
        fs::create_dir_all(folder).at("create the folder", folder)?;
        // One fixed name: only the holder of the lock uses it, and what a killed process left is overwritten.
        let temporary = temporary_for(path);
        let written = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
        if let Err(error) = written {
            // Nothing was replaced; a leftover would only be litter.
            let _ = fs::remove_file(&temporary);
            return Err(error).at("replace", path);
        }
        flush_folder(folder)
    }

    /// Removes a file; one that is not there is no error.
    pub fn remove(&self, _lock: &Lock, path: &Path) -> Result<(), FileError> {
        match fs::remove_file(path) {
            Ok(()) => path.parent().map_or(Ok(()), flush_folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).at("remove", path),
        }
    }
}

fn temporary_for(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn flush_folder(folder: &Path) -> Result<(), FileError> {
    File::open(folder).and_then(|folder| folder.sync_all()).at("flush the folder", folder)
}
