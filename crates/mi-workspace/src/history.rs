//! The closed cycles: `history.json`, append-only, never rewritten, never deleted (NX-140).
//!
//! Holds: the bytes of a cycle stay as they were written, by whomever; the file is walked through, never held in
//! memory. Elsewhere: what goes into a cycle is [`crate::close`], how the file grows is [`crate::records`].

mod matcher;
mod search;

use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

pub(crate) use search::{SearchRequest, search};

use crate::{
    DamagedFile, Lock, ToolError, Workspace,
    document::{SCHEMA_VERSION, check_version},
    records::{Growth, Records, Spot},
    workspace::hold,
};

/// From this length on a cycle is added in place: replacing the file would cost more than it is worth.
const LONG: u64 = 1 << 20;

/// The file as this process left it, and the highest plan id in it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    spot: Spot,
    highest_plan: f64,
}

/// What the history says about what comes next.
#[derive(Debug)]
pub(crate) struct Past {
    spot: Option<Spot>,
    /// The highest id of an archived plan, 0 when there is none (NX-022).
    pub(crate) highest_plan: f64,
    /// The newest cycle.
    pub(crate) last: Option<Value>,
}

impl Past {
    pub(crate) fn count(&self) -> u64 {
        self.spot.as_ref().and_then(|spot| spot.outline.list.as_ref()).map_or(0, |list| list.count)
    }

    pub(crate) fn last_completed_at(&self) -> Value {
        self.of_last("completed_at")
    }

    pub(crate) fn last_branch(&self) -> Value {
        self.of_last("branch")
    }

    fn of_last(&self, field: &str) -> Value {
        self.last.as_ref().and_then(|last| last.get(field)).cloned().unwrap_or_default()
    }
}

/// Walks through the history, or believes what this process knows of it. Whoever calls has the lock.
pub(crate) fn load(workspace: &Workspace) -> Result<Past, ToolError> {
    let (store, records) = (workspace.store(), records(workspace));
    let known = match hold(&workspace.known_history).clone() {
        Some(known) if records.is_untouched(store, &known.spot)? => Some(known),
        _ => walk(workspace)?,
    };
    let Some(Known { spot, highest_plan }) = known else {
        return Ok(Past { spot: None, highest_plan: 0.0, last: None });
    };
    let place = spot.outline.list.as_ref().and_then(|list| list.last.clone());
    let last = place.map(|place| records.entry(store, &place)).transpose()?;
    let last = last.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(Past { spot: Some(spot), highest_plan, last })
}

/// Adds a cycle; when this returns, it is on the disk.
pub(crate) fn append(
    workspace: &Workspace,
    lock: &Lock,
    past: Past,
    cycle: Value,
) -> Result<Past, ToolError> {
    let fields = match &past.spot {
        Some(spot) => spot.outline.fields.clone(),
        None => Map::from_iter([("schema_version".to_owned(), json!(SCHEMA_VERSION))]),
    };
    let record = cycle.to_string().into_bytes();
    let spot = records(workspace).append(workspace.store(), lock, past.spot.as_ref(), &fields, &record)?;
    let plan = cycle.get("plan").and_then(|plan| plan.get("id")).and_then(Value::as_f64).unwrap_or(0.0);
    let highest_plan = past.highest_plan.max(plan);
    *hold(&workspace.known_history) = Some(Known { spot: spot.clone(), highest_plan });
    Ok(Past { spot: Some(spot), highest_plan, last: Some(cycle) })
}

/// What a walk has to find in each cycle; all else is only checked to be JSON.
#[derive(Deserialize)]
struct CycleHead {
    #[serde(default)]
    plan: Option<PlanHead>,
}

#[derive(Deserialize)]
struct PlanHead {
    #[serde(default)]
    id: Option<Number>,
}

fn walk(workspace: &Workspace) -> Result<Option<Known>, ToolError> {
    let path = workspace.layout().history();
    let (mut highest_plan, mut bad, mut index) = (0.0_f64, None, 0_usize);
    let spot = records(workspace).load(workspace.store(), |bytes, _| {
        match serde_json::from_slice::<CycleHead>(bytes) {
            Ok(head) => {
                let id = head.plan.and_then(|plan| plan.id).and_then(|id| id.as_f64());
                highest_plan = id.unwrap_or(0.0).max(highest_plan);
            }
            Err(error) => bad = bad.take().or(Some((index, error))),
        }
        index += 1;
    })?;
    if let Some((index, error)) = bad {
        return Err(DamagedFile::new(&path, format!("is damaged in `cycles[{index}]` ({error})")).into());
    }
    let Some(spot) = spot else { return Ok(None) };
    check_version(&path, spot.outline.fields.get("schema_version"))?;
    note_torn(workspace, &spot);
    Ok(Some(Known { spot, highest_plan }))
}

fn note_torn(workspace: &Workspace, spot: &Spot) {
    if spot.torn > 0 {
        workspace.store().note(format!(
            "`{}` ended in {} bytes of a cycle whose writing was cut off; every complete cycle is kept",
            workspace.layout().history().display(),
            spot.torn
        ));
    }
}

fn records(workspace: &Workspace) -> Records {
    Records { path: workspace.layout().history(), key: "cycles", growth: Growth::InPlaceFrom(LONG) }
}
