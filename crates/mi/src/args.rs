//! The command line as typed, before settings are resolved.
//!
//! A command's doc comment is its help text. Each command has one example, which the tests run. To add a command, add a
//! line to its group in the table below; to put it on the first screen too, add a line to `HELP`.

#[macro_use]
mod table;
mod admission;
mod boxed;
mod choice;
pub mod council;
pub mod deploy;
mod former;
pub mod gate;
pub mod hooks;
mod make;
pub mod memory;
pub mod persona;
mod prove;
mod workspace;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use self::choice::word_parser;
use self::{
    council::{BeatArgs, DeliverArgs, DrArgs, PromptArgs, ProposeArgs, ReviewArgs, TraceArgs},
    deploy::{ConsultArgs, DeployArgs},
    gate::{AckArgs, CuArgs, GateArgs, IntakeArgs, PermitArgs},
    hooks::HooksArgs,
    memory::MemoryArgs,
    persona::{BootArgs, CardArgs, HandoffArgs, PersonaArgs, SessionArgs},
};
pub use admission::{AdmitArgs, PolicyAction, PolicyArgs};
pub use boxed::{BoxAction, BoxArgs, CheckArgs, ExecArgs, PublishArgs};
pub use make::MakeArgs;
pub use prove::ProveArgs;
pub use table::Group;
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

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Folder where mi keeps its files [default: ~/.mind-incarnation]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Project folder [default: the working directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub cd: Option<PathBuf>,
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    pub json: bool,
}

/// The first screen: the everyday commands, then one line per group. At most 24 lines of 80 columns.
const HELP: &str = "\
mi {version}: runs coding agents and stops only when the work is proven done
Usage: mi [--home DIR] [--cd DIR] [--json] COMMAND

  run TASK       Run an agent on TASK until the work is proven done
  answer, inbox  Answer the question of a run; list all waiting questions
  accept         Accept criteria that you have checked yourself
  stop           Stop this project's run
  status         Show what is running and what to do next (also: bare `mi`)
  log, show      List the records of this project; print one of them
  why [REF]      Explain a decision: who made it, and on what evidence
  prove          Check whether any test notices a change
  init, doctor   Write down how you decide; check this machine
  hooks, mcp     Install your rules and tools in an agent, or uninstall them

Groups: `mi help GROUP` lists the commands of one, `mi help all` lists them all
  journal        Read and replay what was recorded
  workspace      Plans, tasks, notes and files that every agent can read
  persona        What you and your agents remember from session to session
  guard          Decide what agents may run, and check deployments
  box            Run code in a sealed box: no network, none of your files
  council        Review, decide and deliver with evidence
  setup          Install, uninstall and configure mi
";

