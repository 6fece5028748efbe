//! Exception DRs: the only way past a rule, with an owner, a reason, an end and a way back.

use mi_model::Timestamp;
use serde::Serialize;

use crate::{
    document::{self, Json},
    verdict::Denial,
};

/// The letters of the rules that can be lifted at all. Rule A is the reading itself.
const LETTERS: &str = "FNIXSPUW";
const KEYS: [&str; 6] = ["id", "rule", "owner", "reason", "expiry", "rollback"];

/// One decision that lifts one rule for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExceptionRecord {
    pub id: String,
    /// Such as `X.limits`; exactly one rule.
    pub rule: String,
    pub owner: String,
    pub reason: String,
    /// From this instant on it holds no more.
    pub expiry: Timestamp,
    /// How to get back to the rule.
    pub rollback: String,
}

/// Why an Exception DR is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExceptionError {
    #[error("read the exception: {}", .0.reason)]
    Json(Denial),
    #[error(
        "the exception needs exactly {}, each a text with something in it; look at `{field}`",
        KEYS.join(", ")
    )]
    Field { field: String },
    #[error("`{rule}` is no rule that can be lifted; mi box policy list names them")]
    Rule { rule: String },
    #[error("the exception's expiry `{expiry}` is not a time such as 2026-02-08T12:00:00Z")]
    Expiry { expiry: String },
}

impl ExceptionRecord {
    /// Reads a JSON object with exactly the six keys.
    pub fn read(bytes: &[u8]) -> Result<Self, ExceptionError> {
        let document = document::read(bytes).map_err(ExceptionError::Json)?;
        if let Some(double) = document.doubles.into_iter().next() {
            return Err(ExceptionError::Json(double));
        }
        if let Json::Table(entries) = &document.root
            && let Some((name, _)) = entries.iter().find(|(name, _)| !KEYS.contains(&name.as_str()))
        {
            return Err(ExceptionError::Field { field: name.clone() });
        }
        let text = |key: &str| match document.root.get(key) {
            Some(Json::Text(text)) if !text.trim().is_empty() => Ok(text.clone()),
            _ => Err(ExceptionError::Field { field: key.to_owned() }),
        };
        let rule = text("rule")?;
        if !can_be_lifted(&rule) {
            return Err(ExceptionError::Rule { rule });
        }
        let expiry = text("expiry")?;
        let expiry = expiry.parse().map_err(|_| ExceptionError::Expiry { expiry })?;
        let (id, owner, reason) = (text("id")?, text("owner")?, text("reason")?);
        Ok(Self { id, rule, owner, reason, expiry, rollback: text("rollback")? })
    }
}

/// `LETTER.word` with a letter that can be lifted.
pub(crate) fn can_be_lifted(rule: &str) -> bool {
    rule.split_once('.').is_some_and(|(letter, word)| {
        letter.len() == 1
            && LETTERS.contains(letter)
            && !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// The Exception DRs that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exceptions(Vec<ExceptionRecord>);

impl Exceptions {
    pub fn none() -> Self {
        Self::default()
    }

    pub fn new(records: Vec<ExceptionRecord>) -> Self {
        Self(records)
    }

    pub fn iter(&self) -> impl Iterator<Item = &ExceptionRecord> {
        self.0.iter()
    }

    /// The exception that lifts a rule at `now`.
    pub fn lifting(&self, rule: &str, now: Timestamp) -> Option<&ExceptionRecord> {
        self.0.iter().find(|exception| {
            exception.rule == rule && now < exception.expiry && can_be_lifted(&exception.rule)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"DR-7","rule":"X.limits","owner":"ada","reason":"a large link step",
        "expiry":"2026-03-01T00:00:00Z","rollback":"remove DR-7"}"#;

    /// An exception needs all six things, one liftable rule and a real time.
    #[test]
    fn a_exception_records_are_read_strictly() {
        assert_eq!(ExceptionRecord::read(GOOD.as_bytes()).unwrap().rule, "X.limits");
        let cases = [
            ("\"DR-7\"", "\" \""),
            ("\"ada\"", "7"),
            (",\"rollback\":\"remove DR-7\"", ""),
            ("\"rollback\"", "\"Rollback\""),
            ("X.limits", "A.json"),
            ("X.limits", "X.*"),
            ("X.limits", "X"),
            ("X.limits", "FX.limits"),
            ("2026-03-01T00:00:00Z", "next year"),
            ("{\"id\"", "{\"id\":\"DR-7\",\"id\""),
        ];
        for (old, new) in cases {
            assert!(GOOD.contains(old));
            assert!(ExceptionRecord::read(GOOD.replacen(old, new, 1).as_bytes()).is_err(), "{new}");
        }
    }
}
