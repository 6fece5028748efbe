//! Lines of bounded length from a byte stream.
//!
//! Holds: no more than one line of [`MAX_LINE_BYTES`] is kept; of a longer one only its ends are.

use std::io::{self, BufRead};

/// The longest message that is taken. The SDK's HTTP transport is given the same limit.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// How much of a refused line is kept, at each end, to find out which request it was.
const KEPT_BYTES: usize = 512;

/// What was read up to a newline, or to the end of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    TooLong { start: Vec<u8>, end: Vec<u8> },
}

/// The next line without its newline; `None` at the end.
pub(crate) fn read_line(reader: &mut impl BufRead, longest: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut start = None;
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            let nothing = line.is_empty() && start.is_none();
            return Ok((!nothing).then(|| finish(start, line)));
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.unwrap_or(available.len());
        line.extend_from_slice(&available[..taken]);
        reader.consume(newline.map_or(taken, |position| position + 1));
        if start.is_none() && line.len() > longest {
            start = Some(line[..KEPT_BYTES.min(line.len())].to_vec());
        }
        if start.is_some() {
            line.drain(..line.len().saturating_sub(KEPT_BYTES));
            line.shrink_to(128 * 1024);
        }
        if newline.is_some() {
            return Ok(Some(finish(start, line)));
        }
    }
}

fn finish(start: Option<Vec<u8>>, line: Vec<u8>) -> Line {
    match start {
        None => Line::Whole(line),
        Some(start) => Line::TooLong { start, end: line },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(text: &str, longest: usize) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(7, text.as_bytes());
        std::iter::from_fn(|| read_line(&mut reader, longest).unwrap()).collect()
    }

    /// Newlines divide, the last one may be missing, empty lines are lines.
    #[test]
    fn lines_are_divided() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines("one\n\nthree", 100), [whole("one"), whole(""), whole("three")]);
        assert_eq!(lines("", 100), []);
    }

    /// A line beyond the limit keeps its ends alone, and the next one is read as if nothing had happened.
    #[test]
    fn too_long_a_line_keeps_its_ends() {
        let text = format!("{}\nnext\n", "a".repeat(4000) + "z");
        let found = lines(&text, 1000);
        let Line::TooLong { start, end } = &found[0] else { panic!("{found:?}") };
        assert_eq!((start.len(), end.len()), (KEPT_BYTES, KEPT_BYTES));
        assert!(start.starts_with(b"aaa") && end.ends_with(b"az"));
        assert_eq!(found[1], Line::Whole(b"next".to_vec()));
    }
}
