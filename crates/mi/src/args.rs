//! What can be typed: flags as they stand on the command line, nothing resolved yet.
//!
//! Each command's doc comment is its help text; each has one example, which the tests run.

#[macro_use]
mod table;
mod admission;
mod boxed;
pub mod council;
pub mod deploy;
pub mod gate;
pub mod hooks;
mod make;
pub mod memory;
pub mod persona;
mod prove;
mod workspace;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use self::{
    council::{BeatArgs, DeliverArgs, DrArgs, PromptArgs, ProposeArgs, ReviewArgs, TraceArgs},
    deploy::{ConsultArgs, DeployArgs},
    gate::{AckArgs, CuArgs, GateArgs, IntakeArgs, PermitArgs},
    hooks::HooksArgs,
    memory::MemoryArgs,
    persona::{BootArgs, CardArgs, HandoffArgs, PersonaArgs, SessionArgs},
};
pub use admission::{AdmitArgs, PolicyAction, PolicyArgs};
pub use boxed::{BoxAction, BoxArgs, CheckArgs, EngineName, ExecArgs, PublishArgs};
pub use make::MakeArgs;
pub use prove::{ProveArgs, ProveEngineName};
pub use workspace::{
    ArtifactAction, ArtifactArgs, ContextArgs, HistoryAction, HistoryArgs, PlanAction, PlanArgs, PlanRules,
    TaskAction, TaskAddArgs, TaskArgs,
};

/// Runs coding agents for you, checks what they did, and stops only when it is proven done.
#[derive(Debug, Parser)]
#[command(name = "mi", version, disable_help_subcommand = true, help_template = HELP, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Where mi keeps its files [default: ~/.mind-incarnation]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// The project [default: the working directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub cd: Option<PathBuf>,
    /// Print for programs: JSON, one object per line
    #[arg(long, global = true)]
    pub json: bool,
}

/// The first screen; grouped by what a person wants.
const HELP: &str = "\
mi {version}: runs coding agents and stops only when the work is proven done

Usage: mi [--home DIR] [--cd DIR] [--json] COMMAND

Run
  run TASK          let an agent work on TASK; mi checks, answers, decides
  answer, inbox     answer what a run asks; what waits (also: accept, stop)
  prove             does any check show this change? take it back and see
Look
  status            what runs, what waits, what to type next (also: bare `mi`)
  last, log, show   the newest records; all, filtered; one of them whole
  why [REF]         why this was decided, on which evidence, by which values
  transcript        what the agent (or the mind) said, raw or rendered
Plan and remember, for any agent
  plan, task        what is to be decided, what is to be done (`.nexus`)
  history, artifact closed cycles; files of this session (also: context)
  memory            what the project learned: save, list, show, search, gc
  persona, boot     what you and agents share (also: session, card, handoff)
  mcp, install      all of these as tools, in codex, claude, opencode
Tune
  init, learned     write down how you decide; what mi learned from you
  replay RUN        decide a recorded run again, with other values or mind
  protocol          rules of a workflow: check, draw, simulate, explain, audit
Guard
  hooks             your rules inside your own agents and git: install, status
  gate, permit      what may run, and why; make a rule milder or stricter
  intake, cu        what a message asks for; how many units a change has
  consult, deploy   ask another AI, read-only; checklist, health and rollback
Deliver
  extract, make     the files in a reply; let a model write and check them
  exec, check       run in a sealed box: a command, this project's own checks
  box, publish      the runs and their proofs; hand outputs to an allowed place
  admit, policy     whether a run may start, and every rule against it
  propose, review   have files voted on with evidence (also: dr)
  deliver, trace    a signed packet for a stranger; where requirements are met
Check and set up
  verify, doctor    check every hash chain; what is installed and what to do
  config, demo      every setting with its origin; see it work, no account

`mi COMMAND --help` has an example for each; `mi help all` lists every command.
";

