//! Minisign keys and signatures, readable by the `minisign` program and written as it writes them.
//!
//! Only the present form is made and accepted: Ed25519 over BLAKE2b-512 of the content (`ED`), with a trusted comment
//! that is signed too. The legacy form (`Ed`) is refused.

use base64::{Engine, engine::general_purpose::STANDARD};
use blake2::{Blake2b512, Digest};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::fmt;

/// A key that signs. Its file has no password: whoever reads the file can sign.
pub struct SecretKey {
    id: KeyId,
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

/// A key that verifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    id: KeyId,
    point: [u8; 32],
}

/// The name of a key pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; 8]);

/// Why a key is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("this is no minisign public key")]
    Public,
    #[error("this is no minisign secret key without a password; make one with `minisign -G -W`")]
    Secret,
}

/// Why a signature does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature file has not the four lines of minisign")]
    Form,
    #[error("the signature is of the legacy form, which says nothing about long files")]
    Legacy,
    #[error("the signature was made with another key ({0})")]
    OtherKey(KeyId),
    #[error("the content is not what was signed")]
    Content,
    #[error("the trusted comment is not what was signed")]
    Comment,
}

const KEY_FORM: &[u8; 2] = b"Ed";
const SIGNATURE_FORM: &[u8; 2] = b"ED";
const UNTRUSTED: &str = "untrusted comment: ";
const TRUSTED: &str = "trusted comment: ";
/// Form, key derivation (none), checksum form, then an empty salt and two limits of 0.
const SECRET_HEAD: [u8; 54] = {
    let mut head = [0; 54];
    (head[0], head[1], head[4], head[5]) = (b'E', b'd', b'B', b'2');
    head
};

impl SecretKey {
    /// A key from random bytes: 32 for the key, 8 for its id.
    pub fn from_random(seed: [u8; 32], id: [u8; 8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| KeyError::Secret)?;
        Ok(Self { id: KeyId(id), seed, pair })
    }

    /// Reads the file that [`SecretKey::to_file`] or `minisign -G -W` writes.
    pub fn read(file: &str) -> Result<Self, KeyError> {
        let bytes =
            STANDARD.decode(second_line(file).ok_or(KeyError::Secret)?).map_err(|_| KeyError::Secret)?;
        let (head, rest) = bytes.split_at_checked(SECRET_HEAD.len()).ok_or(KeyError::Secret)?;
        if head != SECRET_HEAD || rest.len() != 8 + 64 + 32 {
            return Err(KeyError::Secret);
        }
        let part = |from: usize| <[u8; 32]>::try_from(&rest[from..from + 32]).map_err(|_| KeyError::Secret);
        let id = <[u8; 8]>::try_from(&rest[..8]).map_err(|_| KeyError::Secret)?;
        let key = Self::from_random(part(8)?, id)?;
        if key.public().point == part(40)? { Ok(key) } else { Err(KeyError::Secret) }
    }

    pub fn to_file(&self) -> String {
        let mut bytes = SECRET_HEAD.to_vec();
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(&self.seed);
        bytes.extend_from_slice(&self.public().point);
        // Without a password there is nothing that the checksum could tell.
        bytes.extend_from_slice(&[0; 32]);
        format!("{UNTRUSTED}minisign secret key {}\n{}\n", self.id, STANDARD.encode(bytes))
    }

    pub fn public(&self) -> PublicKey {
        let point = self.pair.public_key().as_ref().try_into().expect("an Ed25519 public key has 32 bytes");
        PublicKey { id: self.id, point }
    }

    /// The signature file of a content. A line break in the comment becomes a space.
    pub fn sign(&self, content: &[u8], trusted_comment: &str) -> String {
        let comment = trusted_comment.replace(['\n', '\r'], " ");
        let signature = self.pair.sign(&Blake2b512::digest(content));
        let mut first = SIGNATURE_FORM.to_vec();
        first.extend_from_slice(&self.id.0);
        first.extend_from_slice(signature.as_ref());
        let second = self.pair.sign(&with_comment(signature.as_ref(), &comment));
        format!(
            "{UNTRUSTED}signature from minisign secret key {}\n{}\n{TRUSTED}{comment}\n{}\n",
            self.id,
            STANDARD.encode(first),
            STANDARD.encode(second)
        )
    }

    /// A bare Ed25519 signature, for envelopes that have their own framing.
    pub(crate) fn sign_bare(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// The key itself is never printed.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.id)
    }
}

impl PublicKey {
    /// Reads a public key file, or its second line alone.
    pub fn read(file: &str) -> Result<Self, KeyError> {
        let line = second_line(file).unwrap_or(file.trim());
        let bytes = STANDARD.decode(line).map_err(|_| KeyError::Public)?;
        match (bytes.split_at_checked(2), bytes.len()) {
            (Some((form, rest)), 42) if form == KEY_FORM => {
                let id = <[u8; 8]>::try_from(&rest[..8]).map_err(|_| KeyError::Public)?;
                let point = <[u8; 32]>::try_from(&rest[8..]).map_err(|_| KeyError::Public)?;
                Ok(Self { id: KeyId(id), point })
            }
            _ => Err(KeyError::Public),
        }
    }

