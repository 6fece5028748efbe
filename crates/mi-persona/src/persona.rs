//! The folder as a whole: where it is, its lock, reading shared files and replacing them.

use mi_journal::{FileError, replace_file};
use serde::Serialize;
use std::{
    fs::{self, File},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::access::{AccessError, Folder, Kind};

/// One persona.
#[derive(Debug, Clone)]
pub struct Persona {
    root: PathBuf,
    /// Where this machine keeps what it derives: cache, open sessions. Never synchronised.
    state: PathBuf,
}

/// The right to change files; held until dropped, by one process at a time.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct Lock {
    _folder: File,
}

/// Something that is wrong with one file and did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// From the persona.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, message: impl ToString) -> Self {
        Self { path: path.into(), line: None, message: message.to_string() }
    }

    pub(crate) fn front(path: impl Into<String>, error: &crate::front::FrontError) -> Self {
        Self { path: path.into(), line: Some(error.line), message: error.message.clone() }
    }
}

impl Persona {
    /// `state` is this machine's own folder for what is derived from persona `root`.
    pub fn open(root: &Path, state: &Path) -> Result<Self, AccessError> {
        let persona = Self { root: root.to_owned(), state: state.to_owned() };
        persona.folder("").map(|_| persona)
    }

    /// The persona in `root`; what this machine derives from it lies in `home`, apart for each persona.
    pub fn in_home(root: &Path, home: &Path) -> Result<Self, AccessError> {
        Self::open(root, &Self::state_in(root, home))
    }

    /// Where a machine with this home keeps what it derives from the persona in `root`.
    pub fn state_in(root: &Path, home: &Path) -> PathBuf {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let digest = mi_model::sha256_hex(real.as_os_str().as_encoded_bytes());
        home.join("persona-state").join(&digest[..16])
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// Waits until no other process changes the persona.
    pub fn lock(&self) -> Result<Lock, AccessError> {
        let failed = |error| FileError::new("lock", &self.root, error);
        let folder = File::open(&self.root).map_err(failed)?;
        folder.lock().map_err(failed)?;
        Ok(Lock { _folder: folder })
    }

    /// A folder of the persona; `""` is the persona itself.
    pub(crate) fn folder(&self, relative: &str) -> Result<Option<Folder>, AccessError> {
        Folder::root(&self.root)?.below(relative)
    }

    /// A shared file's text. Folders with a dot belong to a member and are refused.
    pub fn read_shared(&self, relative: &str) -> Result<Option<String>, AccessError> {
        if relative.split('/').any(|part| part.starts_with('.')) {
            return Err(AccessError::Private { path: relative.to_owned() });
        }
        self.read(relative)
    }

    pub(crate) fn read(&self, relative: &str) -> Result<Option<String>, AccessError> {
        let (folder, name) = relative.rsplit_once('/').unwrap_or(("", relative));
        match self.folder(folder)? {
            Some(folder) => folder.text(name),
            None => Ok(None),
        }
    }

    /// Replaces a file, or makes it with its folders. No link is on the way.
    pub(crate) fn replace(&self, _lock: &Lock, relative: &str, text: &[u8]) -> Result<(), AccessError> {
        let (folder, name) = relative.rsplit_once('/').unwrap_or(("", relative));
        if let Some(folder) = self.folder(folder)? {
            match folder.kind(name) {
                None | Some(Kind::File) => {}
                Some(Kind::Link) => return Err(AccessError::Link { path: relative.to_owned() }),
                Some(Kind::Folder | Kind::Other) => {
                    return Err(AccessError::NotAFile { path: relative.to_owned() });
                }
            }
        }
        Ok(replace_file(&self.root.join(relative), text)?)
    }

    /// Gives a file another name in the persona; a file with that name is never replaced.
    pub(crate) fn rename(&self, _lock: &Lock, from: &str, to: &str) -> Result<(), AccessError> {
        let (old, new) = (self.root.join(from), self.root.join(to));
        let failed = |error: io::Error| FileError::new("rename", &old, error);
        match fs::read(&new) {
            Ok(standing) if standing == fs::read(&old).map_err(failed)? => {
                fs::remove_file(&old).map_err(failed)?
            }
            Ok(_) => return Err(failed(io::ErrorKind::AlreadyExists.into()).into()),
            Err(_) => fs::rename(&old, &new).map_err(failed)?,
        }
        Ok(())
    }

    /// Takes a file away.
    pub(crate) fn remove(&self, _lock: &Lock, relative: &str) -> Result<(), AccessError> {
        let path = self.root.join(relative);
        fs::remove_file(&path).map_err(|error| FileError::new("remove", &path, error))?;
        Ok(())
    }

    /// Makes a folder that only its owner can look into.
    pub(crate) fn make_private(&self, _lock: &Lock, relative: &str) -> Result<(), AccessError> {
        self.folder(relative)?;
        let path = self.root.join(relative);
        let failed = |error| FileError::new("create the folder", &path, error);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        Ok(())
    }

    /// Regular files below a folder, by name; what is a link is a problem, what has a dot is somebody's own.
    pub(crate) fn files_below(
        &self,
        relative: &str,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<String>, AccessError> {
        let mut found = Vec::new();
        self.gather(relative, 0, &mut found, problems)?;
        Ok(found)
    }

    fn gather(
        &self,
        relative: &str,
        depth: usize,
        found: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Result<(), AccessError> {
        const DEEPEST: usize = 12;
        let Some(folder) = self.folder(relative)? else { return Ok(()) };
        for item in folder.items()? {
            let path = folder.path_of(&item.name);
            match item.kind {
                Kind::File if !item.name.contains(".new-") => found.push(path),
                Kind::Folder if depth < DEEPEST => {
                    if !item.name.starts_with('.') {
                        self.gather(&path, depth + 1, found, problems)?;
                    }
                }
                Kind::Folder => problems.push(Problem::new(path, "is too deep to be looked at")),
                Kind::Link => {
                    problems.push(Problem::new(&path, AccessError::Link { path: path.clone() }));
                }
                Kind::File | Kind::Other => {}
            }
        }
        Ok(())
    }
}
