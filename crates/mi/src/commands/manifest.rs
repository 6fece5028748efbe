//! `mi manifest`: validate a folder of agents, skills and vocabulary, and make its manifest.

use mi_git::GitRunner;
use mi_workspace::{
    manifest::{self, ALL_PASSED, Finding, Manifest, Provenance, Source},
    vocabulary::{HarnessKind, Vocabulary},
};
use serde_json::json;
use std::path::{Path, PathBuf};

use crate::{
    app::App,
    args::{ManifestAction, ManifestArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ManifestArgs) -> Outcome {
    match &args.action {
        ManifestAction::Generate { dir, out } => generate(app, dir.as_deref(), out.as_deref()),
        ManifestAction::Validate { dir } => validate(app, dir),
        ManifestAction::Coverage { dir } => coverage(app, dir),
        ManifestAction::Show { id, harness } => show(app, id, harness.as_deref()),
    }
}

fn validate(app: &App, dir: &Path) -> Outcome {
    let findings = manifest::validate(&open(app, dir)?);
    let errors = errors(&findings);
    if app.common.json {
        let warnings = findings.len() - errors;
        app.print_json(
            &json!({"ok": errors == 0, "errors": errors, "warnings": warnings, "findings": findings}),
        )?;
        return Ok(ExitReason::failed_if(errors > 0));
    }
    for finding in &findings {
        app.print(&line(app, finding))?;
    }
    if errors == 0 {
        app.print(ALL_PASSED)?;
    }
    Ok(ExitReason::failed_if(errors > 0))
}

fn coverage(app: &App, dir: &Path) -> Outcome {
    let found = manifest::coverage(&app.folder().join(dir))
        .map_err(|error| Failure::of(&error).ending(ExitReason::WrongUsage))?;
    let exit = ExitReason::failed_if(!found.gaps.is_empty());
    if app.common.json {
        app.print_json(&json!({"ok": exit.is_success(), "coverage": found}))?;
        return Ok(exit);
    }
    for gap in &found.gaps {
        app.print(&gap.to_string())?;
    }
    let manifest::Coverage { schemas, fields, fixtures, .. } = found;
    let told = if exit.is_success() { "All state-schema fields covered" } else { "Not all is covered" };
    app.print(&format!("{told}: {schemas} schemas, {fields} fields across {fixtures} fixtures"))?;
    Ok(exit)
}

fn generate(app: &App, dir: Option<&Path>, out: Option<&Path>) -> Outcome {
    let source = dir.map_or_else(|| Ok(Source::starter()), |dir| open(app, dir))?;
    let (made, findings) = manifest::generate(&source, &provenance(app, dir));
    let place = place(app, dir, out);
    if let (Some(made), Some(place)) = (&made, &place) {
        manifest::write(place, &made.to_text()).map_err(|error| Failure::of(&error))?;
    }
    if app.common.json {
        let written = made.as_ref().and(place.as_ref()).map(|place| place.display().to_string());
        let value = made.as_ref().map(|made| &made.value);
        let notes = made.as_ref().map(|made| made.notes.as_slice()).unwrap_or_default();
        app.print_json(
            &json!({"written": written, "findings": findings, "notes": notes, "manifest": value}),
        )?;
    } else {
        tell(app, made.as_ref(), &findings, place.as_deref())?;
    }
    Ok(ExitReason::failed_if(made.is_none() || errors(&findings) > 0))
}

fn tell(app: &App, made: Option<&Manifest>, findings: &[Finding], place: Option<&Path>) -> Outcome {
    for finding in findings {
        app.talk(&line(app, finding));
    }
    for note in made.iter().flat_map(|made| &made.notes) {
        app.talk(&format!("note: {note}"));
    }
    let Some(made) = made else {
        app.talk("mi: no manifest was made");
        return Ok(ExitReason::Failed);
    };
    let count = |key: &str| made.value[key].as_array().map_or(0, Vec::len);
    match place {
        None => app.print(made.to_text().trim_end()),
        Some(place) => app.print(&format!(
            "{}: {} agents, {} skills, version {}, commit {}",
            place.display(),
            count("agents"),
            count("skills"),
            made.value["nexus_core_version"].as_str().unwrap_or_default(),
            made.value["nexus_core_commit"].as_str().unwrap_or_default(),
        )),
    }
}

/// `None` is standard output.
fn place(app: &App, dir: Option<&Path>, out: Option<&Path>) -> Option<PathBuf> {
    match (out, dir) {
        (Some(out), _) if out == Path::new("-") => None,
        (Some(out), _) => Some(app.folder().join(out)),
        (None, Some(dir)) => Some(app.folder().join(dir).join("manifest.json")),
        (None, None) => None,
    }
}

fn open(app: &App, dir: &Path) -> Result<Source, Failure> {
    Source::open(&app.folder().join(dir)).map_err(|error| {
        Failure::of(&error)
            .ending(ExitReason::WrongUsage)
            .todo("give a folder that holds agents/, skills/ and vocabulary/")
    })
}

fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.is_error()).count()
}

fn line(app: &App, finding: &Finding) -> String {
    if app.variable("GITHUB_ACTIONS") == Some("true") { finding.for_github() } else { finding.to_string() }
}

/// The set that is shipped has the version of the program; a folder has what its surroundings say (NX-345).
fn provenance(app: &App, dir: Option<&Path>) -> Provenance {
    let variable = |name: &str| app.variable(name).map(str::to_owned);
    match dir {
        None => Provenance { version: Some(env!("CARGO_PKG_VERSION").to_owned()), commit: None },
        Some(dir) => Provenance {
            version: variable("npm_package_version"),
            commit: variable("GITHUB_SHA").or_else(|| commit(&app.folder().join(dir))),
        },
    }
}

fn commit(dir: &Path) -> Option<String> {
    let git = GitRunner::new(super::launch::spawner().ok()?, dir);
    let text = git.call(&["rev-parse", "--short", "HEAD"]).text().ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn show(app: &App, id: &str, harness: Option<&str>) -> Outcome {
    let set = Vocabulary::starter();
    let kind = HarnessKind::of(harness.or_else(|| app.variable("NEXUS_HARNESS_ID")).unwrap_or_default());
    let text = match set.agent(id) {
        Some(agent) => agent.body.clone(),
        None if set.skill(id).is_none() => {
            let known: Vec<&str> = set
                .skills
                .iter()
                .map(|skill| &skill.id)
                .chain(set.agents.iter().map(|agent| &agent.id))
                .map(String::as_str)
                .collect();
            return Err(Failure::usage(format!("there is no skill or agent `{id}`"))
                .todo(format!("one of: {}", known.join(", "))));
        }
        None => set.instructions(id, kind).map_err(|error| Failure::of(&error))?,
    };
    if app.common.json {
        return app.print_json(&json!({"id": id, "text": text}));
    }
    app.print(text.trim_end())
}
