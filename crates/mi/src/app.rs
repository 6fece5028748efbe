//! From the command line to one command and back to an exit code.
//!
//! Holds: this crate alone reads the environment, and this module is where it does.

use clap::Parser;
use mi_autopilot::{Clock, OpenProjectError, Project};
use mi_config::{Layer, Level, Resolved};
use mi_model::Timestamp;
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    fmt, fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    args::{Cli, Command, Common, McpArgs, council::DeliverAction},
    commands,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
    render::{
        printer::Printer,
        style::{Look, harmless},
    },
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every command gets.
#[derive(Clone)]
pub struct App {
    pub common: Common,
    pub home: PathBuf,
    pub clock: Clock,
    pub environment: Vec<(String, String)>,
    pub look: Look,
}

/// Parses, runs, renders the failure if there is one.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    let is_for_program = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let cli = match Cli::try_parse_from(path_first(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            drop(error.print());
            // What clap does not report on standard error, it was asked for: help and the version.
            let exit = if error.use_stderr() { ExitReason::WrongUsage } else { ExitReason::Done };
            if !exit.is_success() && is_for_program {
                report_to_program(&misunderstood(&error), Clock::new(None));
            }
            return exit.into();
        }
    };
    let json = cli.common.json;
    let lives_elsewhere = cli.command.as_ref().is_some_and(needs_no_home);
    let app = App::new(cli.common, lives_elsewhere);
    let clock = app.as_ref().map_or_else(|_| Clock::new(None), |app| app.clock);
    let outcome = app.and_then(|app| dispatch(&app, cli.command));
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            report(&failure, json, clock);
            failure.exit.into()
        }
    }
}

/// What works on the project's own files, or brings a home of its own.
fn needs_no_home(command: &Command) -> bool {
    match command {
        Command::Deliver(args) => return matches!(args.action, Some(DeliverAction::Verify { .. })),
        Command::Mcp(args) => return args.action.is_none(),
        _ => {}
    }
    matches!(
        command,
        Command::Cu(_)
            | Command::Demo(_)
            | Command::Extract(_)
            | Command::Gate(_)
            | Command::Intake(_)
            | Command::Manifest(_)
            | Command::Plan(_)
            | Command::Protocol(_)
            | Command::Task(_)
            | Command::History(_)
            | Command::Artifact(_)
            | Command::Context(_)
            | Command::Completions(_)
            | Command::Help(_)
            | Command::Man
            | Command::Schema(_)
            | Command::Version
    )
}

/// Removes scratch copies of killed processes. One look at a folder where there are none; agents wait for hooks, so those
/// do not even look.
fn sweep_left_copies(app: &App, command: Option<&Command>) {
    if matches!(command, Some(Command::Hook(_) | Command::Mcp(McpArgs { action: None, .. }))) {
        return;
    }
    commands::prove::sweep_left_copies(app);
}

fn dispatch(app: &App, command: Option<Command>) -> Outcome {
    sweep_left_copies(app, command.as_ref());
    match command.unwrap_or(Command::Status) {
        Command::Init(args) => commands::init::run(app, &args),
        Command::Run(args) => commands::run::run(app, &args),
        Command::Answer(args) => commands::answer::run(app, &args),
        Command::Accept(args) => commands::accept::run(app, &args),
        Command::Stop => commands::stop::run(app),
        Command::Prove(args) => commands::prove::run(app, &args),
        Command::Inbox => commands::inbox::run(app),
        Command::Status => commands::status::run(app),
        Command::Log(args) => commands::log::run(app, &args),
        Command::Show(args) => commands::show::run(app, &args),
        Command::Why(args) => commands::why::run(app, &args),
        Command::Transcript(args) => commands::transcript::run(app, &args),
        Command::Plan(args) => commands::plan::run(app, &args),
        Command::Task(args) => commands::task::run(app, &args),
        Command::History(args) => commands::history::run(app, &args),
        Command::Artifact(args) => commands::artifact::run(app, &args),
        Command::Context(args) => commands::context::run(app, &args),
        Command::Learned(args) => commands::learned::run(app, &args),
        Command::Replay(args) => commands::replay::run(app, &args),
        Command::Memory(args) => commands::memory::run(app, &args),
        Command::Boot(args) => commands::persona::boot(app, &args),
        Command::Card(args) => commands::persona::card(app, &args),
        Command::Handoff(args) => commands::persona::handoff(app, &args),
        Command::Persona(args) => commands::persona::run(app, &args),
        Command::Session(args) => commands::persona::session(app, &args),
        Command::Intake(args) => commands::intake::run(app, &args),
        Command::Gate(args) => commands::gate::run(app, &args),
        Command::Cu(args) => commands::cu::run(app, &args),
        Command::Permit(args) => commands::permit::run(app, &args),
        Command::Ack(args) => commands::ack::run(app, &args),
        Command::Consult(args) => commands::consult::run(app, &args),
        Command::Deploy(args) => commands::deploy::run(app, &args),
        Command::Protocol(args) => commands::protocol::run(app, &args),
        Command::Extract(args) => commands::extract::run(app, &args),
        Command::Make(args) => commands::make::run(app, &args),
        Command::Box(args) => commands::boxed::run(app, &args.action),
        Command::Propose(args) => commands::propose::run(app, &args),
        Command::Review(args) => commands::review::run(app, &args),
        Command::Dr(args) => commands::dr::run(app, &args),
        Command::Deliver(args) => commands::deliver::run(app, &args),
        Command::Trace(args) => commands::trace::run(app, &args),
        Command::Beat(args) => commands::beat::run(app, &args),
        Command::Prompt(args) => commands::prompt::run(app, &args),
        Command::Verify => commands::verify::run(app),
        Command::Doctor(_) => commands::doctor::run(app),
        Command::Config(args) => commands::config::run(app, &args),
        Command::Schema(args) => commands::schema::run(app, &args),
        Command::Demo(args) => commands::demo::run(app, &args),
        Command::Mcp(args) => commands::mcp::run(app, &args),
        Command::Manifest(args) => commands::manifest::run(app, &args),
        Command::Hook(args) => commands::hook::run_in(app, &args.words),
        Command::Hooks(args) => commands::hooks::run(app, &args),
        Command::Completions(args) => commands::manual::completions(app, args.shell),
        Command::Man => commands::manual::man(app),
        Command::Version if app.common.json => app.print_json(&json!({"version": VERSION})),
        Command::Version => app.print(&format!("mi {VERSION}")),
        Command::Help(args) => commands::manual::help(app, &args.topic),
    }
}

