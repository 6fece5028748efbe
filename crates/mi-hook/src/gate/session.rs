//! One session: what its messages leave behind, what waits for the person, what they overrode.
//!
//! A session is a folder: `intake.json` (topic, approvals, last save), `gate.json` (waiting, granted), `denied.json` (what
//! was denied last).
//! Holds: all change under one lock; the first two are replaced whole; a grant is made only of what the person said, for
//! the action that was denied last, and is on the disk before it counts.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use mi_gate::{
    change_unit::ChangeUnits,
    intake::{Intake, KnownDecision, Message, Mode, State, Task, Trigger, WordTable, intake},
    messages::Locale,
    permission::Grant,
};
use mi_journal::{JournalError, StateFile};
use mi_model::{Sha256Hex, Timestamp, sha256_hex};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::records::Records;

/// A session's folder.
#[derive(Debug, Clone)]
pub struct Session {
    folder: PathBuf,
}

/// Who spoke: only a message that a harness reports as the person's own can override a deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Person,
    Program,
}

/// One message and what is known around it.
pub struct Heard<'a> {
    pub text: &'a str,
    pub task: Option<&'a Task>,
    pub diff: Option<&'a ChangeUnits>,
    pub decisions: &'a [KnownDecision],
    pub words: &'a WordTable,
    pub now: Timestamp,
    pub locale: Locale,
}

/// Something that is not done before the person acknowledged it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub id: String,
    pub since: Timestamp,
    pub topic: u64,
    pub triggers: Vec<Trigger>,
    #[serde(default)]
    pub acknowledged: Option<Timestamp>,
}

/// An action that was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Denied {
    pub(super) action: Sha256Hex,
    pub(super) rule: String,
    pub(super) topic: u64,
    pub(super) at: Timestamp,
}

/// `gate.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Approvals {
    pub(super) waiting: Vec<Waiting>,
    /// In a file of its own, see [`Session::remember`]; one that still stands here is read.
    #[serde(skip_serializing)]
    pub(super) denied: Option<Denied>,
    pub(super) grants: Vec<Grant>,
}

/// Why a session cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("read the session's records in `{}`; remove the file to begin afresh", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("keep the session's records in `{}`", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Kept of each list; the oldest go.
const MOST: usize = 50;

impl Session {
    /// The session of a harness, by the id that the harness gives it.
    pub fn named(home: &Path, id: &str) -> Self {
        // Ids come from outside: only what cannot climb is a name.
        let plain = !id.is_empty()
            && id.len() <= 80
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let name = if plain { id.to_owned() } else { format!("x{}", &sha256_hex(id.as_bytes())[..32]) };
        Self { folder: home.join("gate/sessions").join(name) }
    }

