//! The folder that files go into, looked at without following any link below it.

use mi_extract::{Entry, EntryKind, Folder};
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, FileType, Mode, OFlags},
    io::Errno,
};
use std::{fs::File, io::Read, path::Path};

use crate::failure::Failure;

/// A file that a diff changes is read up to this size.
const BASE_BYTES: u64 = 256 << 20;
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The target, if it exists.
pub(super) struct Target {
    root: Option<OwnedFd>,
}

impl Target {
    pub(super) fn open(out: Option<&Path>) -> Result<Self, Failure> {
        let Some(out) = out else { return Ok(Self { root: None }) };
        match open_root(out) {
            Ok(root) => Ok(Self { root: Some(root) }),
            Err(Errno::NOENT) => Ok(Self { root: None }),
            Err(error) => Err(Failure::new(format!("open the folder {}", out.display()))
                .because(&error)
                .todo("give a folder with --out; it is made if it does not exist")),
        }
    }

    fn folder(&self, path: &str) -> Option<OwnedFd> {
        walk(self.root.as_ref()?, path).ok()
    }
}

impl Folder for Target {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        let Some(folder) = self.folder(folder) else { return Vec::new() };
        let Ok(listing) = fs::Dir::read_from(&folder) else { return Vec::new() };
        let named = listing.filter_map(Result::ok).filter_map(|entry| {
            let name = entry.file_name().to_str().ok()?.to_owned();
            let kind = fs::statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                .map_or(EntryKind::Other, |known| kind(FileType::from_raw_mode(known.st_mode)));
            Some(Entry { name, kind })
        });
        named.filter(|entry| entry.name != "." && entry.name != "..").collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.folder(parent)?;
        // A pipe must not keep us waiting.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = File::from(fs::openat(parent, name, flags, Mode::empty()).ok()?);
        let known = file.metadata().ok().filter(|known| known.is_file() && known.len() <= BASE_BYTES)?;
        let mut content = Vec::with_capacity(usize::try_from(known.len()).unwrap_or(0));
        file.take(BASE_BYTES).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

fn kind(found: FileType) -> EntryKind {
    match found {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// The target itself may be reached through a link: the person named it.
pub(super) fn open_root(out: &Path) -> Result<OwnedFd, Errno> {
    fs::open(out, FOLDER, Mode::empty())
}

/// A folder below the target; every step refuses links.
pub(super) fn walk(root: &OwnedFd, path: &str) -> Result<OwnedFd, Errno> {
    let mut folder = fs::openat(root, ".", FOLDER, Mode::empty())?;
    for component in path.split('/').filter(|component| !component.is_empty()) {
        folder = fs::openat(&folder, component, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(folder)
}
