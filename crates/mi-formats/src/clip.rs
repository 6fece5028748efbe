//! Shortens the long strings of a JSON line while it streams past, so that a line of any length can be
//! interpreted in bounded memory: an exit code after 50 MB of output is still found.
//!
//! Holds: the output is valid JSON whenever the input is; strings up to the limit pass unchanged.

/// Takes the bytes of one line in pieces and keeps at most `limit` bytes of each string literal.
#[derive(Debug)]
pub struct Clipper {
    limit: usize,
    kept: Vec<u8>,
    state: State,
    string_length: usize,
    cut_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Inside,
    Escape,
    /// Inside `\uXXXX`, with this many digits still to come.
    Unicode(u8),
}

impl Clipper {
    /// A clipper for one line.
    pub fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), state: State::Outside, string_length: 0, cut_bytes: 0 }
    }

    /// The next piece of the line.
    pub fn push(&mut self, piece: &[u8]) {
        for &byte in piece {
            self.push_byte(byte);
        }
    }

    /// How much is kept so far: what stands outside strings is never shortened, so the caller sets a limit.
    pub fn kept_bytes(&self) -> usize {
        self.kept.len()
    }

    /// The shortened line, and how many bytes were left out.
    pub fn finish(self) -> (Vec<u8>, u64) {
        (self.kept, self.cut_bytes)
    }

    fn push_byte(&mut self, byte: u8) {
        let (next, part_of_string) = match (self.state, byte) {
            (State::Outside, b'"') => {
                self.string_length = 0;
                (State::Inside, false)
            }
            (State::Outside, _) => (State::Outside, false),
            (State::Inside, b'"') => (State::Outside, false),
            (State::Inside, b'\\') => (State::Escape, true),
            (State::Inside, _) => (State::Inside, true),
            (State::Escape, b'u') => (State::Unicode(4), true),
            (State::Escape, _) => (State::Inside, true),
            (State::Unicode(1), _) => (State::Inside, true),
            (State::Unicode(left), _) => (State::Unicode(left - 1), true),
        };
        if part_of_string && self.is_over(byte) {
            self.cut_bytes += 1;
        } else {
            self.kept.push(byte);
        }
        self.state = next;
    }

    /// Whether this byte of a string is left out. A cut never falls inside an escape or a character.
    fn is_over(&mut self, byte: u8) -> bool {
        let starts_a_character = self.state == State::Inside && (byte & 0xC0) != 0x80;
        if self.string_length == usize::MAX {
            return true;
        }
        if self.string_length >= self.limit && starts_a_character {
            self.string_length = usize::MAX;
            return true;
        }
        self.string_length += 1;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(line: &str, limit: usize) -> (String, u64) {
        let mut clipper = Clipper::new(limit);
        for piece in line.as_bytes().chunks(3) {
            clipper.push(piece);
        }
        let (kept, cut) = clipper.finish();
        (String::from_utf8(kept).expect("cuts fall between characters"), cut)
    }

    /// What stands behind the long string is still there.
    #[test]
    fn exit_code_behind_a_long_output_is_kept() {
        let line = format!(r#"{{"output":"{}","exit_code":1}}"#, "x".repeat(1000));
        assert_eq!(clip(&line, 10), (r#"{"output":"xxxxxxxxxx","exit_code":1}"#.to_owned(), 990));
    }

    /// Escapes and characters of several bytes are kept whole or left out whole.
    #[test]
    fn cuts_never_split_an_escape_or_a_character() {
        for limit in 0..12 {
            let (kept, _) = clip(r#"{"a":"é\u00e9\\\"汉字😀","b":"\n"}"#, limit);
            serde_json::from_str::<serde_json::Value>(&kept).expect("still JSON");
        }
    }
}