    /// A folder that the person names.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// All sessions of a home.
    pub fn all(home: &Path) -> Vec<Self> {
        let entries = fs::read_dir(home.join("gate/sessions")).into_iter().flatten().flatten();
        entries.map(|entry| Self { folder: entry.path() }).collect()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What records call it.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads a message and keeps what it leaves behind. `home` is where overrides and questions are journalled.
    pub fn hear(
        &self,
        heard: &Heard<'_>,
        speaker: Speaker,
        home: Option<&Path>,
    ) -> Result<Intake, SessionError> {
        let _lock = self.lock()?;
        let state: State = self.load("intake.json")?;
        let mut approvals = self.load_approvals()?;
        let mut reading = intake(&message(heard, &state));
        let topic = reading.state.topic_number;
        let before = approvals.clone();
        if reading.mode == Mode::Obey {
            approvals.waiting.retain(|waiting| waiting.topic != topic);
        }
        if reading.says_override() {
            let granted = if speaker == Speaker::Person { approvals.grant(topic, heard.now) } else { None };
            if let Some(home) = home {
                let fields = json!({"session": self.name(), "topic": topic, "grants": granted});
                Records::new(home).person(heard.now, "override", fields)?;
            }
        }
        if reading.needs_acknowledgement {
            match approvals.wait(&reading, heard, &self.folder) {
                Some(id) => reading.wait_for(&id, heard.locale),
                None => reading.is_acknowledged(heard.locale),
            }
        }
        self.keep("intake.json", &reading.state)?;
        self.keep_approvals(&before, &approvals)?;
        Ok(reading)
    }

    /// Marks what waits under `id` as acknowledged; none if nothing does.
    pub fn acknowledge(&self, id: &str, now: Timestamp) -> Result<Option<Waiting>, SessionError> {
        let _lock = self.lock()?;
        let mut approvals: Approvals = self.load("gate.json")?;
        let Some(found) = approvals.waiting.iter_mut().find(|waiting| waiting.id == id) else {
            return Ok(None);
        };
        found.acknowledged.get_or_insert(now);
        let found = found.clone();
        self.keep("gate.json", &approvals)?;
        Ok(Some(found))
    }

    /// Lets something wait for the person under an id that the caller made of what it is about.
    pub fn wait_under(&self, id: &str, now: Timestamp) -> Result<(), SessionError> {
        self.change(|topic, approvals| {
            if !approvals.waiting.iter().any(|waiting| waiting.id == id) {
                let triggers = Vec::new();
                approvals.waiting.push(Waiting {
                    id: id.to_owned(),
                    since: now,
                    topic,
                    triggers,
                    acknowledged: None,
                });
                let over = approvals.waiting.len().saturating_sub(MOST);
                approvals.waiting.drain(..over);
            }
            Ok(())
        })
    }

    /// Whether the person acknowledged what waited under an id.
    pub fn is_acknowledged(&self, id: &str) -> Result<bool, SessionError> {
        let approvals: Approvals = self.load("gate.json")?;
        Ok(approvals.waiting.iter().any(|waiting| waiting.id == id && waiting.acknowledged.is_some()))
    }

    /// What waits for the person, in whatever topic.
    pub fn waiting(&self) -> Result<Vec<Waiting>, SessionError> {
        let approvals: Approvals = self.load("gate.json")?;
        Ok(approvals.waiting.into_iter().filter(|waiting| waiting.acknowledged.is_none()).collect())
    }

    /// The state between messages; a missing folder is a fresh session.
    pub fn state(&self) -> Result<State, SessionError> {
        self.load("intake.json")
    }

    /// Changes the state between messages under the session's lock.
    pub fn change_state(&self, change: impl FnOnce(&mut State)) -> Result<(), SessionError> {
        let _lock = self.lock()?;
        let mut state = self.state()?;
        change(&mut state);
        self.keep("intake.json", &state)
    }

    /// Topic and approvals, for a decision.
    pub(super) fn approvals(&self) -> Result<(u64, Approvals), SessionError> {
        Ok((self.state()?.topic_number, self.load_approvals()?))
    }

    /// Changes the approvals under the session's lock.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(u64, &mut Approvals) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let _lock = self.lock()?;
        let (topic, mut approvals) = self.approvals()?;
        let before = approvals.clone();
        let result = change(topic, &mut approvals)?;
        self.keep_approvals(&before, &approvals)?;
        Ok(result)
    }

    fn load_approvals(&self) -> Result<Approvals, SessionError> {
        let mut approvals: Approvals = self.load("gate.json")?;
        let remembered = fs::read(self.folder.join("denied.json")).unwrap_or_default();
        let line = remembered.split(|byte| *byte == b'\n').next().unwrap_or_default();
        // One that is torn was the last: then there is nothing that an override could let through.
        match serde_json::from_slice(line) {
            Ok(denied) => approvals.denied = denied,
            Err(_) if line.is_empty() => {}
            Err(_) => approvals.denied = None,
        }
        Ok(approvals)
    }

