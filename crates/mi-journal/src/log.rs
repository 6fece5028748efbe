//! The append side of a log: one lock, one write, one flush, then the head.
//!
//! Holds: when [`Log::append`] returns sequence numbers, their records are on the disk; when it returns an
//! error, none of the group is in the log. Processes that append at once take turns by a lock on the log file
//! itself, which the system releases when a process dies; whoever gets it first looks whether the log has grown.
//! Elsewhere: reading is `read`, the shape of a line is `frame`, damage is `repair` and `verify`.

use mi_model::{Hlc, RunId, Timestamp, record::Entry};
use serde_json::{Map, Value};
use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::{
    FileError, JournalError, LogReader, Repair,
    error::AtPath,
    frame::{Body, ChainEnd, Stamp},
    head::{Head, HeadFile, Mark, remember_break},
    line::MAX_LINE_BYTES,
    repair::set_torn_aside,
};

/// A chained log, open for appending.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    head: HeadFile,
    file: File,
    known: Known,
    repairs: Vec<Repair>,
    flush: Flush,
}

/// Whether an append waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flush {
    Now,
    Later,
}

/// What this process knows about the log; true as long as the file has `bytes` bytes.
#[derive(Debug, Default)]
struct Known {
    bytes: u64,
    count: u64,
    end: ChainEnd,
    head_turn: u64,
    breaks: Vec<Mark>,
}

impl Log {
    /// Opens or creates the log whose head is kept at `head_path`, and sets a torn tail aside.
    pub fn open(path: &Path, head_path: &Path) -> Result<Self, JournalError> {
        for folder in [path.parent(), head_path.parent()].into_iter().flatten() {
            fs::create_dir_all(folder).at("create the folder", folder)?;
        }
        let (file, head) = (open_file(path)?, HeadFile::new(head_path));
        let mut log = Self {
            path: path.to_owned(),
            head,
            file,
            known: Known::default(),
            repairs: Vec::new(),
            flush: Flush::Now,
        };
        log.locked(|log| Ok(log.learn_the_end()?))?;
        Ok(log)
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The clock of the last record that was written or found.
    pub fn clock(&self) -> Hlc {
        self.known.end.hlc
    }

    /// What was put right since the log was opened.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Adds a group of entries and returns their sequence numbers once all of them are on the disk.
    pub fn append(
        &mut self,
        now: Timestamp,
        run_id: Option<&RunId>,
        goal_ids: &[String],
        entries: &[Entry],
    ) -> Result<Vec<u64>, JournalError> {
        let bodies = entries.iter().map(Body::of_entry).collect::<Result<Vec<_>, _>>()?;
        self.append_bodies(&Stamp::new(now, run_id, goal_ids), &bodies)
    }

    /// The same for records of any shape; each is a kind and its fields.
    pub fn append_values(
        &mut self,
        now: Timestamp,
        run_id: Option<&RunId>,
        records: &[(&str, Map<String, Value>)],
    ) -> Result<Vec<u64>, JournalError> {
        let bodies = records.iter().map(|(kind, fields)| Body::of_fields(kind, fields));
        self.append_bodies(&Stamp::new(now, run_id, &[]), &bodies.collect::<Result<Vec<_>, _>>()?)
    }

    /// As [`Log::append_values`], without waiting for the disk: what is written survives the end of this process,
    /// not that of the machine. For records that must not hold up somebody who waits.
    pub fn append_values_soon(
        &mut self,
        now: Timestamp,
        records: &[(&str, Map<String, Value>)],
    ) -> Result<Vec<u64>, JournalError> {
        self.flush = Flush::Later;
        let added = self.append_values(now, None, records);
        self.flush = Flush::Now;
        added
    }

    fn append_bodies(&mut self, stamp: &Stamp, bodies: &[Body]) -> Result<Vec<u64>, JournalError> {
        if bodies.is_empty() {
            return Ok(Vec::new());
        }
        self.locked(|log| {
            if log.file.metadata().at("read", &log.path)?.len() != log.known.bytes {
                log.learn_the_end()?;
            }
            log.write_group(stamp, bodies)
        })
    }

    /// Runs `work` under the exclusive lock, on the file that now has the log's name.
    fn locked<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.file.lock().at("lock", &self.path)?;
        while !self.is_current() {
            // Deleted or replaced since it was opened: what we would write there, nobody would find.
            self.file = open_file(&self.path)?;
            self.file.lock().at("lock", &self.path)?;
            self.known = Known { bytes: u64::MAX, ..Known::default() };
        }
        let result = work(self);
        self.file.unlock().at("unlock", &self.path)?;
        result
    }

