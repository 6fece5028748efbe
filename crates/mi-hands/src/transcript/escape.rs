//! Text to the inside of a JSON string, in pieces of any size.

/// For each byte: 0 if it stands for itself in a JSON string, `u` if it needs `\u00XX`, else its short escape.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0C] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Appends `text` as the inside of a JSON string.
pub(crate) fn escape(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 16);
    let mut from = 0;
    while let Some(length) = bytes[from..].iter().position(|byte| ESCAPES[usize::from(*byte)] != 0) {
        let at = from + length;
        out.extend_from_slice(&bytes[from..at]);
        escape_byte(bytes[at], out);
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

fn escape_byte(byte: u8, out: &mut Vec<u8>) {
    match ESCAPES[usize::from(byte)] {
        b'u' => {
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
        short => out.extend_from_slice(&[b'\\', short]),
    }
}

/// Escapes bytes that may not be UTF-8, in pieces that may cut a character in two.
#[derive(Debug, Default)]
pub(crate) struct LossyEscaper {
    /// The beginning of a character whose end has not come yet.
    carried: Vec<u8>,
    is_lossy: bool,
}

impl LossyEscaper {
    pub(crate) fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        if self.carried.is_empty() {
            self.push_joined(piece, out);
        } else {
            let mut joined = std::mem::take(&mut self.carried);
            joined.extend_from_slice(piece);
            self.push_joined(&joined, out);
        }
    }

    fn push_joined(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => return escape(text, out),
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    escape(std::str::from_utf8(valid).expect("valid up to here"), out);
                    let Some(length) = error.error_len() else {
                        self.carried = rest.to_vec();
                        return;
                    };
                    self.replace(out);
                    bytes = &rest[length..];
                }
            }
        }
    }

    /// Ends the string; true if something had to be replaced.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) -> bool {
        if !self.carried.is_empty() {
            self.replace(out);
        }
        self.is_lossy
    }

    fn replace(&mut self, out: &mut Vec<u8>) {
        self.is_lossy = true;
        out.extend_from_slice("\u{FFFD}".as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is escaped is read back by a JSON reader as it was.
    #[test]
    fn escaped_text_is_read_back() {
        let all: String = (0..0x300).filter_map(char::from_u32).chain(['汉', '😀', '\u{2028}']).collect();
        for text in ["", "plain", "\"", "a\\b", "{\"type\":\"x\"}\t\r\n", &all] {
            let mut out = vec![b'"'];
            escape(text, &mut out);
            out.push(b'"');
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    /// Pieces of every size give what the whole gives, and only bytes that are no UTF-8 are replaced.
    #[test]
    fn pieces_of_any_size_give_the_same() {
        let cases: [(&[u8], &str, bool); 4] = [
            ("é汉😀\"".as_bytes(), "é汉😀\"", false),
            (b"a\xFFb", "a\u{FFFD}b", true),
            (b"\xE6\xB1", "\u{FFFD}", true),
            (b"\xE6\xB1x\xF0\x9F\x98\x80", "\u{FFFD}x😀", true),
        ];
        for (bytes, expected, expected_lossy) in cases {
            for size in 1..=bytes.len() {
                let mut out = vec![b'"'];
                let mut escaper = LossyEscaper::default();
                bytes.chunks(size).for_each(|piece| escaper.push(piece, &mut out));
                assert_eq!(escaper.finish(&mut out), expected_lossy);
                out.push(b'"');
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), expected);
            }
        }
    }
}
