//! Writes all files or none: staged beside their places, flushed, then renamed; a failure undoes what was done.
//!
//! Holds: no link below the target is followed; at every instant each path has its old or its new content.

use mi_extract::ExtractedFile;
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, FileType, Mode, OFlags},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::target::{open_root, walk};

/// Flushing many files one by one takes longer than flushing the whole file system once.
const FLUSHED_ONE_BY_ONE: usize = 32;

/// Why the files were not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("make the folder {}", .path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("write {path} into {}", .out.display())]
    File { path: String, out: PathBuf, source: io::Error },
}

pub(super) fn write_all(out: &Path, files: &[ExtractedFile<'_>]) -> Result<(), WriteError> {
    let folder = |source: io::Error| WriteError::Folder { path: out.to_owned(), source };
    let made = missing_above(out);
    let written = std::fs::create_dir_all(out)
        .and_then(|()| Stage::new(out))
        .map_err(folder)
        .and_then(|stage| stage.write(out, files));
    if written.is_err() {
        for path in made {
            // Only an empty folder goes away; anything else is not ours.
            let _ = std::fs::remove_dir(path);
        }
    }
    written
}

/// The folders that do not exist yet, deepest first.
fn missing_above(out: &Path) -> Vec<PathBuf> {
    out.ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .map(Path::to_owned)
        .collect()
}

/// A folder of our own inside the target, on the same file system.
struct Stage {
    root: OwnedFd,
    folder: OwnedFd,
    name: String,
    done: Vec<Done>,
}

/// A step that can be undone.
enum Done {
    Made { path: String },
    Placed { path: String, old: Option<String> },
}

impl Stage {
    fn new(out: &Path) -> io::Result<Self> {
        let root = open_root(out)?;
        for number in 0..100 {
            let name = format!(".mi-extract-{}-{number}", std::process::id());
            match fs::mkdirat(&root, &name, Mode::RWXU) {
                Ok(()) => {
                    let folder = walk(&root, &name)?;
                    return Ok(Self { root, folder, name, done: Vec::new() });
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn write(mut self, out: &Path, files: &[ExtractedFile<'_>]) -> Result<(), WriteError> {
        let done = self.put_all(files).and_then(|()| self.place_all(files));
        // What cannot be put back stays in the stage: it may be the only copy.
        if done.is_ok() || self.undo() {
            self.clear(files.len());
        }
        done.map_err(|(path, source)| WriteError::File { path, out: out.to_owned(), source })
    }

    /// Writes every file into the stage.
    fn put_all(&self, files: &[ExtractedFile<'_>]) -> Result<(), (String, io::Error)> {
        let one_by_one = files.len() <= FLUSHED_ONE_BY_ONE;
        for (index, file) in files.iter().enumerate() {
            self.put(index, file, one_by_one).map_err(|error| (file.path.clone(), error))?;
        }
        self.flush(one_by_one);
        Ok(())
    }

    fn put(&self, index: usize, file: &ExtractedFile<'_>, flush: bool) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let mut staged = File::from(fs::openat(&self.folder, index.to_string(), flags, mode)?);
        staged.write_all(file.content.as_bytes())?;
        if flush { staged.sync_all() } else { Ok(()) }
    }

    /// Moves every file from the stage to its place.
    fn place_all(&mut self, files: &[ExtractedFile<'_>]) -> Result<(), (String, io::Error)> {
        let one_by_one = files.len() <= FLUSHED_ONE_BY_ONE;
        for (index, file) in files.iter().enumerate() {
            self.place(index, file, one_by_one).map_err(|error| (file.path.clone(), error))?;
        }
        self.flush(one_by_one);
        Ok(())
    }

    fn place(&mut self, index: usize, file: &ExtractedFile<'_>, flush: bool) -> io::Result<()> {
        let (above, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let parent = self.make_folders(above)?;
        let staged = index.to_string();
        let old = self.keep_old(&parent, name, &staged)?;
        // Noted first: if the rename fails, the old content goes back.
        self.done.push(Done::Placed { path: file.path.clone(), old });
        fs::renameat(&self.folder, &staged, &parent, name)?;
        if flush {
            fs::fsync(&parent)?;
        }
        Ok(())
    }

    /// A file system that cannot be flushed whole still has the files.
    fn flush(&self, one_by_one: bool) {
        if !one_by_one {
            let _ = fs::syncfs(&self.root);
        }
    }

    fn make_folders(&mut self, path: &str) -> io::Result<OwnedFd> {
        let mut folder = walk(&self.root, "")?;
        let mut so_far = String::new();
        for component in path.split('/').filter(|component| !component.is_empty()) {
            so_far.push_str(if so_far.is_empty() { "" } else { "/" });
            so_far.push_str(component);
            match fs::mkdirat(&folder, component, Mode::from_raw_mode(0o777)) {
                Ok(()) => self.done.push(Done::Made { path: so_far.clone() }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = walk(&folder, component)?;
        }
        Ok(folder)
    }

    /// Keeps the content that is about to be replaced under another name, and hands on its permission bits.
    fn keep_old(&self, parent: &OwnedFd, name: &str, staged: &str) -> io::Result<Option<String>> {
        let known = match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(known) => known,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if FileType::from_raw_mode(known.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("what stands there is no regular file"));
        }
        let bits = Mode::from_raw_mode(known.st_mode & 0o777);
        fs::chmodat(&self.folder, staged, bits, AtFlags::empty())?;
        let old = format!("{staged}.old");
        if fs::linkat(parent, name, &self.folder, &old, AtFlags::empty()).is_err() {
            // Some file systems have no hard links.
            fs::renameat(parent, name, &self.folder, &old)?;
        }
        Ok(Some(old))
    }

    /// Takes the steps back, newest first; whether all of them could be.
    fn undo(&mut self) -> bool {
        let mut all = true;
        while let Some(step) = self.done.pop() {
            let undone = self.undo_step(&step);
            all &= matches!(undone, Ok(()) | Err(Errno::NOENT));
        }
        all
    }

    fn undo_step(&self, step: &Done) -> Result<(), Errno> {
        let (Done::Made { path } | Done::Placed { path, .. }) = step;
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = walk(&self.root, above)?;
        match step {
            Done::Made { .. } => fs::unlinkat(&parent, name, AtFlags::REMOVEDIR),
            Done::Placed { old: Some(old), .. } => fs::renameat(&self.folder, old, &parent, name),
            Done::Placed { old: None, .. } => fs::unlinkat(&parent, name, AtFlags::empty()),
        }
    }

    /// Removes the stage. A leftover is litter, not a failure.
    fn clear(&self, count: usize) {
        for index in 0..count {
            let _ = fs::unlinkat(&self.folder, index.to_string(), AtFlags::empty());
            let _ = fs::unlinkat(&self.folder, format!("{index}.old"), AtFlags::empty());
        }
        let _ = fs::unlinkat(&self.root, &self.name, AtFlags::REMOVEDIR);
        let _ = fs::fsync(&self.root);
    }
}
