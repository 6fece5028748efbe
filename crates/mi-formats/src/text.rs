//! Programs that are no known agent: plain text, or codex-style JSON lines, read line by line.

use serde_json::Value;

use crate::{AgentEvent, codex};

/// The most text of a plain program that is kept as its answer.
const KEPT_BYTES: usize = 64 * 1024;

/// Reads the stream of an `exec:` program.
///
/// Lines that are codex events are read as such; all other lines together are the program's one message.
#[derive(Debug, Default)]
pub struct Reader {
    answer: String,
    cut: bool,
}

impl Reader {
    /// The event of one line; plain text yields none until [`Reader::finish`].
    pub fn read_line(&mut self, line: &str) -> Option<AgentEvent> {
        if line.starts_with('{')
            && let Ok(value) = serde_json::from_str::<Value>(line)
        {
            if codex::is_codex(&value) {
                return Some(codex::read_value(&value));
            }
            let kind = value.get("type").and_then(Value::as_str).unwrap_or("json");
            return Some(AgentEvent::Unknown { kind: kind.to_owned() });
        }
        self.keep(line);
        None
    }

    /// The text collected so far as one message, if there was any.
    pub fn finish(self) -> Option<AgentEvent> {
        let text = self.answer.trim();
        if text.is_empty() {
            return None;
        }
        let note = if self.cut { "[earlier output is in the transcript]\n" } else { "" };
        Some(AgentEvent::Message { text: format!("{note}{text}") })
    }

    /// Keeps the end of the text: a program says last what it did.
    fn keep(&mut self, line: &str) {
        self.answer.push_str(line);
        self.answer.push('\n');
        if self.answer.len() > 2 * KEPT_BYTES {
            let mut from = self.answer.len() - KEPT_BYTES;
            while !self.answer.is_char_boundary(from) {
                from += 1;
            }
            self.answer.drain(..from);
            self.cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain program's text is its message.
    #[test]
    fn text_of_a_plain_program_is_its_message() {
        let mut reader = Reader::default();
        for line in ["Looked.", "", "Done."] {
            assert_eq!(reader.read_line(line), None);
        }
        assert_eq!(reader.finish(), Some(AgentEvent::Message { text: "Looked.\n\nDone.".to_owned() }));
    }
}
