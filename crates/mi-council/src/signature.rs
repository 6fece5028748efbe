//! Minisign signature and key files, in the one form that `mi` writes.
//!
//! Holds: a file that means the same but differs in a byte (a comment, a line end, a spelling of base64) is refused, so
//! that no byte of a packet can change unseen. Legacy signatures (not pre-hashed) are refused.
//! Elsewhere: making keys and signatures is `mi-delivery`.

use base64::{Engine, engine::general_purpose::STANDARD};
use minisign_verify::{PublicKey, Signature};

use crate::Digest;

/// What the untrusted comment of a signature says; nothing else is taken.
pub const COMMENT: &str = "signature of a mi delivery packet";

/// The text of a public-key file.
pub fn key_file(key: &[u8; 42]) -> String {
    let id = key[2..10].iter().rev().map(|byte| format!("{byte:02X}")).collect::<String>();
    format!("untrusted comment: minisign public key {id}\n{}\n", STANDARD.encode(key))
}

/// The text of a signature file.
pub fn signature_file(signature: &str, trusted_comment: &str, global: &str) -> String {
    format!("untrusted comment: {COMMENT}\n{signature}\ntrusted comment: {trusted_comment}\n{global}\n")
}

/// `SHA256:…` of a public-key file; an error if it is not one as written here.
pub fn fingerprint(text: &str) -> Result<String, String> {
    Ok(format!("SHA256:{}", Digest::of(&key_bytes(text)?)))
}

fn key_bytes(text: &str) -> Result<[u8; 42], String> {
    let line = text.lines().nth(1).ok_or("it has no key on its second line")?;
    let bytes = STANDARD.decode(line).map_err(|error| format!("its second line is no key: {error}"))?;
    let key: [u8; 42] = bytes.try_into().map_err(|_| "its second line is no key: wrong length")?;
    if &key[..2] != b"Ed" {
        return Err("its key is of an unknown kind".to_owned());
    }
    match key_file(&key) == text {
        true => Ok(key),
        false => Err("not written as mi writes it".to_owned()),
    }
}

/// Checks a signature file over a message with a public-key file.
pub fn check(message: &[u8], signature: &str, key: &str) -> Result<(), String> {
    let bytes = key_bytes(key).map_err(|problem| format!("its key cannot be used: {problem}"))?;
    check_form(signature)?;
    let key = PublicKey::from_base64(&STANDARD.encode(bytes)).map_err(|error| error.to_string())?;
    let signature = Signature::decode(signature).map_err(|error| error.to_string())?;
    key.verify(message, &signature, false).map_err(|error| error.to_string())
}

fn check_form(text: &str) -> Result<(), String> {
    let wrong = || "not written as mi writes it".to_owned();
    let lines: Vec<&str> = text.lines().collect();
    let [_, signature, trusted, global] = lines.as_slice() else { return Err(wrong()) };
    let trusted = trusted.strip_prefix("trusted comment: ").ok_or_else(wrong)?;
    let canonical = |line: &str| {
        STANDARD.decode(line).map(|bytes| STANDARD.encode(bytes)).is_ok_and(|again| again == line)
    };
    match canonical(signature) && canonical(global) && signature_file(signature, trusted, global) == text {
        true => Ok(()),
        false => Err(wrong()),
    }
}
