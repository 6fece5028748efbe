//! The key that deliveries are signed with: made once, kept under the home folder, readable by its owner alone.

use mi_council::signature;
use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox};
use std::{
    fs::{self, OpenOptions},
    io::{Cursor, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use crate::error::{At, CouncilError};

/// Signs, and tells with which key.
pub struct SigningKey {
    secret: SecretKey,
    public: PublicKey,
    path: PathBuf,
}

impl SigningKey {
    /// The home's key; made at the first need.
    pub fn of_home(home: &Path) -> Result<Self, CouncilError> {
        let path = home.join("keys/delivery.key");
        match fs::read_to_string(&path) {
            Ok(text) => Self::read(&text, path),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::make(path),
            Err(error) => Err(error).at("read the signing key", &path),
        }
    }

    fn read(text: &str, path: PathBuf) -> Result<Self, CouncilError> {
        let fail =
            |error: minisign::PError| CouncilError::Key { path: path.clone(), problem: error.to_string() };
        let secret = SecretKeyBox::from_string(text)
            .and_then(SecretKeyBox::into_unencrypted_secret_key)
            .map_err(fail)?;
        let public = PublicKey::from_secret_key(&secret).map_err(fail)?;
        Ok(Self { secret, public, path })
    }

    fn make(path: PathBuf) -> Result<Self, CouncilError> {
        let fail =
            |error: minisign::PError| CouncilError::Key { path: path.clone(), problem: error.to_string() };
        let KeyPair { sk, .. } = KeyPair::generate_unencrypted_keypair().map_err(fail)?;
        let text = sk.to_box(Some("mi delivery key")).map_err(fail)?.into_string();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at("create the folder", folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let written =
            file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        match written {
            Ok(()) => Self::read(&text, path),
            // Another process was faster: its key is the key.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let text = fs::read_to_string(&path).at("read the signing key", &path)?;
                Self::read(&text, path)
            }
            Err(error) => Err(error).at("write the signing key", &path),
        }
    }

    /// The text of the public-key file.
    pub fn public_file(&self) -> Result<String, CouncilError> {
        let bytes: [u8; 42] = self.public.to_bytes().try_into().map_err(|_| CouncilError::Key {
            path: self.path.clone(),
            problem: "its public key has another length".to_owned(),
        })?;
        Ok(signature::key_file(&bytes))
    }

    /// The text of a signature file over a message.
    pub fn sign(&self, message: &[u8], trusted_comment: &str) -> Result<String, CouncilError> {
        minisign::sign(
            Some(&self.public),
            &self.secret,
            Cursor::new(message),
            Some(trusted_comment),
            Some(signature::COMMENT),
        )
        .map(minisign::SignatureBox::into_string)
        .map_err(|error| CouncilError::Key { path: self.path.clone(), problem: error.to_string() })
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
        let first = SigningKey::of_home(home.path()).unwrap().public_file().unwrap();
        let key = SigningKey::of_home(home.path()).unwrap();
        assert_eq!(key.public_file().unwrap(), first);
        let mode = fs::metadata(home.path().join("keys/delivery.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let signed = key.sign(b"message", "comment").unwrap();
        assert_eq!(signature::check(b"message", &signed, &first), Ok(()));
        assert!(signature::check(b"massage", &signed, &first).is_err());
    }
}
