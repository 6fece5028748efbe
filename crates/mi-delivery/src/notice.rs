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
    /// Puts a notice into the inbox of each role.
    pub fn notify(
        &mut self,
        roles: &[String],
        proposal: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<(), CouncilError> {
        for role in roles {
            let notice =
                Notice { to_role: role.clone(), proposal: proposal.to_owned(), text: text.to_owned() };
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

    /// Keeps the claim of whoever works. Nobody waits for the disk: a claim is about now, and the next one follows.
    pub fn claim(&mut self, claim: &StatusClaim, now: Timestamp) -> Result<(), CouncilError> {
        self.note(now, "status_claim", fields(claim), Lasts::ABeat)
    }
}

fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}
