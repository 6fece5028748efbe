//! Reading a log from either end, one line at a time.
//!
//! Holds: memory is one block of 64 KiB and one line, whatever the size of the file; bytes after the last
//! newline are never given out, because their writer may still be writing. A missing file reads as empty.
//! Elsewhere: setting torn bytes aside is `repair`; skipping whole stretches is `index`.

use std::{
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use mi_model::Sha256Hex;
use sha2::{Digest, Sha256};

use crate::{
    FileError, Line,
    error::AtPath,
    line::{CUT_BYTES, MAX_LINE_BYTES},
};

const BLOCK_BYTES: u64 = 64 << 10;
const FIRST_BLOCK_BYTES: u64 = 4 << 10;

/// A log (or any file of lines) opened for reading; takes no lock and needs no write access.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    file: Option<File>,
}

impl LogReader {
    /// Opens the file; one that does not exist reads as empty.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        match File::open(path) {
            Ok(file) => Ok(Self { path: path.to_owned(), file: Some(file) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { path: path.to_owned(), file: None })
            }
            Err(error) => Err(FileError::new("open", path, error)),
        }
    }

    pub(crate) fn of(path: &Path, file: &File) -> Result<Self, FileError> {
        Ok(Self { path: path.to_owned(), file: Some(file.try_clone().at("open", path)?) })
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True when there is a file.
    pub fn exists(&self) -> bool {
        self.file.is_some()
    }

    /// Bytes in the file, a torn tail included.
    pub fn length(&self) -> Result<u64, FileError> {
        match &self.file {
            Some(file) => Ok(file.metadata().at("read", &self.path)?.len()),
            None => Ok(0),
        }
    }

    /// The last `count` lines, oldest first.
    pub fn tail(&self, count: usize) -> Result<Vec<Line>, FileError> {
        let mut lines = self.backwards()?.take(count).collect::<Result<Vec<_>, _>>()?;
        lines.reverse();
        Ok(lines)
    }

    /// All lines, newest first.
    pub fn backwards(&self) -> Result<Lines<'_>, FileError> {
        let end = self.end_of_last_line()?;
        Ok(self.lines(0..end, Direction::Backward))
    }

    /// All lines from `offset` on, which must be the start of a line; oldest first.
    pub fn forwards(&self, offset: u64) -> Result<Lines<'_>, FileError> {
        let length = self.length()?;
        Ok(self.lines(offset.min(length)..length, Direction::Forward))
    }

    pub(crate) fn lines(&self, range: Range<u64>, direction: Direction) -> Lines<'_> {
        Lines { reader: self, range, direction, block: Vec::new(), block_start: 0 }
    }

    /// Where the last complete line ends: just after the last newline.
    pub(crate) fn end_of_last_line(&self) -> Result<u64, FileError> {
        let length = self.length()?;
        let mut lines = self.lines(0..length, Direction::Backward);
        Ok(lines.last_newline(0..length)?.map_or(0, |newline| newline + 1))
    }

    /// Lower-case hexadecimal SHA-256 of a stretch of the file, in bounded memory.
    pub(crate) fn sha256(&self, range: Range<u64>) -> Result<Sha256Hex, FileError> {
        let mut hasher = Sha256::new();
        self.hash_into(&mut hasher, range)?;
        Ok(hexadecimal(hasher))
    }

    /// The same for the file's first bytes up to each of `ends`, which rise; reads the file once.
    pub(crate) fn sha256_of_beginnings(&self, ends: &[u64]) -> Result<Vec<Sha256Hex>, FileError> {
        let (mut hasher, mut at, mut digests) = (Sha256::new(), 0, Vec::new());
        for end in ends {
            self.hash_into(&mut hasher, at..*end)?;
            at = *end;
            digests.push(hexadecimal(hasher.clone()));
        }
        Ok(digests)
    }

    fn hash_into(&self, hasher: &mut Sha256, range: Range<u64>) -> Result<(), FileError> {
        let mut at = range.start;
        while at < range.end {
            let block = self.bytes(at..range.end.min(at + BLOCK_BYTES))?;
            if block.is_empty() {
                break;
            }
            hasher.update(&block);
            at += block.len() as u64;
        }
        Ok(())
    }

    /// The bytes of a stretch; fewer if the file ends before it.
    pub(crate) fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read_at(&mut bytes[filled..], range.start + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FileError::new("read", &self.path, error)),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

