//! Which files of which agent, for a person or for one project.

use mi_formats::agent_config::{
    EditError, HookSet, Program, add_claude_hooks, add_claude_server, add_codex, add_opencode,
    opencode_plugin, remove_claude_hooks, remove_claude_server, remove_codex, remove_opencode, trust_codex,
};
use std::{
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    file::{Add, Backups, Remove, Target},
    own_program,
};
use crate::{app::App, args::AgentName, failure::Failure};

/// The files of an agent.
pub fn of(app: &App, agent: AgentName, in_project: bool) -> Result<Vec<Target>, Failure> {
    let project = in_project.then(|| project(app)).transpose()?;
    let program = program(app, in_project)?;
    match (agent, project) {
        (AgentName::Claude, Some(project)) => {
            Ok(claude(project.join(".mcp.json"), project.join(".claude/settings.json"), &program))
        }
        (AgentName::Claude, None) => {
            let (servers, settings) = claude_home(app)?;
            Ok(claude(servers, settings, &program))
        }
        (AgentName::Codex, project) => codex(app, project.as_deref(), CodexEdit::install(&program)),
        (AgentName::Opencode, Some(project)) => {
            Ok(opencode(opencode_file(&project), project.join(".opencode/plugin/mi.js"), &program))
        }
        (AgentName::Opencode, None) => {
            let folder = opencode_home(app)?;
            Ok(opencode(opencode_file(&folder), folder.join("plugin/mi.js"), &program))
        }
    }
}

/// How agents start `mi`. A project's files are shared: no path of this machine in them.
pub fn program(app: &App, in_project: bool) -> Result<Program, Failure> {
    if in_project {
        return Ok(Program("mi".to_owned(), Vec::new()));
    }
    Ok(Program(own_program(app)?, gate_settings(app)?))
}

/// Where the gate finds the person's rules and whose memory it guards, as it is now: what a repository sets in an
/// agent's environment later changes neither.
fn gate_settings(app: &App) -> Result<Vec<String>, Failure> {
    let mut words = home_words(app)?;
    for (flag, name) in [("--persona", "PERSONA"), ("--member", "MI_MEMBER")] {
        if let Some(value) = app.variable(name).filter(|value| !value.is_empty()) {
            words.extend([flag.to_owned(), value.to_owned()]);
        }
    }
    Ok(words)
}

/// `--home` and the home as it is now.
pub fn home_words(app: &App) -> Result<Vec<String>, Failure> {
    let home = std::path::absolute(&app.home).unwrap_or_else(|_| app.home.clone());
    let home = home.to_str().ok_or_else(|| Failure::new(format!("`{}` is no UTF-8 path", home.display())))?;
    Ok(vec!["--home".to_owned(), home.to_owned()])
}

fn target(path: PathBuf, add: Add, remove: Remove) -> Target {
    Target { path, add, remove, backups: Backups::Install, runs: false }
}

fn claude(servers: PathBuf, settings: PathBuf, program: &Program) -> Vec<Target> {
    let (one, two) = (program.clone(), program.clone());
    vec![
        target(servers, Box::new(move |text| add_claude_server(text, &one)), Box::new(remove_claude_server)),
        target(
            settings,
            Box::new(move |text| add_claude_hooks(text, &two, HookSet::Lifecycle)),
            Box::new(|text, before| remove_claude_hooks(text, before, HookSet::Lifecycle)),
        ),
    ]
}

type Edit = Rc<dyn Fn(&str) -> Result<String, EditError>>;

/// What is put into Codex's configuration, and how it is taken out.
#[derive(Clone)]
pub struct CodexEdit {
    pub add: Edit,
    pub remove: Edit,
    pub backups: Backups,
}

impl CodexEdit {
    fn install(program: &Program) -> Self {
        let program = program.clone();
        Self {
            add: Rc::new(move |text| add_codex(text, &program)),
            remove: Rc::new(remove_codex),
            backups: Backups::Install,
        }
    }
}

