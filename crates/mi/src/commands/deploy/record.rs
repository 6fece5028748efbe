//! What the person decided about a deployment, journalled; the gate denies these commands to tools.

use mi_journal::{Layout, LogReader};
use mi_model::{Timestamp, sha256_hex};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Place;
use crate::{
    args::deploy::DeployRecord,
    commands::repository,
    failure::{Failure, Outcome},
};

pub(super) fn run(place: &Place<'_>, what: DeployRecord, minutes: u32) -> Outcome {
    let short = &place.commit[..place.commit.len().min(12)];
    let said = match what {
        DeployRecord::Review => {
            if !place.app.common.json {
                place.app.talk(
                    repository::git(place.root(), &["show", "--stat", "--oneline", "HEAD"])?.trim_end(),
                );
            }
            write(place, "deploy_review", json!({}))?;
            format!("the diff of {short} is reviewed")
        }
        DeployRecord::Window => {
            let until = place.app.clock.now().as_millis() + i64::from(minutes) * 60_000;
            write(place, "deploy_window", json!({"until_ms": until}))?;
            format!("the window for {} is open for {minutes} minutes", place.name)
        }
        DeployRecord::Deployed => {
            if !passed(place)? {
                return Err(Failure::denied(format!(
                    "the checklist of {short} for {} has not passed",
                    place.name
                ))
                .todo("mi deploy check"));
            }
            write(place, "deployed", json!({}))?;
            format!(
                "{short} was deployed to {}; tell its health within 60 seconds: mi deploy health",
                place.name
            )
        }
    };
    if place.app.common.json {
        return place
            .app
            .print_json(&json!({"target": place.name, "commit": place.commit, "recorded": said}));
    }
    place.app.print(&said)
}

/// Appends a record about this target and commit; it is on the disk when this returns.
pub(super) fn write(place: &Place<'_>, kind: &str, more: Value) -> Result<(), Failure> {
    let mut fields = serde_json::Map::new();
    fields.insert("project".to_owned(), json!(project(place)));
    fields.insert("target".to_owned(), json!(place.name));
    fields.insert("commit".to_owned(), json!(place.commit));
    fields.extend(more.as_object().cloned().unwrap_or_default());
    let mut log = Layout::new(&place.app.home).gate("deploys").open().map_err(|error| Failure::of(&error))?;
    log.append_values(place.app.clock.now(), None, &[(kind, fields)])
        .map(drop)
        .map_err(|error| Failure::of(&error))
}

/// The commit whose diff the person approved last.
pub(super) fn reviewed(place: &Place<'_>) -> Result<Option<String>, Failure> {
    let reviews = lines(place)?.into_iter().filter(|line| line.kind == "deploy_review");
    // An approval of this very commit counts whenever it was given.
    let all: Vec<String> = reviews.map(|line| line.commit).collect();
    Ok(all.iter().find(|commit| **commit == place.commit).or(all.last()).cloned())
}

/// The newest window for this commit has not ended.
pub(super) fn window_is_open(place: &Place<'_>) -> Result<bool, Failure> {
    let now = place.app.clock.now().as_millis();
    let mut windows = lines(place)?.into_iter().filter(|line| line.kind == "deploy_window");
    let newest = windows.rfind(|line| line.commit == place.commit);
    Ok(newest.is_some_and(|line| line.ts.as_millis() <= now && now <= line.until_ms))
}

/// The newest check of this commit passed.
fn passed(place: &Place<'_>) -> Result<bool, Failure> {
    let mut checks = lines(place)?.into_iter().filter(|line| line.kind == "deploy_check");
    Ok(checks.rfind(|line| line.commit == place.commit).is_some_and(|line| line.passed))
}

/// When this target was last deployed to.
pub(super) fn deployed_at(place: &Place<'_>) -> Result<Option<Timestamp>, Failure> {
    Ok(lines(place)?.into_iter().rfind(|line| line.kind == "deployed").map(|line| line.ts))
}

#[derive(Deserialize)]
struct Line {
    kind: String,
    ts: Timestamp,
    #[serde(default)]
    project: String,
    #[serde(default)]
    target: String,
    #[serde(default)]
    commit: String,
    #[serde(default)]
    until_ms: i64,
    #[serde(default)]
    passed: bool,
}

/// Records of this project and target, oldest first. A line that is none of ours proves nothing.
fn lines(place: &Place<'_>) -> Result<Vec<Line>, Failure> {
    let fail = |error: mi_journal::FileError| Failure::of(&error);
    let path = Layout::new(&place.app.home).gate("deploys").log;
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for line in LogReader::open(&path).map_err(fail)?.forwards(0).map_err(fail)? {
        if let Ok(line) = serde_json::from_slice::<Line>(&line.map_err(fail)?.bytes) {
            found.push(line);
        }
    }
    found.retain(|line| line.project == project(place) && line.target == place.name);
    Ok(found)
}

/// The project without its path: the journal may be shown to others.
fn project(place: &Place<'_>) -> String {
    sha256_hex(place.root.to_string_lossy().as_bytes())[..16].to_owned()
}