fn hexadecimal(hasher: Sha256) -> Sha256Hex {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A hook looks at one small block. `memchr` asks what the processor can do before its first search, and under a virtual
/// machine those questions take longer than reading the block by hand.
fn last_newline_in(bytes: &[u8]) -> Option<usize> {
    if bytes.len() as u64 <= FIRST_BLOCK_BYTES {
        return bytes.iter().rposition(|byte| *byte == b'\n');
    }
    memchr::memrchr(b'\n', bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// The lines of a stretch of a log, in one direction.
#[derive(Debug)]
pub struct Lines<'a> {
    reader: &'a LogReader,
    range: Range<u64>,
    direction: Direction,
    block: Vec<u8>,
    block_start: u64,
}

impl Lines<'_> {
    /// Where the next line starts: the offset to go on from when the log has grown.
    pub fn position(&self) -> u64 {
        self.range.start
    }

    fn next_forward(&mut self) -> Result<Option<Line>, FileError> {
        let start = self.range.start;
        let Some(newline) = self.first_newline(start..self.range.end)? else { return Ok(None) };
        self.range.start = newline + 1;
        self.line(start..newline).map(Some)
    }

    fn next_backward(&mut self) -> Result<Option<Line>, FileError> {
        if self.range.is_empty() {
            return Ok(None);
        }
        let newline = self.range.end - 1;
        let start =
            self.last_newline(self.range.start..newline)?.map_or(self.range.start, |previous| previous + 1);
        self.range.end = start;
        self.line(start..newline).map(Some)
    }

    fn first_newline(&mut self, range: Range<u64>) -> Result<Option<u64>, FileError> {
        let mut at = range.start;
        while at < range.end {
            if !self.holds(at) {
                self.load(at..range.end.min(at + BLOCK_BYTES))?;
            }
            let from = (at - self.block_start) as usize;
            let Some(rest) = self.block.get(from..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
            if let Some(found) = memchr::memchr(b'\n', rest) {
                let newline = at + found as u64;
                return Ok((newline < range.end).then_some(newline));
            }
            at += rest.len() as u64;
        }
        Ok(None)
    }

    fn last_newline(&mut self, range: Range<u64>) -> Result<Option<u64>, FileError> {
        let mut end = range.end;
        while end > range.start {
            if !self.holds(end - 1) {
                // Whoever only wants the last line, like every hook, reads little; a long way back is read in large blocks.
                let size = (self.block.len() as u64 * 2).clamp(FIRST_BLOCK_BYTES, BLOCK_BYTES);
                self.load(end.saturating_sub(size).max(range.start)..end)?;
            }
            let Some(part) = self.block.get(..(end - self.block_start) as usize) else { return Ok(None) };
            if let Some(found) = last_newline_in(part) {
                let newline = self.block_start + found as u64;
                return Ok((newline >= range.start).then_some(newline));
            }
            end = self.block_start;
        }
        Ok(None)
    }

    fn holds(&self, offset: u64) -> bool {
        offset >= self.block_start && offset < self.block_start + self.block.len() as u64
    }

    fn load(&mut self, range: Range<u64>) -> Result<(), FileError> {
        self.block_start = range.start;
        self.block = self.reader.bytes(range)?;
        Ok(())
    }

    fn line(&self, range: Range<u64>) -> Result<Line, FileError> {
        let length = range.end - range.start;
        let kept = if length > MAX_LINE_BYTES as u64 { CUT_BYTES as u64 } else { length };
        let from = range.start.checked_sub(self.block_start).map(|from| from as usize);
        let held = from.and_then(|from| self.block.get(from..from + kept as usize));
        let bytes = match held {
            Some(bytes) => bytes.to_vec(),
            None => self.reader.bytes(range.start..range.start + kept)?,
        };
        Ok(Line { offset: range.start, length, bytes })
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<Line, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.direction {
            Direction::Forward => self.next_forward(),
            Direction::Backward => self.next_backward(),
        }
        .transpose()
    }
}

/// Gives out the lines that were added since it last looked.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    offset: u64,
}

impl Follower {
    /// Follows from `offset`, the start of a line (0, or [`Line::end`] of the last line seen).
    pub fn new(path: &Path, offset: u64) -> Self {
        Self { path: path.to_owned(), offset }
    }

    /// The complete lines that are new, at most `limit`; an empty answer means "nothing yet".
    ///
    /// A file that became shorter was replaced: following goes on from its beginning.
    pub fn poll(&mut self, limit: usize) -> Result<Vec<Line>, FileError> {
        let reader = LogReader::open(&self.path)?;
        if reader.length()? < self.offset {
            self.offset = 0;
        }
        let mut lines = reader.forwards(self.offset)?;
        let found = lines.by_ref().take(limit).collect::<Result<Vec<_>, _>>()?;
        self.offset = lines.position();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn texts(lines: Vec<Line>) -> Vec<String> {
        lines.into_iter().map(|line| String::from_utf8_lossy(&line.bytes).into_owned()).collect()
    }

    /// Both directions give the same lines, also when lines are longer than a block or empty.
    #[test]
    fn both_directions_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let sizes = [0, 1, 65_535, 65_536, 65_537, 3, 200_000, 0, 0, 131_071, 7];
        let text: String = sizes.iter().map(|size| "x".repeat(*size) + "\n").collect();
        fs::write(&path, text + "torn").unwrap();
        let reader = LogReader::open(&path).unwrap();
        let forwards: Vec<Line> = reader.forwards(0).unwrap().map(Result::unwrap).collect();
        let mut backwards: Vec<Line> = reader.backwards().unwrap().map(Result::unwrap).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
        assert_eq!(forwards.iter().map(|line| line.bytes.len()).collect::<Vec<_>>(), sizes);
        assert_eq!(reader.tail(3).unwrap(), forwards[8..]);
    }

    /// A missing file, an empty file and a file without a newline have no lines.
    #[test]
    fn nothing_to_read_is_not_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        assert_eq!(LogReader::open(&path).unwrap().tail(5).unwrap(), []);
        for text in ["", "torn"] {
            fs::write(&path, text).unwrap();
            assert_eq!(LogReader::open(&path).unwrap().tail(5).unwrap(), []);
            assert_eq!(LogReader::open(&path).unwrap().forwards(0).unwrap().count(), 0);
        }
    }

    /// A 50 MB line is reported with its length and its beginning; its neighbours are read as usual.
    #[test]
    fn fifty_megabyte_line_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, format!("a\n{}\nb\n", "y".repeat(50_000_000))).unwrap();
        let reader = LogReader::open(&path).unwrap();
        for lines in [reader.tail(9).unwrap(), reader.forwards(0).unwrap().map(Result::unwrap).collect()] {
            let seen: Vec<_> =
                lines.iter().map(|line| (line.length, line.bytes.len(), line.is_cut())).collect();
            assert_eq!(seen, [(1, 1, false), (50_000_000, CUT_BYTES, true), (1, 1, false)]);
        }
    }

    /// A follower sees each line once, when it is whole, and starts over when the file is replaced.
    #[test]
    fn follower_gives_each_line_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut follower = Follower::new(&path, 0);
        assert_eq!(follower.poll(9).unwrap(), []);
        fs::write(&path, "one\ntwo\nthr").unwrap();
        assert_eq!(texts(follower.poll(1).unwrap()), ["one"]);
        assert_eq!(texts(follower.poll(9).unwrap()), ["two"]);
        fs::write(&path, "one\ntwo\nthree\n").unwrap();
        assert_eq!(texts(follower.poll(9).unwrap()), ["three"]);
        fs::write(&path, "new\n").unwrap();
        assert_eq!(texts(follower.poll(9).unwrap()), ["new"]);
    }
}