commands! {
    "everyday": "Run agents, and see what they did and why" {
        "run" => Run(RunArgs),
        "answer" => Answer(AnswerArgs),
        "accept" => Accept(AcceptArgs),
        "stop" => Stop: "Stop this project's run, or the run that is waiting for you"; "mi stop",
        "status" => Status: "Show what is running, what needs you and what to do next"; "mi status",
        "inbox" => Inbox: "List the questions that are waiting for you, in all projects"; "mi inbox",
        "log" => Log(LogArgs),
        "why" => Why(WhyArgs),
        "prove" => Prove(ProveArgs),
        "init" => Init(InitArgs),
        "doctor" => Doctor(DoctorArgs),
    }
    "journal": "Read and replay what was recorded" {
        "show" => Show(ShowArgs),
        "transcript" => Transcript(TranscriptArgs),
        "replay" => Replay(ReplayArgs),
        "verify" => Verify: "Verify the hash chains of this project's journal"; "mi verify --json",
        "schema" => Schema(SchemaArgs),
    }
    "workspace": "Plans, tasks, notes and files that every agent can read" {
        "plan" => Plan(PlanArgs),
        "task" => Task(TaskArgs),
        "history" => History(HistoryArgs),
        "artifact" => Artifact(ArtifactArgs),
        "context" => Context(ContextArgs),
        "memory" => Memory(MemoryArgs),
        "manifest" => Manifest(ManifestArgs),
    }
    "persona": "What you and your agents remember from session to session" {
        "persona" => Persona(PersonaArgs),
        "boot" => Boot(BootArgs),
        "session" => Session(SessionArgs),
        "card" => Card(CardArgs),
        "handoff" => Handoff(HandoffArgs),
    }
    "guard": "Decide what agents may run, and check deployments" {
        "gate" => Gate(GateArgs),
        "permit" => Permit(PermitArgs),
        "ack" => Ack(AckArgs),
        "intake" => Intake(IntakeArgs),
        "cu" => Cu(CuArgs),
        "protocol" => Protocol(ProtocolArgs),
        "consult" => Consult(ConsultArgs),
        "deploy" => Deploy(DeployArgs),
    }
    "box": "Run code in a sealed box: no network, none of your files" {
        "box" => Box(BoxArgs),
        "make" => Make(MakeArgs),
        "extract" => Extract(ExtractArgs),
    }
    "council": "Review, decide and deliver with evidence" {
        "propose" => Propose(ProposeArgs),
        "review" => Review(ReviewArgs),
        "dr" => Dr(DrArgs),
        "deliver" => Deliver(DeliverArgs),
        "trace" => Trace(TraceArgs),
        "beat" => Beat(BeatArgs),
        "prompt" => Prompt(PromptArgs),
    }
    "setup": "Install, uninstall and configure mi" {
        "hooks" => Hooks(HooksArgs),
        "mcp" => Mcp(McpArgs),
        "hook" => Hook(HookArgs),
        "config" => Config(ConfigArgs),
        "learned" => Learned(LearnedArgs),
        "demo" => Demo(DemoArgs),
        "completions" => Completions(CompletionsArgs),
        "man" => Man: "Print the manual page"; "mi man | man -l -",
        "version" => Version: "Print the version"; "mi version --json",
        "help" => Help(HelpArgs),
    }
}

/// Write down how you decide
///
/// Compiles your values into `mindspec/base.json`, which you can edit by hand.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi init --no-compile --values 'Prefer small changes. Never push without asking me.'"
)]
pub struct InitArgs {
    /// Your values, in your own words
    #[arg(long, value_name = "TEXT", conflicts_with = "values_file")]
    pub values: Option<String>,
    /// File that holds your values; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub values_file: Option<PathBuf>,
    /// Print the summary and the decision procedure
    #[arg(long)]
    pub show: bool,
    /// Compile and print; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Call no model: store the text and the defaults
    #[arg(long)]
    pub no_compile: bool,
    /// Mind that compiles: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
}

