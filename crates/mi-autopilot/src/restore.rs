//! Takes a run out of its journal: the same events stepped through the same brain.
//!
//! `--resume`, `mi answer` and `mi replay` all stand on this; nothing else rebuilds a run.

use mi_journal::{FileError, LogReader};
use mi_loop::{
    message::{Event, MindPrompt},
    project::ProjectCheck,
    report::BatchReport,
    run::Run,
    setup::Setup,
};
use mi_model::{
    DecidedBy, RunId, Timestamp, Usage,
    record::{Decision, Entry, Record, RunFinished},
};
use mi_protocol::Protocol;
use serde::de::DeserializeOwned;
use std::{path::Path, sync::Arc};

use crate::Baseline;

/// A run as its journal tells it.
#[derive(Debug)]
pub struct Recorded {
    pub run_id: RunId,
    pub setup: Setup,
    /// Everything that was recorded of it, in order.
    pub records: Vec<Record>,
}

/// Which protocol a run follows: where it was found, and what its file must hash to.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FollowedProtocol {
    /// An absolute path, or `builtin:NAME`.
    pub file: String,
    pub name: String,
    pub sha256: String,
}

/// Why a run could not be taken up again.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Read(#[from] FileError),
    #[error("no run `{0}` is in this project's journal; `mi log --kind run_started` lists them")]
    Unknown(String),
    #[error("this project's journal holds no run yet; start one with `mi run TASK`")]
    Empty,
    #[error("the start of run `{run}` cannot be read: {why}")]
    Broken { run: RunId, why: String },
}

impl Recorded {
    /// The run of that id, or the newest one for `last`.
    pub fn load(log: &Path, wanted: &str) -> Result<Self, RestoreError> {
        let run_id =
            if wanted == "last" { newest_run(log)?.ok_or(RestoreError::Empty)? } else { RunId::new(wanted) };
        let mut records = Vec::new();
        for line in LogReader::open(log)?.backwards()? {
            let Ok(record) = line?.record() else { continue };
            if record.frame.run_id.as_ref() != Some(&run_id) {
                continue;
            }
            let first = matches!(&record.entry, Entry::RunStarted(started) if !started.resumed);
            records.push(record);
            if first {
                records.reverse();
                return Self::assemble(run_id, records);
            }
        }
        Err(RestoreError::Unknown(wanted.to_owned()))
    }

    fn assemble(run_id: RunId, records: Vec<Record>) -> Result<Self, RestoreError> {
        let broken = |why: String| RestoreError::Broken { run: run_id.clone(), why };
        let Some(Entry::RunStarted(started)) = records.first().map(|record| &record.entry) else {
            return Err(broken("its first record is not run_started".to_owned()));
        };
        let setup =
            serde_json::from_value(started.setup.clone()).map_err(|error| broken(error.to_string()))?;
        Ok(Self { run_id, setup, records })
    }

    /// The protocol that the run follows, if it does.
    pub fn followed(&self) -> Option<FollowedProtocol> {
        let Some(Entry::RunStarted(started)) = self.records.first().map(|record| &record.entry) else {
            return None;
        };
        serde_json::from_value(started.setup.get("protocol")?.clone()).ok()
    }

    /// The run as it stood when its last record was written. `protocol` is the one it follows.
    pub fn restore(&self, protocol: Option<Arc<Protocol>>) -> Run {
        let mut run = new_run(self.setup.clone(), protocol);
        run.step(Event::Start);
        for event in self.events() {
            run.step(event);
        }
        run
    }