impl App {
    /// `lives_elsewhere`: the command brings a home of its own.
    pub fn new(common: Common, lives_elsewhere: bool) -> Result<Self, Failure> {
        let environment: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let find =
            |name: &str| environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let fixed = match find("MI_NOW") {
            Some(text) => Some(
                text.parse::<Timestamp>().map_err(|error| Failure::usage("read MI_NOW").because(&error))?,
            ),
            None => None,
        };
        let named = common
            .home
            .clone()
            .or_else(|| find("MI_HOME").filter(|home| !home.is_empty()).map(PathBuf::from));
        let own = find("HOME")
            .filter(|home| !home.is_empty())
            .map(|home| Path::new(&home).join(".mind-incarnation"));
        let home = match named.or(own) {
            Some(home) => std::path::absolute(&home).unwrap_or(home),
            None if lives_elsewhere => std::env::temp_dir(),
            None => {
                return Err(Failure::usage("there is no home folder: HOME is not set")
                    .todo("give one with --home DIR or MI_HOME"));
            }
        };
        let colour = io::stdout().is_terminal() && find("NO_COLOR").is_none_or(|value| value.is_empty());
        let look = Look { colour, width: terminal_width() };
        Ok(Self { common, home, clock: Clock::new(fixed), environment, look })
    }

    /// The same program in another home and project.
    pub fn at_home(&self, home: PathBuf, project: PathBuf) -> Self {
        let common = Common { cd: Some(project), ..self.common.clone() };
        Self { common, home, clock: self.clock, environment: self.environment.clone(), look: self.look }
    }

    /// The home, if one was named or can be; commands that need none may run without.
    pub fn own_home(&self) -> Option<&Path> {
        let named = self.common.home.is_some()
            || ["MI_HOME", "HOME"].iter().any(|name| self.variable(name).is_some());
        named.then_some(&self.home)
    }