    fn keep_approvals(&self, before: &Approvals, approvals: &Approvals) -> Result<(), SessionError> {
        if approvals.waiting != before.waiting || approvals.grants != before.grants {
            self.keep("gate.json", approvals)?;
        }
        if approvals.denied != before.denied { self.remember(approvals.denied.as_ref()) } else { Ok(()) }
    }

    /// Writes down what was denied last, over what stood there: an agent waits for its answer, and a file that is
    /// replaced is sent to the disk at once.
    fn remember(&self, denied: Option<&Denied>) -> Result<(), SessionError> {
        let path = self.folder.join("denied.json");
        let keep = |source| SessionError::Keep { path: path.clone(), source };
        let mut line = serde_json::to_vec(&denied).map_err(|error| keep(error.into()))?;
        line.push(b'\n');
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(keep)?;
        file.write_all_at(&line, 0).map_err(keep)
    }

    fn lock(&self) -> Result<File, SessionError> {
        let path = self.folder.join("lock");
        let keep = |source| SessionError::Keep { path: path.clone(), source };
        fs::create_dir_all(&self.folder).map_err(keep)?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(keep)?;
        file.lock().map_err(keep)?;
        Ok(file)
    }

    fn load<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, SessionError> {
        let path = self.folder.join(name);
        let read = |source| SessionError::Read { path: path.clone(), source };
        match fs::read(&path) {
            // Not set aside like other state: what waits or was refused must not be forgotten.
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| read(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(read(error)),
        }
    }

    fn keep<T: Serialize + DeserializeOwned>(&self, name: &str, value: &T) -> Result<(), SessionError> {
        Ok(StateFile::new(self.folder.join(name)).replace(value)?)
    }
}

/// Reads a message in a fresh session that is not kept.
pub fn hear_once(heard: &Heard<'_>) -> Intake {
    intake(&message(heard, &State::default()))
}

fn message<'a>(heard: &Heard<'a>, state: &'a State) -> Message<'a> {
    Message {
        text: heard.text,
        task: heard.task,
        diff: heard.diff,
        state,
        decisions: heard.decisions,
        words: heard.words,
        now: heard.now,
        locale: heard.locale,
    }
}

impl Approvals {
    /// The action denied last in this topic may run once, if that was not long ago.
    fn grant(&mut self, topic: u64, now: Timestamp) -> Option<Sha256Hex> {
        let denied = self.denied.take().filter(|denied| denied.topic == topic)?;
        let probe = Grant { action: denied.action.clone(), topic, granted_at: denied.at, used: false };
        if !probe.covers(&denied.action, topic, now) {
            return None;
        }
        self.grants.push(Grant { granted_at: now, ..probe });
        let over = self.grants.len().saturating_sub(MOST);
        self.grants.drain(..over);
        Some(denied.action)
    }

    /// The id under which a challenge that must not go on waits; none if the person has acknowledged as much in this topic.
    fn wait(&mut self, reading: &Intake, heard: &Heard<'_>, folder: &Path) -> Option<String> {
        let topic = reading.state.topic_number;
        let here = || self.waiting.iter().filter(|waiting| waiting.topic == topic);
        let known =
            |waiting: &&Waiting| reading.triggers.iter().all(|trigger| waiting.triggers.contains(trigger));
        if here().filter(known).any(|waiting| waiting.acknowledged.is_some()) {
            return None;
        }
        if let Some(same) = here().find(known) {
            return Some(same.id.clone());
        }
        let seed = format!("{} {} {topic} {}", folder.display(), heard.now, self.waiting.len());
        let id = format!("a{}", &sha256_hex(seed.as_bytes())[..6]);
        let triggers = reading.triggers.clone();
        self.waiting.push(Waiting { id: id.clone(), since: heard.now, topic, triggers, acknowledged: None });
        let over = self.waiting.len().saturating_sub(MOST);
        self.waiting.drain(..over);
        Some(id)
    }
}
