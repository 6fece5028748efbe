//! Flags of the gate: `mi gate`, `mi intake`, `mi cu`, `mi permit`, `mi ack`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Ask the gate: what may run, and how deep a change is reviewed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi gate explain 'git push --force origin main'")]
pub struct GateArgs {
    #[command(subcommand)]
    pub action: GateAction,
}

#[derive(Debug, Subcommand)]
pub enum GateAction {
    /// Decide about one tool call on standard input; exit 0 allow, 3 prompt, 4 deny
    #[command(
        after_help = "Example:\n  echo '{\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"}}' | mi gate check --json"
    )]
    Check(GateCheckArgs),
    /// What must happen before a change of this size and risk goes on
    #[command(after_help = "Example:\n  mi gate matrix --cu 4 --risk 2")]
    Matrix {
        /// Change units: `mi cu` counts them
        #[arg(long, value_name = "N")]
        cu: u64,
        /// Risk score: `mi intake` gives it
        #[arg(long, value_name = "N")]
        risk: u32,
    },
    /// Every rule that is in force, and files that were not loaded
    #[command(after_help = "Example:\n  mi gate rules")]
    Rules {
        /// One more file of rules
        #[arg(long = "rules", value_name = "FILE")]
        rules: Vec<PathBuf>,
    },
    /// Why a shell command would be allowed, asked about or denied; runs nothing
    #[command(after_help = "Example:\n  mi gate explain 'rm -rf build'")]
    Explain {
        command: String,
        /// One more file of rules
        #[arg(long = "rules", value_name = "FILE")]
        rules: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct GateCheckArgs {
    /// One more file of rules
    #[arg(long = "rules", value_name = "FILE")]
    pub rules: Vec<PathBuf>,
    /// A protocol file whose access rules are asked too
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<String>,
    /// Who acts, for rules about actors; without MI_MEMBER also whose private memory is their own
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// The folder of calls that name none [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// One call per line in, one decision per line out
    #[arg(long)]
    pub batch: bool,
    /// The session the calls belong to: what waits for `mi ack` there is denied, and answers are written down
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// What a message asks for: mode, triggers, risk, batch, speed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi intake 'Rename the config module, ASAP'")]
pub struct IntakeArgs {
    /// The message; `-` reads standard input
    // A list begins with a hyphen.
    #[arg(allow_hyphen_values = true)]
    pub message: String,
    /// A YAML file that describes the task
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// The change it is about, as a diff; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "staged")]
    pub diff: Option<PathBuf>,
    /// The change it is about is what is staged
    #[arg(long)]
    pub staged: bool,
    /// A folder that keeps topic, approvals and the last save between messages
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// A YAML file with a team's own trigger words
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,
}

/// Count the change units of a diff
///
/// One per run of contiguous changed lines, one per new, deleted or binary file. Without a flag it counts everything that
/// is not committed. Generated files are listed and not counted.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi cu --staged")]
pub struct CuArgs {
    /// What is staged
    #[arg(long, group = "source")]
    pub staged: bool,
    /// From one commit to another: A..B
    #[arg(long, value_name = "A..B", group = "source")]
    pub range: Option<String>,
    /// A diff in a file; `-` reads standard input
    #[arg(long, value_name = "FILE", group = "source")]
    pub diff: Option<PathBuf>,
}

/// Make a rule of the gate milder or stricter; without a rule, what was changed and what could be
///
/// deny becomes allow only by way of prompt; deny to prompt needs you and a reason; prompt to allow needs you and five
/// recorded safe uses. Stricter is always possible. What would change is shown first, and every change is journalled.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi permit mi.commit deny --reason 'release week'")]
pub struct PermitArgs {
    /// The rule: `mi gate rules` lists them
    #[arg(requires = "decision")]
    pub rule: Option<String>,
    /// What it becomes
    pub decision: Option<PermitDecision>,
    /// Why; needed to make a deny milder
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take a change back, by its id
    #[arg(long, value_name = "ID", conflicts_with = "rule")]
    pub undo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PermitDecision {
    Allow,
    Prompt,
    Deny,
}

/// Acknowledge a high-risk request, so that it may go on; without an id, what waits
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi ack")]
pub struct AckArgs {
    /// The id that the challenge named
    pub id: Option<String>,
    /// The session's folder [default: all sessions of your agents]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}
