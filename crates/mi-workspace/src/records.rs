//! Files that are one JSON object with one long list: `tasks.json` and `history.json`.
//!
//! An entry is added without reading the others into memory. Holds: entries that are there keep their bytes, other
//! fields their values. Where the new text lies inside of one page of a file whose end is padded with blanks, it is
//! written there: a kill cannot cut it and the file does not grow. Otherwise the file is replaced, except for a very
//! long one, which grows in place; what a kill or a power loss cut there is an entry that was not acknowledged, and
//! [`Records::load`] passes over it.

mod scan;

use serde_json::{Map, Value};
use std::{
    fs::{File, Metadata},
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    ops::Range,
    os::unix::fs::{FileExt, MetadataExt},
    path::PathBuf,
};

pub(crate) use scan::{List, Outline, ScanError, scan};

use crate::{DamagedFile, FileError, Lock, Store, ToolError, error::AtPath};

const PAGE: u64 = 4096;
const ENTRY: &[u8] = b",\n    ";
const CLOSE: &[u8] = b"\n  ]\n}";

/// One such file.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    pub(crate) path: PathBuf,
    pub(crate) key: &'static str,
    pub(crate) growth: Growth,
}

/// How a file makes room for the next entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// Blanks at its end, up to a full page.
    Padded,
    /// From this length on at its end, in place.
    InPlaceFrom(u64),
}

/// A file as it was seen, or left, at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot {
    stamp: Stamp,
    pub(crate) outline: Outline,
    /// How many bytes behind the last complete entry were cut by a kill or a power loss.
    pub(crate) torn: u64,
}

