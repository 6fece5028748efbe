//! `mi demo`: a small real repository, a failing test, a recorded agent, and the whole of `mi` around it.
//!
//! Holds: needs no account, no network and no git identity; everything it makes is in one folder.

use mi_autopilot::Project;
use mi_git::{GitRunner, RunGitError};
use mi_model::MindSpec;
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::launch::{self, Launch};
use crate::{
    app::App,
    args::{DemoArgs, RunArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

const VALUES: &str = "Prefer behaviour-preserving changes.\nKeep the public API as it is.\n\
                      Avoid new dependencies.\nNever push without asking me.\n";
const TASK: &str = "Make the failing tests pass, and add `shorten(slug, limit)` to slug.py.";

/// What the repository holds, and what the recorded agent does in it.
const FILES: [(&str, &str); 12] = [
    ("project/README.md", include_str!("../../assets/demo/project/README.md")),
    ("project/slug.py", include_str!("../../assets/demo/project/slug.py")),
    ("project/test_slug.py", include_str!("../../assets/demo/project/test_slug.py")),
    ("recording/replay.toml", include_str!("../../assets/demo/replay/replay.toml")),
    ("recording/00.jsonl", include_str!("../../assets/demo/replay/00.jsonl")),
    ("recording/00.patch", include_str!("../../assets/demo/replay/00.patch")),
    ("recording/01.jsonl", include_str!("../../assets/demo/replay/01.jsonl")),
    ("recording/01.patch", include_str!("../../assets/demo/replay/01.patch")),
    ("recording/02.jsonl", include_str!("../../assets/demo/replay/02.jsonl")),
    ("recording/02.patch", include_str!("../../assets/demo/replay/02.patch")),
    ("recording/03.jsonl", include_str!("../../assets/demo/replay/03.jsonl")),
    ("recording/03.patch", include_str!("../../assets/demo/replay/03.patch")),
];

pub fn run(app: &App, args: &DemoArgs) -> Outcome {
    let folder = folder(app, args)?;
    lay_out(&folder)?;
    let project_folder = folder.join("project");
    commit(&project_folder)?;
    let demo = app.at_home(folder.join("home"), project_folder.clone());
    let project = Project::open(&demo.home, &project_folder).map_err(|error| Failure::of(&error))?;
    project.layout.create(&project.id).map_err(|error| Failure::of(&error))?;
    let values = MindSpec { values_text: VALUES.to_owned(), ..MindSpec::default() };
    project.layout.base().replace(&values).map_err(|error| Failure::of(&error))?;
    // The demo brings its own code, so a machine without bubblewrap may run its tests as they are.
    if mi_prove::find_sandbox(app.variable("PATH").unwrap_or_default()).is_none() {
        let config = demo.home.join("config.toml");
        fs::write(&config, "[prove]\nengine = \"host\"\n")
            .map_err(|error| Failure::new(format!("write {}", config.display())).because(&error))?;
    }
    app.talk(&introduction(&project_folder));
    let run = RunArgs {
        hands: Some(format!("replay:{}", folder.join("recording").display())),
        mind: Some("rules".to_owned()),
        max_batches: Some(6),
        ..RunArgs::default()
    };
    let exit = launch::begin(Launch::prepare(&demo, &project, &run)?, TASK)?;
    if !app.common.json {
        app.print(&closing(&demo.home, &project_folder, exit))?;
    }
    Ok(exit)
}

fn introduction(project: &Path) -> String {
    format!(
        "A small repository with failing tests: {}\nThe person's values:\n{}The agent is a recording; everything else is real.\n",
        project.display(),
        VALUES.lines().map(|line| format!("  - {line}\n")).collect::<String>(),
    )
}

fn closing(home: &Path, project: &Path, exit: ExitReason) -> String {
    let verdict = if exit.is_success() {
        "The demo run is done, and shown."
    } else {
        "The demo run did not end as it should."
    };
    format!(
        "\n{verdict} Look at it:\n  cd {}\n  export MI_HOME={}\n  \
         mi why b0       the early \"Done!\" that was not believed\n  \
         mi why b1       the question that was answered for you\n  \
         mi why b2       green tests that did not show shorten(): without it nothing failed\n  \
         mi prove        the same question, asked of the whole change\n  \
         mi log          everything that was recorded\n  \
         mi transcript   what the agent said\n  \
         mi verify       that the journal is untouched\n\
         For your own work: mi init --values '…', then mi run 'TASK' until it is done.",
        project.display(),
        home.display(),
    )
}

fn folder(app: &App, args: &DemoArgs) -> Result<PathBuf, Failure> {
    let folder = match &args.dir {
        Some(folder) => folder.clone(),
        None => {
            let stamp = app.clock.now().as_millis();
            std::env::temp_dir().join(format!("mi-demo-{stamp}-{}", std::process::id()))
        }
    };
    if folder.join("project").exists() {
        return Err(Failure::usage(format!("{} already holds a demo", folder.display()))
            .todo("name another folder with --dir"));
    }
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::new(format!("create {}", folder.display())).because(&error))?;
    fs::canonicalize(&folder)
        .map_err(|error| Failure::new(format!("open {}", folder.display())).because(&error))
}

fn lay_out(folder: &Path) -> Result<(), Failure> {
    let root = folder.join("project").display().to_string();
    for (name, text) in FILES {
        let path = folder.join(name);
        let text = text.replace("{{root}}", &root);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        made.map_err(|error| Failure::new(format!("write {}", path.display())).because(&error))?;
    }
    Ok(())
}

/// One commit, with an identity of its own, so that a fresh machine will do.
fn commit(project: &Path) -> Result<(), Failure> {
    let git = GitRunner::new(launch::spawner()?, project)
        .with_settings(&["user.name=mi demo", "user.email=demo@localhost"]);
    let steps: [&[&str]; 3] =
        [&["init", "--quiet"], &["add", "--all"], &["commit", "--quiet", "--message", "A failing test"]];
    for step in steps {
        git.call(step).bytes().map_err(|error| {
            let failure = Failure::new("make the demo repository").because(&error);
            if matches!(error, RunGitError::Missing) { failure.todo("install git") } else { failure }
        })?;
    }
    Ok(())
}
