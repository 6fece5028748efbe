//! Arguments of `mi deploy` and `mi consult`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Run the deployment checklist, health checks and rollback
///
/// `.mi/deploy.yaml` has `version: 1` and `targets`. Each target has: tests, environment (a file of names),
/// environment_file, rollback_plan (a file), rollback, health (a URL), smoke_test, log.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi deploy check --target production\n\nExit codes: 0 passed, 3 waiting for you, 4 blocked"
)]
pub struct DeployArgs {
    #[command(subcommand)]
    pub action: DeployAction,
}

#[derive(Debug, Subcommand)]
pub enum DeployAction {
    /// Check tests, clean tree, reviewed diff, variables, rollback plan and window
    #[command(after_help = "Example:\n  mi deploy check")]
    Check(TargetArgs),
    /// Record what you decided or did: review, window, deployed
    #[command(after_help = "Example:\n  mi deploy record review")]
    Record {
        what: DeployRecord,
        #[command(flatten)]
        target: TargetArgs,
        /// Length of a confirmed window
        #[arg(long, value_name = "MINUTES", default_value_t = 120)]
        minutes: u32,
    },
    /// Check the endpoint, the smoke test and the log (exit 3 if unhealthy)
    #[command(after_help = "Example:\n  mi deploy health")]
    Health(TargetArgs),
    /// Show the rollback command, and run it if you agree on this terminal
    #[command(after_help = "Example:\n  mi deploy rollback")]
    Rollback(TargetArgs),
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Target [default: the only one, or production]
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeployRecord {
    /// You have reviewed the diff of the checked-out commit
    Review,
    /// You confirm that now is a good time
    Window,
    /// The deployment has just been done
    Deployed,
}

/// Ask another AI for advice, read-only and with little context
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi consult --by codex --mode review --task task.yaml --staged\n\nExit codes: 0 answered, 3 unclear or two consultations are running, 4 refused"
)]
pub struct ConsultArgs {
    /// AI to ask: codex, claude, or exec:PROGRAM, which reads the question from standard input
    #[arg(long, value_name = "NAME")]
    pub by: String,
    /// Kind of question
    #[arg(long, value_enum)]
    pub mode: ConsultMode,
    /// YAML file with the task and its acceptance criteria
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// File that it may read; can be repeated
    #[arg(long = "file", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change to ask about, as a diff
    #[arg(long, value_name = "FILE", conflicts_with = "staged")]
    pub diff: Option<PathBuf>,
    /// Ask about the staged change
    #[arg(long)]
    pub staged: bool,
    /// Constraint on the answer; can be repeated
    #[arg(long = "constraint", value_name = "TEXT")]
    pub constraints: Vec<String>,
    /// Print what would be sent; send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Question; `-` reads standard input
    #[arg(allow_hyphen_values = true, default_value = "")]
    pub question: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConsultMode {
    Review,
    Implement,
    Research,
    Multimodal,
}