/// The files of Codex: its own configuration, or a project's; the trust stands always in its own.
pub fn codex(app: &App, project: Option<&Path>, edit: CodexEdit) -> Result<Vec<Target>, Failure> {
    let own = codex_home(app)?.join("config.toml");
    match project {
        Some(project) => Ok(codex_project(own, project.join(".codex/config.toml"), &edit)),
        None => Ok(vec![codex_user(own, edit)]),
    }
}

fn codex_user(path: PathBuf, edit: CodexEdit) -> Target {
    let name = path.to_string_lossy().into_owned();
    let (also, remove) = (name.clone(), edit.remove);
    let (add, backups) = (edit.add, edit.backups);
    Target {
        path,
        add: Box::new(move |text| {
            let added = add(text)?;
            trust_codex(&added, &name, text, &added)
        }),
        remove: Box::new(move |text, _| {
            let removed = remove(text)?;
            trust_codex(&removed, &also, text, &removed)
        }),
        backups,
        runs: false,
    }
}

/// The hooks stand in the project, the trust in them in the person's own configuration.
fn codex_project(own: PathBuf, config: PathBuf, edit: &CodexEdit) -> Vec<Target> {
    let name = config.to_string_lossy().into_owned();
    let text = fs::read_to_string(&config).unwrap_or_default();
    let (add, remove) = (edit.add.clone(), edit.remove.clone());
    let (added_name, added_text, removed_name, removed_text) = (name.clone(), text.clone(), name, text);
    let trust = Target {
        path: own,
        add: Box::new(move |own| trust_codex(own, &added_name, &added_text, &add(&added_text)?)),
        remove: Box::new(move |own, _| {
            trust_codex(own, &removed_name, &removed_text, &remove(&removed_text)?)
        }),
        backups: edit.backups,
        runs: false,
    };
    let (add, remove) = (edit.add.clone(), edit.remove.clone());
    let config = Target {
        path: config,
        add: Box::new(move |text| add(text)),
        remove: Box::new(move |text, _| remove(text)),
        backups: edit.backups,
        runs: false,
    };
    vec![config, trust]
}

fn opencode(config: PathBuf, plugin: PathBuf, program: &Program) -> Vec<Target> {
    let own = program.clone();
    vec![
        target(config, Box::new(move |text| add_opencode(text, &own)), Box::new(remove_opencode)),
        whole_file(plugin, opencode_plugin(program), Backups::Install),
    ]
}

/// A file that is all ours, known by its first line.
pub fn whole_file(path: PathBuf, text: String, backups: Backups) -> Target {
    let mark = text.lines().next().unwrap_or_default().to_owned();
    let (place, first_line) = (path.display().to_string(), mark.clone());
    Target {
        path,
        add: Box::new(move |old| match old.is_empty() || old.starts_with(&mark) {
            true => Ok(text.clone()),
            false => Err(EditError::Taken { path: place.clone() }),
        }),
        remove: Box::new(move |old, _| {
            Ok(if old.starts_with(&first_line) { String::new() } else { old.to_owned() })
        }),
        backups,
        runs: false,
    }
}

/// The person's servers and settings; `CLAUDE_CONFIG_DIR` moves both.
pub fn claude_home(app: &App) -> Result<(PathBuf, PathBuf), Failure> {
    match app.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from) {
        Some(folder) => Ok((folder.join(".claude.json"), folder.join("settings.json"))),
        None => {
            let home = home(app)?;
            Ok((home.join(".claude.json"), home.join(".claude/settings.json")))
        }
    }
}

/// Codex names a hook by the path of its file, and resolves the folder that `CODEX_HOME` names.
pub fn codex_home(app: &App) -> Result<PathBuf, Failure> {
    match app.variable("CODEX_HOME").map(PathBuf::from) {
        Some(folder) => Ok(folder.canonicalize().unwrap_or(folder)),
        None => Ok(home(app)?.join(".codex")),
    }
}

pub fn opencode_home(app: &App) -> Result<PathBuf, Failure> {
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

pub fn project(app: &App) -> Result<PathBuf, Failure> {
    let folder = app.folder();
    folder.canonicalize().map_err(|error| {
        Failure::usage(format!("open the project folder `{}`", folder.display()))
            .because(&error)
            .todo("give it with --cd DIR")
    })
}
