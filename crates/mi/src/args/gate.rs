//! Arguments of the gate: `mi gate`, `mi intake`, `mi cu`, `mi permit`, `mi ack`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Ask the gate whether a tool call may run, and why
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi gate explain 'git push --force origin main'")]
pub struct GateArgs {
    #[command(subcommand)]
    pub action: GateAction,
}

#[derive(Debug, Subcommand)]
pub enum GateAction {
    /// Decide on a tool call read from standard input (0 allow, 3 prompt, 4 deny)
    #[command(
        after_help = "Example:\n  echo '{\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"}}' | mi gate check --json"
    )]
    Check(GateCheckArgs),
    /// Show which review a change of this size and risk needs
    #[command(after_help = "Example:\n  mi gate matrix --cu 4 --risk 2")]
    Matrix {
        /// Number of change units, from `mi cu`
        #[arg(long, value_name = "N")]
        cu: u64,
        /// Risk score, from `mi intake`
        #[arg(long, value_name = "N")]
        risk: u32,
    },
    /// List the rules in force, and rule files that failed to load
    #[command(after_help = "Example:\n  mi gate rules")]
    Rules {
        /// Additional file of rules
        #[arg(long = "rules", value_name = "FILE")]
        rules: Vec<PathBuf>,
    },
    /// Explain whether a shell command would be allowed, without running it
    #[command(after_help = "Example:\n  mi gate explain 'rm -rf build'")]
    Explain {
        /// Shell command
        command: String,
        /// Additional file of rules
        #[arg(long = "rules", value_name = "FILE")]
        rules: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct GateCheckArgs {
    /// Additional file of rules
    #[arg(long = "rules", value_name = "FILE")]
    pub rules: Vec<PathBuf>,
    /// Protocol file whose access rules apply too
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<String>,
    /// Actor, for rules about actors; without MI_MEMBER also the owner of private memory
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Folder of calls without one [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Read one call per line, print one decision per line
    #[arg(long)]
    pub batch: bool,
    /// Folder of the session: denies what is waiting for `mi ack` there, and records answers
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// Classify a message: mode, triggers, risk, batch, speed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi intake 'Rename the config module, ASAP'")]
pub struct IntakeArgs {
    /// Message; `-` reads standard input
    // A list begins with a hyphen.
    #[arg(allow_hyphen_values = true)]
    pub message: String,
    /// YAML file that describes the task
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// Change that the message is about, as a diff; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "staged")]
    pub diff: Option<PathBuf>,
    /// The message is about the staged change
    #[arg(long)]
    pub staged: bool,
    /// Folder that keeps topic, approvals and the last save between messages
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// YAML file with your team's own trigger words
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,
}

/// Count the change units of a diff
///
/// A unit is a run of contiguous changed lines, or a new, deleted or binary file. Without an option, counts all
/// uncommitted changes. Lists generated files but does not count them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi cu --staged")]
pub struct CuArgs {
    /// Count the staged change
    #[arg(long, group = "source")]
    pub staged: bool,
    /// Count the change from one commit to another
    #[arg(long, value_name = "A..B", group = "source")]
    pub range: Option<String>,
    /// Count a diff in a file; `-` reads standard input
    #[arg(long, value_name = "FILE", group = "source")]
    pub diff: Option<PathBuf>,
}

/// Loosen or tighten a rule of the gate
///
/// Without a rule, lists past changes and the rules that can change. A rule goes from deny to prompt with a reason, and
/// from prompt to allow after five recorded safe uses; only you can loosen it. Tightening is always possible. Shows the
/// change first and records it in the journal.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi permit mi.commit deny --reason 'release week'")]
pub struct PermitArgs {
    /// Rule, from `mi gate rules`
    #[arg(requires = "decision")]
    pub rule: Option<String>,
    /// New decision of the rule
    pub decision: Option<PermitDecision>,
    /// Reason; required to loosen a deny
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Show the change; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Undo a change, by its id
    #[arg(long, value_name = "ID", conflicts_with = "rule")]
    pub undo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PermitDecision {
    Allow,
    Prompt,
    Deny,
}

/// Acknowledge a high-risk request, or list those that are waiting
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi ack")]
pub struct AckArgs {
    /// Request id, from the challenge
    pub id: Option<String>,
    /// Folder of the session [default: all sessions of your agents]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}
