//! Notices to roles, and what whoever works claims every beat: records beside the proposals' events.

use mi_council::beat::StatusClaim;
use mi_journal::{LogView, Query};
use mi_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{bus::Lasts, chamber::Chamber, error::CouncilError};

/// Something that a role should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub to_role: String,
    pub proposal: String,
    pub text: String,
}

impl Chamber {
    /// Puts a notice into the inbox of each role; `QA` and `qa` are one.
    pub fn notify(
        &mut self,
        roles: &[String],
        proposal: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<(), CouncilError> {
        let is_first = |at: usize| !roles[..at].iter().any(|role| role.eq_ignore_ascii_case(&roles[at]));
        for role in (0..roles.len()).filter(|at| is_first(*at)).map(|at| &roles[at]) {
            let to_role = mi_secrets::redact(role).into_owned();
            let notice = Notice { to_role, proposal: proposal.to_owned(), text: text.to_owned() };
            self.note(now, "notice", fields(&notice), Lasts::ForGood)?;
        }
        Ok(())
    }

    /// The newest notices, newest first, with their times.
    pub fn notices(&self, most: usize) -> Result<Vec<(String, Notice)>, CouncilError> {
        let view = LogView::open(&self.bus.place().log)?;
        let query = Query { kinds: vec!["notice".to_owned()], ..Query::default() };
        let mut found = Vec::new();
        for line in view.newest(&query)?.take(most) {
            let line = line?;
            let ts =
                line.frame().and_then(|frame| frame.timestamp()).map_or(String::new(), |ts| ts.to_string());
            if let Ok(notice) = serde_json::from_slice(&line.bytes) {
                found.push((ts, notice));
            }
        }
        Ok(found)
    }

    /// Keeps the claim of whoever works, and gives it as it was kept: the log's clock is ahead where claims come close upon
    /// each other. Nobody waits for the disk: a claim is about now, and the next one follows.
    pub fn claim(&mut self, claim: &StatusClaim, now: Timestamp) -> Result<StatusClaim, CouncilError> {
        self.note(now, "status_claim", fields(claim), Lasts::ABeat)?;
        Ok(StatusClaim { hlc: self.bus.clock().unwrap_or_else(|| claim.hlc.clone()), ..claim.clone() })
    }
}

fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}
