//! `agent-tracker.json`: which agents run or ran in this session (NX-220 to NX-228).
//!
//! Holds: an entry that is written has the fields of the contract and what was there before; an agent id is only
//! compared. `stopped_at` stays on a resumed entry: it says when the agent last stopped (NX-228 leaves it open).

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Lifecycle, LifecycleError, TRACKER};

/// The entries as they stand in the file.
pub(super) type Entries = Vec<Map<String, Value>>;

/// An agent that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewAgent<'a> {
    pub agent_id: &'a str,
    pub agent_name: Option<&'a str>,
}

/// An agent that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed<'a> {
    pub agent_id: &'a str,
    pub last_message: Option<&'a str>,
    /// Without it, the tool log tells (NX-198).
    pub files_touched: Option<&'a [String]>,
}

impl Lifecycle<'_> {
    /// Appends a running agent (NX-221).
    pub fn agent_spawn(&self, agent: &NewAgent<'_>) -> Result<PathBuf, LifecycleError> {
        let mut entry = json!({"harness_id": self.harness.as_str()});
        if let Some(name) = agent.agent_name {
            entry["agent_name"] = check_name(name)?.into();
        }
        entry["agent_id"] = check_id(agent.agent_id)?.into();
        entry["started_at"] = json!(self.now);
        entry["resume_count"] = 0.into();
        entry["status"] = "running".into();
        let place = self.place(TRACKER)?;
        self.ensure_folder()?;
        self.change(&place, |entries| {
            entries.extend(entry.as_object().cloned());
            Ok(())
        })?;
        Ok(place)
    }

    /// Marks an agent as ended, with the files it touched (NX-222).
    pub fn agent_complete(&self, agent: &Completed<'_>) -> Result<PathBuf, LifecycleError> {
        self.change_agent(agent.agent_id, |entry| {
            let touched = match agent.files_touched {
                Some(files) => Some(files.iter().map(|file| self.plain_name(file)).collect()),
                None => {
                    self.files_written(agent.agent_id, entry.get("started_at").and_then(Value::as_str))?
                }
            };
            entry.insert("status".to_owned(), "completed".into());
            entry.insert("stopped_at".to_owned(), json!(self.now));
            if let Some(message) = agent.last_message {
                entry.insert("last_message".to_owned(), message.into());
            }
            if let Some(touched) = touched {
                // A resumed agent keeps what it touched before: another agent's resume depends on it.
                let files = union(&texts(entry, "files_touched"), touched);
                entry.insert("files_touched".to_owned(), json!(files));
            }
            Ok(())
        })
    }

    /// Marks an agent as running again (NX-223).
    pub fn agent_resume(&self, agent_id: &str) -> Result<PathBuf, LifecycleError> {
        self.change_agent(agent_id, |entry| {
            let count = match entry.get("resume_count") {
                None => Some(0),
                Some(count) => count.as_u64(),
            };
            let count = count.ok_or_else(|| LifecycleError::Malformed {
                path: self.store.layout().agent_tracker(self.harness),
                reason: format!("resume_count of `{agent_id}` is no whole number"),
            })?;
            entry.insert("status".to_owned(), "running".into());
            entry.insert("resume_count".to_owned(), count.saturating_add(1).into());
            entry.insert("last_resumed_at".to_owned(), json!(self.now));
            Ok(())
        })
    }

    /// The name under which a tracked agent was started.
    pub fn agent_name(&self, agent_id: &str) -> Result<Option<String>, LifecycleError> {
        let entries = self.entries()?;
        let found = entries.iter().rev().find(|entry| is_agent(entry, agent_id));
        Ok(found.and_then(|entry| entry.get("agent_name")).and_then(Value::as_str).map(str::to_owned))
    }

    /// Whether an agent is in the tracker.
    pub fn is_tracked(&self, agent_id: &str) -> Result<bool, LifecycleError> {
        Ok(self.entries()?.iter().any(|entry| is_agent(entry, agent_id)))
    }

    /// The entries of this harness; none when there is no tracker.
    pub(super) fn entries(&self) -> Result<Entries, LifecycleError> {
        let place = self.place(TRACKER)?;
        match self.store.read(&place)? {
            Some(bytes) => parse(&place, &bytes),
            None => Ok(Entries::new()),
        }
    }

    /// A file's name from the project's folder, where it is below it.
    pub(super) fn plain_name(&self, file: &str) -> String {
        let below = Path::new(file).strip_prefix(self.store.layout().project()).ok();
        let file = below.and_then(Path::to_str).unwrap_or(file);
        file.trim_start_matches("./").to_owned()
    }

    fn change(
        &self,
        place: &Path,
        change: impl FnOnce(&mut Entries) -> Result<(), LifecycleError>,
    ) -> Result<(), LifecycleError> {
        let lock = self.store.lock()?;
        let mut entries = match self.store.read(place)? {
            Some(bytes) => parse(place, &bytes)?,
            None => Entries::new(),
        };
        change(&mut entries)?;
        Ok(self.store.replace(&lock, place, &to_bytes(&entries))?)
    }

    /// Changes the last entry of an agent; a running one comes first.
    fn change_agent(
        &self,
        agent_id: &str,
        change: impl FnOnce(&mut Map<String, Value>) -> Result<(), LifecycleError>,
    ) -> Result<PathBuf, LifecycleError> {
        check_id(agent_id)?;
        let place = self.place(TRACKER)?;
        let unknown = || LifecycleError::UnknownAgent { agent_id: agent_id.to_owned(), path: place.clone() };
        // Locking would create the folder of a project that has none.
        if self.store.read(&place)?.is_none() {
            return Err(unknown());
        }
        self.change(&place, |entries| {
            let runs =
                |entry: &Map<String, Value>| entry.get("status").is_some_and(|status| status == "running");
            let running = entries.iter().rposition(|entry| is_agent(entry, agent_id) && runs(entry));
            let last = || entries.iter().rposition(|entry| is_agent(entry, agent_id));
            let index = running.or_else(last).ok_or_else(unknown)?;
            change(&mut entries[index])
        })?;
        Ok(place)
    }
}

