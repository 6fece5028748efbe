//! `mi intake`: what a message asks for.

use mi_gate::{
    change_unit::{self, ChangeUnits},
    intake::{Intake, Message, State, Task, WordTable, intake},
    messages::Locale,
};
use mi_process::{Environment, Limits, SpawnSpec, Stdin, run_to_end};
use std::{fs, path::Path, time::Duration};

use super::launch;
use crate::{
    app::App,
    args::gate::IntakeArgs,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &IntakeArgs) -> Outcome {
    let text = app.text_or_stdin(&args.message)?;
    let task = match &args.task {
        Some(path) => {
            Some(Task::parse(&path.display().to_string(), &read(path)?).map_err(|error| usage(&error))?)
        }
        None => None,
    };
    let words = match &args.words {
        Some(path) => {
            WordTable::parse(&path.display().to_string(), &read(path)?).map_err(|error| usage(&error))?
        }
        None => WordTable::default(),
    };
    let diff = diff(app, args)?;
    let state = match &args.state {
        Some(folder) => load(folder)?,
        None => State::default(),
    };
    let reading = intake(&Message {
        text: &text,
        task: task.as_ref(),
        diff: diff.as_ref(),
        state: &state,
        decisions: &[],
        words: &words,
        now: app.clock.now(),
        locale: locale(app),
    });
    if let Some(folder) = &args.state {
        save(folder, &reading.state)?;
    }
    print(app, &reading)
}

fn print(app: &App, reading: &Intake) -> Outcome {
    let value =
        serde_json::to_value(reading).map_err(|error| Failure::new("write the result").because(&error))?;
    if app.common.json {
        return app.print_json(&value);
    }
    let word = |name: &str| value[name].as_str().unwrap_or("-").to_owned();
    let list = |name: &str| {
        value[name]
            .as_array()
            .map(|list| list.iter().filter_map(|item| item.as_str()).collect::<Vec<_>>().join(" "))
            .unwrap_or_default()
    };
    app.print(&format!(
        "mode {}  triggers {}  speed {}",
        word("mode"),
        or_none(&list("triggers")),
        or_none(&list("speed"))
    ))?;
    let score =
        value["risk"]["score"].as_u64().map_or("none (blocked)".to_owned(), |score| score.to_string());
    app.print(&format!(
        "risk {score}  {}  tier {}  batch {}",
        word("orchestration"),
        word("tier"),
        value["batch"]["count"]
    ))?;
    for factor in &reading.risk.factors {
        app.print(&format!("  {:+} {}: {}", factor.points, factor.name, factor.why))?;
    }
    if !reading.output.is_empty() {
        app.print(&reading.output)?;
    }
    Ok(0)
}

fn or_none(list: &str) -> &str {
    if list.is_empty() { "none" } else { list }
}

fn usage(error: &dyn std::error::Error) -> Failure {
    Failure::usage(error.to_string())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("read {}", path.display())).because(&error))
}

fn diff(app: &App, args: &IntakeArgs) -> Result<Option<ChangeUnits>, Failure> {
    let text = match &args.diff {
        Some(path) => String::from_utf8_lossy(
            &fs::read(path)
                .map_err(|error| Failure::usage(format!("read {}", path.display())).because(&error))?,
        )
        .into_owned(),
        None if args.staged => staged(app)?,
        None => return Ok(None),
    };
    change_unit::count(&text, &[]).map(Some).map_err(|error| usage(&error))
}

fn staged(app: &App) -> Result<String, Failure> {
    let arguments = ["diff", "--cached", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "-M"];
    let spec = SpawnSpec {
        program: "git".into(),
        args: arguments.iter().map(Into::into).collect(),
        cwd: app.folder(),
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(20), max_output_bytes: 64 * 1024 * 1024 };
    let output = run_to_end(&launch::spawner()?, &spec, limits, None).map_err(|error| Failure::of(&error))?;
    if !output.end.is_success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(
            Failure::new(format!("ask git what is staged: {why}")).todo("run it inside a git repository")
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A missing or empty folder is a fresh session.
fn load(folder: &Path) -> Result<State, Failure> {
    let path = folder.join("intake.json");
    match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            Failure::new(format!("read the session's state in {}", path.display()))
                .because(&error)
                .todo("remove the file to begin afresh")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(State::default()),
        Err(error) => Err(Failure::new(format!("read {}", path.display())).because(&error)),
    }
}

/// Written beside and moved into place, so that a crash leaves the old state.
fn save(folder: &Path, state: &State) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        Failure::new(format!("keep the session's state in {}", folder.display())).because(&error)
    };
    let text = serde_json::to_string(state)
        .map_err(|error| Failure::new("write the session's state").because(&error))?;
    fs::create_dir_all(folder).map_err(fail)?;
    let draft = folder.join(format!("intake.json.{}", std::process::id()));
    fs::write(&draft, text).and_then(|()| fs::rename(&draft, folder.join("intake.json"))).map_err(fail)
}

/// `locale` of the config, then LANG.
pub fn locale(app: &App) -> Locale {
    match app.look_at_settings(&app.folder(), &[]).settings.locale {
        mi_config::Locale::Chinese => Locale::Zh,
        mi_config::Locale::English => Locale::En,
        mi_config::Locale::Auto => {
            let named = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| app.variable(name));
            if named.is_some_and(|named| named.starts_with("zh")) { Locale::Zh } else { Locale::En }
        }
    }
}
