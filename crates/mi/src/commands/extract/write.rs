//! Writes all files or none: staged beside their places, flushed, then renamed; a failure undoes what was done.
//!
//! The stage is locked by its owner and has a journal from the moment on at which files go to their places, so that
//! after `kill -9` the next start (`recover`) finishes them, or finishes undoing them.
//!
//! Holds: no link below the target is followed; at every instant each path has its old or its new content.

use mi_extract::ExtractedFile;
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::target::{open_root, walk};

/// Names of stages begin so; the rest is the process and a number.
pub(super) const STAGE: &str = ".mi-extract-";
/// One path per line, in the order of the staged files, and [`JOURNAL_END`]. While it is there, staged files are to go
/// to their places.
pub(super) const JOURNAL: &str = "journal";
pub(super) const JOURNAL_END: &str = "end of journal\n";
/// The journal under another name: what was placed is to be taken back.
pub(super) const UNDO: &str = "undo";

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
pub(super) struct Stage {
    pub(super) root: OwnedFd,
    /// Locked as long as the stage has an owner.
    pub(super) folder: OwnedFd,
    pub(super) name: String,
    done: Vec<Done>,
}

/// A step that can be undone.
enum Done {
    Made { path: String },
    Placed { index: usize, path: String },
}

impl Stage {
    fn new(out: &Path) -> io::Result<Self> {
        let root = open_root(out)?;
        for number in 0..100 {
            let name = format!("{STAGE}{}-{number}", std::process::id());
            match fs::mkdirat(&root, &name, Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            }
            // Somebody who sweeps may have been faster; then this stage is gone.
            if let Some(stage) = Self::adopt(walk(&root, "")?, &name)? {
                return Ok(stage);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The stage of that name, if it is there and nobody owns it.
    pub(super) fn adopt(root: OwnedFd, name: &str) -> io::Result<Option<Self>> {
        let folder = match walk(&root, name) {
            Ok(folder) => folder,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let is_there = fs::statat(&root, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        Ok(is_there.then(|| Self { root, folder, name: name.to_owned(), done: Vec::new() }))
    }

    fn write(mut self, out: &Path, files: &[ExtractedFile<'_>]) -> Result<(), WriteError> {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let done = self.put_all(files).and_then(|()| self.place_all(&paths));
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
        let mode = Mode::from_raw_mode(if file.executable == Some(true) { 0o777 } else { 0o666 });
        let mut staged = File::from(fs::openat(&self.folder, index.to_string(), flags, mode)?);
        staged.write_all(file.content.as_bytes())?;
        if let Some(bits) = self.old_bits(&file.path) {
            // Who may read it may run it.
            let runs = (bits & 0o444) >> 2;
            let bits = match file.executable {
                Some(true) => bits | runs,
                Some(false) => bits & !0o111,
                None => bits,
            };
            fs::fchmod(&staged, Mode::from_raw_mode(bits))?;
        }
        if flush { staged.sync_all() } else { Ok(()) }
    }

    /// The permission bits of what is about to be replaced.
    fn old_bits(&self, path: &str) -> Option<u32> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let known = fs::statat(walk(&self.root, above).ok()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(known.st_mode) == FileType::RegularFile).then_some(known.st_mode & 0o777)
    }

    /// Moves every file from the stage to its place. From the journal on, a start after a crash goes on with it.
    fn place_all(&mut self, paths: &[&str]) -> Result<(), (String, io::Error)> {
        self.write_journal(paths).map_err(|error| (JOURNAL.to_owned(), error))?;
        let one_by_one = paths.len() <= FLUSHED_ONE_BY_ONE;
        for (index, path) in paths.iter().enumerate() {
            self.place(index, path, one_by_one).map_err(|error| ((*path).to_owned(), error))?;
        }
        self.flush(one_by_one);
        Ok(())
    }

    fn write_journal(&self, paths: &[&str]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(fs::openat(&self.folder, JOURNAL, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(format!("{}\n{JOURNAL_END}", paths.join("\n")).as_bytes())?;
        file.sync_all()?;
        fs::fsync(&self.folder)?;
        Ok(())
    }

    pub(super) fn place(&mut self, index: usize, path: &str, flush: bool) -> io::Result<()> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.make_folders(above)?;
        let staged = index.to_string();
        self.keep_old(&parent, name, &staged)?;
        // Noted first: if the rename fails, the old content goes back.
        self.done.push(Done::Placed { index, path: path.to_owned() });
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

    /// Keeps the content that is about to be replaced under another name.
    fn keep_old(&self, parent: &OwnedFd, name: &str, staged: &str) -> io::Result<()> {
        let known = match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(known) => known,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if FileType::from_raw_mode(known.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("what stands there is no regular file"));
        }
        let old = format!("{staged}.old");
        match fs::linkat(parent, name, &self.folder, &old, AtFlags::empty()) {
            // Kept already, before a crash.
            Ok(()) | Err(Errno::EXIST) => {}
            // Some file systems have no hard links.
            Err(_) => fs::renameat(parent, name, &self.folder, &old)?,
        }
        Ok(())
    }

    /// Takes the steps back, newest first; whether all of them could be.
    fn undo(&mut self) -> bool {
        // From here on a start after a crash takes back too. Without a journal nothing was placed.
        if fs::renameat(&self.folder, JOURNAL, &self.folder, UNDO).is_ok() {
            let _ = fs::fsync(&self.folder);
        }
        let mut all = true;
        while let Some(step) = self.done.pop() {
            let undone = match step {
                Done::Made { path } => self.remove_folder(&path),
                Done::Placed { index, path } => self.take_back(index, &path),
            };
            all &= matches!(undone, Ok(()) | Err(Errno::NOENT));
        }
        all
    }

    fn remove_folder(&self, path: &str) -> Result<(), Errno> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        fs::unlinkat(walk(&self.root, above)?, name, AtFlags::REMOVEDIR)
    }

    /// Puts the old content back, or a new file into the stage. Doing it twice does no more.
    pub(super) fn take_back(&self, index: usize, path: &str) -> Result<(), Errno> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (staged, old) = (index.to_string(), format!("{index}.old"));
        let has = |name: &str| fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let parent = walk(&self.root, above)?;
        if has(&old) {
            return fs::renameat(&self.folder, &old, &parent, name);
        }
        if has(&staged) {
            return Ok(());
        }
        fs::renameat(&parent, name, &self.folder, &staged)
    }

    /// Removes the stage. A leftover is litter, not a failure.
    pub(super) fn clear(&self, count: usize) {
        for index in 0..count {
            let _ = fs::unlinkat(&self.folder, index.to_string(), AtFlags::empty());
            let _ = fs::unlinkat(&self.folder, format!("{index}.old"), AtFlags::empty());
        }
        // The journal goes last: until then a start after a crash knows what is left.
        let _ = fs::unlinkat(&self.folder, JOURNAL, AtFlags::empty());
        let _ = fs::unlinkat(&self.folder, UNDO, AtFlags::empty());
        let _ = fs::unlinkat(&self.root, &self.name, AtFlags::REMOVEDIR);
        let _ = fs::fsync(&self.root);
    }
}
