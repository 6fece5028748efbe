//! How events of the council travel. Alone, they go into this machine's journal; a fleet would bring its own bus.

use mi_council::Event;
use mi_journal::{Log, LogPlace, LogView, Query};
use mi_model::{RunId, Timestamp};
use serde_json::{Map, Value};

use crate::error::CouncilError;

/// Carries events; what [`Bus::publish`] returned from is durable.
pub trait Bus {
    /// Adds events about one subject (a proposal), or about none.
    fn publish(
        &mut self,
        now: Timestamp,
        subject: Option<&str>,
        events: &[Event],
    ) -> Result<(), CouncilError>;

    /// Every event about a subject, oldest first.
    fn events(&self, subject: &str) -> Result<Vec<Event>, CouncilError>;
}

/// The bus of one machine: the hash-chained log.
#[derive(Debug)]
pub struct JournalBus {
    place: LogPlace,
    log: Option<Log>,
}

/// The kinds of records that are events.
const KINDS: [&str; 11] = [
    "proposal_opened",
    "review_requested",
    "reviewer_added",
    "vote_cast",
    "scope_narrowed",
    "evidence_added",
    "decision_recorded",
    "decision_superseded",
    "delivery_submitted",
    "delivery_closed",
    "beat_seen",
];

/// How long a record matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasts {
    /// It is on the disk before the caller goes on.
    ForGood,
    /// The next one follows soon: nobody waits for the disk.
    ABeat,
}

impl JournalBus {
    /// Names the log; touches nothing.
    pub fn new(place: LogPlace) -> Self {
        Self { place, log: None }
    }

    pub fn place(&self) -> &LogPlace {
        &self.place
    }

    /// Adds a record that is no event of a proposal, such as a notice or a status claim.
    pub fn note(
        &mut self,
        now: Timestamp,
        kind: &str,
        fields: Map<String, Value>,
        lasts: Lasts,
    ) -> Result<(), CouncilError> {
        let log = self.log()?;
        match lasts {
            Lasts::ForGood => log.append_values(now, None, &[(kind, fields)])?,
            Lasts::ABeat => log.append_values_soon(now, &[(kind, fields)])?,
        };
        Ok(())
    }

    fn log(&mut self) -> Result<&mut Log, CouncilError> {
        let log = match self.log.take() {
            Some(log) => log,
            None => self.place.open()?,
        };
        Ok(self.log.insert(log))
    }

    /// The clock of the last record that was written here.
    pub fn clock(&self) -> Option<String> {
        self.log.as_ref().map(|log| log.clock().to_string())
    }

    /// What had to be repaired to write.
    pub fn repairs(&self) -> Vec<String> {
        self.log.as_ref().map_or(Vec::new(), |log| log.repairs().iter().map(ToString::to_string).collect())
    }

    /// An event, if the line is one.
    pub fn read(&self, line: &mi_journal::Line) -> Result<Option<Event>, CouncilError> {
        let is_event =
            line.frame().is_some_and(|frame| frame.kind().is_some_and(|kind| KINDS.contains(&kind)));
        if !is_event {
            return Ok(None);
        }
        serde_json::from_slice(&line.bytes).map(Some).map_err(|error| CouncilError::Damaged {
            path: self.place.log.clone(),
            problem: format!("the record at byte {} cannot be read: {error}", line.offset),
        })
    }
}

impl Bus for JournalBus {
    fn publish(
        &mut self,
        now: Timestamp,
        subject: Option<&str>,
        events: &[Event],
    ) -> Result<(), CouncilError> {
        let subject = subject.map(RunId::new);
        let mut records = Vec::new();
        for event in events {
            match serde_json::to_value(event) {
                Ok(Value::Object(fields)) => records.push((event.kind(), fields)),
                Ok(_) | Err(_) => {
                    return Err(CouncilError::Usage(format!("a {} event cannot be written", event.kind())));
                }
            }
        }
        self.log()?.append_values(now, subject.as_ref(), &records)?;
        Ok(())
    }

    fn events(&self, subject: &str) -> Result<Vec<Event>, CouncilError> {
        self.events_until(subject, u64::MAX)
    }
}

impl JournalBus {
    /// The events about a subject in the first bytes of the log.
    pub(crate) fn events_until(&self, subject: &str, end: u64) -> Result<Vec<Event>, CouncilError> {
        let view = LogView::open(&self.place.log)?;
        let query = Query { run: Some(RunId::new(subject)), ..Query::default() };
        let mut events = Vec::new();
        for line in view.oldest(&query)? {
            let line = line?;
            if line.offset >= end {
                break;
            }
            events.extend(self.read(&line)?);
        }
        Ok(events)
    }
}
