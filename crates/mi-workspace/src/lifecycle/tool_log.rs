//! `tool-log.jsonl`: one line per tool use, in the harness's own folder (NX-207, C-08).
//!
//! Holds: a line is one appending write, so that calls at the same time do not mix; a torn last line is set aside
//! before the next one is written; a reader skips what is no record.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{Lifecycle, LifecycleError, TOOL_LOG};
use crate::{FileError, error::AtPath};

/// One use of a tool, after it ended.
#[derive(Debug, Clone, Copy)]
pub struct ToolUse<'a> {
    pub agent_id: &'a str,
    pub tool: &'a str,
    /// The files it read or changed.
    pub files: &'a [String],
    /// What it did to them: read, write, shell, other.
    pub effect: &'a str,
    pub status: &'a str,
    pub error: Option<&'a str>,
}

/// What is kept of an error message, in characters.
const ERROR_LENGTH: usize = 2_000;

impl Lifecycle<'_> {
    /// Appends a line to the log.
    pub fn log_tool(&self, used: &ToolUse<'_>) -> Result<PathBuf, LifecycleError> {
        let place = self.place(TOOL_LOG)?;
        self.ensure_folder()?;
        let mut record = json!({
            "timestamp": self.now, "agent_id": used.agent_id, "tool": used.tool,
            "effect": used.effect, "status": used.status,
        });
        if let Some(first) = used.files.first() {
            record["file_path"] = self.plain_name(first).into();
        }
        if used.files.len() > 1 {
            record["files"] = used.files.iter().map(|file| self.plain_name(file)).collect();
        }
        if let Some(error) = used.error {
            record["error"] = error.chars().take(ERROR_LENGTH).collect::<String>().into();
        }
        self.append_line(&place, &record)?;
        Ok(place)
    }

    /// Creates the harness's folder; the lock sees to the folders above it and to the ignore file (NX-136).
    pub(super) fn ensure_folder(&self) -> Result<(), FileError> {
        let folder = self.store.layout().harness(self.harness);
        if folder.is_dir() {
            return Ok(());
        }
        let _lock = self.store.lock()?;
        fs::create_dir_all(&folder).at("create the folder", &folder)
    }

    /// The files that an agent changed since it started, as the log tells; none without a log.
    pub(super) fn files_written(
        &self,
        agent_id: &str,
        started_at: Option<&str>,
    ) -> Result<Option<Vec<String>>, LifecycleError> {
        let place = self.place(TOOL_LOG)?;
        let file = match File::open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).at("read", &place).map_err(LifecycleError::from),
        };
        let mut files: Vec<String> = Vec::new();
        for line in BufReader::new(file).split(b'\n') {
            let line = line.at("read", &place)?;
            let Ok(record) = serde_json::from_slice::<Value>(&line) else { continue };
            let wrote =
                record["agent_id"] == agent_id && record["effect"] == "write" && record["status"] != "error";
            if wrote && !is_before(&record["timestamp"], started_at) {
                for file in files_of(&record) {
                    if !files.contains(&file) {
                        files.push(file);
                    }
                }
            }
        }
        Ok(Some(files))
    }

    fn append_line(&self, place: &Path, record: &Value) -> Result<(), FileError> {
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(place).at("open", place)?;
        let mut line = String::new();
        if is_open_ended(&mut file).at("read", place)? {
            self.store.set_torn_aside(&self.store.lock()?, place)?;
            if is_open_ended(&mut file).at("read", place)? {
                line.push('\n');
            }
        }
        line.push_str(&record.to_string());
        line.push('\n');
        match file.write(line.as_bytes()) {
            Ok(written) if written == line.len() => Ok(()),
            Ok(written) => {
                take_back(&mut file, written);
                Err(io::Error::from(io::ErrorKind::StorageFull)).at("append to", place)
            }
            Err(error) => Err(error).at("append to", place),
        }
    }
}

/// All our times are UTC with milliseconds: text order is time order.
fn is_before(time: &Value, started_at: Option<&str>) -> bool {
    match (time.as_str(), started_at) {
        (Some(time), Some(started)) if started.ends_with('Z') => time < started,
        _ => false,
    }
}

fn files_of(record: &Value) -> Vec<String> {
    let all = record["files"].as_array().into_iter().flatten();
    let all: Vec<String> = all.filter_map(Value::as_str).map(str::to_owned).collect();
    if all.is_empty() { record["file_path"].as_str().map(str::to_owned).into_iter().collect() } else { all }
}

/// Cuts off half a line, unless somebody has written behind it: then it stays, and readers skip it.
fn take_back(file: &mut File, written: usize) {
    let ends = file.stream_position().and_then(|end| Ok((end, file.metadata()?.len())));
    if let Ok((end, length)) = ends
        && end == length
    {
        let _ = file.set_len(end.saturating_sub(written as u64));
    }
}

/// Whether the last line has no end.
fn is_open_ended(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
