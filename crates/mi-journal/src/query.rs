//! Looking things up in a log: by number, kind, run, time, regular expression or words; newest or oldest first.
//!
//! Holds: the same answers with and without an index; the index only saves reading. Lines that are not JSON
//! objects are passed over and counted.

use memchr::memmem::Finder;
use mi_model::{RunId, Timestamp};
use regex::bytes::Regex;
use std::{
    collections::VecDeque,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{
    FileError, Line, LineFrame, Lines, LogReader,
    index::{self, Index, Needs, search_text, tag_rows, unescape},
    read::Direction,
    seek,
};

/// What a record must be to be found; empty = every record.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// One of these kinds; empty = any.
    pub kinds: Vec<String>,
    pub run: Option<RunId>,
    /// At or after this time.
    pub since: Option<Timestamp>,
    pub seq: Option<u64>,
    pub pattern: Option<Pattern>,
}

/// What a record's text must contain.
#[derive(Debug, Clone)]
pub struct Pattern {
    all: Vec<Regex>,
    needs: Needs,
}

impl Pattern {
    /// A regular expression, looked for in the line as it stands and with its JSON escapes undone, but not in the
    /// times, numbers and hashes that the journal itself added.
    pub fn regex(pattern: &str) -> Result<Self, regex::Error> {
        Ok(Self { all: vec![Regex::new(pattern)?], needs: Needs::of_pattern(pattern) })
    }

    /// All of these words (separated by white space), in any order and case.
    pub fn words(text: &str) -> Result<Self, regex::Error> {
        let words: Vec<String> =
            text.split_whitespace().map(|word| format!("(?i){}", regex::escape(word))).collect();
        let all = words.iter().map(|word| Regex::new(word)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { all, needs: Needs::All(words.iter().map(|word| Needs::of_pattern(word)).collect()) })
    }

    fn matches(&self, line: &[u8]) -> bool {
        let text = search_text(line);
        let unmatched: Vec<&Regex> = self.all.iter().filter(|regex| !regex.is_match(&text)).collect();
        unmatched.is_empty()
            || unescape(&text).is_some_and(|plain| unmatched.iter().all(|regex| regex.is_match(&plain)))
    }
}

impl Query {
    /// Whether this one line is a hit, as a follower of a growing log asks.
    pub fn accepts(&self, line: &Line) -> bool {
        line.frame().is_some_and(|frame| self.matches(&frame))
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(&line.bytes))
    }

    /// Texts of which a line must contain one per list to be a hit; spares reading most lines as JSON.
    fn needles(&self) -> Vec<Vec<Finder<'static>>> {
        let finder = |text: &str| Finder::new(text.as_bytes()).into_owned();
        let kinds = self.kinds.iter().map(|kind| finder(kind)).collect::<Vec<_>>();
        let run = self.run.iter().map(|run| finder(run.as_str())).collect();
        let seq = self.seq.iter().map(|seq| finder(&seq.to_string())).collect();
        [kinds, run, seq].into_iter().filter(|list| !list.is_empty()).collect()
    }

    fn matches(&self, frame: &LineFrame<'_>) -> bool {
        (self.kinds.is_empty() || self.kinds.iter().any(|kind| frame.kind() == Some(kind)))
            && self.run.as_ref().is_none_or(|run| frame.run_id() == Some(run.as_str()))
            && self.seq.is_none_or(|seq| frame.seq() == Some(seq))
            && self.since.is_none_or(|since| frame.timestamp().is_some_and(|ts| ts >= since))
    }

    /// The stretches of a segment that may hold hits, oldest first.
    fn stretches(&self, index: &Index, segment: usize) -> VecDeque<Range<u64>> {
        let blocks = self.blocks(index, segment);
        let mut stretches: VecDeque<Range<u64>> = VecDeque::new();
        for (number, block) in index.segments()[segment].iter().enumerate() {
            let seq_fits = self.seq.is_none_or(|seq| (block.min_seq..=block.max_seq).contains(&seq));
            let time_fits = self.since.is_none_or(|since| block.max_millis >= since.as_millis());
            if blocks >> number & 1 == 0 || !seq_fits || !time_fits {
                continue;
            }
            match stretches.back_mut() {
                Some(last) if last.end == block.start => last.end = block.end,
                _ => stretches.push_back(block.start..block.end),
            }
        }
        stretches
    }

    fn blocks(&self, index: &Index, segment: usize) -> u64 {
        let mut blocks_of = |row| index.blocks_of(segment, row);
        let tagged = |name: &str, value: &str| {
            tag_rows(name, value).into_iter().fold(u64::MAX, |blocks, row| blocks & blocks_of(row))
        };
        let mut blocks = match self.kinds.as_slice() {
            [] => u64::MAX,
            kinds => kinds.iter().fold(0, |blocks, kind| blocks | tagged("kind", kind)),
        };
        if let Some(run) = &self.run {
            blocks &= tagged("run", run.as_str());
        }
        match &self.pattern {
            Some(pattern) if blocks != 0 => blocks & pattern.needs.blocks(&mut blocks_of),
            _ => blocks,
        }
    }
}

