//! A scratch copy of a project, in which work is taken back and checks run.
//!
//! The copy is made once; each variant rewrites only the changed files. After a check everything it changed among the
//! project's inputs is put back, while build output stays, so that the next build is incremental.
//! Holds: the project is only read. A copy lives as long as its lock is held: dropping it removes it, and what a killed
//! process left is removed by [`sweep_scratch`].

use mi_bearing::{FileBody, FileChange, Piece, Variant, render_file};
use mi_process::Spawner;
use mi_tree::TreeScanner;
use rustix::fs::{FlockOperation, flock};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

use crate::{change::read_body, engine::ProveError, git::Repository, sandbox::remove_container};

/// Folders of installed dependencies: copied while small, else mounted read-only.
const DEPENDENCIES: [&str; 7] = ["node_modules", ".venv", "venv", "vendor", "Pods", ".tox", ".nox"];
/// Folders that a build makes again by itself: copied while small, else left out.
const BUILT: [&str; 5] = ["target", ".gradle", ".next", "DerivedData", "_build"];
/// Caches that would be stale in a copy.
const STALE: [&str; 4] = ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"];
/// Parts of build output that no test needs: caches of the compiler, and pages.
const UNNEEDED: [&str; 3] = ["incremental", "doc", "tmp"];
/// Dependencies with more files or bytes than this are not copied.
const MOST: (usize, u64) = (20_000, 600 << 20);
/// To build anew costs more than to copy: of build output more is copied, as long as the disk has room.
const MOST_BUILT: (usize, u64) = (60_000, 2 << 30);

/// The file of a copy that names the engine of a running container.
const CONTAINER: &str = "container";

/// A copy of a project.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    _lock: File,
    lock_path: PathBuf,
    root: PathBuf,
    commit: Option<(Repository, String)>,
    scanner: TreeScanner,
    /// The project's inputs as they were copied, with their digests.
    inputs: BTreeMap<String, blake3::Hash>,
    /// Large folders of the project that are mounted read-only instead of copied, relative to its root.
    pub(crate) mounted: Vec<PathBuf>,
}

/// What a copy is made of.
pub(crate) struct CopyOrder<'a> {
    /// Where copies are kept.
    pub(crate) above: &'a Path,
    pub(crate) root: &'a Path,
    /// A commit to copy instead of the working tree; dependencies still come from the working tree.
    pub(crate) commit: Option<(&'a Repository, &'a str)>,
    /// Folders that are `mi`'s own.
    pub(crate) excluded: &'a [PathBuf],
}

impl Scratch {
    /// Copies the project.
    pub(crate) fn create(order: &CopyOrder<'_>) -> Result<Self, ProveError> {
        let fail = |source: io::Error| ProveError::Copy { source };
        fs::create_dir_all(order.above).map_err(fail)?;
        let (folder, lock_path, lock) = claim(order.above).map_err(fail)?;
        let mut scratch = Self {
            scanner: TreeScanner::new(&folder.join("tree"), Vec::new()),
            folder,
            _lock: lock,
            lock_path,
            root: order.root.to_owned(),
            commit: order.commit.map(|(repository, commit)| (repository.clone(), commit.to_owned())),
            inputs: BTreeMap::new(),
            mounted: Vec::new(),
        };
        for name in ["tree", "tmp", "cache"] {
            fs::create_dir(scratch.folder.join(name)).map_err(fail)?;
        }
        match order.commit {
            None => scratch.copy_folder(order, Path::new(""), false).map_err(fail)?,
            Some((repository, commit)) => {
                repository.export(commit, &scratch.tree(), &scratch.folder.join("index"))?;
                scratch.copy_folder(order, Path::new(""), true).map_err(fail)?;
            }
        }
        scratch.scanner.leave_out_build_output(None);
        scratch.inputs = scratch.scanner.scan().files.into_iter().collect();
        Ok(scratch)
    }

    /// The copy of the project's root.
    pub(crate) fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// A folder for temporary files of checks.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// The name of the container that a check of this copy runs in.
    pub(crate) fn container_name(&self) -> String {
        container_name(&self.folder)
    }

