//! `mi doctor`: what is installed, what works, what to do.

use mi_process::{Environment, Limits, SpawnSpec, Spawner, Stdin, run_to_end};
use serde_json::json;
use std::{fs, path::Path, time::Duration};

use super::{
    boxed::engines::{self, Tried},
    launch, minds,
};
use crate::{
    app::App,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    ok: bool,
    detail: String,
    todo: Option<String>,
}

pub fn run(app: &App) -> Outcome {
    let spawner = launch::spawner()?;
    let folder = app.folder();
    let settings = mi_config::resolve(&app.layers(&folder), &app.environment, &[]);
    let codex = launch::codex_program(app, &settings.settings);
    let findings = vec![
        home(app),
        values(app),
        program(&spawner, "git", Path::new("git"), "install git"),
        program(
            &spawner,
            "codex",
            &mi_hands::find_native(&codex),
            "npm install -g @openai/codex, or set hands.codex.program",
        ),
        mind(app, &settings.settings, &spawner),
        engine("bwrap", engines::bwrap(app)),
        engine("engine", engines::container(app)),
        Finding {
            what: "config",
            ok: settings.problems.is_empty(),
            detail: match settings.problems.as_slice() {
                [] => "every settings file can be read".to_owned(),
                problems => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            },
            todo: (!settings.problems.is_empty()).then(|| "mi config show".to_owned()),
        },
    ];
    if app.common.json {
        let list: Vec<_> = findings
            .iter()
            .map(|finding| json!({"what": finding.what, "ok": finding.ok, "detail": finding.detail, "to_do": finding.todo}))
            .collect();
        return app.print_json(&json!(list));
    }
    for finding in findings {
        let mark = if finding.ok { app.look.good("ok     ") } else { app.look.warn("missing") };
        app.print(&format!("{mark}  {:<7} {}", finding.what, finding.detail))?;
        if let Some(todo) = finding.todo.filter(|_| !finding.ok) {
            app.print(&format!("         to do: {todo}"))?;
        }
    }
    Ok(ExitReason::Done)
}

fn engine(what: &'static str, tried: Tried) -> Finding {
    Finding { what, ok: tried.ok, detail: tried.detail, todo: Some(tried.todo.to_owned()) }
}

fn home(app: &App) -> Finding {
    let probe = app.home.join(".doctor");
    let written = fs::create_dir_all(&app.home)
        .and_then(|()| fs::write(&probe, b""))
        .and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => Finding { what: "home", ok: true, detail: app.home.display().to_string(), todo: None },
        Err(error) => Finding {
            what: "home",
            ok: false,
            detail: format!("{} is not writable: {error}", app.home.display()),
            todo: Some("choose another with --home or MI_HOME".to_owned()),
        },
    }
}

fn values(app: &App) -> Finding {
    let loaded = mi_journal::Layout::new(&app.home).base().load_or_default();
    let (mind, repair) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            let why = Failure::of(&error);
            return Finding {
                what: "values",
                ok: false,
                detail: format!("{}: {}", why.what, why.why.join(": ")),
                todo: Some("mend the file by hand".to_owned()),
            };
        }
    };
    let count = mind.values_text.trim().chars().count();
    let detail = match repair {
        Some(repair) => repair.to_string(),
        None if count > 0 => format!("{count} characters"),
        None => "none yet".to_owned(),
    };
    Finding {
        what: "values",
        ok: count > 0,
        detail,
        todo: Some("mi init --values 'how you decide'".to_owned()),
    }
}

fn program(spawner: &Spawner, what: &'static str, program: &Path, todo: &str) -> Finding {
    let spec = SpawnSpec {
        program: program.into(),
        args: vec!["--version".into()],
        cwd: std::env::temp_dir(),
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(10), max_output_bytes: 4096 };
    let (ok, detail) = match run_to_end(spawner, &spec, limits, None) {
        Ok(output) if output.end.is_success() => {
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            (true, format!("{version}  {}", program.display()))
        }
        Ok(output) => (
            false,
            format!("{} does not run: {}", program.display(), String::from_utf8_lossy(&output.stderr).trim()),
        ),
        Err(error) => (false, error.to_string()),
    };
    Finding { what, ok, detail, todo: Some(todo.to_owned()) }
}

fn mind(app: &App, settings: &mi_config::Settings, spawner: &Spawner) -> Finding {
    let todo = Some("optional: set OPENAI_MODEL and OPENAI_API_KEY, or mind.* in the config".to_owned());
    match minds::mind(app, settings, spawner) {
        Ok((_, Some(mind))) => {
            let provider = mind.provider();
            Finding {
                what: "mind",
                ok: true,
                detail: format!("{} {}", provider.name(), provider.model()),
                todo: None,
            }
        }
        Ok((_, None)) => Finding {
            what: "mind",
            ok: true,
            detail: "rules and you (no model is configured)".to_owned(),
            todo,
        },
        Err(failure) => Finding { what: "mind", ok: false, detail: failure.what, todo: failure.todo },
    }
}
