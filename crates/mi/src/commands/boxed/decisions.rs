//! The Decision Records that runs in the box leave (F.5, X20): one per run, with its summary, on the box's timeline.
//!
//! They are not in a council's log: a run does not wait for a council, and may stand in no project.

use mi_journal::{Layout, LogReader};
use serde_json::{Map, Value, json};

use crate::{app::App, failure::Failure};

/// Those of runs that were started in this project, oldest first, in the words of `mi dr list --json`.
pub fn of_project(app: &App) -> Result<Vec<Value>, Failure> {
    let path = Layout::new(&app.home).timeline().log;
    let failed = |error: mi_journal::FileError| {
        Failure::new(format!("read the decisions of runs in {}", path.display())).because(&error)
    };
    let project = folder_of(app);
    let reader = LogReader::open(&path).map_err(failed)?;
    let mut found = Vec::new();
    for line in reader.forwards(0).map_err(failed)? {
        let line = line.map_err(failed)?;
        let is_run = line.mentions("\"box_run\"").then(|| line.object()).flatten();
        found.extend(is_run.filter(|run| run.get("project") == Some(&project)).and_then(|run| shown(&run)));
    }
    Ok(found)
}

/// The project that a run was started in, as the timeline keeps it.
pub fn folder_of(app: &App) -> Value {
    json!(app.project().map(|project| project.root).unwrap_or_else(|_| app.folder()))
}

fn shown(run: &Map<String, Value>) -> Option<Value> {
    let decision = run.get("dr")?;
    Some(json!({
        "id": decision["id"], "kind": decision["kind"], "for": null, "title": decision["title"],
        "text": decision["text"], "owner": null, "beat": run.get("beat_index"), "expires_beat": null, "rule": null,
        "rollback": null, "cites": [], "tasks": [], "supersedes": null, "superseded_by": null,
        "classification": "internal", "address": run.get("ucxl"), "run": run.get("run"),
        "manifest_sha256": run.get("manifest_sha256"),
    }))
}