commands! {
    "init" => Init(InitArgs),
    "run" => Run(RunArgs),
    "answer" => Answer(AnswerArgs),
    "accept" => Accept(AcceptArgs),
    "stop" => Stop: "End the run of this project, or the one that waits for you"; "mi stop",
    "prove" => Prove(ProveArgs),
    "inbox" => Inbox: "Every question that waits for you, in all projects"; "mi inbox",
    "status" => Status: "What runs, what waits, what to type next"; "mi status",
    "last" => Last(LastArgs),
    "log" => Log(LogArgs),
    "show" => Show(ShowArgs),
    "why" => Why(WhyArgs),
    "transcript" => Transcript(TranscriptArgs),
    "plan" => Plan(PlanArgs),
    "task" => Task(TaskArgs),
    "history" => History(HistoryArgs),
    "artifact" => Artifact(ArtifactArgs),
    "context" => Context(ContextArgs),
    "learned" => Learned(LearnedArgs),
    "replay" => Replay(ReplayArgs),
    "memory" => Memory(MemoryArgs),
    "protocol" => Protocol(ProtocolArgs),
    "extract" => Extract(ExtractArgs),
    "admit" => Admit(AdmitArgs),
    "policy" => Policy(PolicyArgs),
    "make" => Make(MakeArgs),
    "exec" => Exec(ExecArgs),
    "check" => Check(CheckArgs),
    "box" => Box(BoxArgs),
    "publish" => Publish(PublishArgs),
    "verify" => Verify: "Check every hash chain of this project"; "mi verify --json",
    "doctor" => Doctor(DoctorArgs),
    "config" => Config(ConfigArgs),
    "schema" => Schema(SchemaArgs),
    "demo" => Demo(DemoArgs),
    "mcp" => Mcp(McpArgs),
    "manifest" => Manifest(ManifestArgs),
    "hook" => Hook(HookArgs),
    "install" => Install(InstallArgs),
    "uninstall" => Uninstall(UninstallArgs),
    "boot" => Boot(BootArgs),
    "card" => Card(CardArgs),
    "handoff" => Handoff(HandoffArgs),
    "persona" => Persona(PersonaArgs),
    "session" => Session(SessionArgs),
    "propose" => Propose(ProposeArgs),
    "review" => Review(ReviewArgs),
    "dr" => Dr(DrArgs),
    "deliver" => Deliver(DeliverArgs),
    "trace" => Trace(TraceArgs),
    "beat" => Beat(BeatArgs),
    "prompt" => Prompt(PromptArgs),
    "intake" => Intake(IntakeArgs),
    "gate" => Gate(GateArgs),
    "cu" => Cu(CuArgs),
    "permit" => Permit(PermitArgs),
    "ack" => Ack(AckArgs),
    "consult" => Consult(ConsultArgs),
    "deploy" => Deploy(DeployArgs),
    "hooks" => Hooks(HooksArgs),
    "completions" => Completions(CompletionsArgs),
    "man" => Man: "The manual page"; "mi man | man -l -",
    "version" => Version: "Which version this is"; "mi version --json",
    "help" => Help(HelpArgs),
}

/// Write down how you decide
///
/// Compiles your values into `mindspec/base.json`, which you may edit by hand.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi init --no-compile --values 'Prefer small changes. Never push without asking me.'"
)]
pub struct InitArgs {
    /// Your values, in your own words
    #[arg(long, value_name = "TEXT", conflicts_with = "values_file")]
    pub values: Option<String>,
    /// A file with your values; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub values_file: Option<PathBuf>,
    /// Print the summary and the decision procedure
    #[arg(long)]
    pub show: bool,
    /// Compile and print, write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Ask no model: store the text and the defaults
    #[arg(long)]
    pub no_compile: bool,
    /// Which mind compiles: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
}