    /// Writes down that a container may be running, for those who clean up after a killed process.
    pub(crate) fn note_container(&self, engine: &Path) -> io::Result<()> {
        fs::write(self.folder.join(CONTAINER), engine.as_os_str().as_bytes())
    }

    pub(crate) fn forget_container(&self) {
        let _ = fs::remove_file(self.folder.join(CONTAINER));
    }

    /// A folder for caches that checks may share.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// Copies a folder of the project. With `only_dependencies` nothing else is copied.
    fn copy_folder(&mut self, order: &CopyOrder<'_>, at: &Path, only_dependencies: bool) -> io::Result<()> {
        for entry in fs::read_dir(order.root.join(at))? {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            let below = at.join(&name);
            let from = entry.path();
            if order.excluded.contains(&from) || at.as_os_str().is_empty() && name == ".git" {
                continue;
            }
            let text = name.to_string_lossy();
            if kind.is_dir() {
                if STALE.contains(&text.as_ref()) {
                    continue;
                }
                let (is_dependency, is_built) =
                    (DEPENDENCIES.contains(&text.as_ref()), BUILT.contains(&text.as_ref()));
                if is_dependency || is_built {
                    let is_wanted = if is_built { self.has_room_for(&from) } else { is_small(&from, MOST) };
                    if is_wanted {
                        self.copy_whole(&from, &self.tree().join(&below))?;
                    } else if is_dependency {
                        fs::create_dir_all(self.tree().join(&below))?;
                        self.mounted.push(below);
                    }
                } else if !only_dependencies {
                    make_folder(&from, &self.tree().join(&below))?;
                    self.copy_folder(order, &below, false)?;
                } else if self.tree().join(&below).is_dir() {
                    self.copy_folder(order, &below, true)?;
                }
            } else if !only_dependencies || kind.is_symlink() && DEPENDENCIES.contains(&text.as_ref()) {
                copy_file(&from, &self.tree().join(&below))?;
            }
        }
        Ok(())
    }

    /// Whether build output is small enough to copy, and the disk would keep three times as much free.
    fn has_room_for(&self, folder: &Path) -> bool {
        let free = rustix::fs::statvfs(&self.folder).map_or(0, |disk| disk.f_bavail * disk.f_frsize);
        is_small(folder, (MOST_BUILT.0, MOST_BUILT.1.min(free / 4)))
    }

    fn copy_whole(&self, from: &Path, to: &Path) -> io::Result<()> {
        make_folder(from, to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            let to = to.join(&name);
            if entry.file_type()?.is_dir() {
                if UNNEEDED.iter().any(|unneeded| name == *unneeded) && is_in_build(&entry.path()) {
                    continue;
                }
                self.copy_whole(&entry.path(), &to)?;
            } else {
                copy_file(&entry.path(), &to)?;
            }
        }
        Ok(())
    }

