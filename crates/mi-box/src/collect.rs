//! What the command left in `output`: checked, made harmless, hashed (X5, X11, X14). All processes are dead by now.
//!
//! Holds: no link is followed; what is no plain file or folder, or has a name that no manifest takes, is removed and
//! denied; nothing keeps a setuid bit; folders without outputs are not kept.

use mi_admission::Denial;
use mi_supply::manifest::Output;
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    ffi::CStr,
    fs::File,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

use crate::{engine::SlotLimits, tree, watch};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const MOST_FILES: usize = 100_000;
const MOST_DENIALS: usize = 100;
/// What stands deeper cannot be named in one call below the folder of a run.
const LONGEST_PATH: usize = 3000;

/// What was found in the slot.
#[derive(Debug, Default)]
pub struct Collected {
    /// Sorted by path.
    pub outputs: Vec<Output>,
    pub denials: Vec<Denial>,
}

/// Looks at everything in the slot and removes what may not stay.
pub fn collect(slot: &Path, limits: SlotLimits) -> io::Result<Collected> {
    let mut walk = Walk::default();
    let top = fs::open(slot, FOLDER, Mode::empty())?;
    walk.folder(&top, "", tree::DEPTH)?;
    let total = walk.files.iter().map(|(_, stat)| stat.st_size.unsigned_abs()).sum();
    if let Some(denial) = watch::over_output(total, limits) {
        walk.denials.push(denial);
        tree::remove(slot)?;
        std::fs::create_dir(slot)?;
        return Ok(Collected { outputs: Vec::new(), denials: walk.told() });
    }
    walk.refuse_links_to_elsewhere(&top)?;
    walk.refuse_names(&top)?;
    tree::remove_empty_folders(&top)?;
    let outputs = walk.files.iter().map(|(path, _)| describe(&top, path)).collect::<io::Result<_>>()?;
    Ok(Collected { outputs, denials: walk.told() })
}

/// The hash, size and kind of a file below an open folder, reached without following links.
pub(crate) fn describe(top: &OwnedFd, path: &str) -> io::Result<Output> {
    let mut file = open_below(top, path)?;
    let known = file.metadata()?;
    if !known.is_file() {
        return Err(io::Error::other(format!("{path} is no plain file")));
    }
    let (sha256, bytes) = hash(&mut file)?;
    // Collected files have none; one that has got them since is not as it was sealed.
    if known.mode() & 0o6000 != 0 {
        return Err(io::Error::other("changed: it has a setuid or setgid bit"));
    }
    let executable = Some(known.mode() & 0o111 != 0);
    Ok(Output { path: path.to_owned(), sha256, bytes, executable })
}

pub(crate) fn open_below(top: &OwnedFd, path: &str) -> io::Result<File> {
    let (folder, name) = folder_below(top, path)?;
    Ok(File::from(fs::openat(&folder, name, FILE, Mode::empty())?))
}

/// The folder that a path leads to, and the name in it.
fn folder_below<'p>(top: &OwnedFd, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = fs::openat(top, ".", FOLDER, Mode::empty())?;
    for part in above.split('/').filter(|part| !part.is_empty()) {
        folder = fs::openat(&folder, part, FOLDER, Mode::empty())?;
    }
    Ok((folder, name))
}

fn hash(file: &mut File) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let (mut buffer, mut bytes) = (vec![0; 128 << 10], 0);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        bytes += count as u64;
    }
    let hex = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((hex, bytes))
}

#[derive(Default)]
struct Walk {
    files: Vec<(String, Stat)>,
    denials: Vec<Denial>,
    /// How many were refused beyond those that are told.
    untold: usize,
}

