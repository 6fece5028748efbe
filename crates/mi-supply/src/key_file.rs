//! A signing key that is kept in a file: made on first use, readable by its owner alone.
//!
//! Holds: a key that is in place is never replaced; two that are made at once come to the same one, the first in place.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use crate::sign::{KeyError, SecretKey};

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("read the signing key")]
    Read(#[source] io::Error),
    #[error("write the signing key")]
    Write(#[source] io::Error),
    /// What stands in the file; it is left as it is.
    #[error(transparent)]
    Spoiled(KeyError),
}

/// The key in this file; made at the first need, with the folders above it.
pub fn kept(path: &Path) -> Result<SecretKey, KeyFileError> {
    loop {
        match fs::read_to_string(path) {
            Ok(text) => return SecretKey::read(&text).map_err(KeyFileError::Spoiled),
            Err(error) if error.kind() == ErrorKind::NotFound => make(path).map_err(KeyFileError::Write)?,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(KeyFileError::Spoiled(KeyError::Secret));
            }
            Err(error) => return Err(KeyFileError::Read(error)),
        }
    }
}

fn make(path: &Path) -> io::Result<()> {
    let (mut seed, mut id) = ([0; 32], [0; 8]);
    let mut random = File::open("/dev/urandom")?;
    random.read_exact(&mut seed)?;
    random.read_exact(&mut id)?;
    let key = SecretKey::from_random(seed, id).map_err(io::Error::other)?;
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let new = path.with_extension(format!("new-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(key.to_file().as_bytes())?;
    file.sync_all()?;
    // A link fails where a key is already in place; a rename would replace it.
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// The key is made once, for its owner alone, and leaves nothing beside it.
    #[test]
    fn the_key_is_made_once() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("keys/some.key");
        let first = kept(&path).unwrap().public();
        assert_eq!(kept(&path).unwrap().public(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(home.path().join("keys")).unwrap().count(), 1);
    }

    /// A file that holds no key, text or not, is said and left as it is.
    #[test]
    fn a_spoiled_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("some.key");
        for bytes in [b"nonsense".as_slice(), b"", b"\xff\xfe"] {
            fs::write(&path, bytes).unwrap();
            assert!(matches!(kept(&path), Err(KeyFileError::Spoiled(_))));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    /// Where no key can be read or made, the attempt is named.
    #[test]
    fn a_place_that_cannot_hold_a_key_is_said() {
        let home = tempfile::tempdir().unwrap();
        assert!(matches!(kept(home.path()), Err(KeyFileError::Read(_))));
        fs::write(home.path().join("file"), "").unwrap();
        let below = kept(&home.path().join("file/some.key"));
        assert!(matches!(below, Err(KeyFileError::Read(_) | KeyFileError::Write(_))), "{below:?}");
    }
}
