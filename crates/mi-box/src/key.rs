//! The key that signs manifests: made on first use, kept in `MI_HOME/box`, readable by its owner alone.

use mi_supply::sign::{PublicKey, SecretKey};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use crate::BoxHome;

const SECRET: &str = "policy.key";
const PUBLIC: &str = "policy.pub";

/// The key that signs. Two that are made at the same time come to the same one: the first that is in place.
pub fn signing_key(home: &BoxHome) -> io::Result<SecretKey> {
    let path = home.root().join(SECRET);
    loop {
        match fs::read_to_string(&path) {
            Ok(text) => return SecretKey::read(&text).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(home, &path)?,
            Err(error) => return Err(error),
        }
    }
}

/// The key that verifies; none before the first run.
pub fn verifying_key(home: &BoxHome) -> io::Result<Option<PublicKey>> {
    match fs::read_to_string(home.root().join(PUBLIC)) {
        Ok(text) => PublicKey::read(&text).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn make(home: &BoxHome, path: &Path) -> io::Result<()> {
    let mut random = [0; 40];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let (mut seed, mut id) = ([0; 32], [0; 8]);
    seed.copy_from_slice(&random[..32]);
    id.copy_from_slice(&random[32..]);
    let key = SecretKey::from_random(seed, id).map_err(io::Error::other)?;
    let new = home.root().join(format!("{SECRET}.{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(key.to_file().as_bytes())?;
    file.sync_all()?;
    // A link fails where a key is already in place; a rename would replace it.
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new)?;
    match linked {
        Ok(()) => fs::write(home.root().join(PUBLIC), key.public().to_file()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
