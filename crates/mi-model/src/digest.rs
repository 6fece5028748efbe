//! SHA-256 in the one form the journal writes: 64 lower-case hexadecimal digits.

use sha2::{Digest, Sha256};

/// Lower-case hexadecimal SHA-256.
pub type Sha256Hex = String;

/// The SHA-256 of `bytes`, in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> Sha256Hex {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push(char::from_digit(u32::from(byte >> 4), 16).expect("four bits are one hexadecimal digit"));
        text.push(char::from_digit(u32::from(byte & 15), 16).expect("four bits are one hexadecimal digit"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector every implementation of SHA-256 is checked with.
    #[test]
    fn digest_of_abc_is_the_published_one() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