pub(super) fn parse(place: &Path, bytes: &[u8]) -> Result<Entries, LifecycleError> {
    let malformed = |reason: String| LifecycleError::Malformed { path: place.to_owned(), reason };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
    let Value::Array(items) = value else { return Err(malformed("it is no list".to_owned())) };
    let object = |(index, item)| match item {
        Value::Object(entry) => Ok(entry),
        _ => Err(malformed(format!("entry {} is no object", index + 1))),
    };
    items.into_iter().enumerate().map(object).collect()
}

pub(super) fn to_bytes(entries: &Entries) -> Vec<u8> {
    let values: Vec<Value> = entries.iter().cloned().map(Value::Object).collect();
    format!("{:#}\n", Value::Array(values)).into_bytes()
}

pub(super) fn is_agent(entry: &Map<String, Value>, agent_id: &str) -> bool {
    entry.get("agent_id").is_some_and(|id| id == agent_id)
}

pub(super) fn texts(entry: &Map<String, Value>, name: &str) -> Vec<String> {
    let items = entry.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn union(known: &[String], more: Vec<String>) -> Vec<String> {
    let mut all = known.to_vec();
    for file in more {
        if !all.contains(&file) {
            all.push(file);
        }
    }
    all
}

fn check_id(agent_id: &str) -> Result<&str, LifecycleError> {
    if agent_id.is_empty() { Err(LifecycleError::AgentId) } else { Ok(agent_id) }
}

fn check_name(name: &str) -> Result<&str, LifecycleError> {
    let mut letters = name.bytes();
    let starts_well = letters.next().is_some_and(|first| first.is_ascii_lowercase());
    if starts_well && letters.all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == b'-') {
        Ok(name)
    } else {
        Err(LifecycleError::AgentName { value: name.to_owned() })
    }
}
