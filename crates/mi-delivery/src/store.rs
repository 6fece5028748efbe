//! Content by its digest: written once, never changed, checked when it is read.

use mi_council::Digest;
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::error::{At, CouncilError};

/// The store under the home folder.
#[derive(Debug, Clone)]
pub struct ContentStore {
    root: PathBuf,
}

impl ContentStore {
    /// Names the store; touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { root: home.join("store/sha256") }
    }

    /// Keeps some content; when this returns, it is on the disk.
    pub fn put(&self, content: &[u8]) -> Result<Digest, CouncilError> {
        let digest = Digest::of(content);
        let path = self.path(digest);
        // What was spoiled on the disk is written anew.
        if path.exists() && self.get(digest)?.is_some() {
            return Ok(digest);
        }
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).at("create the folder", folder)?;
        // The process id keeps two processes that store the same content from sharing a file.
        let temporary = path.with_extension(format!("new-{}", std::process::id()));
        let written = write_synced(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            // Nothing was stored; a leftover would only be litter, so a failure to remove it does not matter.
            let _ = fs::remove_file(&temporary);
        }
        written.at("store content in", &path)?;
        Ok(digest)
    }

    /// The content with this digest; `None` if it is not here, or no longer what it was.
    pub fn get(&self, digest: Digest) -> Result<Option<Vec<u8>>, CouncilError> {
        let path = self.path(digest);
        match fs::read(&path) {
            Ok(content) if Digest::of(&content) == digest => Ok(Some(content)),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", &path),
        }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let text = digest.to_string();
        self.root.join(&text[..2]).join(&text[2..])
    }
}

/// Writes a new file and flushes it.
pub(crate) fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Content comes back by its digest; content that was changed on the disk does not.
    #[test]
    fn content_is_checked_when_it_is_read() {
        let home = tempfile::tempdir().unwrap();
        let store = ContentStore::new(home.path());
        let digest = store.put(b"abc").unwrap();
        assert_eq!(store.put(b"abc").unwrap(), digest);
        assert_eq!(store.get(digest).unwrap().as_deref(), Some(&b"abc"[..]));
        assert_eq!(store.get(Digest::of(b"other")).unwrap(), None);
        fs::write(store.path(digest), b"abd").unwrap();
        assert_eq!(store.get(digest).unwrap(), None);
        assert_eq!(store.put(b"abc").unwrap(), digest);
        assert_eq!(store.get(digest).unwrap().as_deref(), Some(&b"abc"[..]), "it is written anew");
    }
}
