//! Bytes become text, or the line where they stop being UTF-8 (E6).

use memchr::memchr_iter;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The text without its byte order mark; else the line of the first byte that is not UTF-8.
pub(crate) fn decode(reply: &[u8]) -> Result<&str, usize> {
    let bytes = reply.strip_prefix(BOM).unwrap_or(reply);
    if looks_like_utf16(bytes) {
        return Err(1);
    }
    std::str::from_utf8(bytes).map_err(|error| 1 + memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count())
}

/// Latin text in UTF-16 without a mark is valid UTF-8 with a NUL beside every letter.
fn looks_like_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 1..=255, 0, 1..=255, ..] | [1..=255, 0, 1..=255, 0, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UTF-8 with and without mark is text; UTF-16 in every form and stray bytes are not.
    #[test]
    fn e_06_only_utf8_is_text() {
        let wide = |text: &str, little: bool| -> Vec<u8> {
            text.encode_utf16()
                .flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
                .collect()
        };
        assert_eq!(decode(b"\xEF\xBB\xBFa"), Ok("a"));
        assert_eq!(decode("é\0x".as_bytes()), Ok("é\0x"));
        for (bytes, line) in [
            (wide("\u{feff}``` x", true), 1),
            (wide("\u{feff}``` x", false), 1),
            (wide("``` x", true), 1),
            (wide("``` x", false), 1),
            (b"a\nb\n\xff".to_vec(), 3),
            (b"\xc3".to_vec(), 1),
        ] {
            assert_eq!(decode(&bytes), Err(line), "{bytes:?}");
        }
    }
}
