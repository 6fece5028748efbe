//! `mi persona init|lint|export|sync`: keeping the folder itself.

use mi_git::GitRunner;
use mi_persona::{
    CardError, ExportError, SessionError, SyncError,
    lint::{Finding, Known, Severity},
};
use serde_json::json;
use std::path::Path;

use super::{access, folder, member, open};
use crate::{
    app::App,
    args::persona::As,
    commands::{launch, repository, workspace::counted},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn init(app: &App, who: &As) -> Outcome {
    let root = folder(app);
    let member = member(app, who)?;
    let (persona, made) = mi_persona::init(&root, &mi_persona::Persona::state_in(&root, &app.home), &member)
        .map_err(|error| access(&error))?;
    if app.common.json {
        return app.print_json(&json!({"persona": persona.root(), "made": made, "member": member.as_str()}));
    }
    if made.is_empty() {
        return app.print(&format!("Everything is there in {}.", persona.root().display()));
    }
    app.print(&format!("In {}:", persona.root().display()))?;
    for path in &made {
        app.print(&format!("  {path}"))?;
    }
    app.print("The core files are templates: change what is not true for you.\nNext: mi boot")
}

pub fn lint(app: &App, names: &[String]) -> Outcome {
    let persona = open(app)?;
    let report = persona.lint(&known(app, names)).map_err(|error| access(&error))?;
    if app.common.json {
        app.print_json(&json!(report))?;
    } else {
        for finding in &report.findings {
            app.print(&line(app, finding))?;
        }
        let summary = format!(
            "{} looked at, {}",
            counted(report.files, "file"),
            counted(report.findings.len(), "finding")
        );
        app.print(&app.look.faint(&summary))?;
    }
    Ok(ExitReason::failed_if(report.has_errors()))
}

fn line(app: &App, finding: &Finding) -> String {
    let place = match finding.line {
        0 => finding.path.clone(),
        line => format!("{}:{line}", finding.path),
    };
    let severity = match finding.severity {
        Severity::Error => app.look.bad("error"),
        Severity::Warning => app.look.warn("warning"),
    };
    format!("{severity}: {place}: {} ({})", finding.message, finding.rule)
}

/// Names and folders of this person, as far as the environment tells them.
fn known(app: &App, names: &[String]) -> Known {
    let mut known = Known::default();
    names.iter().for_each(|name| known.add_name(name));
    for variable in ["USER", "LOGNAME", "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        app.variable(variable).into_iter().for_each(|name| known.add_name(name));
    }
    // Who commits is the person whose name slips into shared files first.
    let committer = repository::git(&app.folder(), &["config", "--get", "user.name"]);
    committer.into_iter().for_each(|name| known.add_name(&name));
    let persona = folder(app).to_string_lossy().into_owned();
    known.folders.push((persona, "$PERSONA"));
    if let Some(projects) = app.variable("PROJECTS") {
        known.folders.push((projects.to_owned(), "$PROJECTS"));
    }
    known
}

pub fn export(app: &App, out: &Path) -> Outcome {
    let persona = open(app)?;
    let exported = persona.export(out, &known(app, &[])).map_err(|error| match &error {
        ExportError::Access(source) => access(source),
        ExportError::File(_) => Failure::of(&error).ending(ExitReason::Failed),
        ExportError::Exists(_) | ExportError::Inside(_) => Failure::of(&error).ending(ExitReason::WrongUsage),
        ExportError::Secret(_) => Failure::of(&error).ending(ExitReason::Denied),
    })?;
    for left_out in &exported.left_out {
        app.talk(&format!("mi: left out: {left_out}"));
    }
    if app.common.json {
        return app.print_json(&json!(exported));
    }
    for finding in &exported.findings {
        app.print(&line(app, finding))?;
    }
    app.print(&format!(
        "{} copied to {}; private memory and proposals are not among them.",
        counted(exported.files.len(), "file"),
        exported.out.display()
    ))
}

pub fn sync(app: &App, remote: Option<&str>) -> Outcome {
    let persona = open(app)?;
    let git = GitRunner::new(launch::spawner()?, persona.root());
    // A relative remote is meant from where the person stands.
    let here = remote.filter(|url| Path::new(url).is_dir()).and_then(|url| std::path::absolute(url).ok());
    let here = here.map(|path| path.to_string_lossy().into_owned());
    let synced = persona.sync(&git, here.as_deref().or(remote)).map_err(|error| {
        let failure = explain(&error);
        // Where git is to be asked by hand, the person has to know where.
        let by_hand = error.to_string().contains("git -C PERSONA");
        if by_hand { failure.todo(format!("PERSONA is {}", persona.root().display())) } else { failure }
    })?;
    for note in &synced.notes {
        app.talk(&format!("mi: {note}"));
    }
    if app.common.json {
        return app.print_json(&json!(synced));
    }
    let received = counted(synced.received.len(), "file");
    let sent = if synced.pushed { "sent what was new here" } else { "had nothing to send" };
    app.print(&format!("In step with the remote: received {received}, {sent}."))
}

fn explain(error: &SyncError) -> Failure {
    let exit = match error {
        SyncError::Access(source) | SyncError::Cards(CardError::Access(source)) => return access(source),
        SyncError::Sessions(SessionError::Access(source)) => return access(source),
        SyncError::Private(_) | SyncError::Secret(_) => ExitReason::Denied,
        SyncError::Conflict(_) | SyncError::Unresolved(_) | SyncError::NoRemote | SyncError::Missing => {
            ExitReason::NeedsYou
        }
        SyncError::OtherRemote { .. } => ExitReason::WrongUsage,
        SyncError::Failed { .. } | SyncError::Busy | SyncError::Cards(_) | SyncError::Sessions(_) => {
            ExitReason::Failed
        }
    };
    Failure::of(error).ending(exit)
}
