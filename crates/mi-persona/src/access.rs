//! Opening files of the persona: one step at a time from the folder down, never through a link.
//!
//! Each folder on the way is opened relative to the one before and must not be a link, so that nothing can be swapped
//! in between. Holds: [`Folder::read`] gives the bytes of a regular file of a bounded size, or says why not.

use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, fstat, open, openat, statat},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Read},
    mem::MaybeUninit,
    path::{Path, PathBuf},
};

use mi_journal::FileError;

/// Files of a persona are texts for people; a longer one is something else.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Why something in the persona could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error("there is no persona in `{}`; make one with: mi persona init", folder.display())]
    NoPersona { folder: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "`{path}` is refused: a symbolic link is on its way, which may lead to what is not yours; put a real file or folder there"
    )]
    Link { path: String },
    #[error("`{path}` is refused: it is private memory of another member")]
    Private { path: String },
    #[error(
        "`{path}` is refused: it is the same file as one in private memory of another member (a hard link); write a file of its own"
    )]
    SharedWithPrivate { path: String },
    #[error("`{path}` is no regular file; move it away")]
    NotAFile { path: String },
    #[error("`{path}` has {bytes} bytes; a file of the persona has at most {MAX_FILE_BYTES}; shorten it")]
    TooLarge { path: String, bytes: u64 },
    #[error("`{path}` is not UTF-8 text from byte {at} on; save it as UTF-8")]
    NotText { path: String, at: usize },
}

/// What tells one version of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub inode: u64,
    pub size: u64,
    pub modified_ns: i128,
    pub changed_ns: i128,
}