/// Let an agent work on a task until it is proven done
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi run --cd . --max-batches 10 'Fix the failing test'\n\nExit codes: 0 done, 1 failed or not done, 3 blocked or needs you, 130 interrupted"
)]
pub struct RunArgs {
    /// What is to be done; `-` reads standard input
    #[arg(required_unless_present = "resume")]
    pub task: Option<String>,
    /// Who works: codex, replay:DIR, exec:CMD
    #[arg(long, value_name = "HANDS")]
    pub hands: Option<String>,
    /// Who thinks: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
    /// Show more while it runs: what was sent, and the evidence
    #[arg(long)]
    pub show: bool,
    /// Stop as blocked after this many batches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_batches: Option<u32>,
    /// Stop as blocked after this many minutes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_minutes: Option<u64>,
    /// Stop as blocked after this many tokens, the mind's included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Follow a protocol: its phases drive the agent, its reviewers look and change nothing
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<String>,
    /// Go on with the last run of this project, after a crash or a limit
    #[arg(long, conflicts_with = "task")]
    pub resume: bool,
    /// Prove the work once more before it is called done: `box` runs the project's check in the box
    #[arg(long, value_enum)]
    pub verify: Option<VerifyBy>,
    /// Keep the agent's streams and changes in DIR, for `--hands replay:DIR`
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Commit the proven work at the end, with the task as its message
    #[arg(long)]
    pub commit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyBy {
    Box,
}

/// Answer the question a run waits for, and go on
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi answer 'Use `python3 -m unittest`'")]
pub struct AnswerArgs {
    /// Your answer; `-` reads standard input
    pub text: String,
    /// The run that waits [default: the one that asked last]
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// Take criteria of the last run as done, because you looked at them yourself
///
/// Without a name every criterion that is still open is accepted, and the run is done.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi accept\n  mi accept 2")]
pub struct AcceptArgs {
    /// Criteria by their number or the start of their text [default: all that are open]
    #[arg(value_name = "CRITERION")]
    pub criteria: Vec<String>,
}

/// The newest records of this project
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi last -n 3")]
pub struct LastArgs {
    /// How many
    #[arg(short, value_name = "N", default_value = "5")]
    pub n: NonZeroUsize,
}

/// All records of this project, newest last
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi log --kind decision --grep 'failed'")]
pub struct LogArgs {
    /// Only this kind, such as decision, EvidenceItem, risk_event
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Only this run; `last` is the newest
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Only records since this time, or of the last 90s, 15m, 2h, 3d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only records that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub grep: Option<String>,
    /// At most this many, the newest
    #[arg(short, value_name = "N", default_value_t = 50)]
    pub n: usize,
    /// Go on printing what is added
    #[arg(short, long)]
    pub follow: bool,
}

/// One record whole
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi show last")]
pub struct ShowArgs {
    /// A record's seq, a batch such as b2, a run id, or `last`
    pub reference: String,
}

/// Why this was decided
///
/// Prints the rule or the model's answer, the evidence it stood on, and the values it cited.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi why b1")]
pub struct WhyArgs {
    /// A decision's seq, a batch such as b2, a run id [default: the newest decision]
    pub reference: Option<String>,
}

/// What the agent or the mind said
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi transcript hands -n 20")]
pub struct TranscriptArgs {
    /// Whose transcript
    #[arg(value_enum, default_value_t = Speaker::Hands)]
    pub speaker: Speaker,
    /// At most this many lines, the newest
    #[arg(short, value_name = "N", default_value_t = 50)]
    pub n: usize,
    /// Go on printing what is added
    #[arg(short, long)]
    pub follow: bool,
    /// The stored lines as they are
    #[arg(long)]
    pub raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Speaker {
    Hands,
    Mind,
}

/// What mi learned from you; everything can be taken back
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi learned add 'Ask before installing packages.'")]
pub struct LearnedArgs {
    #[command(subcommand)]
    pub action: LearnedAction,
}

#[derive(Debug, Subcommand)]
pub enum LearnedAction {
    /// What is in force
    #[command(after_help = "Example:\n  mi learned list")]
    List,
    /// Add a rule
    #[command(after_help = "Example:\n  mi learned add 'Ask before installing packages.' --scope global")]
    Add {
        /// The rule, in your own words
        text: String,
        /// Where it holds
        #[arg(long, value_enum, default_value_t = Scope::Project)]
        scope: Scope,
    },
    /// Take a rule back
    #[command(after_help = "Example:\n  mi learned disable L-1")]
    Disable {
        /// Its id, as `mi learned list` shows it
        id: String,
        /// Where it holds [default: wherever it is found]
        #[arg(long, value_enum)]
        scope: Option<Scope>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Global,
    Project,
}

/// Decide a recorded run again; touches nothing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi replay last --mind rules")]
pub struct ReplayArgs {
    /// A run id, or `last`
    pub run: String,
    /// Decide with the values in this file
    #[arg(long, value_name = "FILE")]
    pub values: Option<PathBuf>,
    /// Decide with this mind: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
}

/// Rules of a workflow: check, draw, simulate, explain, audit
///
/// FILE is a protocol file (YAML or JSON), `-` for standard input, or `builtin:NAME`
/// (`builtin:autopilot`, `builtin:feature-delivery`).
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi protocol check builtin:feature-delivery\n\nExit codes: 0 done, 1 the file has errors, 2 wrong usage"
)]
pub struct ProtocolArgs {
    #[command(subcommand)]
    pub action: ProtocolAction,
}

#[derive(Debug, Subcommand)]
pub enum ProtocolAction {
    /// The JSON Schema of a protocol file
    #[command(after_help = "Example:\n  mi protocol schema")]
    Schema,
    /// Load, check types and look at the graph: errors (exit 1) and warnings (exit 0), each with its place
    #[command(after_help = "Example:\n  mi protocol check builtin:autopilot")]
    Check {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
    },
    /// A protocol file made from an edge table
    #[command(after_help = "Example:\n  mi protocol export builtin:autopilot | mi protocol import -")]
    Import {
        /// The CSV file; `-` reads standard input
        table: String,
        /// What the protocol is called
        #[arg(long, default_value = "imported")]
        name: String,
    },
    /// The edge table of a protocol file, as CSV
    #[command(after_help = "Example:\n  mi protocol export builtin:feature-delivery")]
    Export {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
    },
    /// Draw it: classes by colour, guards on edges
    #[command(after_help = "Example:\n  mi protocol render builtin:autopilot --format svg")]
    Render {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
        /// What to draw it as
        #[arg(long, value_enum, default_value_t = Drawing::Mermaid)]
        format: Drawing,
    },
    /// The verdict on each event
    #[command(
        after_help = "Example:\n  echo '{\"type\":\"transition\",\"edge\":\"A1\"}' | mi protocol simulate builtin:autopilot -"
    )]
    Simulate {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
        /// Events, one JSON object per line; `-` reads standard input
        events: String,
        /// Write a snapshot after the last event
        #[arg(long, value_name = "SNAP")]
        save: Option<PathBuf>,
        /// Go on from a snapshot of the same protocol file
        #[arg(long, value_name = "SNAP")]
        from: Option<PathBuf>,
    },
    /// Why one event was decided as it was: everything that was asked, with its values
    #[command(
        after_help = "Example:\n  echo '{\"type\":\"transition\",\"edge\":\"A1\"}' | mi protocol explain builtin:autopilot - --at 1"
    )]
    Explain {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
        /// Events, one JSON object per line; `-` reads standard input
        events: String,
        /// The event's line
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        at: u64,
    },
    /// The full report on a recorded run, with every record it stands on
    #[command(after_help = "Example:\n  mi protocol audit builtin:autopilot --run last")]
    Audit {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
        /// Events, one JSON object per line; `-` reads standard input [default: a recorded run]
        #[arg(conflicts_with = "run")]
        events: Option<String>,
        /// A run of this project's journal [default: the newest]
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
    },
    /// What this protocol would have changed in recorded runs
    #[command(after_help = "Example:\n  mi protocol backtest builtin:autopilot")]
    Backtest {
        /// The protocol file; `-` reads standard input, `builtin:NAME` is one that comes with mi
        file: String,
        /// Event files or audit records [default: every run of this project's journal]
        events: Vec<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    Mermaid,
    Dot,
    Svg,
}

