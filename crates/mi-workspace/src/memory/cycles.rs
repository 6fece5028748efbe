//! `history.json` read in one pass, string by string, however large it is.
//!
//! [`read_cycles`] never builds the document: memory is one buffer and the longest string. Holds: no bytes panic; a
//! file that ends early or is no history gives every cycle before the damage, and says so. Elsewhere: writing the file
//! and `history_search` are the state room's.

use std::{
    io::{self, Read},
    ops::Range,
};

/// What is told about a history while it is read.
pub(crate) trait CycleSink {
    /// A text value inside the current cycle and the nearest key before it.
    fn text(&mut self, key: &str, value: &str);
    /// The current cycle ended; its bytes are this range of the file.
    fn end(&mut self, bytes: Range<u64>);
}

/// Whether the whole file was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Whole,
    /// The JSON stops, or stops being JSON, at this byte.
    Damaged {
        at: u64,
    },
}

const BUFFER: usize = 256 * 1024;

/// Reads all cycles of a history.
pub(crate) fn read_cycles(mut file: impl Read, sink: &mut impl CycleSink) -> io::Result<Reading> {
    let mut reader = Reader::default();
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if !reader.feed(&buffer[..read], sink) {
            return Ok(Reading::Damaged { at: reader.at });
        }
    }
    let is_whole = reader.depth == 0 && !reader.in_string && (reader.started || reader.at == 0);
    Ok(if is_whole { Reading::Whole } else { Reading::Damaged { at: reader.at } })
}

/// Where the reading stands. Only strings and brackets matter; everything else is passed over.
#[derive(Default)]
struct Reader {
    /// Bytes taken so far.
    at: u64,
    depth: usize,
    started: bool,
    in_string: bool,
    /// The next byte of a string belongs to a `\`.
    escaped: bool,
    /// The last string, without its quotes; `waiting` until the next byte says whether it was a key.
    token: Vec<u8>,
    token_has_escapes: bool,
    waiting: bool,
    key: Vec<u8>,
    in_cycles: bool,
    cycle_start: u64,
}

/// The top object, its `cycles`, one of them.
const IN_TOP: usize = 1;
const IN_LIST: usize = 2;

impl Reader {
    /// Takes some bytes; false when they cannot be JSON.
    fn feed(&mut self, bytes: &[u8], sink: &mut impl CycleSink) -> bool {
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            if self.in_string {
                let taken = self.string(rest);
                self.at += taken as u64;
                rest = &rest[taken..];
                continue;
            }
            self.at += 1;
            rest = after;
            if !self.structure(*first, sink) {
                return false;
            }
        }
        true
    }

    /// Takes bytes of a string up to its end, if it is there; returns how many.
    fn string(&mut self, bytes: &[u8]) -> usize {
        if self.escaped {
            self.escaped = false;
            self.token.push(bytes[0]);
            return 1;
        }
        let Some(stop) = memchr::memchr2(b'"', b'\\', bytes) else {
            self.token.extend_from_slice(bytes);
            return bytes.len();
        };
        self.token.extend_from_slice(&bytes[..stop]);
        if bytes[stop] == b'"' {
            self.in_string = false;
            self.waiting = true;
        } else {
            self.token.push(b'\\');
            self.token_has_escapes = true;
            self.escaped = true;
        }
        stop + 1
    }

    /// Takes one byte outside of strings; false when it cannot be JSON.
    fn structure(&mut self, byte: u8, sink: &mut impl CycleSink) -> bool {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => return true,
            b':' => {
                if std::mem::take(&mut self.waiting) {
                    std::mem::swap(&mut self.key, &mut self.token);
                }
                return true;
            }
            _ => {}
        }
        self.value(sink);
        match byte {
            b'"' => {
                self.in_string = true;
                self.token.clear();
                self.token_has_escapes = false;
                self.depth > 0
            }
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(sink),
            _ => self.depth > 0,
        }
    }

    fn open(&mut self, byte: u8) -> bool {
        if self.depth == 0 && (self.started || byte != b'{') {
            return false;
        }
        self.started = true;
        if self.depth == IN_TOP {
            self.in_cycles = byte == b'[' && self.key == b"cycles";
        } else if self.depth == IN_LIST && self.in_cycles {
            self.cycle_start = self.at - 1;
            self.key.clear();
        }
        self.depth += 1;
        true
    }

    fn close(&mut self, sink: &mut impl CycleSink) -> bool {
        let Some(depth) = self.depth.checked_sub(1) else { return false };
        self.depth = depth;
        if depth == IN_LIST && self.in_cycles {
            sink.end(self.cycle_start..self.at);
        } else if depth == IN_TOP {
            self.in_cycles = false;
        }
        true
    }

    /// The waiting string was a value.
    fn value(&mut self, sink: &mut impl CycleSink) {
        if !std::mem::take(&mut self.waiting) || !self.in_cycles || self.depth <= IN_LIST {
            return;
        }
        let key = std::str::from_utf8(&self.key).unwrap_or_default();
        match std::str::from_utf8(&self.token) {
            Ok(text) if !self.token_has_escapes => sink.text(key, text),
            _ => sink.text(key, &unescaped(&self.token)),
        }
    }
}