    fn is_current(&self) -> bool {
        match (fs::metadata(&self.path), self.file.metadata()) {
            (Ok(named), Ok(open)) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
            _ => false,
        }
    }

    /// Reads the end of the log and its head; the caller holds the lock.
    fn learn_the_end(&mut self) -> Result<(), FileError> {
        self.repairs.extend(set_torn_aside(&self.path, &self.file)?);
        let reader = LogReader::of(&self.path, &self.file)?;
        let (head, repair) = self.head.load()?;
        self.repairs.extend(repair);
        let mut known = Known { bytes: reader.length()?, ..Known::default() };
        let (lost, from) = known.trust(&reader, head)?;
        for line in reader.forwards(from)? {
            line?;
            known.count += 1;
        }
        if let Some(lost) = lost.filter(|lost| !lost.was_torn(&self.path, known.count, known.bytes)) {
            remember_break(&mut known.breaks, lost);
        }
        known.end = chain_end(&reader, &known)?;
        self.known = known;
        Ok(())
    }

    fn write_group(&mut self, stamp: &Stamp, bodies: &[Body]) -> Result<Vec<u64>, JournalError> {
        let (first, mut end, mut group) = (self.known.end.next_seq, self.known.end.clone(), Vec::new());
        for body in bodies {
            let start = group.len();
            end.add_line(stamp, body, &mut group);
            let bytes = group.len() - start;
            if bytes > MAX_LINE_BYTES {
                return Err(JournalError::TooLarge { path: self.path.clone(), bytes, limit: MAX_LINE_BYTES });
            }
        }
        let flushed = self.file.write_all(&group).and_then(|()| match self.flush {
            Flush::Now => self.file.sync_data(),
            Flush::Later => Ok(()),
        });
        if let Err(error) = flushed {
            // Nothing of this group was acknowledged, so none of it may stay. If the cut fails as well, what is
            // left is a torn tail, which the next append or command sets aside.
            let _ = self.file.set_len(self.known.bytes);
            return Err(FileError::new("append to", &self.path, error).into());
        }
        self.known.bytes += group.len() as u64;
        self.known.count += bodies.len() as u64;
        self.known.end = end;
        self.save_head();
        Ok((first..self.known.end.next_seq).collect())
    }

    /// Writes the head. The records are safe already, so a failure is a note: the head lags until the next append.
    fn save_head(&mut self) {
        let known = &mut self.known;
        known.head_turn += 1;
        let (seq, hash) = (known.end.next_seq.saturating_sub(1), known.end.hash.clone().unwrap_or_default());
        let mark = Mark { count: known.count, seq, hash, bytes: known.bytes };
        let head = Head { turn: known.head_turn, mark, breaks: known.breaks.clone() };
        if let Err(error) = self.head.save(&head) {
            let message = format!("the head of the chain was not written and lags behind: {error}");
            self.repairs.push(Repair { path: self.path.clone(), set_aside: None, message });
        }
    }
}

impl Known {
    /// Takes over the head: the one that the log does not contain, if so, and from where to count lines on.
    fn trust(&mut self, reader: &LogReader, head: Option<Head>) -> Result<(Option<Mark>, u64), FileError> {
        let Some(head) = head else { return Ok((None, 0)) };
        self.breaks = head.breaks;
        self.head_turn = head.turn;
        self.end.next_seq = head.mark.seq.saturating_add(1);
        if head.mark.is_in(reader)? {
            self.count = head.mark.count;
            return Ok((None, head.mark.bytes));
        }
        Ok((Some(head.mark), 0))
    }
}

/// The end of the chain: after the last record, and in no case before the head.
fn chain_end(reader: &LogReader, known: &Known) -> Result<ChainEnd, FileError> {
    let mut end = known.end.clone();
    let Some(line) = reader.backwards()?.next().transpose()? else { return Ok(end) };
    end.hash = Some(reader.sha256(line.offset..line.offset + line.length)?);
    let frame = line.frame();
    end.hlc = frame.as_ref().and_then(|frame| frame.hlc()).unwrap_or_default();
    let after_last = frame.and_then(|frame| frame.seq()).map_or(known.count, |seq| seq.saturating_add(1));
    end.next_seq = end.next_seq.max(after_last);
    Ok(end)
}

fn open_file(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().read(true).append(true).create(true).open(path).at("open for appending", path)
}
