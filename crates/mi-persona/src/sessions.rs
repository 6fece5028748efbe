//! Sessions: which are open on this machine, their logs, the roll-up of a day (D.11, D.12).

use jiff::civil::Date;
use mi_gate::{
    intake::{State, WorkEvent, auto_save},
    messages::{Locale, Message},
};
use mi_journal::{JournalError, StateFile};
use mi_model::{Timestamp, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::{
    AccessError, Member, Persona, Problem,
    access::Kind,
    front::FrontError,
    log::{self, DayLog, Items, LogHead, Section},
    persona::Lock,
    slots::{self, LogFile, LogName},
};

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSession {
    pub session: String,
    pub slot: String,
    pub member: String,
    pub date: String,
    pub started: Timestamp,
}

impl OpenSession {
    fn name(&self) -> Option<LogName> {
        let date = self.date.parse().ok()?;
        Some(LogName { date, slot: Some(self.slot.clone()), session: Some(self.session.clone()) })
    }
}

/// When and for whom.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    pub member: &'a Member,
    pub today: Date,
    pub now: Timestamp,
    pub locale: Locale,
    /// Anything that differs between two processes; makes ids differ.
    pub salt: u64,
}

/// What is to be written.
#[derive(Debug, Clone, Default)]
pub struct Save {
    pub session: Option<String>,
    pub slot: Option<String>,
    pub items: Items,
    pub auto: Option<AutoSave>,
    pub end: bool,
}

/// What an automatic save stands on (D.12).
#[derive(Debug, Clone, Copy)]
pub struct AutoSave {
    pub event: WorkEvent,
    /// Tools run, code is being written, tests are pending.
    pub in_progress: bool,
    /// A new instruction came and was not worked on yet.
    pub new_instruction: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Saved {
    pub saved: bool,
    pub session: String,
    pub slot: String,
    /// From the persona.
    pub path: String,
    pub roll_up: String,
    pub first: bool,
    pub ended: bool,
    /// Why an automatic save was held back.
    pub held_back: Option<&'static str>,
    /// The one line that an automatic save reports.
    pub line: Option<String>,
    /// A secret was taken out of what was to be written.
    pub redacted: bool,
    pub next_steps: usize,
    pub pending_proposals: usize,
    pub notes: Vec<String>,
}

/// Why a session could not be started or saved.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    State(#[from] JournalError),
    #[error("`{path}`, {source}; correct the front matter of the log")]
    Front { path: String, source: FrontError },
    #[error("`{0}` is no slot's name: use letters and digits, such as A")]
    SlotName(String),
    #[error("slot {slot} is in use today; leave --slot out for a free one")]
    SlotTaken { slot: String },
    #[error("there is no open session {0}; `mi session list` shows those that are")]
    Unknown(String),
    #[error("more than one session is open ({0}); say which with --session or --slot")]
    Ambiguous(String),
}

/// A log on the disk, for a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    pub path: String,
    pub date: String,
    pub slot: Option<String>,
    pub session: Option<String>,
    pub open: bool,
}

const TRIGGERS: [WorkEvent; 5] = [
    WorkEvent::HumanCloses,
    WorkEvent::TestsPassedAndReported,
    WorkEvent::ReviewAdoptionReported,
    WorkEvent::WorkLogUpdated,
    WorkEvent::TaskDoneAndWaiting,
];

/// The trigger with the seed's number, 1 to 5.
pub fn trigger(number: u8) -> Option<WorkEvent> {
    TRIGGERS.get(usize::from(number).checked_sub(1)?).copied()
}

impl Persona {
    /// Opens a session in a slot of its own. Nothing is written into `sessions/` before there is something to say.
    pub fn start_session(
        &self,
        moment: &Moment<'_>,
        slot: Option<&str>,
    ) -> Result<OpenSession, SessionError> {
        let lock = self.lock()?;
        let mut open = self.open_sessions()?;
        self.open_in(&lock, &mut open, moment, slot)
    }