/// Run an agent on a task until the work is proven done
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi run --cd . --max-batches 10 'Fix the failing test'\n\nExit codes: 0 done, 1 failed or not done, 3 blocked or needs you, 130 interrupted"
)]
pub struct RunArgs {
    /// Task for the agent; `-` reads standard input
    #[arg(required_unless_present = "resume")]
    pub task: Option<String>,
    /// Agent that works: codex, replay:DIR, exec:CMD
    #[arg(long, value_name = "HANDS")]
    pub hands: Option<String>,
    /// Mind that decides: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
    /// Print more during the run: what is sent to the agent, and the evidence
    #[arg(long)]
    pub show: bool,
    /// Stop as blocked after this many batches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_batches: Option<u32>,
    /// Stop as blocked after this many minutes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_minutes: Option<u64>,
    /// Stop as blocked after this many tokens, including the mind's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Follow a protocol: its phases drive the agent, its reviewers only read
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<String>,
    /// Resume the last run of this project, after a crash or a limit
    #[arg(long, conflicts_with = "task")]
    pub resume: bool,
    /// Verify once more before the run counts as done: `box` runs the project's check in the box
    #[arg(long, value_enum)]
    pub verify: Option<VerifyBy>,
    /// Record the agent's output and changes in DIR, for `--hands replay:DIR`
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Commit the work once it is proven, with the task as the message
    #[arg(long)]
    pub commit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyBy {
    Box,
}

/// Answer the question that a run is waiting for, and resume the run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi answer 'Use `python3 -m unittest`'")]
pub struct AnswerArgs {
    /// Your answer; `-` reads standard input
    pub text: String,
    /// Run to answer [default: the one that asked last]
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// Accept criteria of the last run that you have checked yourself
///
/// Without an argument, accepts every open criterion, and the run is done.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi accept\n  mi accept 2")]
pub struct AcceptArgs {
    /// Criteria by number, or by the start of their text [default: all open criteria]
    #[arg(value_name = "CRITERION")]
    pub criteria: Vec<String>,
}

/// List the newest records of this project; `mi log` lists more
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi last -n 3")]
pub struct LastArgs {
    /// Number of records
    #[arg(short, value_name = "N", default_value = "5")]
    pub n: NonZeroUsize,
}

/// List the records of this project, newest last
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi log --kind decision --grep 'failed'")]
pub struct LogArgs {
    /// Only records of this kind, such as decision, EvidenceItem, risk_event
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Only records of this run; `last` is the newest run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Only records since this time, or from the last 90s, 15m, 2h, 3d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only records that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub grep: Option<String>,
    /// At most this many records, the newest ones
    #[arg(short, value_name = "N", default_value_t = 50)]
    pub n: usize,
    /// Keep printing new records
    #[arg(short, long)]
    pub follow: bool,
}

impl From<LastArgs> for LogArgs {
    fn from(args: LastArgs) -> Self {
        Self { kind: None, run: None, since: None, grep: None, n: args.n.get(), follow: false }
    }
}

/// Print one record, or all records of a batch or run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi show last")]
pub struct ShowArgs {
    /// Record number, batch such as b2, run id, or `last`
    pub reference: String,
}

/// Explain a decision: who made it, on what evidence and values
///
/// Prints the rule or the model's answer, the evidence behind it and the values it cites.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi why b1")]
pub struct WhyArgs {
    /// Record number, batch such as b2, or run id [default: the newest decision]
    pub reference: Option<String>,
}

/// Print what the agent or the mind said
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi transcript hands -n 20")]
pub struct TranscriptArgs {
    /// Transcript of the agent (hands) or of the mind
    #[arg(value_enum, default_value_t = Speaker::Hands)]
    pub speaker: Speaker,
    /// At most this many lines, the newest ones
    #[arg(short, value_name = "N", default_value_t = 50)]
    pub n: usize,
    /// Keep printing new lines
    #[arg(short, long)]
    pub follow: bool,
    /// Print the stored lines unchanged
    #[arg(long)]
    pub raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Speaker {
    Hands,
    Mind,
}

/// List, add or disable the rules that mi learned from you
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi learned add 'Ask before installing packages.'")]
pub struct LearnedArgs {
    #[command(subcommand)]
    pub action: LearnedAction,
}

#[derive(Debug, Subcommand)]
pub enum LearnedAction {
    /// List the rules in force
    #[command(after_help = "Example:\n  mi learned list")]
    List,
    /// Add a rule
    #[command(after_help = "Example:\n  mi learned add 'Ask before installing packages.' --scope global")]
    Add {
        /// Rule, in your own words
        text: String,
        /// Scope of the rule
        #[arg(long, value_enum, default_value_t = Scope::Project)]
        scope: Scope,
    },
    /// Disable a rule
    #[command(after_help = "Example:\n  mi learned disable L-1")]
    Disable {
        /// Rule id, as shown by `mi learned list`
        id: String,
        /// Scope to search [default: both]
        #[arg(long, value_enum)]
        scope: Option<Scope>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Global,
    Project,
}

/// Repeat the decisions of a recorded run, without side effects
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi replay last --mind rules")]
pub struct ReplayArgs {
    /// Run id, or `last`
    pub run: String,
    /// Use the values in this file
    #[arg(long, value_name = "FILE")]
    pub values: Option<PathBuf>,
    /// Use this mind: auto, rules, codex, openai, anthropic
    #[arg(long, value_name = "MIND")]
    pub mind: Option<String>,
}

/// Check, draw, simulate and audit protocols: the rules of a workflow
///
/// FILE is a protocol file (YAML or JSON), `-` for standard input, or a built-in protocol: `builtin:autopilot` or
/// `builtin:feature-delivery`.
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
    /// Print the JSON Schema of protocol files
    #[command(after_help = "Example:\n  mi protocol schema")]
    Schema,
    /// Report errors (exit 1) and warnings (exit 0) in a protocol file, with line numbers
    #[command(after_help = "Example:\n  mi protocol check builtin:autopilot")]
    Check {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
    },
    /// Convert an edge table to a protocol file
    #[command(after_help = "Example:\n  mi protocol export builtin:autopilot | mi protocol import -")]
    Import {
        /// CSV file; `-` reads standard input
        table: String,
        /// Name of the protocol
        #[arg(long, default_value = "imported")]
        name: String,
    },
    /// Convert a protocol file to an edge table, as CSV
    #[command(after_help = "Example:\n  mi protocol export builtin:feature-delivery")]
    Export {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
    },
    /// Draw a protocol as a graph
    #[command(after_help = "Example:\n  mi protocol render builtin:autopilot --format svg")]
    Render {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
        /// Output format
        #[arg(long, value_enum, default_value_t = Drawing::Mermaid)]
        format: Drawing,
    },
    /// Print the verdict on each event
    #[command(
        after_help = "Example:\n  echo '{\"type\":\"transition\",\"edge\":\"A1\"}' | mi protocol simulate builtin:autopilot -"
    )]
    Simulate {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
        /// Event file, one JSON object per line; `-` reads standard input
        events: String,
        /// Write a snapshot after the last event
        #[arg(long, value_name = "SNAP")]
        save: Option<PathBuf>,
        /// Start from a snapshot of the same protocol file
        #[arg(long, value_name = "SNAP")]
        from: Option<PathBuf>,
    },
    /// Explain the verdict on one event: each expression with its values
    #[command(
        after_help = "Example:\n  echo '{\"type\":\"transition\",\"edge\":\"A1\"}' | mi protocol explain builtin:autopilot - --at 1"
    )]
    Explain {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
        /// Event file, one JSON object per line; `-` reads standard input
        events: String,
        /// Line number of the event
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        at: u64,
    },
    /// Audit a recorded run and cite the records behind each finding
    #[command(after_help = "Example:\n  mi protocol audit builtin:autopilot --run last")]
    Audit {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
        /// Event file, one JSON object per line; `-` reads standard input [default: a recorded run]
        #[arg(conflicts_with = "run")]
        events: Option<String>,
        /// Run in this project's journal [default: the newest]
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
    },
    /// Show what this protocol would have changed in recorded runs
    #[command(after_help = "Example:\n  mi protocol backtest builtin:autopilot")]
    Backtest {
        /// Protocol file, `-` for standard input, or `builtin:NAME`
        file: String,
        /// Event files or audit records [default: every run in this project's journal]
        events: Vec<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    Mermaid,
    Dot,
    Svg,
}

