//! What a proposal is about, as one digest over its files: a vote is bound to it.

use mi_model::sha256_hex;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use std::{fmt, str::FromStr};

/// A SHA-256, printed in lower-case hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is no SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no digest: 64 hexadecimal digits, with or without `sha256:` before them")]
pub struct DigestError(pub String);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        sha256_hex(bytes).parse().expect("a SHA-256 in hexadecimal is a digest")
    }

    /// The digest with these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of an artefact: every file's path and digest, in order of path.
    pub fn of_files(files: &[FileRecord]) -> Self {
        let mut sorted: Vec<&FileRecord> = files.iter().collect();
        sorted.sort_by(|left, right| left.path.cmp(&right.path));
        let mut text = String::from("mi-artefact/1\n");
        for file in sorted {
            // The length keeps one path with a line break from reading as two files.
            text.push_str(&format!("{} {} {}\n", file.sha256, file.path.len(), file.path));
        }
        Self::of(text.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0_u8; 64];
        for (index, byte) in self.0.iter().enumerate() {
            text[index * 2] = DIGITS[usize::from(byte >> 4)];
            text[index * 2 + 1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let wrong = || DigestError(text.to_owned());
        let digits = text.strip_prefix("sha256:").unwrap_or(text).as_bytes();
        if digits.len() != 64 {
            return Err(wrong());
        }
        let value = |digit: u8| char::from(digit).to_digit(16);
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (high, low) = (value(pair[0]).ok_or_else(wrong)?, value(pair[1]).ok_or_else(wrong)?);
            *byte = u8::try_from(high * 16 + low).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

/// Reads a digest from a text without keeping the text.
struct Text;

impl Visitor<'_> for Text {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a SHA-256 in hexadecimal")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Digest, E> {
        text.parse().map_err(E::custom)
    }
}

/// One file of an artefact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileRecord {
    /// From the project's root, with `/`.
    pub path: String,
    pub sha256: Digest,
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> FileRecord {
        FileRecord {
            path: path.to_owned(),
            sha256: Digest::of(content.as_bytes()),
            bytes: content.len() as u64,
        }
    }

    /// Order does not matter; a byte, a name, a file more or less does.
    #[test]
    fn mi_council_005_a_digest_is_bound_to_paths_and_bytes() {
        let base = Digest::of_files(&[file("a", "1"), file("b", "2")]);
        assert_eq!(base, Digest::of_files(&[file("b", "2"), file("a", "1")]));
        for other in [
            vec![file("a", "1"), file("b", "3")],
            vec![file("a", "1"), file("c", "2")],
            vec![file("a", "2"), file("b", "1")],
            vec![file("a", "1")],
            vec![file("a", "1"), file("b", "2"), file("c", "")],
        ] {
            assert_ne!(base, Digest::of_files(&other), "{other:?}");
        }
    }

    /// Written and read back; other texts are no digests.
    #[test]
    fn digests_survive_their_text_form() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(format!("sha256:{digest}").parse(), Ok(digest));
        for bad in ["", "ba78", &"g".repeat(64), &"é".repeat(32)] {
            assert!(bad.parse::<Digest>().is_err(), "{bad}");
        }
    }
}
