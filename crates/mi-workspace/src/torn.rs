//! Files of lines whose last line was cut by a kill, a power cut or a full disk.
//!
//! Holds: what was cut is set aside beside the file (`tool-log.jsonl.torn-1`), as the journal does it, and told; a last
//! line that only lacks its end is whole.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{FileError, Lock, Store, error::AtPath};

impl Store {
    /// Cuts a torn last line off, after it was set aside, and notes it.
    pub(crate) fn set_torn_aside(&self, lock: &Lock, path: &Path) -> Result<(), FileError> {
        let bytes = self.read(path)?.unwrap_or_default();
        let Some(start) = torn_from(&bytes) else { return Ok(()) };
        let aside = set_aside(path, &bytes[start..])?;
        if let Some(file) = self.open_to_change(lock, path)? {
            file.set_len(start as u64).and_then(|()| file.sync_all()).at("cut the torn line of", path)?;
        }
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.note(format!("the last line of {} was cut off; it lies in {}", name(path), name(&aside)));
        Ok(())
    }
}

/// Where a torn last line begins.
fn torn_from(bytes: &[u8]) -> Option<usize> {
    let start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = &bytes[start..];
    let is_whole = line.iter().all(u8::is_ascii_whitespace)
        || serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    (!is_whole).then_some(start)
}

fn set_aside(path: &Path, torn: &[u8]) -> Result<PathBuf, FileError> {
    let mut number = 1_u32;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".torn-{number}"));
        let place = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(mut file) => {
                file.write_all(torn).and_then(|()| file.sync_all()).at("set torn bytes aside in", &place)?;
                return Ok(place);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error).at("set torn bytes aside in", &place),
        }
    }
}