/// Look at everything that mi needs, and say what to do about what is missing
///
/// Also tells which engine of the box works, and why another does not.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi doctor --json")]
pub struct DoctorArgs {}

/// Take the files out of an agent's reply
///
/// Reads named code blocks, here-documents and diffs. Every block that is not taken is said with its reason; files are
/// written only if nothing but blocks without a name is refused.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi extract reply.md --out work\n\nExit codes: 0 taken, or nothing found; 3 something was refused and nothing was written"
)]
pub struct ExtractArgs {
    /// The reply; `-` or nothing reads standard input
    pub file: Option<PathBuf>,
    /// Write the files below this folder; diffs change what stands there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Every setting with its origin
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi config show")]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Every setting, its value and where it comes from
    #[command(after_help = "Example:\n  mi config show --json")]
    Show,
    /// The files that are read, in order
    #[command(after_help = "Example:\n  mi config path")]
    Path,
}

/// JSON Schemas of the journal's records and of the files in .nexus
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi schema decision\n  mi schema plan.json")]
pub struct SchemaArgs {
    /// One kind of record, or a file such as plan.json; without it, all records
    pub kind: Option<String>,
}

/// See it work: a small repository, a recorded agent, no account, no network
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi demo")]
pub struct DemoArgs {
    /// Where to put the demo's files [default: a new temporary folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Plans, tasks, history and memory of this project as MCP tools, for any agent
///
/// Speaks MCP on standard input and output until the input ends; an agent starts it by itself.
/// The project is --cd, else NEXUS_PROJECT_ROOT, else the working directory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  claude mcp add mi -- mi mcp --cd .")]
pub struct McpArgs {
    /// The agent this server works for, such as claude-nexus [default: NEXUS_HARNESS_ID]
    #[arg(long, value_name = "ID")]
    pub harness_id: Option<String>,
    /// Serve HTTP instead, on this loopback address, such as 127.0.0.1:8765
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
}

/// Check and publish a folder of agents, skills and vocabulary
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi manifest generate --out manifest.json")]
pub struct ManifestArgs {
    #[command(subcommand)]
    pub action: ManifestAction,
}

#[derive(Debug, Subcommand)]
pub enum ManifestAction {
    /// Make manifest.json: every agent and skill with the hash of its body, and the vocabulary
    #[command(after_help = "Example:\n  mi manifest generate --out manifest.json")]
    Generate {
        /// The folder with agents/, skills/ and vocabulary/ [default: the set that is shipped with mi]
        dir: Option<PathBuf>,
        /// Where to write it; `-` is standard output [default: DIR/manifest.json, or standard output without DIR]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Ask the validation gates G1 to G11 about a folder
    #[command(
        after_help = "Example:\n  mi manifest validate .\n\nExit codes: 0 no errors, 1 errors, 2 the folder cannot be looked at"
    )]
    Validate {
        /// The folder with agents/, skills/ and vocabulary/
        dir: PathBuf,
    },
    /// Ask whether fixtures cover every field of the state files
    ///
    /// DIR, or DIR/conformance, holds state-schemas/ and folders of fixtures.
    #[command(
        after_help = "Example:\n  mi manifest coverage .\n\nExit codes: 0 all covered, 1 gaps, 2 the folder cannot be looked at"
    )]
    Coverage {
        /// The folder with state-schemas/ and fixtures
        dir: PathBuf,
    },
    /// Print the instructions of a skill, or of an agent, of the set that is shipped
    #[command(after_help = "Example:\n  mi manifest show nx-plan --harness claude")]
    Show {
        /// Such as nx-plan or engineer
        id: String,
        /// For whom: claude, codex, opencode or any other [default: NEXUS_HARNESS_ID]
        #[arg(long, value_name = "HARNESS")]
        harness: Option<String>,
    },
}