    /// What the brain was told, in order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.records.iter().filter_map(|record| event_of(&record.entry))
    }

    /// What the run was started with, as flags would say it; the newest start counts.
    pub fn hands_and_mind(&self) -> (Option<String>, Option<String>) {
        let newest = self.records.iter().rev().find_map(|record| match &record.entry {
            Entry::RunStarted(started) => Some((started.hands.clone(), started.mind.clone())),
            _ => None,
        });
        newest.unzip()
    }

    /// The tests as they were when the run began.
    pub fn baseline(&self) -> Baseline {
        self.first("baseline").unwrap_or_default()
    }

    /// The checks that the project named when the run began.
    pub fn checks(&self) -> Option<Vec<ProjectCheck>> {
        self.first("checks")
    }

    /// A part of what the start of the run recorded.
    fn first<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let setup = self.records.iter().find_map(|record| match &record.entry {
            Entry::RunStarted(started) if !started.resumed => Some(&started.setup),
            _ => None,
        });
        serde_json::from_value(setup?.get(name)?.clone()).ok()
    }

    /// What a conversation of the agent has used up so far.
    pub fn thread_usage(&self, thread_id: &str) -> Usage {
        self.records.iter().fold(Usage::default(), |sum, record| match &record.entry {
            Entry::EvidenceItem(item) if item.thread_id == thread_id => sum.plus(&item.usage),
            _ => sum,
        })
    }

    /// How and when the run ended, if it did and was not taken up again since.
    pub fn finished(&self) -> Option<(Timestamp, RunFinished)> {
        self.records.iter().rev().find_map(|record| match &record.entry {
            Entry::RunFinished(finished) => Some(Some((record.frame.ts, finished.clone()))),
            Entry::RunStarted(_) => Some(None),
            _ => None,
        })?
    }

    /// Whether the run is done only when the box has shown it.
    pub fn is_verified_by_box(&self) -> bool {
        let starts = self.records.iter().filter_map(|record| match &record.entry {
            Entry::RunStarted(started) => Some(&started.setup),
            _ => None,
        });
        starts.into_iter().any(|setup| setup.get("verify").is_some_and(|by| by == "box"))
    }

    /// The transcript of a batch that was sent and never ended, if there is one.
    pub fn cut_off_transcript(&self) -> Option<String> {
        self.records.iter().rev().find_map(|record| match &record.entry {
            Entry::CodexInput(input) => Some(Some(input.transcript_path.clone())),
            Entry::EvidenceItem(_) => Some(None),
            _ => None,
        })?
    }
}

pub(crate) fn new_run(setup: Setup, protocol: Option<Arc<Protocol>>) -> Run {
    match protocol {
        Some(protocol) => Run::with_protocol(setup, protocol),
        None => Run::new(setup),
    }
}

/// The id of the newest run that has a record.
pub fn newest_run(log: &Path) -> Result<Option<RunId>, FileError> {
    for line in LogReader::open(log)?.backwards()? {
        if let Some(run_id) = line?.frame().and_then(|frame| frame.run_id().map(RunId::new)) {
            return Ok(Some(run_id));
        }
    }
    Ok(None)
}

/// Journals written before refusals had a record of their own say them in the decision that followed.
fn old_refusal(decision: &Decision) -> Option<Event> {
    let is_by_box = decision.decided_by == DecidedBy::Rules("verify.box".to_owned());
    let (_, why) = decision.reason.split_once("the box did not verify it: ").filter(|_| is_by_box)?;
    Some(Event::NotVerified { why: why.to_owned() })
}

pub(crate) fn event_of(entry: &Entry) -> Option<Event> {
    match entry {
        Entry::EvidenceItem(item) => {
            let report: BatchReport = serde_json::from_value(item.report.clone()).ok()?;
            Some(Event::BatchEnded(Box::new(report)))
        }
        Entry::MindCall(call) => Some(Event::MindAnswered {
            prompt: MindPrompt::from_name(&call.prompt)?,
            model: call.model.clone(),
            answer: call.ok.then(|| call.answer.clone()),
            usage: call.usage,
        }),
        Entry::ProtocolEvidence(evidence) => Some(Event::EvidenceRead { read: evidence.read.clone() }),
        Entry::NotVerified(refused) => Some(Event::NotVerified { why: refused.why.clone() }),
        Entry::CounterCheck(record) => Some(Event::ChangeSeen { look: Box::new(record.look.clone()) }),
        Entry::Accepted(accepted) => Some(Event::PersonAccepted { criteria: accepted.criteria.clone() }),
        Entry::Decision(decision) => old_refusal(decision),
        Entry::UserInput(input) => Some(Event::PersonAnswered { answer: input.answer.clone() }),
        Entry::RunStarted(started) if started.resumed => {
            let limits = serde_json::from_value(started.setup.get("limits")?.clone()).ok()?;
            Some(Event::Resumed { limits })
        }
        _ => None,
    }
}