fn unescaped(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(token);
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{CycleSink, Reading, read_cycles};
    use proptest::prelude::*;
    use std::{io::Read, ops::Range};

    #[derive(Default)]
    struct Told {
        texts: Vec<String>,
        cycles: Vec<Range<u64>>,
    }

    impl CycleSink for Told {
        fn text(&mut self, key: &str, value: &str) {
            self.texts.push(format!("{key}={value}"));
        }
        fn end(&mut self, bytes: Range<u64>) {
            self.cycles.push(bytes);
        }
    }

    /// Gives one byte at a time, so that every token is cut.
    struct Slowly<'a>(&'a [u8]);
    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    const HISTORY: &str = r#"{"schema_version": "0.10", "other": [{"x": "no"}], "cycles": [
      {"completed_at": "t1", "plan": null, "tasks": [{"title": "a \"q\" \u4e2d", "deps": [1]}]},
      {"plan": {"topic": "b", "issues": [{"how_agents": ["x", "y"]}]}, "tasks": []}], "after": "no"}"#;

    /// Strings arrive with their key, also when every byte comes alone; what is outside of the cycles does not.
    #[test]
    fn strings_of_cycles_are_told() {
        let expected = ["completed_at=t1", "title=a \"q\" 中", "topic=b", "how_agents=x", "how_agents=y"];
        let mut slow = Told::default();
        assert_eq!(read_cycles(Slowly(HISTORY.as_bytes()), &mut slow).unwrap(), Reading::Whole);
        let mut fast = Told::default();
        assert_eq!(read_cycles(HISTORY.as_bytes(), &mut fast).unwrap(), Reading::Whole);
        assert_eq!((&fast.texts, &fast.cycles), (&slow.texts, &slow.cycles));
        assert_eq!(fast.texts, expected);
        for cycle in &fast.cycles {
            let text = &HISTORY[cycle.start as usize..cycle.end as usize];
            assert!(serde_json::from_str::<serde_json::Value>(text).unwrap().is_object());
        }
        assert_eq!(fast.cycles.len(), 2);
    }

    /// A file that ends early still gives what stands before the end.
    #[test]
    fn a_torn_history_gives_what_stands_before() {
        let torn = &HISTORY[..HISTORY.find("topic").unwrap()];
        let mut told = Told::default();
        assert_eq!(
            read_cycles(torn.as_bytes(), &mut told).unwrap(),
            Reading::Damaged { at: torn.len() as u64 }
        );
        assert_eq!(told.cycles.len(), 1);
        for bad in ["[]", "x", "}", "{}{}", "{\"cycles\": [", "\"cycles\""] {
            let reading = read_cycles(bad.as_bytes(), &mut Told::default()).unwrap();
            assert!(matches!(reading, Reading::Damaged { .. }), "{bad}");
        }
        assert_eq!(read_cycles(&b""[..], &mut Told::default()).unwrap(), Reading::Whole);
    }

    proptest! {
        /// No bytes panic, and damage to a history never does.
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..HISTORY.len(), new in any::<u8>()) {
            read_cycles(&bytes[..], &mut Told::default()).unwrap();
            let mut damaged = HISTORY.as_bytes().to_vec();
            damaged[at] = new;
            read_cycles(&damaged[..], &mut Told::default()).unwrap();
        }
    }
}