    /// Makes the copy look like a variant of head.
    pub(crate) fn apply(
        &mut self,
        files: &[FileChange],
        pieces: &[Piece],
        variant: &Variant,
    ) -> Result<(), ProveError> {
        let fail = |source: io::Error| ProveError::Copy { source };
        self.restore(files)?;
        for file in files {
            let wanted = render_file(file, pieces, variant);
            let path = self.tree().join(&file.path);
            if read_body(&path) != wanted {
                write_body(&path, wanted.as_ref()).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// Puts back what a check changed among the project's inputs. The changed files themselves are written by the caller.
    fn restore(&mut self, files: &[FileChange]) -> Result<(), ProveError> {
        let fail = |source: io::Error| ProveError::Copy { source };
        let is_changed = |name: &str| files.iter().any(|file| file.path == name);
        let now: BTreeMap<String, blake3::Hash> = self.scanner.scan().files.into_iter().collect();
        for name in now.keys().filter(|name| !self.inputs.contains_key(*name) && !is_changed(name)) {
            fs::remove_file(self.tree().join(name)).map_err(fail)?;
        }
        let damaged =
            self.inputs.iter().filter(|(name, hash)| now.get(*name) != Some(hash) && !is_changed(name));
        for (name, _) in damaged {
            let body = match &self.commit {
                None => read_body(&self.root.join(name)),
                Some((repository, commit)) => {
                    repository.read_files(commit, std::slice::from_ref(name))?.remove(name)
                }
            };
            write_body(&self.tree().join(name), body.as_ref()).map_err(fail)?;
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_scratch(&self.folder, &self.lock_path);
    }
}

/// Removes the copies that killed processes left, and their containers. Costs one look where there are none.
pub fn sweep_scratch(spawner: &Spawner, above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let path = entry.path();
        let lock_path =
            if path.extension() == Some(OsStr::new("lock")) { path } else { path.with_extension("lock") };
        let Ok(lock) = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path) else {
            continue;
        };
        let folder = lock_path.with_extension("");
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() && is_file_at(&lock, &lock_path) {
            if let Ok(engine) = fs::read(folder.join(CONTAINER)) {
                remove_container(spawner, Path::new(OsStr::from_bytes(&engine)), &container_name(&folder));
            }
            remove_scratch(&folder, &lock_path);
        }
    }
}

/// Whether an open file is still the one at a path: another process may have removed it in between.
fn is_file_at(file: &File, path: &Path) -> bool {
    let identity = |about: fs::Metadata| (about.dev(), about.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => identity(open) == identity(there),
        _ => false,
    }
}

/// A name that no other copy on this machine has: homes may differ, and process ids come again.
fn container_name(folder: &Path) -> String {
    let hash = blake3::hash(folder.as_os_str().as_bytes()).to_hex();
    format!("mi-prove-{}", &hash[..16])
}

/// Removes a copy, then its lock: a copy without a lock file would otherwise look claimed by nobody and half gone.
fn remove_scratch(folder: &Path, lock_path: &Path) {
    // A check may have taken rights away from its own folders.
    if fs::remove_dir_all(folder).is_err() {
        give_rights(folder);
        let _ = fs::remove_dir_all(folder);
    }
    if !folder.exists() {
        let _ = fs::remove_file(lock_path);
    }
}

fn give_rights(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            give_rights(&entry.path());
        }
    }
}

/// A new folder and its lock, held from before the folder exists.
fn claim(above: &Path) -> io::Result<(PathBuf, PathBuf, File)> {
    let process = std::process::id();
    for number in 0..1000 {
        let folder = above.join(format!("{process}-{number}"));
        let lock_path = folder.with_extension("lock");
        let lock = match OpenOptions::new().create_new(true).write(true).open(&lock_path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        // Somebody who cleans up may have seen the lock before it was held.
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() || !is_file_at(&lock, &lock_path) {
            continue;
        }
        if let Err(error) = fs::create_dir(&folder) {
            let _ = fs::remove_file(&lock_path);
            return Err(error);
        }
        return Ok((folder, lock_path, lock));
    }
    Err(io::Error::other("too many scratch copies"))
}

fn is_small(folder: &Path, (most_files, most_bytes): (usize, u64)) -> bool {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir()
                && UNNEEDED.iter().any(|name| entry.file_name() == *name)
                && is_in_build(&entry.path())
            {
                continue;
            }
            files += 1;
            bytes += about.len();
            if files > most_files || bytes > most_bytes {
                return false;
            }
            if about.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    true
}

/// Whether a folder is part of Cargo's build output.
fn is_in_build(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "target")
}

fn make_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let mode = fs::metadata(from)?.permissions().mode();
    fs::set_permissions(to, fs::Permissions::from_mode(mode | 0o700))
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Copies a file or link with its mode and time; sockets and the like are left out. The standard library shares the
/// blocks where the file system can.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(about) = fs::symlink_metadata(from) else { return Ok(()) };
    if about.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !about.is_file() {
        return Ok(());
    }
    fs::copy(from, to)?;
    // Builds compare times: a copy that looks new would be built again, one that looks old would not.
    let copied = File::options().write(true).open(to).and_then(|file| file.set_modified(about.modified()?));
    // A file without the right to write keeps the time of its copy.
    let _ = copied;
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

fn write_body(path: &Path, body: Option<&FileBody>) -> io::Result<()> {
    remove(path)?;
    let Some(body) = body else { return Ok(()) };
    make_parent(path)?;
    if body.is_link {
        return symlink(OsStr::from_bytes(&body.bytes), path);
    }
    fs::write(path, &body.bytes)?;
    let mode = if body.is_executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}