    fn open_in(
        &self,
        _lock: &Lock,
        open: &mut Vec<OpenSession>,
        moment: &Moment<'_>,
        slot: Option<&str>,
    ) -> Result<OpenSession, SessionError> {
        let today = moment.today.to_string();
        let taken: Vec<String> = self
            .logs_of(moment.today)?
            .into_iter()
            .filter_map(|file| file.name.slot)
            .chain(open.iter().filter(|session| session.date == today).map(|session| session.slot.clone()))
            .collect();
        let slot = match slot {
            Some(slot)
                if slot.is_empty()
                    || slot.len() > 8
                    || !slot.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
            {
                return Err(SessionError::SlotName(slot.to_owned()));
            }
            Some(slot) if open.iter().any(|session| session.date == today && session.slot == slot) => {
                return Err(SessionError::SlotTaken { slot: slot.to_owned() });
            }
            Some(slot) => slot.to_owned(),
            None => slots::free_slot(|slot| taken.iter().any(|known| known == slot)),
        };
        let seed = format!("{} {} {slot} {}", moment.now.as_millis(), moment.salt, open.len());
        let session = OpenSession {
            session: sha256_hex(seed.as_bytes())[..8].to_owned(),
            slot,
            member: moment.member.to_string(),
            date: today,
            started: moment.now,
        };
        // What was left open a week ago was forgotten; its log, if it has one, stays.
        let week = 7 * 24 * 3600 * 1000;
        open.retain(|session| moment.now.as_millis() - session.started.as_millis() < week);
        open.push(session.clone());
        self.session_file().replace(open)?;
        Ok(session)
    }

    /// Ends a session that has nothing to say; no log is written.
    pub fn leave_session(&self, session: &str) -> Result<(), SessionError> {
        let _lock = self.lock()?;
        let mut open = self.open_sessions()?;
        open.retain(|other| other.session != session);
        Ok(self.session_file().replace(&open)?)
    }

    /// Sessions that were started on this machine and have not ended.
    pub fn open_sessions(&self) -> Result<Vec<OpenSession>, SessionError> {
        self.open_sessions_with(&mut Vec::new())
    }

    /// The same, and what had to be set aside because it could not be read.
    pub fn open_sessions_with(&self, notes: &mut Vec<String>) -> Result<Vec<OpenSession>, SessionError> {
        let (open, repair) = self.session_file().load_or_default().map_err(AccessError::File)?;
        notes.extend(repair.map(|repair| format!("{repair}; sessions that were open are no longer known")));
        Ok(open)
    }

    fn session_file(&self) -> StateFile<Vec<OpenSession>> {
        StateFile::new(self.state().join("sessions.json"))
    }

    /// Writes items into the log of a session, makes the roll-up of its day again, and ends it if that is wished.
    pub fn save_session(&self, moment: &Moment<'_>, save: &Save) -> Result<Saved, SessionError> {
        let lock = self.lock()?;
        let mut notes = Vec::new();
        let mut open = self.open_sessions_with(&mut notes)?;
        let session = match chosen(&open, moment.member, save)? {
            Some(session) => session,
            None => self.open_in(&lock, &mut open, moment, save.slot.as_deref())?,
        };
        let name = session.name().ok_or_else(|| SessionError::Unknown(session.session.clone()))?;
        let path = name.path();
        let old = self.read(&path)?;
        let first = old.is_none() && !self.has_logs()?;
        let mut saved = Saved {
            saved: false,
            session: session.session.clone(),
            slot: session.slot.clone(),
            path: path.clone(),
            roll_up: roll_up_path(name.date),
            first,
            ended: false,
            held_back: held_back(save, old.as_deref(), moment.now),
            line: None,
            redacted: false,
            next_steps: 0,
            pending_proposals: self.pending_proposals()?.len(),
            notes,
        };
        if saved.held_back.is_some() {
            return Ok(saved);
        }
        let items = without_secrets(&save.items, &mut saved.redacted);
        let text = match old {
            Some(text) => text,
            None => log::new_log(&LogHead {
                date: &session.date,
                slot: &session.slot,
                session: &session.session,
                member: &session.member,
                started: &session.started.to_string(),
                note: first.then(|| Message::FirstSessionLog.text(moment.locale)).as_deref(),
            }),
        };
        let text = stamped(&log::add(&text, &items), moment.now, save.end)
            .map_err(|source| SessionError::Front { path: path.clone(), source })?;
        let text =
            match save.auto.and_then(|auto| auto_save(auto.event, &State::default(), moment.now).number) {
                Some(trigger) => {
                    saved.line =
                        Some(Message::AutoSaved { slot: &session.slot, trigger }.text(moment.locale));
                    log::mark_auto_save(&text, trigger, &moment.now.to_string())
                }
                None => text,
            };
        self.replace(&lock, &path, text.as_bytes())?;
        saved.saved = true;
        saved.next_steps = log::read(&text).next_steps.len();
        saved.notes.extend(self.roll_up(&lock, name.date)?);
        if save.end {
            open.retain(|other| other.session != session.session);
            self.session_file().replace(&open)?;
            saved.ended = true;
        }
        Ok(saved)
    }

