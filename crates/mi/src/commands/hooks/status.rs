//! Where the gate is installed, whether it would run, when it was last seen.

use mi_formats::{
    agent_config::{HookSet, add_git_hook, claude_has_hooks, codex_set_is_trusted, opencode_gate_plugin},
    hooks::{Harness, never_hooked},
};
use mi_hook::Seen;
use mi_process::find_program;
use serde_json::{Value, json};
use std::{ffi::OsStr, fs, path::PathBuf};

use super::{places, probe};
use crate::{
    app::App,
    args::hooks::{HookPlace, HooksStatusArgs},
    commands::install::targets,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// One place in one scope.
struct Row {
    place: HookPlace,
    in_project: bool,
    file: PathBuf,
    state: State,
    seen: Option<Seen>,
    probe: Option<probe::Probe>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    /// Installed, but the agent would skip it or not find `mi`.
    Idle(&'static str),
    Installed,
}

pub fn run(app: &App, args: &HooksStatusArgs) -> Outcome {
    let asked: Vec<HookPlace> = args.place.map_or_else(|| HookPlace::ALL.to_vec(), |place| vec![place]);
    let mut rows = Vec::new();
    for place in asked {
        for in_project in [false, true] {
            let left_out = (args.user && in_project) || (args.project && !in_project);
            // Git has one place only, and outside of a repository none.
            if !left_out && (place != HookPlace::Git || in_project != args.user) {
                rows.extend(row(app, place, in_project)?);
            }
        }
    }
    if args.probe {
        for row in rows.iter_mut().filter(|row| row.state != State::Absent && row.place != HookPlace::Git) {
            let folder = row.in_project.then(|| targets::project(app)).transpose()?;
            row.probe = Some(probe::run(app, row.place, folder.as_deref())?);
        }
    }
    let failed = rows.iter().any(|row| matches!(&row.probe, Some(found) if *found != probe::Probe::Honoured));
    if app.common.json {
        app.print_json(&json!({"places": rows.iter().map(Row::to_json).collect::<Vec<_>>()}))?;
    } else {
        for row in &rows {
            app.print(&row.to_text())?;
        }
        if args.probe && rows.iter().all(|row| row.probe.is_none()) {
            app.talk("mi: there is nothing to probe: the gate is installed nowhere here");
        }
    }
    Ok(ExitReason::failed_if(failed))
}

fn row(app: &App, place: HookPlace, in_project: bool) -> Result<Option<Row>, Failure> {
    let (file, state) = match place {
        HookPlace::Claude => claude(app, in_project)?,
        HookPlace::Codex => codex(app, in_project)?,
        HookPlace::Opencode => opencode(app, in_project)?,
        HookPlace::Git => match git(app) {
            Ok(found) => found,
            Err(_) => return Ok(None),
        },
    };
    let state = match state {
        State::Installed if in_project && place != HookPlace::Git && !is_on_path(app) => {
            State::Idle("`mi` is not on PATH, so the agent goes on without the gate")
        }
        state => state,
    };
    let seen = harness(place).and_then(|harness| Seen::read(&app.home, harness));
    Ok(Some(Row { place, in_project, file, state, seen, probe: None }))
}

fn is_on_path(app: &App) -> bool {
    find_program(OsStr::new("mi"), OsStr::new(app.variable("PATH").unwrap_or_default())).is_some()
}

fn installed(is_there: bool) -> State {
    if is_there { State::Installed } else { State::Absent }
}

fn claude(app: &App, in_project: bool) -> Result<(PathBuf, State), Failure> {
    let file = places::claude_settings(app, in_project)?;
    let text = fs::read_to_string(&file).unwrap_or_default();
    let program = targets::program(app, in_project)?;
    Ok((file, installed(claude_has_hooks(&text, &program, HookSet::Gate).unwrap_or(false))))
}

fn codex(app: &App, in_project: bool) -> Result<(PathBuf, State), Failure> {
    let own = targets::codex_home(app)?.join("config.toml");
    let file = match in_project {
        true => targets::project(app)?.join(".codex/config.toml"),
        false => own.clone(),
    };
    let (text, config) =
        (fs::read_to_string(&own).unwrap_or_default(), fs::read_to_string(&file).unwrap_or_default());
    let program = targets::program(app, in_project)?;
    let name = file.to_string_lossy();
    let has = mi_formats::agent_config::add_codex_gate(&config, &program).is_ok_and(|added| added == config);
    let state = match codex_set_is_trusted(&text, &name, &config, &program, HookSet::Gate) {
        Ok(true) => State::Installed,
        _ if has && !config.is_empty() => {
            State::Idle("Codex does not trust it, so it is skipped: install again")
        }
        _ => State::Absent,
    };
    Ok((file, state))
}

fn opencode(app: &App, in_project: bool) -> Result<(PathBuf, State), Failure> {
    let file = places::opencode_plugin_file(app, in_project)?;
    let program = targets::program(app, in_project)?;
    let same = fs::read_to_string(&file).is_ok_and(|text| text == opencode_gate_plugin(&program));
    Ok((file, installed(same)))
}

fn git(app: &App) -> Result<(PathBuf, State), Failure> {
    let file = places::git_hook_file(app)?;
    let program = places::git_program(app, &file)?;
    let text = fs::read_to_string(&file).unwrap_or_default();
    let same = !text.is_empty() && add_git_hook(&text, &program).is_ok_and(|added| added == text);
    Ok((file, installed(same)))
}

fn harness(place: HookPlace) -> Option<Harness> {
    match place {
        HookPlace::Claude => Some(Harness::Claude),
        HookPlace::Codex => Some(Harness::Codex),
        HookPlace::Opencode => Some(Harness::Opencode),
        HookPlace::Git => None,
    }
}

impl Row {
    fn scope(&self) -> &'static str {
        if self.in_project || self.place == HookPlace::Git { "project" } else { "user" }
    }

    fn to_json(&self) -> Value {
        let why = match self.state {
            State::Idle(why) => Some(why),
            State::Absent | State::Installed => None,
        };
        let mut row = json!({
            "place": self.place.name(), "scope": self.scope(), "file": self.file,
            "installed": self.state != State::Absent, "active": self.state == State::Installed, "why": why,
            "seen": self.seen, "never_hooked": harness(self.place).map(never_hooked),
        });
        if let Some(probe) = &self.probe {
            row["probe"] = match probe {
                probe::Probe::Honoured => json!({"honoured": true}),
                probe::Probe::Ignored { told } => json!({"honoured": false, "told": told}),
                probe::Probe::Unknown { why } => json!({"honoured": null, "why": why}),
            };
        }
        row
    }

    fn to_text(&self) -> String {
        let state = match self.state {
            State::Absent => "not installed".to_owned(),
            State::Idle(why) => format!("installed, but does not work: {why}"),
            State::Installed => "installed".to_owned(),
        };
        let mut text = format!("{:<9} {:<8} {state}", self.place.name(), self.scope());
        if self.state != State::Absent {
            text += &format!("\n  {}", self.file.display());
            if let Some(seen) = &self.seen {
                text += &format!("\n  last session {} ({})", seen.at, seen.session);
                if seen.unasked > 0 {
                    text += &format!("; {} tool uses ran without asking the gate", seen.unasked);
                }
            } else if harness(self.place).is_some() {
                text += "\n  no session was seen yet";
            }
        }
        match &self.probe {
            None => {}
            Some(probe::Probe::Honoured) => text += "\n  probe: a denied command was not run",
            Some(probe::Probe::Ignored { told }) => {
                text += &format!("\n  probe: A DENIED COMMAND WAS NOT STOPPED; the model was told: {told}");
            }
            Some(probe::Probe::Unknown { why }) => text += &format!("\n  probe: not found out: {why}"),
        }
        text
    }
}
