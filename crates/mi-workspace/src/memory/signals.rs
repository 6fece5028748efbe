//! What speaks for forgetting a note: its age, the cycles since it was read, how often it was read.
//!
//! Holds: a note that was never read counts as unread only from when reads are known to be observed; automatic deletion
//! needs all three signals at once (NX-334), so [`Thresholds`] cannot be made with fewer.

use mi_model::Timestamp;
use serde::{Deserialize, Serialize};
use std::{num::NonZeroU64, path::PathBuf};

use super::{
    cycles::{Reading, Snapshot},
    files::{Note, read_notes},
    observe::{AllAccess, read_all},
};
use crate::{FileError, Store, error::AtPath};

/// Everything that is known about the use of one note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signals {
    pub name: String,
    pub path: PathBuf,
    /// Days since the file was last changed.
    pub age_days: u64,
    /// Cycles finished since it was last read, or since it could have been.
    pub cycles_since_read: u64,
    pub read_count: u64,
    pub last_read: Option<Timestamp>,
    pub last_agent: Option<String>,
    /// Whether it meets all thresholds of automatic deletion; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_stale: Option<bool>,
}

/// The notes, the longest unused first.
#[derive(Debug, Clone, Serialize)]
pub struct Candidates {
    /// Whether any harness observes reads here; without that nothing is deleted automatically (NX-336).
    pub reads_are_observed: bool,
    pub candidates: Vec<Signals>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// When a note is stale: all three hold at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    age_days: NonZeroU64,
    cycles_since_read: NonZeroU64,
    reads_below: NonZeroU64,
}

/// Automatic deletion by one or two signals is not to be had (NX-334).
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "automatic deletion needs three signals at once: set memory.gc.age_days, cycles_since_read and reads_below"
)]
pub struct TooFewSignals;

const DAY_MS: i64 = 86_400_000;

impl Thresholds {
    /// 0 is a signal that is not used.
    pub fn new(age_days: u64, cycles_since_read: u64, reads_below: u64) -> Result<Self, TooFewSignals> {
        let signal = |number| NonZeroU64::new(number).ok_or(TooFewSignals);
        Ok(Self {
            age_days: signal(age_days)?,
            cycles_since_read: signal(cycles_since_read)?,
            reads_below: signal(reads_below)?,
        })
    }

    fn holds_for(&self, signals: &Signals) -> bool {
        signals.age_days >= self.age_days.get()
            && signals.cycles_since_read >= self.cycles_since_read.get()
            && signals.read_count < self.reads_below.get()
    }
}

/// Every note with its signals.
pub fn candidates(
    store: &Store,
    now: Timestamp,
    thresholds: Option<Thresholds>,
) -> Result<Candidates, FileError> {
    let found = read_notes(&store.layout().memory())?;
    let access = read_all(store)?;
    let (finished, mut notes) = finished_cycles(store)?;
    notes.extend(found.left_out);
    let odd = access.problems.iter();
    notes.extend(odd.map(|(path, odd)| format!("{}:{}: {}", path.display(), odd.line, odd.reason)));
    let observed_since = access.merged.records().map(|record| record.last_accessed_ts).min();
    let mut candidates: Vec<Signals> = found
        .notes
        .into_iter()
        .map(|note| {
            let mut signals = signals(note, &access, &finished, observed_since, now);
            signals.is_stale = thresholds.map(|thresholds| thresholds.holds_for(&signals));
            signals
        })
        .collect();
    candidates.sort_by_key(|signals| {
        (
            std::cmp::Reverse(signals.cycles_since_read),
            signals.read_count,
            std::cmp::Reverse(signals.age_days),
        )
    });
    Ok(Candidates { reads_are_observed: observed_since.is_some(), candidates, notes })
}

fn signals(
    note: Note,
    access: &AllAccess,
    finished: &[Timestamp],
    observed_since: Option<Timestamp>,
    now: Timestamp,
) -> Signals {
    let record = access.merged.find(&note.name);
    // Reads before the first known observation were seen by nobody.
    let could_be_read_since = observed_since.map_or(note.modified, |since| since.max(note.modified));
    let since = record.map_or(could_be_read_since, |record| record.last_accessed_ts);
    let cycles = finished.len() - finished.partition_point(|time| *time <= since);
    let age_ms = now.as_millis().saturating_sub(note.modified.as_millis()).max(0);
    Signals {
        name: note.name,
        path: note.path,
        age_days: u64::try_from(age_ms / DAY_MS).unwrap_or(0),
        cycles_since_read: cycles as u64,
        read_count: record.map_or(0, |record| record.access_count),
        last_read: record.map(|record| record.last_accessed_ts),
        last_agent: record.map(|record| record.last_agent.clone()),
        is_stale: None,
    }
}

/// When cycles were finished, in order, and what could not be read of the history.
fn finished_cycles(store: &Store) -> Result<(Vec<Timestamp>, Vec<String>), FileError> {
    #[derive(Deserialize)]
    struct Head {
        completed_at: Option<String>,
    }
    let path = store.layout().history();
    let Some(history) = Snapshot::open(store)? else { return Ok(Default::default()) };
    let mut times: Vec<Timestamp> = Vec::new();
    let reading = history.each_cycle(|cycle, _| {
        let time = serde_json::from_slice(cycle).ok().and_then(|head: Head| head.completed_at);
        times.extend(time.and_then(|time| time.parse::<Timestamp>().ok()));
    });
    times.sort_unstable();
    let damage = match reading.at("read", &path)? {
        Reading::Whole => Vec::new(),
        Reading::Damaged { at } => {
            vec![format!("{} is damaged at byte {at}: cycles after it are not counted", path.display())]
        }
    };
    Ok((times, damage))
}
