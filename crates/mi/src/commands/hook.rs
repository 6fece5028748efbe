//! `mi hook`: from the process to one hook call and back. Runs before the command-line parser, and reads of the
//! environment only what a call may need.
//!
//! Holds: an agent that asks before a tool gets an answer even if the call panics or never ends: a denial.

use mi_autopilot::Clock;
use mi_config::{Layer, Origin, Problem, ProblemKind};
use mi_gate::messages::Locale;
use mi_hook::{CommandLine, Exit, FixedSurroundings, Gates, World, last_word, not_begun, unheard};
use mi_persona::{Age, Locked, Unseal};
use mi_process::{
    Environment, LastWords, last_words_after, last_words_when_ended, outlive_full_files, stdout_was_closed,
    write_within,
};
use rustix::stdio::{stderr, stdout};
use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal},
    panic,
    path::{Path, PathBuf},
    process::{self, ExitCode},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::{launch, pre_commit};
use crate::{
    app::App,
    args::Common,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// When a call that has not answered is answered for it. Agents wait ten seconds, and then go on as if allowed.
const BUDGET: Duration = Duration::from_secs(5);

/// How long an agent that does not read is waited for: then the exit code is the answer, before the agent's time is up.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the answer was given; whoever sets it gives it.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// `words` stand after `mi hook`.
pub fn run(words: &[OsString]) -> ExitCode {
    call(words, None).into()
}

/// The same after flags that stood before `hook`.
pub fn run_in(app: &App, words: &[OsString]) -> Outcome {
    Ok(call(words, app.common.cd.clone()))
}

fn call(words: &[OsString], cd: Option<PathBuf>) -> ExitReason {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = CommandLine::read(&words);
    if words.first().is_some_and(|event| event == "pre-commit") {
        return pre_commit::run(&command.fixed, cd);
    }
    let command = command.in_project(cd);
    let fixed = &command.fixed;
    arm(&command);
    let home = fixed.home.clone();
    let (gates, locale) = (|project: &Path| gates(home.clone(), project), || locale(home.clone()));
    let today = || today(home.clone());
    let exit = match world(fixed, &gates, &locale, &today) {
        Ok(world) if io::stdin().is_terminal() => mi_hook::run(&command, io::empty(), &world),
        Ok(world) => mi_hook::run(&command, io::stdin().lock(), &world),
        Err(failure) => not_begun(&command, &failure.to_string()),
    };
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // The alarm was faster and ends the process.
        loop {
            thread::park();
        }
    }
    say(&command, &exit)
}

/// Makes sure that there is an answer: one for a panic, one for a call that takes too long, one for a process that is ended.
fn arm(command: &CommandLine) {
    let panicked = command.clone();
    panic::set_hook(Box::new(move |_| {
        if !ANSWERED.swap(true, Ordering::SeqCst) {
            let exit = say(&panicked, &last_word(&panicked, "mi failed inside"));
            process::exit(exit.code().into());
        }
    }));
    outlive_full_files();
    // Where these fail, the agent's own time limit is all there is; the call goes on.
    let _ = last_words_after(BUDGET, &ANSWERED, last_words(command, "mi did not decide in time"));
    let _ = last_words_when_ended(&ANSWERED, &last_words(command, "mi was ended before it decided"));
}

fn last_words(command: &CommandLine, why: &'static str) -> LastWords {
    let exit = last_word(command, why);
    let unheard = unheard(command, &exit).map(|exit| (exit.stderr, exit.code));
    LastWords { stdout: exit.stdout, stderr: exit.stderr, code: exit.code, unheard }
}

/// Prints the answer and gives the code to end with. An agent takes a lost denial for an allowance, so it is told in
/// the other way that agents know: exit 2 and a reason.
fn say(command: &CommandLine, exit: &Exit) -> ExitReason {
    complain(&exit.stderr);
    let Err(error) = print(&exit.stdout) else { return ExitReason::PassedOn(exit.code) };
    match unheard(command, exit) {
        Some(denial) => {
            complain(&denial.stderr);
            ExitReason::PassedOn(denial.code)
        }
        None if error.kind() == io::ErrorKind::BrokenPipe => ExitReason::PassedOn(exit.code),
        None => ExitReason::Failed,
    }
}

