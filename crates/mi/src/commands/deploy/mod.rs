//! `mi deploy`: the checklist before, the health after, and the way back (D.16).
//!
//! Holds: each item is proven here and now or by the person's own record of this very commit; nothing is rolled back
//! unless the person agrees at a terminal.
//! Elsewhere: what the facts mean is `mi_gate::deploy`.

mod after;
mod facts;
mod record;

use mi_gate::deploy::{self, Checklist, Plan, Proof, Target};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::repository;
use crate::{
    app::App,
    args::deploy::{DeployAction, DeployArgs, TargetArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &DeployArgs) -> Outcome {
    match &args.action {
        DeployAction::Check(target) => check(&Place::find(app, target)?),
        DeployAction::Record { what, target, minutes } => {
            record::run(&Place::find(app, target)?, *what, *minutes)
        }
        DeployAction::Health(target) => after::health(&Place::find(app, target)?),
        DeployAction::Rollback(target) => after::rollback(&Place::find(app, target)?),
    }
}

/// The project, its target, and the commit that is checked out.
struct Place<'a> {
    app: &'a App,
    root: PathBuf,
    name: String,
    target: Target,
    commit: String,
}

/// Where the plan stands.
const PLAN: &str = ".mi/deploy.yaml";

impl<'a> Place<'a> {
    fn find(app: &'a App, args: &TargetArgs) -> Result<Self, Failure> {
        let root = repository::git(&app.folder(), &["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let path = root.join(PLAN);
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::denied(format!("read the deployment's plan {}", path.display()))
                .because(&error)
                .todo("write it: mi help deploy names its fields, docs/gate.md has an example")
        })?;
        let file = path.display().to_string();
        let plan = Plan::parse(&file, &text).map_err(|error| Failure::usage(error.to_string()))?;
        let (name, target) =
            plan.target(&file, args.target.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
        let (name, target) = (name.to_owned(), target.clone());
        let commit = repository::head(&root)?;
        Ok(Self { app, root, name, target, commit })
    }

    /// A path of the plan, which may not leave the project.
    fn path(&self, relative: &str) -> Option<PathBuf> {
        let path = self.root.join(relative).canonicalize().ok()?;
        let root = self.root.canonicalize().ok()?;
        path.starts_with(root).then_some(path)
    }

    fn read(&self, relative: Option<&str>) -> Option<String> {
        fs::read_to_string(self.path(relative?)?).ok()
    }

    fn root(&self) -> &Path {
        &self.root
    }
}

/// Proves the six items; what is proven is journalled, so that the deployment can refer to it.
fn check(place: &Place<'_>) -> Outcome {
    let list = deploy::check(&facts::gather(place)?);
    let missing = list.items.iter().filter(|(_, proof)| matches!(proof, Proof::Missing { .. })).count();
    record::write(place, "deploy_check", json!({"passed": !list.blocked, "missing": missing}))?;
    show(place, &list)?;
    Ok(if list.blocked { ExitReason::Denied } else { ExitReason::Done })
}

fn show(place: &Place<'_>, list: &Checklist) -> Outcome {
    let app = place.app;
    let rows: Vec<Value> = list
        .items
        .iter()
        .map(|(item, proof)| match proof {
            Proof::Proven { by } => json!({"item": item, "state": "proven", "by": by}),
            Proof::Missing { why } => json!({"item": item, "state": "missing", "why": why}),
        })
        .collect();
    if app.common.json {
        return app.print_json(&json!({
            "target": place.name, "commit": place.commit, "items": rows, "blocked": list.blocked,
        }));
    }
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let state =
            if text("state") == "proven" { app.look.good("proven ") } else { app.look.bad("missing") };
        app.print(&format!("{state}  {:<21} {}{}", text("item"), text("by"), text("why")))?;
    }
    let verdict = if list.blocked { "blocked: nothing is deployed" } else { "all six are proven" };
    app.print(&format!("{} at {}: {verdict}", place.name, &place.commit[..place.commit.len().min(12)]))
}