/// A log with its index, if it has one.
#[derive(Debug)]
pub struct LogView {
    reader: LogReader,
    index_path: PathBuf,
    index: Option<Index>,
}

impl LogView {
    /// Opens a log for looking things up; one that does not exist is empty. Changes nothing on disk.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let (reader, index_path) = (LogReader::open(path)?, path.with_extension("index"));
        let index = Index::open(&index_path, &reader);
        Ok(Self { reader, index_path, index })
    }

    /// The log itself.
    pub fn reader(&self) -> &LogReader {
        &self.reader
    }

    /// Brings the index nearer to the log (and replaces a damaged one), for the next command's sake; returns how
    /// many segments of 4 MiB were added, at most `limit`.
    ///
    /// Nothing that is found depends on it, so a failure may be passed over. A segment takes some twenty
    /// milliseconds: a reading command should ask for a few, the end of a run or `verify` for all (`u64::MAX`).
    pub fn catch_up(&mut self, limit: u64) -> Result<u64, FileError> {
        let damaged = self.index.as_ref().is_some_and(Index::is_damaged);
        let added = index::catch_up(&self.index_path, &self.reader, damaged, limit)?;
        if added > 0 {
            self.index = Index::open(&self.index_path, &self.reader);
        }
        Ok(added)
    }

    /// The hits, newest first.
    pub fn newest<'a>(&'a self, query: &'a Query) -> Result<Hits<'a>, FileError> {
        self.hits(query, Direction::Backward)
    }

    /// The hits, oldest first.
    pub fn oldest<'a>(&'a self, query: &'a Query) -> Result<Hits<'a>, FileError> {
        self.hits(query, Direction::Forward)
    }

    /// The record with this number.
    pub fn by_seq(&self, seq: u64) -> Result<Option<Line>, FileError> {
        match seek::by_seq(&self.reader, seq)? {
            Some(line) => Ok(Some(line)),
            // Damage can hide it from the quick way.
            None => self.newest(&Query { seq: Some(seq), ..Query::default() })?.next().transpose(),
        }
    }

    fn hits<'a>(&'a self, query: &'a Query, direction: Direction) -> Result<Hits<'a>, FileError> {
        let end = self.reader.end_of_last_line()?;
        let index = self.index.as_ref().filter(|index| index.covered() <= end);
        let segments = index.map_or(0, |index| index.segments().len());
        let uncovered = index.map_or(0, |index| index.covered())..end;
        let mut parts: VecDeque<Part> = (0..segments).map(Part::Segment).collect();
        parts.push_back(Part::Stretch(uncovered));
        Ok(Hits {
            view: self,
            query,
            direction,
            parts,
            lines: None,
            needles: query.needles(),
            passed_over: 0,
        })
    }
}

#[derive(Debug)]
enum Part {
    Segment(usize),
    Stretch(Range<u64>),
}

/// The records that a query found, one at a time.
#[derive(Debug)]
pub struct Hits<'a> {
    view: &'a LogView,
    query: &'a Query,
    direction: Direction,
    /// What is left to look at, oldest first.
    parts: VecDeque<Part>,
    lines: Option<Lines<'a>>,
    needles: Vec<Vec<Finder<'static>>>,
    passed_over: u64,
}

impl<'a> Hits<'a> {
    /// Lines met so far that are not records: not JSON, not UTF-8, or too long.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    fn accept(&mut self, line: &Line) -> bool {
        let has = |list: &Vec<Finder<'_>>| list.iter().any(|needle| needle.find(&line.bytes).is_some());
        let pattern = self.query.pattern.as_ref();
        let may_match =
            self.needles.iter().all(has) && pattern.is_none_or(|pattern| pattern.matches(&line.bytes));
        if !line.is_cut() && !may_match {
            return false;
        }
        match line.frame() {
            Some(frame) => self.query.matches(&frame),
            None => {
                self.passed_over += u64::from(!line.is_blank());
                false
            }
        }
    }

    fn next_lines(&mut self) -> Option<Lines<'a>> {
        loop {
            let part = match self.direction {
                Direction::Forward => self.parts.pop_front()?,
                Direction::Backward => self.parts.pop_back()?,
            };
            match (part, &self.view.index) {
                (Part::Stretch(range), _) => return Some(self.view.reader.lines(range, self.direction)),
                (Part::Segment(number), Some(index)) => self.unfold(self.query.stretches(index, number)),
                (Part::Segment(_), None) => {}
            }
        }
    }

    fn unfold(&mut self, stretches: VecDeque<Range<u64>>) {
        match self.direction {
            Direction::Forward => {
                stretches.into_iter().rev().for_each(|range| self.parts.push_front(Part::Stretch(range)))
            }
            Direction::Backward => self.parts.extend(stretches.into_iter().map(Part::Stretch)),
        }
    }
}

impl Iterator for Hits<'_> {
    type Item = Result<Line, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(lines) = &mut self.lines else {
                self.lines = Some(self.next_lines()?);
                continue;
            };
            match lines.next() {
                Some(Ok(line)) if self.accept(&line) => return Some(Ok(line)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(Err(error)),
                None => self.lines = None,
            }
        }
    }
}
