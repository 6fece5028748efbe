//! `mi gate`: what may run and why, and how deep a change is reviewed.
//!
//! Elsewhere: rules, facts of the disk and sessions are `mi_hook::gate`; this turns flags into calls.

mod check;
mod protocol;
mod show;

use mi_hook::gate::{Gate, Surroundings};
use std::path::{Path, PathBuf};

use crate::{
    app::App,
    args::gate::{GateAction, GateArgs},
    failure::Outcome,
};

pub fn run(app: &App, args: &GateArgs) -> Outcome {
    match &args.action {
        GateAction::Check(args) => check::run(app, args),
        GateAction::Matrix { cu, risk } => show::matrix(app, *cu, *risk),
        GateAction::Rules { rules } => show::rules(app, rules),
        GateAction::Explain { command, rules } => show::explain(app, command, rules),
    }
}

/// The gate as it stands here; what could not be read is said once.
pub fn open(app: &App, cwd: Option<&Path>, rules: &[PathBuf]) -> Gate {
    open_for(app, None, cwd, rules)
}

/// The same for a member; what this machine says about who is acting comes first.
fn open_for(app: &App, member: Option<&str>, cwd: Option<&Path>, rules: &[PathBuf]) -> Gate {
    Gate::open(Surroundings {
        home: app.own_home().map(Path::to_path_buf),
        user_home: app.variable("HOME").map(PathBuf::from),
        persona: persona(app),
        member: app.variable("MI_MEMBER").or(member).map(str::to_owned),
        cwd: cwd.map_or_else(|| app.folder(), Path::to_path_buf),
        rules: rules.to_vec(),
    })
}

/// Says what could not be read.
pub fn tell_problems(app: &App, gate: &Gate) {
    for problem in gate.take_problems() {
        app.talk(&format!("mi: {problem}"));
    }
}

/// The persona folder: `$PERSONA`, else the one in the home.
pub fn persona(app: &App) -> Option<PathBuf> {
    let named = app.variable("PERSONA").map(PathBuf::from);
    named.or_else(|| Some(app.own_home()?.join("persona")))
}