impl Walk {
    fn folder(&mut self, folder: &OwnedFd, above: &str, depth: usize) -> io::Result<()> {
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            if !tree::is_dots(entry.file_name().to_bytes()) {
                self.entry(folder, entry.file_name(), above, depth)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, folder: &OwnedFd, name: &CStr, above: &str, depth: usize) -> io::Result<()> {
        let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        let shown = name.to_string_lossy();
        let path = if above.is_empty() { shown.into_owned() } else { format!("{above}/{shown}") };
        let plain = name.to_str().is_ok_and(|name| !name.contains(char::is_control));
        match kind {
            _ if !plain => self.refuse(folder, name, kind, &path, "a name with control or broken characters"),
            FileType::Directory if depth == 0 => self.refuse(folder, name, kind, &path, "a folder too deep"),
            FileType::RegularFile if self.files.len() >= MOST_FILES => {
                self.refuse(folder, name, kind, &path, "more files than are collected")
            }
            FileType::Directory => {
                fs::chmodat(folder, name, Mode::from_raw_mode(0o755), AtFlags::empty())?;
                let inner = fs::openat(folder, name, FOLDER, Mode::empty())?;
                self.folder(&inner, &path, depth - 1)
            }
            FileType::RegularFile => {
                let mode = if stat.st_mode & 0o111 == 0 { 0o644 } else { 0o755 };
                fs::chmodat(folder, name, Mode::from_raw_mode(mode), AtFlags::empty())?;
                self.files.push((path, stat));
                Ok(())
            }
            FileType::Symlink => self.refuse(folder, name, kind, &path, "a symbolic link"),
            FileType::Fifo => self.refuse(folder, name, kind, &path, "a pipe"),
            FileType::Socket => self.refuse(folder, name, kind, &path, "a socket"),
            _ => self.refuse(folder, name, kind, &path, "a device"),
        }
    }

    /// A command can leave more names than anybody reads, or than a record holds: the first are told, the rest counted.
    fn deny(&mut self, path: &str, what: &str) {
        if self.denials.len() >= MOST_DENIALS {
            self.untold += 1;
            return;
        }
        let field = format!("output/{}", path.escape_debug());
        self.denials.push(Denial::new("W.output", field, format!("{what} is not collected")));
    }

    /// What is denied, and how much more.
    fn told(self) -> Vec<Denial> {
        let more = || Denial::new("W.output", "output", format!("{} more are not collected", self.untold));
        let more = (self.untold > 0).then(more);
        self.denials.into_iter().chain(more).collect()
    }

    /// Removed at once, so that nothing of it is left (X14).
    fn refuse(
        &mut self,
        folder: &OwnedFd,
        name: &CStr,
        kind: FileType,
        path: &str,
        what: &str,
    ) -> io::Result<()> {
        self.deny(path, what);
        if kind == FileType::Directory {
            let inner = fs::openat(folder, name, FOLDER, Mode::empty())?;
            let real =
                std::fs::read_link(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&inner)))?;
            return tree::remove(&real);
        }
        Ok(fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    /// Names that differ only in case or composition cannot both be passed on; nor can names that Windows reads as paths. The first
    /// of its kind stays. Leaves the files in the order of their names.
    fn refuse_names(&mut self, top: &OwnedFd) -> io::Result<()> {
        let mut seen = std::collections::BTreeSet::new();
        let mut files = std::mem::take(&mut self.files);
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (path, stat) in files {
            if path.len() > LONGEST_PATH {
                self.unlink(top, &path, "a path too long")?;
            } else if path.contains('\\') {
                self.unlink(top, &path, "a name with a backslash")?;
            } else if !seen.insert(mi_supply::manifest::same_name(&path)) {
                self.unlink(top, &path, "a name that differs from another only in case or composition")?;
            } else {
                self.files.push((path, stat));
            }
        }
        Ok(())
    }

    /// Takes a file away again that was found before.
    fn unlink(&mut self, top: &OwnedFd, path: &str, what: &str) -> io::Result<()> {
        self.deny(path, what);
        let (folder, name) = folder_below(top, path)?;
        Ok(fs::unlinkat(&folder, name, AtFlags::empty())?)
    }

    /// A file with more names than were found here has one elsewhere.
    fn refuse_links_to_elsewhere(&mut self, top: &OwnedFd) -> io::Result<()> {
        let mut names: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for (_, stat) in &self.files {
            *names.entry((stat.st_dev, stat.st_ino)).or_default() += 1;
        }
        let leads_out = |stat: &Stat| stat.st_nlink > names[&(stat.st_dev, stat.st_ino)];
        let (bad, good): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.files).into_iter().partition(|(_, stat)| leads_out(stat));
        self.files = good;
        bad.iter().try_for_each(|(path, _)| self.unlink(top, path, "a hard link to elsewhere"))
    }
}