fn print(text: &str) -> io::Result<()> {
    if !text.is_empty() && stdout_was_closed() {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    write_within(stdout(), text.as_bytes(), PATIENCE)
}

/// Complaints are lost where nobody reads them: the answer is what counts.
fn complain(text: &str) {
    drop(write_within(stderr(), text.as_bytes(), PATIENCE));
}

#[expect(
    clippy::disallowed_methods,
    reason = "the binary reads the environment; this call reads only what it needs"
)]
fn world<'a>(
    fixed: &FixedSurroundings,
    gates: &'a GatesOf<'a>,
    locale: &'a dyn Fn() -> Locale,
    today: &'a dyn Fn() -> mi_persona::Date,
) -> Result<World<'a>, Failure> {
    let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // What a repository could set counts only where nothing was fixed at the installation.
    let open = |name: &str| path(name).filter(|_| fixed.home.is_none());
    let now = match env::var("MI_NOW").ok().filter(|_| fixed.home.is_none()) {
        Some(text) => Some(text.parse().map_err(|error| Failure::usage("read MI_NOW").because(&error))?),
        None => None,
    };
    let cwd =
        env::current_dir().map_err(|error| Failure::new("find the working directory").because(&error))?;
    let home = path("HOME");
    let mi_home = fixed.home.clone().or_else(|| path("MI_HOME"));
    let mi_home = mi_home.or_else(|| Some(home.as_deref()?.join(".mind-incarnation")));
    let mi_home = mi_home.map(|home| cwd.join(home));
    let persona = fixed.persona.clone().or_else(|| open("PERSONA"));
    let member = fixed.member.clone().or_else(|| env::var("MI_MEMBER").ok().filter(|_| fixed.home.is_none()));
    Ok(World {
        now: Clock::new(now).now(),
        cwd,
        harness_id: env::var("NEXUS_HARNESS_ID").ok(),
        project: path("NEXUS_PROJECT_ROOT"),
        agent_project: path("CLAUDE_PROJECT_DIR"),
        home,
        gates,
        persona: persona.or_else(|| Some(mi_home.as_deref()?.join("persona"))),
        mi_home,
        member: member.filter(|member| !member.is_empty()),
        locale,
        today,
        unseal: &unseal,
    })
}

/// Programs of the system alone: a repository can set `PATH`.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";

/// Opens private memory with age, which is started only when something has to be opened.
fn unseal(identity: PathBuf) -> Box<dyn Unseal> {
    match launch::spawner() {
        Ok(spawner) => {
            let environment = Environment::Inherit { set: Vec::new(), remove: Vec::new() };
            Box::new(Age { spawner, environment: environment.with("PATH", SYSTEM_PATH), identity })
        }
        Err(_) => Box::new(Locked),
    }
}

type GatesOf<'a> = dyn Fn(&Path) -> (Gates, Vec<String>) + 'a;

/// The gates that hold in a project, and what is wrong with its settings.
fn gates(home: Option<PathBuf>, project: &Path) -> (Gates, Vec<String>) {
    let app = match plain_app(home) {
        Ok(app) => app,
        Err(failure) => return (Gates::default(), vec![failure.to_string()]),
    };
    let layers = app.layers(project);
    let resolved = mi_config::resolve(&layers, &app.environment, &[]);
    let unreadable = resolved.problems.iter().any(|problem| may_hide_gate(problem, &layers));
    let gates = resolved.settings.workspace.gates;
    let gates = Gates {
        edit_without_tasks: gates.edit_without_tasks,
        shell_edits: gates.shell_edits,
        stop_with_pending: gates.stop_with_pending,
        unreadable,
    };
    (gates, resolved.problems.iter().map(ToString::to_string).collect())
}

/// Whether what cannot be used may have switched a gate on.
fn may_hide_gate(problem: &Problem, layers: &[Layer]) -> bool {
    match (&problem.kind, &problem.origin) {
        (ProblemKind::Syntax { .. }, Origin::File { path, .. }) => {
            layers.iter().any(|layer| layer.path == *path && layer.text.contains("gates"))
        }
        (ProblemKind::WrongValue { key, .. } | ProblemKind::UnknownKey { key, .. }, _) => {
            key.starts_with("workspace.gates")
        }
        _ => false,
    }
}

/// The day where the person is.
fn today(home: Option<PathBuf>) -> mi_persona::Date {
    plain_app(home).map_or(mi_persona::Date::default(), |app| super::persona::today(&app))
}

fn locale(home: Option<PathBuf>) -> Locale {
    plain_app(home).map(|app| super::intake::locale(&app)).unwrap_or_default()
}

fn plain_app(home: Option<PathBuf>) -> Result<App, Failure> {
    App::new(Common { home, cd: None, json: false }, true)
}
