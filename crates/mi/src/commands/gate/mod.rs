//! `mi gate`: what may run and why, and how deep a change is reviewed.

mod check;
mod show;
mod world;

use mi_gate::permission::{Context, Layer, RuleSet, load_or_guard};
use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    app::App,
    args::gate::{GateAction, GateArgs},
    failure::Outcome,
};
use world::Disk;

pub fn run(app: &App, args: &GateArgs) -> Outcome {
    match &args.action {
        GateAction::Check(args) => check::run(app, args),
        GateAction::Matrix { cu, risk } => show::matrix(app, *cu, *risk),
        GateAction::Rules { rules } => show::rules(app, rules),
        GateAction::Explain { command, rules } => show::explain(app, command, rules),
    }
}

/// Everything a decision stands on, owned.
struct Setup {
    rules: Vec<RuleSet>,
    cwd: String,
    home: Option<String>,
    persona: Option<String>,
    member: Option<String>,
    own: Vec<String>,
    disk: Disk,
}

impl Setup {
    fn new(app: &App, cwd: Option<&Path>, files: &[PathBuf]) -> Self {
        let folder = cwd.map_or_else(|| app.folder(), Path::to_path_buf);
        let folder =
            fs::canonicalize(&folder).unwrap_or_else(|_| std::path::absolute(&folder).unwrap_or(folder));
        let persona = app.variable("PERSONA").map_or_else(|| app.home.join("persona"), PathBuf::from);
        let own = ["config.toml", "gate.yaml", "hooks", "permits", "mindspec", "projects"];
        Self {
            rules: rule_sets(app, &folder, files),
            cwd: text(&folder),
            home: app.variable("HOME").map(str::to_owned),
            persona: fs::canonicalize(persona).ok().map(|path| text(&path)),
            member: app.variable("MI_MEMBER").map(str::to_owned),
            own: own.iter().map(|name| text(&app.home.join(name))).collect(),
            disk: Disk,
        }
    }

    fn context<'a>(&'a self, actor: Option<&'a str>) -> Context<'a> {
        Context {
            actor,
            cwd: Some(&self.cwd),
            home: self.home.as_deref(),
            persona: self.persona.as_deref(),
            member: self.member.as_deref(),
            own_folders: &self.own,
            ..Context::new(&self.rules, &self.disk)
        }
    }
}

/// The user's file, the project's, and those that were named. One that is not loaded guards what it was about.
fn rule_sets(app: &App, folder: &Path, files: &[PathBuf]) -> Vec<RuleSet> {
    let root = world::git_root(folder).unwrap_or_else(|| folder.to_path_buf());
    let usual = [(app.home.join("gate.yaml"), Layer::User), (root.join(".mi/gate.yaml"), Layer::Project)];
    let usual = usual.into_iter().filter(|(path, _)| path.symlink_metadata().is_ok());
    let named = files.iter().map(|path| (path.clone(), Layer::User));
    let sets: Vec<RuleSet> = usual.chain(named).map(|(path, layer)| rule_set(&path, layer)).collect();
    for problem in sets.iter().filter_map(|set| set.problem.as_deref()) {
        app.talk(&format!("mi: these rules were not loaded; what they guard is denied: {problem}"));
    }
    sets
}

fn rule_set(path: &Path, layer: Layer) -> RuleSet {
    let name = path.display().to_string();
    match fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => load_or_guard(&name, &text, layer),
        Ok(Err(error)) => unreadable(&name, layer, &error.to_string()),
        Err(error) => unreadable(&name, layer, &error.to_string()),
    }
}

fn unreadable(name: &str, layer: Layer, why: &str) -> RuleSet {
    RuleSet { problem: Some(format!("{name}: {why}")), ..load_or_guard(name, "", layer) }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
