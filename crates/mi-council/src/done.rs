//! The Definition of Done: nine items, each proven by a record, failed, or unknown. Unknown is not done.
//!
//! Requirements: MI-COUNCIL-001.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, str::FromStr};

use crate::{Citation, licence};

/// One item of Rule 1.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Item {
    Spec,
    Tests,
    Repro,
    Diff,
    Perf,
    Security,
    Licence,
    Docs,
    Trace,
}

/// A word that is no item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no item of the Definition of Done; items are spec, tests, repro, diff, perf, security, licence, docs, trace"
)]
pub struct UnknownItem(pub String);

impl Item {
    pub const ALL: [Self; 9] = [
        Self::Spec,
        Self::Tests,
        Self::Repro,
        Self::Diff,
        Self::Perf,
        Self::Security,
        Self::Licence,
        Self::Docs,
        Self::Trace,
    ];

    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl FromStr for Item {
    type Err = UnknownItem;

    fn from_str(text: &str) -> Result<Self, UnknownItem> {
        Self::ALL.into_iter().find(|item| item.as_str() == text).ok_or_else(|| UnknownItem(text.to_owned()))
    }
}

/// What is known about an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Proof {
    Proven { record: Citation },
    Failed { record: Citation, why: String },
    Unknown,
}

/// Every item and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checklist(BTreeMap<Item, Proof>);

impl Checklist {
    pub fn set(&mut self, item: Item, proof: Proof) {
        self.0.insert(item, proof);
    }

    pub fn get(&self, item: Item) -> &Proof {
        self.0.get(&item).unwrap_or(&Proof::Unknown)
    }

    /// The items that are not proven.
    pub fn open(&self) -> impl Iterator<Item = Item> {
        Item::ALL.into_iter().filter(|item| !matches!(self.get(*item), Proof::Proven { .. }))
    }
}

/// What a record says about its item: a record that tells of a failure proves the failure.
pub fn judge(item: Item, record: Citation, content: &[u8], policy: &licence::Policy) -> Proof {
    let value: Option<Value> = serde_json::from_slice(content).ok();
    let of_licences = (item == Item::Licence).then(|| licence::judge_record(content, policy)).flatten();
    match of_licences.or_else(|| value.as_ref().and_then(told_failure)) {
        Some(why) => Proof::Failed { record, why },
        None if content.trim_ascii().is_empty() => {
            Proof::Failed { record, why: "the record is empty".to_owned() }
        }
        None => Proof::Proven { record },
    }
}

/// The failure that a machine-written record tells of, in the words that `mi` and common runners use.
fn told_failure(value: &Value) -> Option<String> {
    for key in ["exit_code", "exit", "failed", "failures", "errors"] {
        if let Some(number) = value.get(key).and_then(Value::as_i64).filter(|number| *number != 0) {
            return Some(format!("the record says `{key}` is {number}"));
        }
    }
    for key in ["ok", "passed", "success", "reproducible"] {
        if value.get(key).and_then(Value::as_bool) == Some(false) {
            return Some(format!("the record says `{key}` is false"));
        }
    }
    let status = value.get("status").and_then(Value::as_str)?;
    ["failed", "fail", "error", "denied"]
        .contains(&status)
        .then(|| format!("the record says `status` is {status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(item: Item, content: &str) -> Proof {
        let record = Citation { address: "ucxl://a:b@c:1.0/".to_owned(), given: "x".to_owned() };
        judge(item, record, content.as_bytes(), &licence::Policy::default())
    }

    /// A record of a failure is no proof, and an item without a record is open.
    #[test]
    fn rule_1_unknown_and_failed_are_not_done() {
        for failing in
            [r#"{"exit_code":1}"#, r#"{"ok":false}"#, r#"{"status":"failed"}"#, r#"{"failures":2}"#, " \n"]
        {
            assert!(matches!(judged(Item::Tests, failing), Proof::Failed { .. }), "{failing}");
        }
        for passing in
            ["12 passed", r#"{"exit_code":0,"ok":true}"#, r#"{"status":"passed","failed":0}"#, "[]"]
        {
            assert!(matches!(judged(Item::Tests, passing), Proof::Proven { .. }), "{passing}");
        }
        let mut list = Checklist::default();
        list.set(Item::Tests, judged(Item::Tests, "ok"));
        list.set(Item::Perf, judged(Item::Perf, r#"{"ok":false}"#));
        let open: Vec<&str> = list.open().map(Item::as_str).collect();
        assert_eq!(open, ["spec", "repro", "diff", "perf", "security", "licence", "docs", "trace"]);
    }
}
