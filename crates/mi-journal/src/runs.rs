//! The runs of a log, told from its end.

use mi_model::{RunId, RunStatus, Timestamp};

use crate::{FileError, LineFrame, LogReader, line::Scalar};

/// One run, as the log tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    pub run_id: RunId,
    pub first_seq: Option<u64>,
    pub last_seq: Option<u64>,
    /// The time of its first record.
    pub started: Option<Timestamp>,
    /// `None` while it runs, or when it was cut off.
    pub status: Option<RunStatus>,
}

impl LogReader {
    /// The last `limit` runs, newest first, as far as the last `look_back` lines tell of them.
    ///
    /// A run that began before those lines is given with its first record among them.
    pub fn runs(&self, limit: usize, look_back: usize) -> Result<Vec<RunSummary>, FileError> {
        let mut seen: Vec<Seen> = Vec::new();
        for line in self.backwards()?.take(look_back) {
            let line = line?;
            if memchr::memmem::find(&line.bytes, b"\"run_id\"").is_none() {
                continue;
            }
            let Some(frame) = line.frame() else { continue };
            let Some(run_id) = frame.run_id() else { continue };
            let known = seen.iter().rposition(|seen| seen.summary.run_id.as_str() == run_id);
            match known {
                Some(at) => seen[at].add(&frame),
                None if seen.len() < limit => seen.push(Seen::new(run_id, &frame)),
                None => {}
            }
            if seen.len() >= limit && seen.iter().all(|seen| seen.complete) {
                break;
            }
        }
        Ok(seen.into_iter().map(|seen| seen.summary).collect())
    }
}

/// A run while its records are gone through, newest first.
struct Seen {
    summary: RunSummary,
    /// Its newest start or end was met; older ones do not change its status.
    status_known: bool,
    /// Its very first record was met.
    complete: bool,
}

impl Seen {
    fn new(run_id: &str, frame: &LineFrame<'_>) -> Self {
        let run_id = RunId::new(run_id);
        let summary =
            RunSummary { run_id, first_seq: None, last_seq: frame.seq(), started: None, status: None };
        let mut seen = Self { summary, status_known: false, complete: false };
        seen.add(frame);
        seen
    }

    fn add(&mut self, frame: &LineFrame<'_>) {
        self.summary.first_seq = frame.seq();
        self.summary.started = frame.timestamp();
        match frame.kind() {
            Some("run_finished") if !self.status_known => {
                let word = frame.status.text().unwrap_or_default();
                self.summary.status = serde_json::from_value(word.into()).ok();
                self.status_known = true;
            }
            Some("run_started") => {
                self.status_known = true;
                self.complete = frame.resumed != Scalar::True;
            }
            _ => {}
        }
    }
}