/// A folder that was reached without following a link.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    /// The persona's own path, for messages of the system.
    place: PathBuf,
    /// From the persona; empty for the persona itself.
    name: String,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Folder {
    /// The persona itself; its own path may be a link, as in a folder of dotfiles.
    pub(crate) fn root(path: &Path) -> Result<Self, AccessError> {
        match open(path, FOLDER, Mode::empty()) {
            Ok(handle) => Ok(Self { handle, place: path.to_owned(), name: String::new() }),
            Err(Errno::NOENT) => Err(AccessError::NoPersona { folder: path.to_owned() }),
            Err(error) => Err(FileError::new("open the folder", path, error.into()).into()),
        }
    }

    /// A folder below, by its names; none when one of them is missing.
    pub(crate) fn below(&self, relative: &str) -> Result<Option<Self>, AccessError> {
        let mut current: Option<Self> = None;
        for part in relative.split('/').filter(|part| !part.is_empty()) {
            let here = current.as_ref().unwrap_or(self);
            let flags = FOLDER | OFlags::NOFOLLOW;
            match openat(&here.handle, part, flags, Mode::empty()) {
                Ok(handle) => {
                    current = Some(Self { handle, place: self.place.clone(), name: here.path_of(part) });
                }
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(here.refused(part, "open the folder", error)),
            }
        }
        match current {
            Some(folder) => Ok(Some(folder)),
            None => {
                let handle = self
                    .handle
                    .try_clone()
                    .map_err(|error| FileError::new("open the folder", &self.place, error))?;
                Ok(Some(Self { handle, place: self.place.clone(), name: self.name.clone() }))
            }
        }
    }

    /// The path from the persona of a name in this folder.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{}/{name}", self.name) }
    }

    /// A file's bytes and version; none when there is none.
    pub(crate) fn read(&self, name: &str) -> Result<Option<(Vec<u8>, Stamp)>, AccessError> {
        // Without waiting: opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = match openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.refused(name, "read", error)),
        };
        let failed = |error: io::Error| FileError::new("read", &self.place.join(self.path_of(name)), error);
        let stat = fstat(&handle).map_err(|error| failed(error.into()))?;
        if kind_of(&stat) != Kind::File {
            return Err(AccessError::NotAFile { path: self.path_of(name) });
        }
        if stat.st_nlink > 1 && self.is_someones_private(&stat)? {
            return Err(AccessError::SharedWithPrivate { path: self.path_of(name) });
        }
        let stamp = Stamp::of(&stat);
        if stamp.size > MAX_FILE_BYTES {
            return Err(AccessError::TooLarge { path: self.path_of(name), bytes: stamp.size });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0) + 1);
        File::from(handle).take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some((bytes, stamp)))
    }

    /// Whether a file with several names has one of them in a private folder that is not this folder's own member's.
    /// Only names and numbers of files are looked at.
    fn is_someones_private(&self, stat: &Stat) -> Result<bool, AccessError> {
        let own = self.name.split('/').next().filter(|first| first.starts_with('.'));
        let root = Self::root(&self.place)?;
        let members = root.items()?.into_iter().filter(|item| {
            item.kind == Kind::Folder
                && item.name.starts_with('.')
                && item.name != ".git"
                && Some(item.name.as_str()) != own
        });
        for member in members {
            if let Some(folder) = root.below(&format!("{}/private", member.name)).unwrap_or(None)
                && folder.holds(stat, 0)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn holds(&self, wanted: &Stat, depth: usize) -> Result<bool, AccessError> {
        const DEEPEST: usize = 8;
        for item in self.items()? {
            let found = match item.kind {
                Kind::File => statat(&self.handle, item.name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (wanted.st_dev, wanted.st_ino)),
                Kind::Folder if depth < DEEPEST => match self.below(&item.name)? {
                    Some(folder) => folder.holds(wanted, depth + 1)?,
                    None => false,
                },
                Kind::Folder | Kind::Link | Kind::Other => false,
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A file's text; none when there is none.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, AccessError> {
        let Some((bytes, _)) = self.read(name)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|error| AccessError::NotText {
            path: self.path_of(name),
            at: error.utf8_error().valid_up_to(),
        })
    }

    /// The version of a file without reading it; none when it is missing or not a regular file.
    pub(crate) fn stamp(&self, name: &str) -> Option<Stamp> {
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (kind_of(&stat) == Kind::File).then(|| Stamp::of(&stat))
    }

    /// Everything in the folder, by name. Names that are no text are left out: nothing of ours has such a name.
    pub(crate) fn items(&self) -> Result<Vec<Item>, AccessError> {
        let failed = |error: Errno| FileError::new("list", &self.place.join(&self.name), error.into());
        let mut buffer = vec![MaybeUninit::<u8>::uninit(); 64 * 1024];
        // A handle of its own: the place in the listing belongs to the handle.
        let flags = FOLDER | OFlags::NOFOLLOW;
        let handle = openat(&self.handle, ".", flags, Mode::empty()).map_err(failed)?;
        let mut listing = RawDir::new(handle, &mut buffer);
        let mut found = Vec::new();
        while let Some(entry) = listing.next() {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                FileType::Symlink => Kind::Link,
                FileType::Unknown => self.kind(name).unwrap_or(Kind::Other),
                _ => Kind::Other,
            };
            found.push(Item { name: name.to_owned(), kind });
        }
        found.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(found)
    }

    /// What stands under a name; none when nothing does.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| kind_of(&stat))
    }

    fn refused(&self, name: &str, attempt: &'static str, error: Errno) -> AccessError {
        let path = self.path_of(name);
        match error {
            // What `O_NOFOLLOW` answers for a link; with `O_DIRECTORY` some systems say NOTDIR.
            Errno::LOOP => AccessError::Link { path },
            Errno::NOTDIR if self.kind(name) == Some(Kind::Link) => AccessError::Link { path },
            Errno::NXIO => AccessError::NotAFile { path },
            error => FileError::new(attempt, &self.place.join(path), error.into()).into(),
        }
    }
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, nanos: i128| i128::from(seconds) * 1_000_000_000 + nanos;
        Self {
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified_ns: time(stat.st_mtime, stat.st_mtime_nsec.into()),
            changed_ns: time(stat.st_ctime, stat.st_ctime_nsec.into()),
        }
    }
}

fn kind_of(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}
