//! What the person made of rules (`mi permit`): a chained log of changes, and what stands now.
//!
//! Holds: the newest change of a rule counts unless it was taken back; a change is on the disk before it counts. Whether
//! a change may be made is `mi_gate::permission::transition_of`.

use std::path::Path;

use mi_gate::permission::{Permit, Verdict};
use mi_journal::{JournalError, Layout, Log, LogReader};
use mi_model::{Timestamp, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One change of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermitLine {
    pub id: String,
    pub ts: Timestamp,
    pub rule: String,
    pub from: Verdict,
    pub to: Verdict,
    pub reason: String,
    #[serde(default)]
    pub safe_uses: u32,
}

/// Why what was permitted cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum PermitError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("read what was permitted: the line at byte {offset} is not a change of a rule")]
    Line { offset: u64 },
    #[error("no change `{0}` stands")]
    Unknown(String),
}

/// The log, open for changes.
pub struct Permits {
    log: Log,
}

#[derive(Deserialize)]
struct Undone {
    target_id: String,
}

impl Permits {
    /// What stands now, one verdict per rule.
    pub fn read(home: &Path) -> Result<Vec<Permit>, PermitError> {
        let mut permits: Vec<Permit> = Vec::new();
        for line in Self::lines(home)? {
            permits.retain(|permit| permit.rule != line.rule);
            permits.push(Permit { rule: line.rule, verdict: line.to });
        }
        Ok(permits)
    }

    /// The changes that stand, oldest first.
    pub fn lines(home: &Path) -> Result<Vec<PermitLine>, PermitError> {
        let path = Layout::new(home).gate("permits").log;
        let mut standing: Vec<PermitLine> = Vec::new();
        // No log, no change: most homes have none, and a hook waits for this.
        if !path.exists() {
            return Ok(standing);
        }
        let reader = LogReader::open(&path).map_err(JournalError::from)?;
        for line in reader.forwards(0).map_err(JournalError::from)? {
            let line = line.map_err(JournalError::from)?;
            let bad = || PermitError::Line { offset: line.offset };
            let kind = line.frame().and_then(|frame| frame.kind().map(str::to_owned));
            match kind.as_deref() {
                Some("permit") => standing.push(serde_json::from_slice(&line.bytes).map_err(|_| bad())?),
                Some("permit_undone") => {
                    let undone: Undone = serde_json::from_slice(&line.bytes).map_err(|_| bad())?;
                    standing.retain(|line| line.id != undone.target_id);
                }
                Some(_) => {}
                None if line.is_blank() => {}
                None => return Err(bad()),
            }
        }
        Ok(standing)
    }

    pub fn open(home: &Path) -> Result<Self, PermitError> {
        Ok(Self { log: Layout::new(home).gate("permits").open()? })
    }

    /// Writes a change down and returns its id.
    pub fn add(&mut self, now: Timestamp, change: &PermitLine) -> Result<String, PermitError> {
        let seed = format!("{now} {} {}", change.rule, change.to.as_str());
        let id = format!("p{}", &sha256_hex(seed.as_bytes())[..8]);
        let fields = json!({
            "id": id, "rule": change.rule, "from": change.from, "to": change.to, "reason": change.reason,
            "safe_uses": change.safe_uses,
        });
        self.log.append_values(now, None, &[("permit", object(fields))])?;
        Ok(id)
    }

    /// Takes a change back.
    pub fn undo(&mut self, now: Timestamp, id: &str, reason: &str) -> Result<(), PermitError> {
        let fields = json!({"target_id": id, "reason": reason});
        self.log.append_values(now, None, &[("permit_undone", object(fields))])?;
        Ok(())
    }
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
