//! A run set aside and taken up again: the snapshot is all of it, and fits one protocol file only.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::{collections::BTreeMap, sync::Arc};

use super::{
    Engine,
    run::{Accepted, ClaimState, Results, Run},
};
use crate::{
    expr::Value,
    protocol::Protocol,
    state::{Field, FieldKind},
    words::{TrustLevel, VerificationStatus},
};

const VERSION: u32 = 1;

/// Why a snapshot cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("read the snapshot")]
    Unreadable(#[source] serde_json::Error),
    #[error("the snapshot has version {0}, and this program knows version {VERSION}")]
    Version(u32),
    #[error("the snapshot belongs to another protocol file (its digest is {theirs}, not {ours})")]
    OtherProtocol { theirs: String, ours: String },
    #[error("the snapshot does not fit its protocol: {0}")]
    Misfit(String),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    version: u32,
    protocol: String,
    at: u64,
    node: String,
    state: BTreeMap<String, Json>,
    attempts: BTreeMap<String, i64>,
    started: bool,
    done: Vec<bool>,
    open: Option<usize>,
    checked: Vec<Option<bool>>,
    claims: BTreeMap<String, (VerificationStatus, TrustLevel)>,
    evidence: Vec<String>,
    outputs: BTreeMap<String, Accepted>,
}

impl Engine {
    /// The run as JSON; the same run gives the same bytes.
    pub fn snapshot(&self) -> String {
        let (protocol, run) = (&self.protocol, &self.run);
        let ids = || protocol.nodes.iter().map(|node| node.id.to_string());
        let mut evidence: Vec<String> = run.evidence.iter().map(|key| format!("{key:032x}")).collect();
        evidence.sort_unstable();
        let snapshot = Snapshot {
            version: VERSION,
            protocol: protocol.digest.clone(),
            at: run.at,
            node: self.node().to_owned(),
            state: protocol
                .fields
                .iter()
                .zip(&run.slots)
                .map(|(field, value)| (field.name.clone(), write(value)))
                .collect(),
            attempts: ids().zip(run.attempts.iter().copied()).filter(|(_, count)| *count > 0).collect(),
            started: run.started,
            done: run.done.clone(),
            open: run.open,
            checked: run.checked.clone(),
            claims: protocol
                .claims
                .iter()
                .zip(&run.claims)
                .map(|(claim, state)| (claim.id.clone(), (state.status, state.trust)))
                .collect(),
            evidence,
            outputs: ids().zip(&run.outputs).filter_map(|(id, output)| Some((id, output.clone()?))).collect(),
        };
        serde_json::to_string_pretty(&snapshot).unwrap_or_default()
    }

    /// The run that a snapshot holds, ready to go on.
    pub fn restore(protocol: Arc<Protocol>, text: &str) -> Result<Self, RestoreError> {
        let snapshot: Snapshot = serde_json::from_str(text).map_err(RestoreError::Unreadable)?;
        if snapshot.version != VERSION {
            return Err(RestoreError::Version(snapshot.version));
        }
        if snapshot.protocol != protocol.digest {
            return Err(RestoreError::OtherProtocol {
                theirs: snapshot.protocol,
                ours: protocol.digest.clone(),
            });
        }
        let run = revive(&protocol, snapshot).map_err(RestoreError::Misfit)?;
        let results = Results::new(&protocol);
        Ok(Self { protocol, run, results, detail: super::Detail::Brief })
    }
}

fn revive(protocol: &Protocol, snapshot: Snapshot) -> Result<Run, String> {
    let mut run = Run::new(protocol);
    let find =
        |id: &str| protocol.node_index.get(id).copied().ok_or_else(|| format!("there is no node `{id}`"));
    run.at = snapshot.at;
    run.node = find(&snapshot.node)?;
    for (name, value) in snapshot.state {
        let slot = *protocol.field_index.get(&name).ok_or_else(|| format!("there is no field `{name}`"))?;
        let field = &protocol.fields[slot];
        let value = read(field, value).and_then(|value| field.fit(value).ok());
        run.slots[slot] = value.ok_or_else(|| format!("the value of `{name}` does not fit"))?;
    }
    run.attempts.fill(0);
    for (id, count) in snapshot.attempts {
        run.attempts[find(&id)?] = count;
    }
    let subphases = protocol.nodes[run.node].subphases.len();
    let fits = snapshot.done.len() == subphases
        && snapshot.open.is_none_or(|open| open < subphases)
        && snapshot.checked.len() == protocol.checks.len();
    if !fits {
        return Err("its sub-phases or checks are not those of the protocol".to_owned());
    }
    (run.started, run.done, run.open, run.checked) =
        (snapshot.started, snapshot.done, snapshot.open, snapshot.checked);
    for (id, (status, trust)) in snapshot.claims {
        let claim = *protocol.claim_index.get(&id).ok_or_else(|| format!("there is no claim `{id}`"))?;
        run.claims[claim] = ClaimState { status, trust };
    }
    for key in snapshot.evidence {
        let key = u128::from_str_radix(&key, 16).map_err(|_| "an evidence key is damaged".to_owned())?;
        run.evidence.insert(key);
    }
    for (id, output) in snapshot.outputs {
        run.outputs[find(&id)?] = Some(output);
    }
    Ok(run)
}

/// Numbers are written as text, so that reading them gives the same bits back.
fn write(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Number(value) => Json::String(value.to_string()),
        Value::Text(text) => Json::String(text.clone()),
        Value::List(texts) => Json::from(texts.clone()),
    }
}

fn read(field: &Field, value: Json) -> Option<Value> {
    Some(match (value, &field.kind) {
        (Json::Null, _) => Value::Null,
        (Json::Bool(value), _) => Value::Bool(value),
        (Json::Number(value), _) => Value::Integer(value.as_i64()?),
        (Json::String(text), FieldKind::Number) => Value::Number(text.parse().ok()?),
        (Json::String(text), _) => Value::Text(text),
        (Json::Array(items), _) => {
            Value::List(items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()?)
        }
        (Json::Object(_), _) => return None,
    })
}
