//! Which files hold the gate, for each agent and for git.

use mi_formats::agent_config::{
    HookSet, Program, add_claude_hooks, add_codex_gate, add_git_hook, opencode_gate_plugin,
    remove_claude_hooks, remove_codex_gate, remove_git_hook,
};
use mi_git::{GitRunner, RunGitError};
use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use crate::{
    app::App,
    args::hooks::HookPlace,
    commands::{
        install::{Backups, Target, targets},
        launch, repository,
    },
    failure::Failure,
};

/// For whom the gate is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The person, or the repository where it is git.
    Usual,
    User,
    Project,
}

/// The files of one place.
pub fn targets(app: &App, place: HookPlace, scope: Scope) -> Result<Vec<Target>, Failure> {
    let in_project = scope == Scope::Project;
    match place {
        HookPlace::Claude => claude(app, in_project),
        HookPlace::Codex => codex(app, in_project),
        HookPlace::Opencode => opencode(app, in_project),
        HookPlace::Git if scope == Scope::User => {
            Err(Failure::usage("git's hooks belong to one repository").todo("leave --user out"))
        }
        HookPlace::Git => git(app),
    }
}

pub fn claude_settings(app: &App, in_project: bool) -> Result<PathBuf, Failure> {
    match in_project {
        true => Ok(targets::project(app)?.join(".claude/settings.json")),
        false => Ok(targets::claude_home(app)?.1),
    }
}

fn claude(app: &App, in_project: bool) -> Result<Vec<Target>, Failure> {
    let program = targets::program(app, in_project)?;
    Ok(vec![Target {
        path: claude_settings(app, in_project)?,
        add: Box::new(move |text| add_claude_hooks(text, &program, HookSet::Gate)),
        remove: Box::new(|text, before| remove_claude_hooks(text, before, HookSet::Gate)),
        backups: Backups::Gate,
        runs: false,
    }])
}

fn codex(app: &App, in_project: bool) -> Result<Vec<Target>, Failure> {
    let program = targets::program(app, in_project)?;
    let edit = targets::CodexEdit {
        add: Rc::new(move |text| add_codex_gate(text, &program)),
        remove: Rc::new(remove_codex_gate),
        backups: Backups::Gate,
    };
    let project = in_project.then(|| targets::project(app)).transpose()?;
    targets::codex(app, project.as_deref(), edit)
}

pub fn opencode_plugin_file(app: &App, in_project: bool) -> Result<PathBuf, Failure> {
    match in_project {
        true => Ok(targets::project(app)?.join(".opencode/plugin/mi-gate.js")),
        false => Ok(targets::opencode_home(app)?.join("plugin/mi-gate.js")),
    }
}

fn opencode(app: &App, in_project: bool) -> Result<Vec<Target>, Failure> {
    let text = opencode_gate_plugin(&targets::program(app, in_project)?);
    Ok(vec![targets::whole_file(opencode_plugin_file(app, in_project)?, text, Backups::Gate)])
}

fn git(app: &App) -> Result<Vec<Target>, Failure> {
    let path = git_hook_file(app)?;
    let program = git_program(app, &path)?;
    Ok(vec![Target {
        path,
        add: Box::new(move |text| add_git_hook(text, &program)),
        remove: Box::new(|text, _| remove_git_hook(text)),
        backups: Backups::Gate,
        runs: true,
    }])
}

/// How git's hook starts `mi`. Git's own folder is never shared, so the script names this program, and the person's home
/// where that is not the usual one. A script that `core.hooksPath` puts among the project's files is shared: neither.
pub fn git_program(app: &App, file: &Path) -> Result<Program, Failure> {
    if is_shared(app, file)? {
        return targets::program(app, true);
    }
    let Program(program, _) = targets::program(app, false)?;
    let usual = app.variable("HOME").map(|home| Path::new(home).join(".mind-incarnation"));
    let words = match usual.as_deref() == Some(app.home.as_path()) {
        true => Vec::new(),
        false => targets::home_words(app)?,
    };
    Ok(Program(program, words))
}

/// Whether the script stands among the files that a commit takes along.
fn is_shared(app: &App, file: &Path) -> Result<bool, Failure> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = file.parent().map(real).unwrap_or_default();
    let project = targets::project(app)?;
    let root = repository::git(&project, &["rev-parse", "--show-toplevel"]).unwrap_or_default();
    let own = repository::git(&project, &["rev-parse", "--absolute-git-dir"])?;
    let common = repository::git(&project, &["rev-parse", "--git-common-dir"])?;
    let inside = |text: &str| folder.starts_with(real(&project.join(text.trim_end_matches('\n'))));
    Ok(!root.trim().is_empty() && inside(&root) && !inside(&own) && !inside(&common))
}

/// What is said about the home when hooks are put in, before anything is written.
pub fn about_home(app: &App, place: HookPlace, scope: Scope) -> Result<String, Failure> {
    let home = app.home.display();
    if place == HookPlace::Git {
        let file = git_hook_file(app)?;
        let carries = !git_program(app, &file)?.1.is_empty();
        return Ok(match (is_shared(app, &file)?, carries) {
            (true, _) => shared("the script stands among the project's files"),
            (false, true) => {
                format!("git's hooks are shared with nobody: this one carries your home `{home}`")
            }
            (false, false) => "the hook uses your usual home; none is written into it".to_owned(),
        });
    }
    Ok(match scope {
        Scope::Project => shared("a project's file may be committed"),
        Scope::Usual | Scope::User => {
            format!("the hooks carry your home `{home}`: no repository can move it")
        }
    })
}

fn shared(why: &str) -> String {
    format!(
        "{why}, so no home is written into it: each person's own counts (MI_HOME, else ~/.mind-incarnation). \
         Where a repository must not be able to move it, install with --user too"
    )
}

/// Where git looks for the script: worktrees and `core.hooksPath` move it.
pub fn git_hook_file(app: &App) -> Result<PathBuf, Failure> {
    let folder = targets::project(app)?;
    // The repository is the one that git has given us, if this is one of its hooks.
    let git = GitRunner::of_this_process(launch::spawner()?, &folder).showing_hooks_path();
    let path = match git.call(&["rev-parse", "--git-path", "hooks/pre-commit"]).lossy_text() {
        Ok(path) => path.trim_end_matches('\n').to_owned(),
        Err(RunGitError::Failed { .. }) => String::new(),
        Err(error) => return Err(Failure::new("ask git where its hooks are").because(&error)),
    };
    if path.is_empty() {
        return Err(Failure::usage(format!("`{}` is in no git repository", folder.display()))
            .todo("give one with --cd DIR, or make one with git init"));
    }
    Ok(folder.join(Path::new(&path)))
}
