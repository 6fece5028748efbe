//! What the person made of rules (`mi permit`): a chained log of changes, and what stands now.
//!
//! Holds: the newest change of a rule counts unless it was taken back; a change is on the disk before it counts. Whether
//! a change may be made is `mi_gate::permission::transition_of`. A line that chain and head do not vouch for makes no rule
//! milder: `mi permit` is the only way.

use std::path::Path;

use mi_gate::permission::{Permit, Verdict};
use mi_journal::{JournalError, Layout, Log, LogPlace, LogReader};
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

/// What stands now, as far as it can be believed.
#[derive(Debug, Default)]
pub struct Standing {
    /// One verdict per rule.
    pub permits: Vec<Permit>,
    /// What is wrong with the log, for the person.
    pub problem: Option<String>,
    /// Changes are missing from it, or may be: what was made stricter is not known.
    pub is_lost: bool,
}

impl Standing {
    /// Nothing is known of the log.
    fn lost(why: &str) -> Self {
        let told = format!(
            "what the person permitted is damaged, so no rule is milder than it came and nothing is allowed unasked: \
             {why}; see `mi verify`, then move gate/permits.jsonl and heads/gate/permits.head away and permit anew"
        );
        Self { problem: Some(told), is_lost: true, ..Self::default() }
    }

    /// A change that `mi permit` made.
    fn take(&mut self, line: PermitLine) {
        self.permits.retain(|permit| permit.rule != line.rule);
        self.permits.push(Permit::new(&line.rule, line.to));
    }

    /// A change that nobody vouches for: the stricter stays.
    fn take_stricter(&mut self, line: PermitLine) {
        match self.permits.iter_mut().find(|permit| permit.rule == line.rule) {
            Some(permit) => permit.verdict = permit.verdict.max(line.to),
            None => {
                self.permits.push(Permit { only_tightens: true, ..Permit::new(&line.rule, line.to) });
            }
        }
    }
}

impl Permits {
    /// What stands now. A damaged log makes the answer stricter, never milder.
    pub fn read(home: &Path) -> Standing {
        let place = Layout::new(home).gate("permits");
        // No log and no head, no change: most homes have none, and a hook waits for this.
        if !place.log.exists() && !place.head.exists() {
            return Standing::default();
        }
        match Self::standing(&place) {
            Ok(standing) => standing,
            Err(error) => Standing::lost(&error.to_string()),
        }
    }

    fn standing(place: &LogPlace) -> Result<Standing, JournalError> {
        let vouched = mi_journal::vouched_bytes(place)?;
        let mut standing = match vouched {
            Some(_) => Standing::default(),
            None => Standing::lost("it is not what its head says"),
        };
        let (mut changes, mut doubtful) = (Vec::new(), Vec::new());
        for line in LogReader::open(&place.log)?.forwards(0)? {
            let line = line?;
            let is_sure = vouched.is_some_and(|bytes| line.end() <= bytes);
            match (serde_json::from_slice::<PermitLine>(&line.bytes), is_sure) {
                (Ok(change), true) => changes.push(change),
                (Ok(change), false) => doubtful.push(change),
                (Err(_), true) => {
                    if let Ok(undone) = serde_json::from_slice::<Undone>(&line.bytes) {
                        changes.retain(|change| change.id != undone.target_id);
                    }
                }
                (Err(_), false) => {}
            }
            if vouched.is_some() && !is_sure && !line.is_blank() {
                let told = "lines of gate/permits.jsonl that `mi permit` did not write make no rule milder; see `mi verify`";
                standing.problem = Some(told.to_owned());
            }
        }
        changes.into_iter().for_each(|change| standing.take(change));
        doubtful.into_iter().for_each(|change| standing.take_stricter(change));
        Ok(standing)
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
