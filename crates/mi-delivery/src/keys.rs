//! The key that deliveries are signed with: made once, kept under the home folder, readable by its owner alone.
//!
//! Requirements: MI-COUNCIL-018.

use mi_council::packet::Seals;
use mi_supply::{
    exact,
    key_file::{self, KeyFileError},
    sign::SecretKey,
};
use std::path::Path;

use crate::error::{At, CouncilError};

/// How the signatures of packets are read: byte for byte as [`SigningKey`] writes them.
pub(crate) const SEALS: Seals = Seals {
    fingerprint: |key| exact::fingerprint(key).map_err(|error| error.to_string()),
    check: |message, signature, key| exact::check(message, signature, key).map_err(|error| error.to_string()),
};

/// `SHA256:…` of a public-key file, or why it is none.
pub fn fingerprint(key: &str) -> Result<String, String> {
    (SEALS.fingerprint)(key)
}

/// Signs, and tells with which key.
pub struct SigningKey {
    secret: SecretKey,
}

impl SigningKey {
    /// The home's key; made at the first need.
    pub fn of_home(home: &Path) -> Result<Self, CouncilError> {
        let path = home.join("keys/delivery.key");
        let secret = key_file::kept(&path).or_else(|error| match error {
            KeyFileError::Read(error) => Err(error).at("read the signing key", &path),
            KeyFileError::Write(error) => Err(error).at("write the signing key", &path),
            KeyFileError::Spoiled(error) => {
                Err(CouncilError::Key { path: path.clone(), problem: error.to_string() })
            }
        })?;
        Ok(Self { secret })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

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
        assert_eq!((SEALS.check)(b"message", &signed, &first), Ok("comment".to_owned()));
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