/// Check this machine for everything mi needs, and suggest fixes
///
/// Also reports which box engines work, and why the others do not.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi doctor --json")]
pub struct DoctorArgs {}

/// Extract the files in an agent's reply
///
/// Reads named code blocks, here-documents and diffs, and reports every block it refuses with the reason. Writes files
/// only if all refused blocks are blocks without a name.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi extract reply.md --out work\n\nExit codes: 0 extracted, or nothing found; 3 a block was refused and nothing was written"
)]
pub struct ExtractArgs {
    /// Reply to read [default: standard input]
    pub file: Option<PathBuf>,
    /// Write the files to this folder; diffs change the files in it
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Print every setting with its value and origin
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi config show")]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Print every setting with its value and origin
    #[command(after_help = "Example:\n  mi config show --json")]
    Show,
    /// List the configuration files, in the order they are read
    #[command(after_help = "Example:\n  mi config path")]
    Path,
}

/// Print the JSON Schema of journal records or of a file in .nexus
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi schema decision\n  mi schema plan.json")]
pub struct SchemaArgs {
    /// Kind of record, or a file such as plan.json [default: all records]
    pub kind: Option<String>,
}

/// Show a full run on a small repository, no account needed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi demo")]
pub struct DemoArgs {
    /// Folder for the demo's files [default: a new temporary folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Serve plans, tasks and memory over MCP, or install that server
///
/// Without a subcommand, speaks MCP on standard input and output until the input ends; agents start it themselves. The
/// project is --cd, else NEXUS_PROJECT_ROOT, else the working directory.
#[derive(Debug, Default, Args)]
#[command(after_help = "Example:\n  mi mcp install claude --dry-run\n  claude mcp add mi -- mi mcp --cd .")]
pub struct McpArgs {
    #[command(subcommand)]
    pub action: Option<McpAction>,
    /// Agent that this server works for, such as claude-nexus [default: NEXUS_HARNESS_ID]
    #[arg(long, value_name = "ID")]
    pub harness_id: Option<String>,
    /// Serve HTTP on this loopback address instead, such as 127.0.0.1:8765
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum McpAction {
    /// Add the MCP server and the lifecycle hooks to an agent's configuration
    ///
    /// Shows the change first, asks, and keeps a backup of each file.
    #[command(after_help = "Example:\n  mi mcp install claude --dry-run")]
    Install(ConfigChange),
    /// Remove exactly what `mi mcp install` added
    ///
    /// Shows the change first, and asks.
    #[command(after_help = "Example:\n  mi mcp uninstall claude --dry-run")]
    Uninstall(ConfigChange),
}

/// Check and package a folder of agents, skills and vocabulary
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi manifest generate --out manifest.json")]
pub struct ManifestArgs {
    #[command(subcommand)]
    pub action: ManifestAction,
}

#[derive(Debug, Subcommand)]
pub enum ManifestAction {
    /// Write manifest.json: agents and skills with their hashes, and the vocabulary
    #[command(after_help = "Example:\n  mi manifest generate --out manifest.json")]
    Generate {
        /// Folder with agents/, skills/ and vocabulary/ [default: the set that comes with mi]
        dir: Option<PathBuf>,
        /// Output file; `-` is standard output [default: DIR/manifest.json, or standard output without DIR]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Run the validation gates G1 to G11 on a folder
    #[command(
        after_help = "Example:\n  mi manifest validate .\n\nExit codes: 0 no errors, 1 errors, 2 the folder cannot be read"
    )]
    Validate {
        /// Folder with agents/, skills/ and vocabulary/
        dir: PathBuf,
    },
    /// Check that fixtures cover every field of the state files
    ///
    /// DIR or DIR/conformance holds state-schemas/ and folders of fixtures.
    #[command(
        after_help = "Example:\n  mi manifest coverage .\n\nExit codes: 0 all covered, 1 gaps, 2 the folder cannot be read"
    )]
    Coverage {
        /// Folder with state-schemas/ and fixtures
        dir: PathBuf,
    },
    /// Print the instructions of a skill or agent that comes with mi
    #[command(after_help = "Example:\n  mi manifest show nx-plan --harness claude")]
    Show {
        /// Skill or agent, such as nx-plan or engineer
        id: String,
        /// Agent program that reads them: claude, codex, opencode or another [default: NEXUS_HARNESS_ID]
        #[arg(long, value_name = "HARNESS")]
        harness: Option<String>,
    },
}

/// Record one event of an agent's session; called by agents
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  echo '{\"message\":\"[plan] a parser\"}' | mi hook user-message --harness-id mine"
)]
pub struct HookArgs {
    /// Event and its options; docs/hooks.md lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "EVENT")]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ConfigChange {
    /// Agent to configure
    #[arg(value_enum)]
    pub agent: AgentName,
    /// Change your own configuration of the agent, for all projects [default]
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// Change this project's files only
    #[arg(long)]
    pub project: bool,
    /// Show the change; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgentName {
    Codex,
    Claude,
    Opencode,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi completions bash")]
pub struct CompletionsArgs {
    pub shell: clap_complete::Shell,
}

/// Show help for a command, a group or everything
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi help plan start")]
pub struct HelpArgs {
    /// Command with its subcommands, group, or `all`
    pub topic: Vec<String>,
}
