//! Small JSON files that are replaced as a whole: `base.json`, `overlay.json`.
//!
//! Holds: a reader sees the old file or the new one, never half of one, also after a crash. A file that cannot
//! be read as JSON of its type is renamed to `NAME.corrupt-N` and the default stands in for it, which is said until there is
//! a file again. A file that says something `mi` would not obey is refused and stays where it is.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{self, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

use crate::{
    FileError, JournalError, Repair,
    error::AtPath,
    repair::{new_sibling, sibling},
};

/// One JSON file with the type of what it holds.
#[derive(Debug, Clone)]
pub struct StateFile<T> {
    path: PathBuf,
    /// Why the content cannot be obeyed, part by part.
    refuse: Option<fn(&Value) -> Vec<String>>,
    content: PhantomData<fn() -> T>,
}

/// What a state file held, and what had to be done to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// `None` when there was no (readable) file.
    pub value: Option<T>,
    pub repair: Option<Repair>,
}

impl<T: Serialize + DeserializeOwned> StateFile<T> {
    /// Names the file; touches nothing.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), refuse: None, content: PhantomData }
    }

    /// The same file, read only if `refuse` has nothing to say against what it holds.
    #[must_use]
    pub fn refusing(self, refuse: fn(&Value) -> Vec<String>) -> Self {
        Self { refuse: Some(refuse), ..self }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file; missing and corrupt ones have no value, and a corrupt one is quarantined. What cannot be obeyed is an
    /// error that names it.
    pub fn load(&self) -> Result<Loaded<T>, FileError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Loaded { value: None, repair: self.set_aside_before() });
            }
            Err(error) => return Err(FileError::new("read", &self.path, error)),
        };
        let refused = match (self.refuse, serde_json::from_slice(&bytes)) {
            (Some(refuse), Ok(value)) => refuse(&value),
            _ => Vec::new(),
        };
        if !refused.is_empty() {
            let why = io::Error::new(io::ErrorKind::InvalidData, refused.join("; "));
            return Err(FileError::new("obey", &self.path, why));
        }
        match serde_json::from_slice(&bytes) {
            Ok(value) => Ok(Loaded { value: Some(value), repair: None }),
            Err(error) => Ok(Loaded { value: None, repair: Some(self.quarantine(&error)) }),
        }
    }

    /// What was set aside earlier, if nothing took its place since: until then the person's own words do not hold.
    fn set_aside_before(&self) -> Option<Repair> {
        let places = (1..).map(|number| sibling(&self.path, &format!(".corrupt-{number}")));
        let place = places.take_while(|place| place.exists()).last()?;
        let message =
            "is missing, so the defaults stand in for it; mend what could not be read and put it back";
        Some(Repair { path: self.path.clone(), set_aside: Some(place), message: message.to_owned() })
    }

    /// Replaces the file; when this returns, the new content is on the disk.
    pub fn replace(&self, value: &T) -> Result<(), JournalError> {
        let mut text = serde_json::to_vec_pretty(value)
            .map_err(|source| JournalError::Encode { kind: self.path.display().to_string(), source })?;
        text.push(b'\n');
        Ok(replace_file(&self.path, &text)?)
    }

    fn quarantine(&self, error: &serde_json::Error) -> Repair {
        let moved = new_sibling(&self.path, "corrupt").and_then(|(place, _)| {
            fs::rename(&self.path, &place).at("quarantine", &self.path).map(|()| place)
        });
        let (set_aside, problem) = match moved {
            Ok(place) => (Some(place), String::new()),
            Err(failure) => (None, format!("; it could not be set aside: {}", failure.source)),
        };
        let message = format!("not readable ({error}), so the defaults stand in for it{problem}");
        Repair { path: self.path.clone(), set_aside, message }
    }
}

impl<T: Serialize + DeserializeOwned + Default> StateFile<T> {
    /// Reads the file, or the default.
    pub fn load_or_default(&self) -> Result<(T, Option<Repair>), FileError> {
        self.load().map(|loaded| (loaded.value.unwrap_or_default(), loaded.repair))
    }
}

/// Writes a temporary sibling, renames it over the file and flushes both; makes the folders above it. Who may read the
/// file stays as it was.
pub fn replace_file(path: &Path, text: &[u8]) -> Result<(), FileError> {
    let Some(folder) = path.parent() else {
        return Err(FileError::new("replace", path, io::ErrorKind::InvalidInput.into()));
    };
    fs::create_dir_all(folder).at("create the folder", folder)?;
    // A new file with a name of this process: neither another writer's nor anybody's file or link is written over.
    let (temporary, file) = new_sibling(path, &format!("new-{}", std::process::id()))?;
    let written = write_like(path, file, text).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // Nothing was replaced; a leftover would only be litter, so a failure to remove it does not matter.
        let _ = fs::remove_file(&temporary);
        return Err(FileError::new("replace", path, error));
    }
    File::open(folder).and_then(|folder| folder.sync_all()).at("flush the folder", folder)
}

fn write_like(old: &Path, mut file: File, text: &[u8]) -> io::Result<()> {
    if let Ok(old) = fs::symlink_metadata(old)
        && old.is_file()
    {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text)?;
    file.sync_all()
}
