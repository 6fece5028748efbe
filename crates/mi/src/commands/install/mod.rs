//! `mi mcp install` and `mi mcp uninstall`: an agent's configuration gets the MCP server and the lifecycle hooks, or loses them.
//!
//! Holds: every change is computed before any file is written, shown, and agreed to; a file that changed meanwhile is
//! not written; the first text stays beside it as `.mi-backup` until it is taken out again.
//! Elsewhere: what the entries look like is `mi_formats::agent_config`.

mod file;
pub mod targets;

use mi_process::find_program;
use serde_json::json;
use std::{
    env,
    ffi::OsStr,
    io::{self, Write},
};

use crate::{
    app::{App, talk},
    args::{AgentName, ConfigChange},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};
use file::Change;
pub use file::{Backups, Target};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Install,
    Uninstall,
}

/// What to do with some files, and what it is called.
pub struct Order {
    pub wish: Wish,
    pub name: &'static str,
    pub dry_run: bool,
    pub consent: Consent,
    /// What the person should know before it is written.
    pub note: Option<String>,
}

/// Whether the person has to agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Ask; where nobody can be asked, write nothing.
    Ask,
    /// Ask; where nobody can be asked, the call itself is the consent.
    AskIfPossible,
    Given,
}

pub fn run(app: &App, args: &ConfigChange, wish: Wish) -> Outcome {
    let targets = targets::of(app, args.agent, args.project)?;
    let consent = if args.yes { Consent::Given } else { Consent::Ask };
    let order = Order { wish, name: agent_name(args.agent), dry_run: args.dry_run, consent, note: None };
    carry_out(app, &order, &targets, || hint(args, wish))
}

/// Computes every change, shows it, asks, writes; `afterwards` is called when something was written.
pub fn carry_out(app: &App, order: &Order, targets: &[Target], afterwards: impl FnOnce()) -> Outcome {
    let mut changes = Vec::new();
    for target in targets {
        changes.extend(target.change(order.wish)?);
    }
    if changes.is_empty() {
        return told(app, order, &changes, "nothing to do");
    }
    if !app.common.json {
        for change in &changes {
            app.print(mi_secrets::redact(&change.diff()).trim_end())?;
        }
        if let Some(note) = &order.note {
            talk(&format!("mi: {note}"));
        }
    }
    if order.dry_run {
        return told(app, order, &changes, "dry run: nothing was written");
    }
    if !agreed(app, order.consent)? {
        return Err(Failure::needs_person("nothing was written").todo("say y, or give --yes"));
    }
    for change in &changes {
        change.write()?;
    }
    afterwards();
    told(app, order, &changes, "done")
}

fn agreed(app: &App, consent: Consent) -> Result<bool, Failure> {
    if consent == Consent::Given || (consent == Consent::AskIfPossible && !app.can_ask()) {
        return Ok(true);
    }
    if !app.can_ask() {
        return Err(Failure::needs_person("nobody can be asked here, so nothing was written")
            .todo("look at the change with --dry-run, then give --yes"));
    }
    let mut out = io::stderr().lock();
    drop(write!(out, "Write this? [y/N] ").and_then(|()| out.flush()));
    drop(out);
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|error| Failure::new("read the answer").because(&error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn told(app: &App, order: &Order, changes: &[Change], status: &str) -> Outcome {
    let agent = order.name;
    if app.common.json {
        let files: Vec<_> = changes
            .iter()
            .map(|change| json!({"path": change.path, "diff": mi_secrets::redact(&change.diff())}))
            .collect();
        let done = !changes.is_empty() && !order.dry_run;
        let wish = if order.wish == Wish::Install { "install" } else { "uninstall" };
        let mut told =
            json!({"agent": agent, "action": wish, "written": done, "files": files, "status": status});
        if let Some(note) = &order.note {
            told["note"] = json!(note);
        }
        return app.print_json(&told);
    }
    talk(&format!("mi: {agent}: {status}"));
    Ok(ExitReason::Done)
}

fn hint(args: &ConfigChange, wish: Wish) {
    match (wish, args.agent, args.project) {
        (Wish::Install, AgentName::Codex, true) => {
            talk("mi: Codex reads a project's configuration only when you trust the project");
        }
        (Wish::Install, AgentName::Claude, true) => {
            talk("mi: Claude Code asks once whether to use the server of .mcp.json");
        }
        _ => {}
    }
}

pub(crate) fn agent_name(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Codex => "codex",
        AgentName::Claude => "claude",
        AgentName::Opencode => "opencode",
    }
}

/// How agents start this program: where `PATH` finds it, since that outlives an upgrade; else where it is.
pub fn own_program(app: &App) -> Result<String, Failure> {
    let own =
        env::current_exe().map_err(|error| Failure::new("find the place of mi itself").because(&error))?;
    let search = app.variable("PATH").unwrap_or_default();
    let found = find_program(OsStr::new("mi"), OsStr::new(search));
    let same =
        found.filter(|found| found.is_absolute() && found.canonicalize().ok() == own.canonicalize().ok());
    let program = same.unwrap_or(own);
    let text = program.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::new(format!("`{}` is no UTF-8 path: move mi elsewhere", program.display())))
}
