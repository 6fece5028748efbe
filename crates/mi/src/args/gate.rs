//! Flags of the gate: `mi gate`, `mi intake`.

use clap::{Args, Subcommand};
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
    /// Who acts, for rules about actors
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// The folder of calls that name none [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// One call per line in, one decision per line out
    #[arg(long)]
    pub batch: bool,
}

/// What a message asks for: mode, triggers, risk, batch, speed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi intake 'Rename the config module, ASAP'")]
pub struct IntakeArgs {
    /// The message; `-` reads standard input
    pub message: String,
    /// A YAML file that describes the task
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// The change it is about, as a diff
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
