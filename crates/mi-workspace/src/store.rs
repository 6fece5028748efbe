//! Reading and replacing files below `.nexus/`, one writer at a time.
//!
//! Holds: who changes a file has the [`Lock`]; when a change returns, it is on the disk; a reader sees the old file or
//! the new one. No link below the project is followed. The lock is the state folder itself, so that no file of ours
//! lies about in a folder whose names are fixed (NX-161), and it dies with its process.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{FileError, Layout, error::AtPath, folder, workspace::hold};

/// The files of one project.
#[derive(Debug, Clone)]
pub struct Store {
    layout: Layout,
    notes: Arc<Mutex<Vec<String>>>,
}

/// The right to change files; held until dropped, by one process and one thread at a time.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct Lock {
    _folder: File,
}

/// Keeps writers out while several reads have to fit together. Nothing where there is no state folder yet.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct ReadLock {
    _folder: Option<File>,
}

impl Store {
    pub fn new(layout: Layout) -> Self {
        Self { layout, notes: Arc::default() }
    }

    /// What was repaired since this was last asked, for the person: the answers of the calls have no place for it.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *hold(&self.notes))
    }

    pub(crate) fn note(&self, text: String) {
        hold(&self.notes).push(text);
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Waits for the right to change files; creates `.nexus/state/` and the ignore file where they are missing.
    pub fn lock(&self) -> Result<Lock, FileError> {
        let state = self.layout.state();
        self.refuse_links(&state)?;
        let folder = match File::open(&state) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_state()?;
                File::open(&state)
            }
            opened => opened,
        };
        let folder = folder.at("open the folder", &state)?;
        if !folder.metadata().at("look at", &state)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into()).at("open the folder", &state);
        }
        folder.lock().at("lock", &state)?;
        Ok(Lock { _folder: folder })
    }

    /// Waits until no one writes, and keeps writers out. Creates nothing (NX-008).
    pub fn lock_for_reading(&self) -> Result<ReadLock, FileError> {
        let state = self.layout.state();
        self.refuse_links(&state)?;
        match File::open(&state) {
            Ok(folder) => {
                folder.lock_shared().at("lock", &state)?;
                Ok(ReadLock { _folder: Some(folder) })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ReadLock { _folder: None }),
            Err(error) => Err(error).at("open the folder", &state),
        }
    }

    /// Whether a call would have to wait for the lock now. A guess that is soon out of date: for whoever would rather
    /// wait somewhere else.
    pub fn is_locked(&self) -> bool {
        File::open(self.layout.state()).is_ok_and(|folder| folder.try_lock().is_err())
    }

    /// The bytes of a file, `None` when there is none.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, FileError> {
        let Some(mut file) = self.open(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).at("read", path)?;
        Ok(Some(bytes))
    }

    /// A file for reading, `None` when there is none.
    pub(crate) fn open(&self, path: &Path) -> Result<Option<File>, FileError> {
        self.open_with(path, OpenOptions::new().read(true), "read")
    }

    /// A file for reading and changing in place, `None` when there is none.
    pub(crate) fn open_to_change(&self, _lock: &Lock, path: &Path) -> Result<Option<File>, FileError> {
        self.open_with(path, OpenOptions::new().read(true).write(true), "change")
    }

    /// Replaces a file, or creates it with its folders.
    pub fn replace(&self, lock: &Lock, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        self.replace_with(lock, path, &mut |file| file.write_all(bytes))
    }

    /// Replaces a file by what `write` puts into it.
    pub(crate) fn replace_with(
        &self,
        _lock: &Lock,
        path: &Path,
        write: &mut dyn FnMut(&mut File) -> io::Result<()>,
    ) -> Result<(), FileError> {
        self.refuse_links(path)?;
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into()).at("replace", path);
        }
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput.into()).at("replace", path)?;
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        fs::create_dir_all(folder).at("create the folder", folder)?;
        let temporary = self.temporary_for(path);
        let written = write_new(&temporary, write).and_then(|()| fs::rename(&temporary, path));
        if let Err(error) = written {
            // Nothing was replaced; a leftover would only be litter.
            let _ = fs::remove_file(&temporary);
            missing.iter().for_each(|folder| drop(fs::remove_dir(folder)));
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

    /// An error when a link is on the way from the project to `path`: it may lead out of the project.
    pub(crate) fn refuse_links(&self, path: &Path) -> Result<(), FileError> {
        let linked = folder::link_on_way(self.layout.project(), path).at("look at the way to", path)?;
        if linked {
            let reason = "a symbolic link is on its way, which may lead out of the project: put a real file or folder there";
            return Err(io::Error::other(reason)).at("use", path);
        }
        Ok(())
    }

    fn open_with(
        &self,
        path: &Path,
        options: &OpenOptions,
        attempt: &'static str,
    ) -> Result<Option<File>, FileError> {
        self.refuse_links(path)?;
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let kind = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).at(attempt, path),
        };
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into()).at(attempt, path);
        }
        if !kind.is_file() {
            return Err(io::Error::other("it is no regular file: move it away")).at(attempt, path);
        }
        match options.open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at(attempt, path),
        }
    }

    /// The ignore file comes before the state folder, so that no state is ever there without it (NX-136, NX-137).
    fn create_state(&self) -> Result<(), FileError> {
        let (nexus, state, ignore) = (self.layout.nexus(), self.layout.state(), self.layout.gitignore());
        fs::create_dir_all(&nexus).at("create the folder", &nexus)?;
        match OpenOptions::new().write(true).create_new(true).open(&ignore) {
            Ok(mut file) => {
                file.write_all(b"state/\n").and_then(|()| file.sync_all()).at("write", &ignore)?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).at("write", &ignore),
        }
        match fs::create_dir(&state) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
        .at("create the folder", &state)?;
        flush_folder(&nexus)?;
        flush_folder(self.layout.project())
    }

    /// In the state folder, which git ignores. One fixed name per file: only the holder of the lock uses it, and what
    /// a killed process left is overwritten.
    fn temporary_for(&self, path: &Path) -> PathBuf {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".new");
        let below_nexus = path.starts_with(self.layout.nexus());
        if below_nexus { self.layout.state().join(name) } else { path.with_file_name(name) }
    }
}

fn write_new(path: &Path, write: &mut dyn FnMut(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = File::create(path)?;
    write(&mut file)?;
    file.sync_all()
}

fn flush_folder(folder: &Path) -> Result<(), FileError> {
    File::open(folder).and_then(|folder| folder.sync_all()).at("flush the folder", folder)
}
