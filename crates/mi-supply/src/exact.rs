//! Keys and signatures in the one spelling that is written here, for packets in which no byte may change unseen.
//!
//! Minisign covers neither the untrusted comment nor line ends; whoever compares byte for byte comes here.
//! Holds: what these accept, and only that, is what [`PublicKey::to_file`] and [`crate::sign::SecretKey::sign`] write.

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::sign::{KeyError, PublicKey, SignatureError};

/// Why a signature file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExactError {
    #[error("its key cannot be used: {0}")]
    Key(#[from] KeyError),
    #[error(transparent)]
    Signature(#[from] SignatureError),
    #[error("not written as mi writes it")]
    Spelling,
}

/// Reads a public-key file; any other spelling of the same key is refused.
pub fn key(file: &str) -> Result<PublicKey, ExactError> {
    let key = PublicKey::read(file)?;
    if key.to_file() == file { Ok(key) } else { Err(ExactError::Spelling) }
}

/// `SHA256:…` over the key itself.
pub fn fingerprint(file: &str) -> Result<String, ExactError> {
    key(file)?;
    let bytes = STANDARD.decode(file.lines().nth(1).unwrap_or_default()).map_err(|_| KeyError::Public)?;
    Ok(format!("SHA256:{}", mi_model::sha256_hex(&bytes)))
}

/// Checks a signature file over a content with a public-key file; gives its trusted comment.
pub fn check(content: &[u8], signature: &str, key_file: &str) -> Result<String, ExactError> {
    let key = key(key_file)?;
    let comment = key.verify(content, signature)?;
    let lines: Vec<&str> = signature.lines().collect();
    let [_, first, _, second] = lines[..] else { return Err(ExactError::Spelling) };
    let id = key.id();
    let written = format!(
        "untrusted comment: signature from minisign secret key {id}\n{first}\ntrusted comment: {comment}\n{second}\n"
    );
    if written == signature { Ok(comment) } else { Err(ExactError::Spelling) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::SecretKey;

    /// Every byte of a key file and of a signature file counts, those that minisign itself does not look at too.
    #[test]
    fn no_byte_of_a_key_or_a_signature_can_change_unseen() {
        let secret = SecretKey::from_random([1; 32], [2; 8]).unwrap();
        let (key_file, signature) = (secret.public().to_file(), secret.sign(b"content", "packet"));
        assert_eq!(check(b"content", &signature, &key_file), Ok("packet".to_owned()));
        assert!(fingerprint(&key_file).unwrap().starts_with("SHA256:"));
        let spoiled = |text: &str, at: usize| {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1;
            String::from_utf8_lossy(&bytes).into_owned()
        };
        for at in 0..key_file.len() {
            assert!(check(b"content", &signature, &spoiled(&key_file, at)).is_err(), "key byte {at}");
        }
        for at in 0..signature.len() {
            assert!(check(b"content", &spoiled(&signature, at), &key_file).is_err(), "signature byte {at}");
        }
        for other in
            [signature.replace('\n', "\r\n"), format!("{signature}\n"), signature.trim_end().to_owned()]
        {
            assert!(check(b"content", &other, &key_file).is_err(), "{other}");
        }
    }
}
