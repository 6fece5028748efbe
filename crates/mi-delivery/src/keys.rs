//! The key that deliveries are signed with: made once, kept under the home folder, readable by its owner alone.
//!
//! Requirements: MI-COUNCIL-018.

use mi_council::packet::Seals;
use mi_supply::{exact, sign::SecretKey};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use crate::error::{At, CouncilError};

/// How the signatures of packets are read: byte for byte as [`SigningKey`] writes them.
pub(crate) const SEALS: Seals = Seals {
    fingerprint: |key| exact::fingerprint(key).map_err(|error| error.to_string()),
    check: |message, signature, key| exact::check(message, signature, key).map_err(|error| error.to_string()),
};

/// Signs, and tells with which key.
pub struct SigningKey {
    secret: SecretKey,
}

impl SigningKey {
    /// The home's key; made at the first need. Two that are made at once come to the same one: the first in place.
    pub fn of_home(home: &Path) -> Result<Self, CouncilError> {
        let path = home.join("keys/delivery.key");
        loop {
            match fs::read_to_string(&path) {
                Ok(text) => return Self::read(&text, &path),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    make(&path).at("write the signing key", &path)?;
                }
                Err(error) => return Err(error).at("read the signing key", &path),
            }
        }
    }

    fn read(text: &str, path: &Path) -> Result<Self, CouncilError> {
        let wrong = |error: mi_supply::sign::KeyError| CouncilError::Key {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        Ok(Self { secret: SecretKey::read(text).map_err(wrong)? })
    }

    /// The text of the public-key file.
    pub fn public_file(&self) -> String {
        self.secret.public().to_file()
    }

    /// `SHA256:…` of the key.
    pub fn fingerprint(&self) -> String {
        exact::fingerprint(&self.public_file()).expect("a key file as it is written can be read")
    }

    /// The text of a signature file over a message.
    pub fn sign(&self, message: &[u8], trusted_comment: &str) -> String {
        self.secret.sign(message, trusted_comment)
    }
}

fn make(path: &Path) -> io::Result<()> {
    let mut random = [0; 40];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let (mut seed, mut id) = ([0; 32], [0; 8]);
    seed.copy_from_slice(&random[..32]);
    id.copy_from_slice(&random[32..]);
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

    /// The key stays the same, nobody else can read it, and what it signs is in the one form.
    #[test]
    fn the_key_is_made_once_and_signs() {
        let home = tempfile::tempdir().unwrap();
        let first = SigningKey::of_home(home.path()).unwrap().public_file();
        let key = SigningKey::of_home(home.path()).unwrap();
        assert_eq!(key.public_file(), first);
        let mode = fs::metadata(home.path().join("keys/delivery.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let signed = key.sign(b"message", "comment");
        assert_eq!((SEALS.check)(b"message", &signed, &first), Ok(()));
        assert!((SEALS.check)(b"massage", &signed, &first).is_err());
        assert_eq!((SEALS.fingerprint)(&first), Ok(key.fingerprint()));
    }

    /// A key file that is not one is said, and not replaced.
    #[test]
    fn a_spoiled_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("keys/delivery.key");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "nonsense").unwrap();
        assert!(matches!(SigningKey::of_home(home.path()), Err(CouncilError::Key { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "nonsense");
    }
}