/// Record one event of an agent's life; agents call it, see docs/hooks.md
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  echo '{\"message\":\"[plan] a parser\"}' | mi hook user-message --harness-id mine"
)]
pub struct HookArgs {
    /// The event and its flags
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "EVENT")]
    pub words: Vec<OsString>,
}

/// Register the MCP server and the lifecycle hooks in an agent's configuration
///
/// Shows the change first, asks, and keeps a backup beside each file.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi install claude --dry-run")]
pub struct InstallArgs {
    #[command(flatten)]
    pub change: ConfigChange,
}

/// Take out of an agent's configuration exactly what `mi install` put in
///
/// Shows the change first, and asks.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi uninstall claude --dry-run")]
pub struct UninstallArgs {
    #[command(flatten)]
    pub change: ConfigChange,
}

#[derive(Debug, Args)]
pub struct ConfigChange {
    /// Whose configuration
    #[arg(value_enum)]
    pub agent: AgentName,
    /// For every project of yours: the agent's own configuration [default]
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// For this project alone: files in its folder
    #[arg(long)]
    pub project: bool,
    /// Show the change, make none
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgentName {
    Codex,
    Claude,
    Opencode,
}

/// Completions for your shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi completions bash")]
pub struct CompletionsArgs {
    pub shell: clap_complete::Shell,
}

/// Help for everything, or for one command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi help plan start")]
pub struct HelpArgs {
    /// `all`, or a command with its subcommands
    pub topic: Vec<String>,
}
