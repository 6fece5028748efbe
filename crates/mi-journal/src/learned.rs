//! Learned preferences: added, taken back, never rewritten (MI seed, "Learned").
//!
//! Holds: what is in force is all adds minus all disables of one log; a line that is neither is passed over
//! with a note, so that one bad line does not take the person's other rules with it.

use mi_model::{LearnedRule, LearnedScope, RiskCategory, RunId, Timestamp, sha256_hex};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

use crate::{FileError, JournalError, Log, LogPlace, LogReader, Repair};

/// A log of learned rules, open for changes.
#[derive(Debug)]
pub struct LearnedLog {
    log: Log,
    scope: LearnedScope,
}

/// What a log of learned rules says now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// In the order in which they were added.
    pub rules: Vec<LearnedRule>,
    /// Lines that were passed over, and why.
    pub notes: Vec<String>,
}

impl LearnedLog {
    /// Opens the log of this scope; creates it if need be.
    pub fn open(place: &LogPlace, scope: LearnedScope) -> Result<Self, JournalError> {
        Ok(Self { log: place.open()?, scope })
    }

    /// What was put right since the log was opened.
    pub fn repairs(&self) -> &[Repair] {
        self.log.repairs()
    }

    /// Adds a rule and returns its id.
    pub fn add(
        &mut self,
        now: Timestamp,
        run_id: Option<&RunId>,
        text: &str,
        rationale: &str,
        category: Option<RiskCategory>,
    ) -> Result<String, JournalError> {
        let id = self.new_id(&format!("{now} {text}"))?;
        let mut fields = object(json!({
            "id": &id, "scope": self.scope, "enabled": true, "text": text, "rationale": rationale,
        }));
        if let Some(category) = category {
            fields.insert("category".to_owned(), category.as_str().into());
        }
        self.log.append_values(now, run_id, &[("learned_add", fields)])?;
        Ok(id)
    }

    /// Takes a rule back; one that is not in force is an error.
    pub fn disable(
        &mut self,
        now: Timestamp,
        run_id: Option<&RunId>,
        target_id: &str,
        rationale: &str,
    ) -> Result<(), JournalError> {
        if !self.in_force()?.rules.iter().any(|rule| rule.id == target_id) {
            return Err(JournalError::UnknownRule {
                id: target_id.to_owned(),
                path: self.log.path().to_owned(),
            });
        }
        let id = self.new_id(&format!("{now} disable {target_id}"))?;
        let fields = json!({"id": id, "action": "disable", "target_id": target_id, "rationale": rationale});
        self.log.append_values(now, run_id, &[("learned_disable", object(fields))])?;
        Ok(())
    }

    /// The rules in force.
    pub fn in_force(&self) -> Result<Learned, FileError> {
        in_force(self.log.path(), self.scope)
    }

    /// A short id that this log has not used, made from what it names so that it needs no randomness.
    fn new_id(&self, seed: &str) -> Result<String, FileError> {
        let used: Vec<String> =
            read(self.log.path())?.found.into_iter().filter_map(|(_, change)| change.id).collect();
        let ids = (0..)
            .map(|attempt: u32| format!("l{}", &sha256_hex(format!("{seed} {attempt}").as_bytes())[..8]));
        Ok(ids.into_iter().find(|id| !used.contains(id)).unwrap_or_default())
    }
}

/// The rules in force in a log, read without opening it for writing; a missing log has none.
pub fn in_force(path: &Path, scope: LearnedScope) -> Result<Learned, FileError> {
    let Changes { found, notes } = read(path)?;
    let mut learned = Learned { rules: Vec::new(), notes };
    for (offset, change) in found {
        if let Err(why) = change.apply(scope, &mut learned.rules) {
            learned.notes.push(passed_over(path, offset, why));
        }
    }
    Ok(learned)
}

/// A line of the log, with whatever of it is there.
#[derive(Debug, Deserialize)]
struct Change {
    id: Option<String>,
    ts: Option<Timestamp>,
    scope: Option<LearnedScope>,
    enabled: Option<bool>,
    text: Option<String>,
    #[serde(default)]
    rationale: String,
    category: Option<RiskCategory>,
    action: Option<String>,
    target_id: Option<String>,
}

impl Change {
    fn apply(self, scope: LearnedScope, rules: &mut Vec<LearnedRule>) -> Result<(), &'static str> {
        match (self.action.as_deref(), self.target_id) {
            (Some("disable"), Some(target)) => {
                rules.retain(|rule| rule.id != target);
                return Ok(());
            }
            (Some("disable"), None) => return Err("a disable without a target_id"),
            (Some(action), _) if action != "add" => return Err("an unknown action"),
            _ => {}
        }
        let (Some(id), Some(text)) = (self.id, self.text) else { return Err("no id or no text") };
        let Some(ts) = self.ts else { return Err("no time") };
        rules.retain(|rule| rule.id != id);
        if self.enabled.unwrap_or(true) {
            let (scope, rationale, category) = (self.scope.unwrap_or(scope), self.rationale, self.category);
            rules.push(LearnedRule { id, ts, scope, enabled: true, text, rationale, category });
        }
        Ok(())
    }
}

/// The changes a log tells of, each with the offset of its line, and the lines that tell of none.
struct Changes {
    found: Vec<(u64, Change)>,
    notes: Vec<String>,
}

fn read(path: &Path) -> Result<Changes, FileError> {
    let mut changes = Changes { found: Vec::new(), notes: Vec::new() };
    for line in LogReader::open(path)?.forwards(0)? {
        let line = line?;
        match line.frame().map(|_| serde_json::from_slice(&line.bytes)) {
            Some(Ok(change)) => changes.found.push((line.offset, change)),
            Some(Err(error)) => changes.notes.push(passed_over(path, line.offset, &error.to_string())),
            None if line.is_blank() => {}
            None => changes.notes.push(passed_over(path, line.offset, "not a JSON object")),
        }
    }
    Ok(changes)
}

fn passed_over(path: &Path, offset: u64, why: &str) -> String {
    format!("{}: the line at byte {offset} was passed over: {why}", path.display())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