    /// Makes the day's log out of its slots. One that a person wrote or changed becomes a slot of its own first.
    /// The notes say what was moved, and what could not be read and is not in it.
    pub fn roll_up(&self, lock: &Lock, date: Date) -> Result<Vec<String>, SessionError> {
        let path = roll_up_path(date);
        let mut notes = Vec::new();
        let standing = match self.read(&path) {
            Err(error @ AccessError::NotText { .. }) => {
                return Ok(vec![format!("the day's log was not made again: {error}")]);
            }
            read => read?,
        };
        if let Some(text) = standing.as_ref().filter(|text| !log::is_roll_up(text)) {
            let digest = &sha256_hex(text.as_bytes())[..8];
            let kept = LogName { date, slot: Some("0".to_owned()), session: Some(digest.to_owned()) }.path();
            self.rename(lock, &path, &kept)?;
            notes.push(format!("{path} was written by hand; it is kept as {kept}"));
        }
        let mut texts = Vec::new();
        for file in self.logs_of(date)? {
            let Some(slot) = file.name.slot.clone() else { continue };
            let text = match self.read(&file.path) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    notes.push(format!("the day's log is without one of its slots: {error}"));
                    continue;
                }
            };
            let name = file.path.rsplit('/').next().unwrap_or_default().to_owned();
            texts.push((slot, name, text));
        }
        let logs: Vec<DayLog<'_>> =
            texts.iter().map(|(slot, file, text)| DayLog { slot, file, text }).collect();
        let rolled = log::roll_up(&date.to_string(), &logs);
        if !logs.is_empty() && standing.as_deref() != Some(&rolled) {
            self.replace(lock, &path, rolled.as_bytes())?;
        }
        Ok(notes)
    }

    /// All logs, newest first.
    pub fn list_sessions(&self) -> Result<Vec<Listed>, SessionError> {
        let open = self.open_sessions()?;
        let mut listed: Vec<Listed> = self
            .logs(|_| true)?
            .into_iter()
            .filter(|file| file.name.slot.is_some() || file.path.len() == roll_up_path(file.name.date).len())
            .map(|file| Listed {
                open: open.iter().any(|session| Some(&session.session) == file.name.session.as_ref()),
                date: file.name.date.to_string(),
                slot: file.name.slot,
                session: file.name.session,
                path: file.path,
            })
            .collect();
        listed.sort_by(|left, right| right.path.cmp(&left.path));
        Ok(listed)
    }

    /// Logs of one day.
    pub(crate) fn logs_of(&self, date: Date) -> Result<Vec<LogFile>, AccessError> {
        let month = slots::month_folder(date);
        let files = self.logs(|folder| folder == month)?;
        Ok(files.into_iter().filter(|file| file.name.date == date).collect())
    }

    /// Dated logs in the folders of months that are wanted, and right below `sessions/`.
    pub(crate) fn logs(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<LogFile>, AccessError> {
        let mut found = Vec::new();
        for month in self.months()?.into_iter().filter(|month| month == "sessions" || wanted(month)) {
            let Some(folder) = self.folder(&month)? else { continue };
            for item in folder.items()?.into_iter().filter(|item| item.kind == Kind::File) {
                let Some(name) = LogName::parse(&item.name) else { continue };
                let modified_ns = folder.stamp(&item.name).map_or(0, |stamp| stamp.modified_ns);
                found.push(LogFile { path: folder.path_of(&item.name), name, modified_ns });
            }
        }
        Ok(found)
    }

    /// `sessions` and the folders in it, oldest first.
    pub(crate) fn months(&self) -> Result<Vec<String>, AccessError> {
        let Some(sessions) = self.folder("sessions")? else { return Ok(Vec::new()) };
        let mut months = vec!["sessions".to_owned()];
        let inside = sessions.items()?.into_iter().filter(|item| item.kind == Kind::Folder);
        months.extend(inside.map(|item| sessions.path_of(&item.name)));
        Ok(months)
    }

    /// Whether there is any `.md` file below `sessions/`.
    pub(crate) fn has_logs(&self) -> Result<bool, AccessError> {
        for month in self.months()?.into_iter().rev() {
            let Some(folder) = self.folder(&month)? else { continue };
            if folder.items()?.iter().any(|item| item.kind == Kind::File && item.name.ends_with(".md")) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Decisions of every log, with where they stand, for whoever looks for contradictions (D.14).
    pub fn session_decisions(
        &self,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<(String, String)>, AccessError> {
        let mut files = self.logs(|_| true)?;
        let with_slots: BTreeSet<Date> =
            files.iter().filter(|file| file.name.slot.is_some()).map(|file| file.name.date).collect();
        // A roll-up says again what its slots say; without slots it is all there is.
        files.retain(|file| file.name.slot.is_some() || !with_slots.contains(&file.name.date));
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let mut found = Vec::new();
        for (path, text) in paths.iter().zip(self.texts(&paths)?) {
            match text {
                Ok(text) => {
                    let decisions = log::read(&text.unwrap_or_default()).decisions;
                    let numbered = decisions.into_iter().enumerate();
                    found.extend(numbered.map(|(at, text)| (format!("{path}#{}", at + 1), text)));
                }
                Err(error) => problems.push(Problem::new(*path, error)),
            }
        }
        Ok(found)
    }
}

fn roll_up_path(date: Date) -> String {
    LogName { date, slot: None, session: None }.path()
}

/// The session that is meant: by its id, by its slot, or the only one that the member has open.
fn chosen(open: &[OpenSession], member: &Member, save: &Save) -> Result<Option<OpenSession>, SessionError> {
    if let Some(wanted) = &save.session {
        let found = open.iter().find(|session| session.session == *wanted);
        return found.cloned().map(Some).ok_or_else(|| SessionError::Unknown(wanted.clone()));
    }
    let mine: Vec<&OpenSession> = open
        .iter()
        .filter(|session| member.is(&session.member))
        .filter(|session| save.slot.as_ref().is_none_or(|slot| *slot == session.slot))
        .collect();
    match mine.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        many => {
            let names: Vec<String> =
                many.iter().map(|session| format!("{} in slot {}", session.session, session.slot)).collect();
            Err(SessionError::Ambiguous(names.join(", ")))
        }
    }
}

/// The exclusions of D.12; nothing holds back what a person asked for.
fn held_back(save: &Save, log: Option<&str>, now: Timestamp) -> Option<&'static str> {
    let auto = save.auto?;
    if auto.new_instruction {
        return Some("a new instruction waits");
    }
    let Items { completed_items, decisions, external_ai_calls, .. } = &save.items;
    let output = [completed_items, decisions, external_ai_calls].iter().any(|items| !items.is_empty());
    let state = State {
        in_progress: auto.in_progress,
        last_auto_save_ms: log.and_then(log::last_auto_save).map(Timestamp::as_millis),
        output_made: Some(output),
        ..State::default()
    };
    auto_save(auto.event, &state, now).held_back
}

fn stamped(text: &str, now: Timestamp, end: bool) -> Result<String, FrontError> {
    let text = log::stamp(text, "saved", &now.to_string())?;
    if end { log::stamp(&text, "ended", &now.to_string()) } else { Ok(text) }
}

/// Secrets go into no memory file (D.10).
fn without_secrets(items: &Items, redacted: &mut bool) -> Items {
    let mut clean = Items::default();
    for section in Section::ALL {
        for item in items.of(section) {
            let text = mi_secrets::redact(item);
            *redacted |= text != item.as_str();
            clean.of_mut(section).push(text.into_owned());
        }
    }
    clean
}