    /// An environment variable; empty counts as not set.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The folder that `--cd` names.
    pub fn folder(&self) -> PathBuf {
        self.common.cd.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The project that `--cd` names.
    pub fn project(&self) -> Result<Project, Failure> {
        Project::open(&self.home, &self.folder()).map_err(|error: OpenProjectError| Failure::of(&error))
    }

    /// The settings that hold in a folder. What was left out is said on standard error; a setting that is not what
    /// the person wrote stops the command, since something stricter may have been meant.
    pub fn settings(&self, folder: &Path, flags: &[(&str, &str)]) -> Result<mi_config::Settings, Failure> {
        let resolved = self.look_at_settings(folder, flags);
        match resolved.problems.iter().find(|problem| problem.severity() == mi_config::Severity::Error) {
            Some(problem) => {
                Err(Failure::usage(problem.to_string())
                    .todo("correct it; mi config show lists every setting"))
            }
            None => Ok(resolved.settings),
        }
    }

    /// The settings with their origins and problems; the problems are said on standard error.
    pub fn look_at_settings(&self, folder: &Path, flags: &[(&str, &str)]) -> Resolved {
        let resolved = mi_config::resolve(&self.layers(folder), &self.environment, flags);
        let minor =
            resolved.problems.iter().filter(|problem| problem.severity() != mi_config::Severity::Error);
        for problem in minor {
            self.talk(&format!("mi: {problem}"));
        }
        resolved
    }

    /// The configuration files that exist, with their texts.
    pub fn layers(&self, folder: &Path) -> Vec<Layer> {
        let read = |(level, path): (Level, PathBuf)| {
            let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
            Some(Layer { level, path, text })
        };
        self.config_paths(folder).into_iter().filter_map(read).collect()
    }

    /// Where configuration is looked for, weakest first.
    pub fn config_paths(&self, folder: &Path) -> Vec<(Level, PathBuf)> {
        let xdg = match (self.variable("XDG_CONFIG_HOME"), self.variable("HOME")) {
            (Some(folder), _) => Some(PathBuf::from(folder)),
            (None, Some(home)) => Some(Path::new(home).join(".config")),
            (None, None) => None,
        };
        let mut paths: Vec<(Level, PathBuf)> =
            xdg.map(|folder| (Level::UserXdg, folder.join("mi/config.toml"))).into_iter().collect();
        paths.push((Level::UserHome, self.home.join("config.toml")));
        paths.push((Level::Project, folder.join(".mi/config.toml")));
        paths.push((Level::Local, folder.join(".mi/local.toml")));
        paths
    }

    /// Prints data. A reader that went away ends the command quietly.
    pub fn print(&self, text: &str) -> Outcome {
        match writeln!(io::stdout().lock(), "{}", self.look.harmless(text)) {
            Ok(()) => Ok(ExitReason::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::reader_gone()),
            Err(error) => Err(Failure::new("print the result").because(&error)),
        }
    }

    /// Prints a long text as it is written, and a line end, in bounded memory.
    pub fn print_long(&self, write: impl FnOnce(&mut Printer) -> fmt::Result) -> Outcome {
        let printed = Printer::new(self.look).and_then(|mut printer| {
            // It fails only where printing failed, which the printer remembers.
            let _ = write(&mut printer);
            printer.finish()
        });
        match printed {
            Ok(()) => Ok(ExitReason::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::reader_gone()),
            Err(error) => Err(Failure::new("print the result").because(&error)),
        }
    }

    /// Prints one JSON object.
    pub fn print_json(&self, value: &Value) -> Outcome {
        self.print(&value.to_string())
    }

    /// Says something to the person that is not the result.
    pub fn talk(&self, text: &str) {
        drop(writeln!(io::stderr().lock(), "{}", self.look_of_talk().harmless(text)));
    }

    /// How talk on standard error looks.
    pub fn look_of_talk(&self) -> Look {
        let colour = io::stderr().is_terminal() && self.variable("NO_COLOR").is_none();
        Look { colour, ..self.look }
    }

    /// Whether a person can be asked on this terminal.
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && !self.common.json
    }

    /// Standard input or the text itself.
    pub fn text_or_stdin(&self, text: &str) -> Result<String, Failure> {
        if text != "-" {
            return Ok(text.to_owned());
        }
        io::read_to_string(io::stdin()).map_err(|error| Failure::usage("read standard input").because(&error))
    }
}

/// Says something on standard error; where nobody listens, nothing is lost.
pub fn talk(text: &str) {
    drop(writeln!(io::stderr().lock(), "{}", harmless(text)));
}

fn report(failure: &Failure, json: bool, clock: Clock) {
    if failure.exit.is_success() {
        return;
    }
    if json {
        report_to_program(failure, clock);
    }
    talk(&failure.to_string());
}

fn report_to_program(failure: &Failure, clock: Clock) {
    let ts = clock.now();
    let line = json!({
        "event": "error", "ts": ts, "run_id": null, "error": failure.what, "because": failure.why,
        "to_do": failure.todo, "exit": failure.exit.code(),
    });
    drop(writeln!(io::stdout().lock(), "{line}"));
}

/// What the parser of the command line says, as any other failure.
fn misunderstood(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let said = text.split("\n\nUsage:").next().unwrap_or(&text).trim();
    let what = said.strip_prefix("error: ").unwrap_or(said);
    Failure::usage(what).todo("mi help all")
}

/// `mi ./repo run …` is `mi --cd ./repo run …`.
fn path_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_path = arguments.get(1).and_then(|first| first.to_str()).is_some_and(|first| {
        first == "."
            || first == ".."
            || first.starts_with("./")
            || first.starts_with("../")
            || first.starts_with('/')
    });
    if is_path {
        arguments.insert(1, OsString::from("--cd"));
    }
    arguments
}

fn terminal_width() -> usize {
    let size =
        rustix::termios::tcgetwinsize(io::stderr()).or_else(|_| rustix::termios::tcgetwinsize(io::stdout()));
    size.ok().map(|size| usize::from(size.ws_col)).filter(|width| *width >= 40).unwrap_or(100)
}