    pub fn to_file(&self) -> String {
        let mut bytes = KEY_FORM.to_vec();
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(&self.point);
        format!("{UNTRUSTED}minisign public key {}\n{}\n", self.id, STANDARD.encode(bytes))
    }

    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Checks a signature file; gives the trusted comment.
    pub fn verify(&self, content: &[u8], signature_file: &str) -> Result<String, SignatureError> {
        let lines: Vec<&str> = signature_file.lines().collect();
        let [first, signature, comment, global] = lines[..] else { return Err(SignatureError::Form) };
        let comment = comment.strip_prefix(TRUSTED).ok_or(SignatureError::Form)?;
        let signature = STANDARD.decode(signature).map_err(|_| SignatureError::Form)?;
        let global = STANDARD.decode(global).map_err(|_| SignatureError::Form)?;
        if !first.starts_with(UNTRUSTED) || signature.len() != 2 + 8 + 64 {
            return Err(SignatureError::Form);
        }
        match &signature[..2] {
            form if form == SIGNATURE_FORM => {}
            form if form == KEY_FORM => return Err(SignatureError::Legacy),
            _ => return Err(SignatureError::Form),
        }
        let id = KeyId(<[u8; 8]>::try_from(&signature[2..10]).map_err(|_| SignatureError::Form)?);
        if id != self.id {
            return Err(SignatureError::OtherKey(id));
        }
        if !self.verify_bare(&Blake2b512::digest(content), &signature[10..]) {
            return Err(SignatureError::Content);
        }
        if !self.verify_bare(&with_comment(&signature[10..], comment), &global) {
            return Err(SignatureError::Comment);
        }
        Ok(comment.to_owned())
    }

    pub(crate) fn verify_bare(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.point).verify(message, signature).is_ok()
    }
}

/// As minisign prints it: the eight bytes as a number, in hexadecimal.
impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016X}", u64::from_le_bytes(self.0))
    }
}

fn second_line(file: &str) -> Option<&str> {
    let mut lines = file.lines();
    lines.next().filter(|line| line.starts_with(UNTRUSTED))?;
    lines.next()
}

fn with_comment(signature: &[u8], comment: &str) -> Vec<u8> {
    [signature, comment.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> SecretKey {
        SecretKey::from_random([number; 32], [number; 8]).unwrap()
    }

    /// Keys come back from their files; a signature holds for its content, key and comment alone.
    #[test]
    fn u_signatures_hold_for_their_own_content_only() {
        let secret = SecretKey::read(&key(1).to_file()).unwrap();
        let public = PublicKey::read(&secret.public().to_file()).unwrap();
        let file = secret.sign(b"content", "run 7\nforged: line");
        assert_eq!(public.verify(b"content", &file).unwrap(), "run 7 forged: line");
        assert_eq!(public.verify(b"Content", &file), Err(SignatureError::Content));
        assert_eq!(public.verify(b"content", &file.replace("run 7", "run 8")), Err(SignatureError::Comment));
        let other = key(2).public();
        assert_eq!(other.verify(b"content", &file), Err(SignatureError::OtherKey(public.id())));
        let same_id = SecretKey::from_random([3; 32], [1; 8]).unwrap().public();
        assert_eq!(same_id.verify(b"content", &file), Err(SignatureError::Content));
        for broken in
            ["", "x", &file.replace("trusted comment: run", "trusted: run"), &format!("{file}more\n")]
        {
            assert_eq!(public.verify(b"content", broken), Err(SignatureError::Form), "{broken}");
        }
    }

    /// A signature of the legacy form is refused although its mathematics holds.
    #[test]
    fn u_legacy_signatures_are_refused() {
        let secret = key(1);
        let mut bytes = KEY_FORM.to_vec();
        bytes.extend_from_slice(&secret.id.0);
        let signature = secret.sign_bare(b"content");
        bytes.extend_from_slice(&signature);
        let global = secret.sign_bare(&with_comment(&signature, "c"));
        let file =
            format!("{UNTRUSTED}x\n{}\n{TRUSTED}c\n{}\n", STANDARD.encode(bytes), STANDARD.encode(global));
        assert_eq!(secret.public().verify(b"content", &file), Err(SignatureError::Legacy));
    }

    /// A file that is no key, or a key whose halves do not belong together, is refused; a key is never printed.
    #[test]
    fn u_broken_keys_are_refused() {
        for text in ["", "untrusted comment: x\nAAAA\n", &key(1).public().to_file()] {
            assert!(SecretKey::read(text).is_err());
        }
        assert!(PublicKey::read(&key(1).to_file()).is_err());
        assert_eq!(format!("{:?}", key(1)), "SecretKey(0101010101010101)");
    }
}
