//! What the gate answered and what came of it: a chained log beside the permits.
//!
//! Holds: targets are shortened and their secrets taken out before they are written. Decisions do not wait for the disk
//! (somebody waits for the hook); what the person says does.

use std::{collections::BTreeMap, path::Path};

use mi_gate::permission::{Decision, Verdict};
use mi_journal::{JournalError, Layout, Log, LogReader};
use mi_model::{Timestamp, shorten};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::permits::object;

/// The log of one home, opened for each use: hooks are many short processes.
pub struct Records<'a> {
    home: &'a Path,
}

/// How a tool call ended that the gate had asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    Failed,
}

/// A rule that the person overrode, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overridden {
    pub rule: String,
    pub count: u32,
}

/// Overrides of one rule after which an adjustment is proposed (D.17).
pub const OFTEN: u32 = 3;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    kind: String,
    session: String,
    action: String,
    decision: String,
    rule: String,
    rules: Vec<String>,
    outcome: String,
}

impl<'a> Records<'a> {
    pub fn new(home: &'a Path) -> Self {
        Self { home }
    }

    /// Writes down one answer.
    pub fn decided(&self, now: Timestamp, entry: &Decided<'_>) -> Result<(), JournalError> {
        let decision = entry.decision;
        let asked: Vec<&str> = decision
            .parts
            .iter()
            .filter(|part| part.verdict == Verdict::Prompt)
            .map(|part| part.rule.as_str())
            .collect();
        let target = decision.parts.first().map_or("", |part| part.target.as_str());
        let fields = json!({
            "session": entry.session, "tool": shorten(entry.tool, 100), "action": entry.action,
            "call": entry.call, "decision": decision.verdict, "rule": decision.rule, "rules": asked,
            "target": shorten(&mi_secrets::redact(target), 200),
        });
        self.open()?.append_values_soon(now, &[("gate_decision", object(fields))]).map(drop)
    }

    /// Writes down how a call ended.
    pub fn ended(
        &self,
        now: Timestamp,
        session: &str,
        action: &str,
        outcome: Outcome,
    ) -> Result<(), JournalError> {
        let fields = json!({"session": session, "action": action, "outcome": outcome});
        self.open()?.append_values_soon(now, &[("gate_outcome", object(fields))]).map(drop)
    }

    /// Writes down something the person said or did; it is on the disk when this returns.
    pub fn person(&self, now: Timestamp, kind: &str, fields: Value) -> Result<(), JournalError> {
        self.open()?.append_values(now, None, &[(kind, object(fields))]).map(drop)
    }

    /// Safe uses of a rule since it was last changed: asked, agreed to, ended well.
    pub fn safe_uses(&self, rule: &str) -> Result<u32, JournalError> {
        let mut asked: BTreeMap<(String, String), u32> = BTreeMap::new();
        let mut count = 0;
        self.each(|line| match line.kind.as_str() {
            "gate_decision" if line.decision == "prompt" && line.rules.iter().any(|id| id == rule) => {
                *asked.entry((line.session, line.action)).or_default() += 1;
            }
            "gate_outcome" => {
                let key = (line.session, line.action);
                if let Some(waiting) = asked.get_mut(&key).filter(|waiting| **waiting > 0) {
                    *waiting -= 1;
                    // A use that went wrong begins the count anew.
                    count = if line.outcome == "done" { count + 1 } else { 0 };
                }
            }
            _ => {}
        })?;
        Ok(count)
    }

    /// Rules that were overridden, the most often first.
    pub fn overridden(&self) -> Result<Vec<Overridden>, JournalError> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        self.each(|line| {
            if line.kind == "override_used" {
                *counts.entry(line.rule).or_default() += 1;
            }
        })?;
        let mut found: Vec<Overridden> =
            counts.into_iter().map(|(rule, count)| Overridden { rule, count }).collect();
        found.sort_by_key(|rule| std::cmp::Reverse(rule.count));
        Ok(found)
    }

    fn each(&self, mut look: impl FnMut(Line)) -> Result<(), JournalError> {
        let path = Layout::new(self.home).gate("decisions").log;
        if !path.exists() {
            return Ok(());
        }
        for line in LogReader::open(&path)?.forwards(0)? {
            // A line that is no record of ours counts for nothing.
            if let Ok(record) = serde_json::from_slice(&line?.bytes) {
                look(record);
            }
        }
        Ok(())
    }

    fn open(&self) -> Result<Log, JournalError> {
        Layout::new(self.home).gate("decisions").open()
    }
}

/// One answer with what it was about.
pub struct Decided<'a> {
    pub session: &'a str,
    pub tool: &'a str,
    /// The digest of the whole action.
    pub action: &'a str,
    /// The harness's own id of the call.
    pub call: Option<&'a str>,
    pub decision: &'a Decision,
}
