//! Finding one record by its number without an index: numbers rise, so halving the log leads to it.
//!
//! Holds: what is found has the number. A log whose numbers do not rise (a damaged one) may hide a record from this
//! search; who must be sure looks at every line.

use crate::{
    FileError, Line,
    read::{Direction, LogReader},
};

/// A stretch as short as this is read through.
const READ_THROUGH_BYTES: u64 = 16 << 10;

/// The line with number `seq`, if halving leads to it.
pub(crate) fn by_seq(reader: &LogReader, seq: u64) -> Result<Option<Line>, FileError> {
    // Both are starts of lines, or the end of the last one.
    let (mut low, mut high) = (0, reader.end_of_last_line()?);
    while high - low > READ_THROUGH_BYTES {
        let middle = low + (high - low) / 2;
        let Some(line) = first_line_after(reader, middle, high)? else {
            // One line fills the upper half, or the lower one too.
            break;
        };
        match line.frame().and_then(|frame| frame.seq()) {
            Some(found) if found == seq => return Ok(Some(line)),
            Some(found) if found < seq => low = line.end(),
            Some(_) => high = line.offset,
            None => break,
        }
    }
    for line in reader.lines(low..high, Direction::Forward) {
        let line = line?;
        if line.frame().is_some_and(|frame| frame.seq() == Some(seq)) {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// The first line that starts after `offset` and before `end`.
fn first_line_after(reader: &LogReader, offset: u64, end: u64) -> Result<Option<Line>, FileError> {
    let mut lines = reader.lines(offset..end, Direction::Forward);
    // The rest of the line that `offset` is in.
    let cut = lines.next().transpose()?;
    if cut.is_none() {
        return Ok(None);
    }
    lines.next().transpose()
}