/// Changes whenever a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Records {
    /// Walks through the file; `None` when there is none.
    pub(crate) fn load(
        &self,
        store: &Store,
        each: impl FnMut(&[u8], Range<u64>),
    ) -> Result<Option<Spot>, ToolError> {
        let Some(file) = store.open(&self.path)? else { return Ok(None) };
        let stamp = Stamp::of(&file.metadata().at("look at", &self.path)?);
        match scan(&file, self.key, each) {
            Ok(outline) => Ok(Some(Spot { stamp, outline, torn: 0 })),
            Err(ScanError::Read(source)) => Err(source).at("read", &self.path).map_err(ToolError::from),
            Err(ScanError::Broken { offset, problem, list }) => match list {
                Some(list) if self.is_torn(&file, &list, stamp.size) => {
                    Ok(Some(Spot { stamp, torn: stamp.size - list.splice, outline: self.cut(&file, list)? }))
                }
                _ => Err(self.broken(offset, problem, stamp.size).into()),
            },
        }
    }

    /// Whether the file is still as it was left.
    pub(crate) fn is_untouched(&self, store: &Store, spot: &Spot) -> Result<bool, FileError> {
        let Some(file) = store.open(&self.path)? else { return Ok(false) };
        Ok(Stamp::of(&file.metadata().at("look at", &self.path)?) == spot.stamp)
    }

    /// The bytes of one entry.
    pub(crate) fn entry(&self, store: &Store, place: &Range<u64>) -> Result<Vec<u8>, ToolError> {
        let Some(file) = store.open(&self.path)? else { return Ok(Vec::new()) };
        let mut bytes = vec![0; usize::try_from(place.end - place.start).unwrap_or(0)];
        file.read_exact_at(&mut bytes, place.start).at("read", &self.path)?;
        Ok(bytes)
    }

    /// Adds an entry, and leaves the file with these other fields. When this returns, it is on the disk.
    pub(crate) fn append(
        &self,
        store: &Store,
        lock: &Lock,
        spot: Option<&Spot>,
        fields: &Map<String, Value>,
        record: &[u8],
    ) -> Result<Spot, FileError> {
        if let Some(spot) = spot
            && spot.outline.fields == *fields
            && let Some(list) = &spot.outline.list
            && let Some(text) = self.fits_in_place(spot, list, record)
        {
            return self.write_in_place(store, lock, spot, list, &text, record);
        }
        self.rewrite(store, lock, spot, fields, record)
    }

    fn fits_in_place(&self, spot: &Spot, list: &List, record: &[u8]) -> Option<Vec<u8>> {
        if list.count == 0 || !list.closes_file || spot.torn > 0 {
            return None;
        }
        let mut text = [ENTRY, record, CLOSE].concat();
        let end = list.splice + text.len() as u64;
        let length = spot.outline.length;
        // What stays behind the text must be white space alone.
        if end < list.closed_at {
            return None;
        }
        if end < length && list.splice / PAGE == (end - 1) / PAGE {
            return Some(text);
        }
        match self.growth {
            Growth::InPlaceFrom(from) if length >= from => {
                text.push(b'\n');
                Some(text)
            }
            Growth::InPlaceFrom(_) | Growth::Padded => None,
        }
    }

    fn write_in_place(
        &self,
        store: &Store,
        lock: &Lock,
        spot: &Spot,
        list: &List,
        text: &[u8],
        record: &[u8],
    ) -> Result<Spot, FileError> {
        let file = store
            .open_to_change(lock, &self.path)?
            .ok_or(io::ErrorKind::NotFound.into())
            .at("change", &self.path)?;
        let written = file.write_all_at(text, list.splice).and_then(|()| file.sync_data());
        if written.is_err() && spot.outline.length < list.splice + text.len() as u64 {
            // The disk is full: back to the end that was there.
            let _ = file.set_len(list.splice).and_then(|()| file.write_all_at(b"\n  ]\n}\n", list.splice));
        }
        written.at("change", &self.path)?;
        let start = list.splice + ENTRY.len() as u64;
        let last = start..start + record.len() as u64;
        let stamp = Stamp::of(&file.metadata().at("look at", &self.path)?);
        let list = List {
            count: list.count + 1,
            splice: last.end,
            closed_at: last.end + CLOSE.len() as u64,
            last: Some(last),
            ..list.clone()
        };
        let outline = Outline { list: Some(list), length: stamp.size, fields: spot.outline.fields.clone() };
        Ok(Spot { stamp, outline, torn: 0 })
    }

    /// The file anew: fields, the bytes of the entries that are there, the new one.
    fn rewrite(
        &self,
        store: &Store,
        lock: &Lock,
        spot: Option<&Spot>,
        fields: &Map<String, Value>,
        record: &[u8],
    ) -> Result<Spot, FileError> {
        let old = spot.and_then(|spot| spot.outline.list.clone()).unwrap_or_default();
        let source = if old.count > 0 { store.open(&self.path)? } else { None };
        let head = self.head(fields);
        let separator = if old.count > 0 { ENTRY } else { &ENTRY[1..] };
        let start = head.len() as u64 + (if old.count > 0 { old.splice - old.start } else { 0 });
        let last_start = start + separator.len() as u64;
        let last = last_start..last_start + record.len() as u64;
        let closed_at = last.end + CLOSE.len() as u64;
        let filler = match self.growth {
            Growth::Padded => usize::try_from(PAGE - 1 - closed_at % PAGE).unwrap_or(0),
            Growth::InPlaceFrom(_) => 0,
        };
        store.replace_with(lock, &self.path, &mut |file| {
            let mut out = BufWriter::with_capacity(1 << 16, &mut *file);
            out.write_all(&head)?;
            if let Some(mut source) = source.as_ref() {
                source.seek(SeekFrom::Start(old.start))?;
                io::copy(&mut source.take(old.splice - old.start), &mut out)?;
            }
            for part in [separator, record, CLOSE, &vec![b' '; filler], b"\n"] {
                out.write_all(part)?;
            }
            out.flush()
        })?;
        let metadata = std::fs::symlink_metadata(&self.path).at("look at", &self.path)?;
        let list = List {
            count: old.count + 1,
            start: head.len() as u64,
            splice: last.end,
            closes_file: true,
            closed_at,
            last: Some(last),
        };
        let outline = Outline { fields: fields.clone(), list: Some(list), length: metadata.size() };
        Ok(Spot { stamp: Stamp::of(&metadata), outline, torn: 0 })
    }

    /// The whole file from its parts, where all entries may have changed.
    pub(crate) fn render(&self, fields: &Map<String, Value>, entries: &[Value]) -> Vec<u8> {
        let mut text = self.head(fields);
        for (index, entry) in entries.iter().enumerate() {
            text.extend_from_slice(if index == 0 { &ENTRY[1..] } else { ENTRY });
            text.extend_from_slice(entry.to_string().as_bytes());
        }
        text.extend_from_slice(CLOSE);
        if self.growth == Growth::Padded {
            let filler = PAGE - 1 - text.len() as u64 % PAGE;
            text.resize(text.len() + usize::try_from(filler).unwrap_or(0), b' ');
        }
        text.push(b'\n');
        text
    }

    /// The text of a torn file up to its last complete entry, closed.
    pub(crate) fn closed(&self, spot: &Spot, bytes: &[u8]) -> Vec<u8> {
        let splice = spot.outline.list.as_ref().map_or(0, |list| list.splice);
        let complete = bytes.get(..usize::try_from(splice).unwrap_or(0)).unwrap_or_default();
        [complete, CLOSE].concat()
    }

    fn head(&self, fields: &Map<String, Value>) -> Vec<u8> {
        let mut text = String::from("{\n");
        for (name, value) in fields.iter().filter(|(name, _)| *name != self.key) {
            text.push_str(&format!("  {}: {value},\n", Value::from(name.as_str())));
        }
        text.push_str(&format!("  \"{}\": [", self.key));
        text.into_bytes()
    }

    /// Whether the end of the file is what an interrupted [`Self::write_in_place`] leaves, and nothing else.
    fn is_torn(&self, file: &File, list: &List, size: u64) -> bool {
        let written_in_place = match self.growth {
            Growth::Padded => size.is_multiple_of(PAGE) && list.splice / PAGE == (size - 1) / PAGE,
            Growth::InPlaceFrom(from) => list.splice >= from,
        };
        if !written_in_place || list.count == 0 || !list.closes_file {
            return false;
        }
        let mut begin = [0; ENTRY.len()];
        let length = begin.len().min(usize::try_from(size - list.splice).unwrap_or(usize::MAX));
        let read = file.read_exact_at(&mut begin[..length], list.splice);
        read.is_ok() && begin[..length] == ENTRY[..length]
    }

    /// The outline of a torn file as it was before: its fields stand before the list, or it was not written in place.
    fn cut(&self, file: &File, list: List) -> Result<Outline, FileError> {
        let mut head = vec![0; usize::try_from(list.start).unwrap_or(0)];
        file.read_exact_at(&mut head, 0).at("read", &self.path)?;
        head.extend_from_slice(b"]}");
        let fields = match serde_json::from_slice(&head) {
            Ok(Value::Object(mut fields)) => {
                fields.shift_remove(self.key);
                fields
            }
            _ => Map::new(),
        };
        Ok(Outline { fields, length: list.splice, list: Some(list) })
    }

    fn broken(&self, offset: u64, problem: &str, size: u64) -> DamagedFile {
        let problem = match size {
            0 => "is empty".to_owned(),
            _ => format!("is not valid JSON (at byte {offset} of {size}: {problem})"),
        };
        DamagedFile::new(&self.path, problem)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}
