//! `mi box list|show|verify|gc`.

use mi_box::{BoxHome, Patience, is_held, verify, verifying_key};
use mi_supply::{
    manifest::{MANIFEST_FILE, RunManifest},
    sign::PublicKey,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::place;
use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

pub fn list(app: &App) -> Outcome {
    let runs: Vec<(String, PathBuf, Result<RunManifest, String>)> = place::all(app)
        .into_iter()
        .map(|(name, folder)| {
            let manifest = read_manifest(&folder);
            (name, folder, manifest)
        })
        .collect();
    if app.common.json {
        let home = BoxHome::new(&app.home);
        let one = |(name, folder, manifest): &(String, PathBuf, Result<RunManifest, String>)| match manifest {
            Ok(manifest) => json!({
                "run": name, "task_id": manifest.task_id, "engine": manifest.engine, "exit": manifest.exit,
                "outputs": manifest.outputs.len(), "finished": manifest.finished,
                "held": is_held(&home, folder, manifest),
            }),
            Err(reason) => json!({"run": name, "error": reason}),
        };
        return app.print_json(&Value::Array(runs.iter().map(one).collect()));
    }
    if runs.is_empty() {
        return app.print("No runs yet. Start one with: mi box exec -- CMD…");
    }
    for (name, _, manifest) in &runs {
        let text = match manifest {
            Ok(manifest) => format!("{name}  {}", manifest.summary()),
            Err(reason) => format!("{name}  {reason}"),
        };
        app.print(&text)?;
    }
    Ok(ExitReason::Done)
}

pub fn read_manifest(folder: &Path) -> Result<RunManifest, String> {
    let bytes = fs::read(folder.join(MANIFEST_FILE)).map_err(|error| error.to_string())?;
    RunManifest::read(&bytes).map_err(|error| error.to_string())
}

/// The folder of a run that a reading command asks for.
fn find(app: &App, name: &str) -> Result<PathBuf, Failure> {
    let missing = || Failure::new(format!("there is no run `{name}`")).todo("list the runs: mi box list");
    place::find(app, name).ok().filter(|folder| folder.is_dir()).ok_or_else(missing)
}

pub fn show(app: &App, run: &str) -> Outcome {
    let folder = find(app, run)?;
    let path = folder.join(MANIFEST_FILE);
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::new(format!("read {}", path.display())).because(&error))?;
    if app.common.json {
        let value: Value =
            serde_json::from_str(&text).map_err(|error| Failure::new("read the manifest").because(&error))?;
        return app.print_json(&value);
    }
    app.print(&format!("{}\n{}", path.display(), text.trim_end()))
}

pub fn verify_run(app: &App, dir: &str, key: Option<&Path>) -> Outcome {
    let folder = find(app, dir)?;
    let key = trusted_key(app, key)?;
    let verified = verify(&folder, &key).map_err(|error| {
        Failure::of(&error).todo("give the folder that holds manifest.json; mi box list shows the runs")
    })?;
    let ok = verified.problems.is_empty();
    if app.common.json {
        app.print_json(&json!({"ok": ok, "folder": folder, "problems": verified.problems}))?;
        return Ok(ExitReason::failed_if(!ok));
    }
    for problem in &verified.problems {
        app.print(&format!("{} {problem}", app.look.bad("problem:")))?;
    }
    let outputs = verified.manifest.map_or(0, |manifest| manifest.outputs.len());
    let verdict = if ok { app.look.good("ok") } else { app.look.bad("not ok") };
    app.print(&format!("{verdict}: {outputs} outputs checked, {} problems", verified.problems.len()))?;
    Ok(ExitReason::failed_if(!ok))
}

pub fn trusted_key(app: &App, file: Option<&Path>) -> Result<PublicKey, Failure> {
    let home = BoxHome::new(&app.home);
    let key = match file {
        Some(file) => fs::read_to_string(file)
            .and_then(|text| PublicKey::read(&text).map(Some).map_err(std::io::Error::other)),
        None => verifying_key(&home),
    };
    let key = key.map_err(|error| Failure::new("read the key that verifies").because(&error))?;
    key.ok_or_else(|| {
        Failure::usage("this home has no key yet: nothing was run here")
            .todo("give the signer's key with --key FILE")
    })
}

pub fn gc(app: &App, older_than: Option<u64>) -> Outcome {
    let swept = BoxHome::new(&app.home).sweep(Patience::Full);
    let mut removed = Vec::new();
    if let Some(days) = older_than {
        let days = i64::try_from(days).unwrap_or(i64::MAX / DAY_MILLIS);
        let limit = app.clock.now().as_millis().saturating_sub(days.saturating_mul(DAY_MILLIS));
        for (name, folder) in place::all(app) {
            let is_old = read_manifest(&folder).is_ok_and(|manifest| manifest.finished.as_millis() < limit);
            if is_old && fs::remove_dir_all(&folder).is_ok() {
                removed.push(name);
            }
        }
    }
    let failed = swept.iter().any(|swept| swept.left.is_some());
    if app.common.json {
        app.print_json(&json!({"swept": swept, "removed": removed}))?;
    } else {
        for swept in &swept {
            let what =
                swept.left.as_deref().map_or("taken away".to_owned(), |reason| format!("left: {reason}"));
            app.print(&format!("{}  {what}", swept.run))?;
        }
        app.print(&format!("{} leftovers, {} old runs removed", swept.len(), removed.len()))?;
    }
    Ok(ExitReason::failed_if(failed))
}
