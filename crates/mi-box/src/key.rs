//! The key that signs manifests, in `MI_HOME/box`; its public half stands beside it, for whoever verifies.

use mi_supply::{
    key_file,
    sign::{PublicKey, SecretKey},
};
use std::{fs, io};

use crate::BoxHome;

const SECRET: &str = "policy.key";
const PUBLIC: &str = "policy.pub";

/// The key that signs.
pub fn signing_key(home: &BoxHome) -> io::Result<SecretKey> {
    let key = key_file::kept(&home.root().join(SECRET)).map_err(io::Error::other)?;
    let public = home.root().join(PUBLIC);
    // Missing also where `mi` was killed just after it made the key.
    if !public.exists() {
        let new = public.with_extension(format!("new-{}", std::process::id()));
        fs::write(&new, key.public().to_file())?;
        fs::rename(&new, &public)?;
    }
    Ok(key)
}

/// The key that verifies; none before the first run.
pub fn verifying_key(home: &BoxHome) -> io::Result<Option<PublicKey>> {
    match fs::read_to_string(home.root().join(PUBLIC)) {
        Ok(text) => PublicKey::read(&text).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
