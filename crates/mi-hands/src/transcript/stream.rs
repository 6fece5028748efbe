//! Cuts one stream into lines, without holding more than one line of normal length.

/// A line up to this many bytes is handled in memory.
pub(crate) const LONG_LINE_BYTES: usize = 1024 * 1024;

/// Which pipe a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamName {
    Stdout,
    Stderr,
}

impl StreamName {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A whole line, without its newline.
    Whole(&'a [u8]),
    /// A piece of a line that is too long for memory.
    Piece(&'a [u8]),
    /// The end of such a line.
    PieceEnd,
    /// The end of the stream came before the end of this line.
    Half(&'a [u8]),
}

/// Takes the bytes of one stream.
#[derive(Debug, Default)]
pub(crate) struct StreamReader {
    pending: Vec<u8>,
    /// How much of `pending` is known to hold no newline.
    searched: usize,
    in_long_line: bool,
}

impl StreamReader {
    /// Adds bytes; call [`StreamReader::lines`] before adding more.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// Hands out everything that is complete, in order.
    pub(crate) fn lines<E>(&mut self, mut take: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut from = 0;
        while let Some(offset) = memchr::memchr(b'\n', &self.pending[from.max(self.searched)..]) {
            let end = from.max(self.searched) + offset;
            self.searched = 0;
            let line = &self.pending[from..end];
            if self.in_long_line {
                take(Line::Piece(line))?;
                take(Line::PieceEnd)?;
                self.in_long_line = false;
            } else {
                take(Line::Whole(line))?;
            }
            from = end + 1;
        }
        let rest = self.pending.len() - from;
        if self.in_long_line || rest > LONG_LINE_BYTES {
            self.in_long_line = true;
            take(Line::Piece(&self.pending[from..]))?;
            self.pending.clear();
        } else {
            self.pending.drain(..from);
        }
        self.searched = self.pending.len();
        Ok(())
    }

    /// Hands out what is left when the stream has ended.
    pub(crate) fn finish<E>(&mut self, mut take: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.in_long_line {
            return take(Line::PieceEnd);
        }
        if self.pending.is_empty() { Ok(()) } else { take(Line::Half(&self.pending)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> Vec<(char, Vec<u8>)> {
        let mut reader = StreamReader::default();
        let mut found: Vec<(char, Vec<u8>)> = Vec::new();
        let mut take = |line: Line<'_>| {
            match line {
                Line::Whole(line) => found.push(('w', line.to_vec())),
                Line::Half(line) => found.push(('h', line.to_vec())),
                Line::PieceEnd => found.push(('e', Vec::new())),
                Line::Piece(piece) => match found.last_mut() {
                    Some(('p', bytes)) => bytes.extend_from_slice(piece),
                    _ => found.push(('p', piece.to_vec())),
                },
            }
            Ok::<(), ()>(())
        };
        for chunk in bytes.chunks(size) {
            reader.push(chunk);
            reader.lines(&mut take).unwrap();
        }
        reader.finish(&mut take).unwrap();
        found
    }

    /// Lines come out whole whatever the sizes of the reads.
    #[test]
    fn lines_do_not_depend_on_reads() {
        let expected = vec![
            ('w', b"one".to_vec()),
            ('w', b"".to_vec()),
            ('w', b"two\r".to_vec()),
            ('h', b"half".to_vec()),
        ];
        for size in 1..20 {
            assert_eq!(read(b"one\n\ntwo\r\nhalf", size), expected);
        }
    }

    /// A line over the limit comes in pieces, and the stream goes on after it.
    #[test]
    fn long_lines_come_in_pieces() {
        let long = vec![b'x'; 3 * LONG_LINE_BYTES];
        let stream = [b"a\n".as_slice(), &long, b"\nb\n"].concat();
        let expected = vec![('w', b"a".to_vec()), ('p', long), ('e', Vec::new()), ('w', b"b".to_vec())];
        assert_eq!(read(&stream, 100_000), expected);
    }
}
