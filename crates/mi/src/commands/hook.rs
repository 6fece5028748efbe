//! `mi hook`: from the process to one hook call and back. Runs before the command-line parser, and reads of the
//! environment only what a call may need.

use mi_autopilot::Clock;
use mi_hook::{Exit, Gates, World};
use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    app::App,
    args::Common,
    failure::{Failure, Outcome},
};

/// `words` stand after `mi hook`.
pub fn run(words: &[OsString]) -> ExitCode {
    ExitCode::from(call(words, None))
}

/// The same after flags that stood before `hook`.
pub fn run_in(app: &App, words: &[OsString]) -> Outcome {
    Ok(call(words, app.common.cd.clone()))
}

fn call(words: &[OsString], cd: Option<PathBuf>) -> u8 {
    let mut arguments: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(cd) = cd {
        arguments.splice(0..0, ["--cd".to_owned(), cd.to_string_lossy().into_owned()]);
    }
    let exit = match world() {
        Ok(world) if io::stdin().is_terminal() => mi_hook::run(&arguments, io::empty(), &world),
        Ok(world) => mi_hook::run(&arguments, io::stdin().lock(), &world),
        Err(failure) => Exit { stdout: String::new(), stderr: format!("{failure}\n"), code: 1 },
    };
    drop(io::stderr().lock().write_all(exit.stderr.as_bytes()));
    match io::stdout().lock().write_all(exit.stdout.as_bytes()) {
        Ok(()) => exit.code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit.code,
        Err(_) => 1,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the binary reads the environment; this call reads only what it needs"
)]
fn world() -> Result<World<'static>, Failure> {
    let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let fixed = match env::var("MI_NOW") {
        Ok(text) => Some(text.parse().map_err(|error| Failure::usage("read MI_NOW").because(&error))?),
        Err(_) => None,
    };
    let cwd =
        env::current_dir().map_err(|error| Failure::new("find the working directory").because(&error))?;
    Ok(World {
        now: Clock::new(fixed).now(),
        cwd,
        harness_id: env::var("NEXUS_HARNESS_ID").ok(),
        project: path("NEXUS_PROJECT_ROOT"),
        agent_project: path("CLAUDE_PROJECT_DIR"),
        home: path("HOME"),
        gates: &gates,
    })
}

/// The gates that hold in a project, and what is wrong with its settings.
fn gates(project: &Path) -> (Gates, Vec<String>) {
    let common = Common { home: None, cd: None, json: false };
    let app = match App::new(common, true) {
        Ok(app) => app,
        Err(failure) => return (Gates::default(), vec![failure.to_string()]),
    };
    let resolved = mi_config::resolve(&app.layers(project), &app.environment, &[]);
    let gates = resolved.settings.workspace.gates;
    let gates = Gates {
        edit_without_tasks: gates.edit_without_tasks,
        shell_edits: gates.shell_edits,
        stop_with_pending: gates.stop_with_pending,
    };
    (gates, resolved.problems.iter().map(ToString::to_string).collect())
}
