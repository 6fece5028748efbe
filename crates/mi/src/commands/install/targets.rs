//! Which files of which agent, for a person or for one project.

use mi_formats::agent_config::{
    EditError, Program, add_claude_hooks, add_claude_server, add_codex, add_opencode, opencode_plugin,
    remove_claude_hooks, remove_claude_server, remove_codex, remove_codex_trust, remove_opencode,
    trust_codex,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{file::Target, own_program};
use crate::{
    app::App,
    args::{AgentName, InstallArgs},
    failure::Failure,
};

/// The files of an agent.
pub fn of(app: &App, args: &InstallArgs) -> Result<Vec<Target>, Failure> {
    let project = args.project.then(|| project(app)).transpose()?;
    // A project's files are shared: no path of this machine in them.
    let program = if project.is_some() { "mi".to_owned() } else { own_program(app)? };
    let program = Program(program);
    match (args.agent, project) {
        (AgentName::Claude, Some(project)) => {
            Ok(claude(project.join(".mcp.json"), project.join(".claude/settings.json"), &program))
        }
        (AgentName::Claude, None) => {
            let (servers, settings) = claude_home(app)?;
            Ok(claude(servers, settings, &program))
        }
        (AgentName::Codex, Some(project)) => codex_project(app, &project, &program),
        (AgentName::Codex, None) => Ok(vec![codex_user(codex_home(app)?.join("config.toml"), &program)]),
        (AgentName::Opencode, Some(project)) => {
            Ok(opencode(opencode_file(&project), project.join(".opencode/plugin/mi.js"), &program))
        }
        (AgentName::Opencode, None) => {
            let folder = opencode_home(app)?;
            Ok(opencode(opencode_file(&folder), folder.join("plugin/mi.js"), &program))
        }
    }
}

fn claude(servers: PathBuf, settings: PathBuf, program: &Program) -> Vec<Target> {
    let (one, two) = (program.clone(), program.clone());
    vec![
        Target {
            path: servers,
            add: Box::new(move |text| add_claude_server(text, &one)),
            remove: Box::new(remove_claude_server),
        },
        Target {
            path: settings,
            add: Box::new(move |text| add_claude_hooks(text, &two)),
            remove: Box::new(remove_claude_hooks),
        },
    ]
}

fn codex_user(path: PathBuf, program: &Program) -> Target {
    let program = program.clone();
    let (name, also) = (path.to_string_lossy().into_owned(), path.to_string_lossy().into_owned());
    Target {
        path,
        add: Box::new(move |text| {
            let added = add_codex(text, &program)?;
            trust_codex(&added, &name, &added)
        }),
        remove: Box::new(move |text, _| remove_codex(&remove_codex_trust(text, &also, text)?)),
    }
}

/// The hooks stand in the project, the trust in them in the person's own configuration.
fn codex_project(app: &App, project: &Path, program: &Program) -> Result<Vec<Target>, Failure> {
    let config = project.join(".codex/config.toml");
    let name = config.to_string_lossy().into_owned();
    let text = fs::read_to_string(&config).unwrap_or_default();
    let (for_config, for_trust) = (program.clone(), program.clone());
    let (added_name, added_text, removed_name, removed_text) = (name.clone(), text.clone(), name, text);
    let trust = Target {
        path: codex_home(app)?.join("config.toml"),
        add: Box::new(move |own| trust_codex(own, &added_name, &add_codex(&added_text, &for_trust)?)),
        remove: Box::new(move |own, _| remove_codex_trust(own, &removed_name, &removed_text)),
    };
    let config = Target {
        path: config,
        add: Box::new(move |text| add_codex(text, &for_config)),
        remove: Box::new(|text, _| remove_codex(text)),
    };
    Ok(vec![config, trust])
}

fn opencode(config: PathBuf, plugin: PathBuf, program: &Program) -> Vec<Target> {
    let own = program.clone();
    let text = opencode_plugin(program);
    let first_line = text.lines().next().unwrap_or_default().to_owned();
    let (path, mark) = (plugin.display().to_string(), first_line.clone());
    vec![
        Target {
            path: config,
            add: Box::new(move |text| add_opencode(text, &own)),
            remove: Box::new(remove_opencode),
        },
        Target {
            path: plugin,
            add: Box::new(move |old| match old.is_empty() || old.starts_with(&mark) {
                true => Ok(text.clone()),
                false => Err(EditError::Taken { path: path.clone() }),
            }),
            remove: Box::new(move |old, _| {
                Ok(if old.starts_with(&first_line) { String::new() } else { old.to_owned() })
            }),
        },
    ]
}

/// The person's servers and settings; `CLAUDE_CONFIG_DIR` moves both.
fn claude_home(app: &App) -> Result<(PathBuf, PathBuf), Failure> {
    match app.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from) {
        Some(folder) => Ok((folder.join(".claude.json"), folder.join("settings.json"))),
        None => {
            let home = home(app)?;
            Ok((home.join(".claude.json"), home.join(".claude/settings.json")))
        }
    }
}

/// Codex names a hook by the path of its file, and resolves the folder that `CODEX_HOME` names.
fn codex_home(app: &App) -> Result<PathBuf, Failure> {
    match app.variable("CODEX_HOME").map(PathBuf::from) {
        Some(folder) => Ok(folder.canonicalize().unwrap_or(folder)),
        None => Ok(home(app)?.join(".codex")),
    }
}

fn opencode_home(app: &App) -> Result<PathBuf, Failure> {
    match app.variable("XDG_CONFIG_HOME").map(PathBuf::from) {
        Some(folder) => Ok(folder.join("opencode")),
        None => Ok(home(app)?.join(".config/opencode")),
    }
}

/// The file that is there; `.jsonc` is read as well.
fn opencode_file(folder: &Path) -> PathBuf {
    let (plain, commented) = (folder.join("opencode.json"), folder.join("opencode.jsonc"));
    if !plain.exists() && commented.exists() { commented } else { plain }
}

fn home(app: &App) -> Result<PathBuf, Failure> {
    let home = app.variable("HOME").map(PathBuf::from);
    home.ok_or_else(|| {
        Failure::usage("there is no home folder: HOME is not set").todo("set it, or use --project")
    })
}

fn project(app: &App) -> Result<PathBuf, Failure> {
    let folder = app.folder();
    folder.canonicalize().map_err(|error| {
        Failure::usage(format!("open the project folder `{}`", folder.display()))
            .because(&error)
            .todo("give it with --cd DIR")
    })
}
