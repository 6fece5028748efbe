//! Flags of `mi deploy` and `mi consult`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The deployment checklist, health and rollback of `.mi/deploy.yaml`
///
/// The file has `version: 1` and `targets`, each with: tests, environment (a file of names), environment_file, rollback_plan
/// (a file), rollback, health (an address), smoke_test, log.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi deploy check --target production\n\nExit codes: 0 may go, 3 waits for you, 4 blocked"
)]
pub struct DeployArgs {
    #[command(subcommand)]
    pub action: DeployAction,
}

#[derive(Debug, Subcommand)]
pub enum DeployAction {
    /// Prove the six items: tests, clean tree, reviewed diff, variables, rollback plan, window; exit 4 when blocked
    #[command(after_help = "Example:\n  mi deploy check")]
    Check(TargetArgs),
    /// Write down what you decided or did: review, window, deployed
    #[command(after_help = "Example:\n  mi deploy record review")]
    Record {
        what: DeployRecord,
        #[command(flatten)]
        target: TargetArgs,
        /// How long a confirmed window lasts
        #[arg(long, value_name = "MINUTES", default_value_t = 120)]
        minutes: u32,
    },
    /// Ask the endpoint, run the smoke test, read the log; exit 3 with symptom, cause and rollback when not well
    #[command(after_help = "Example:\n  mi deploy health")]
    Health(TargetArgs),
    /// Show how to go back; runs it only after you agreed on this terminal
    #[command(after_help = "Example:\n  mi deploy rollback")]
    Rollback(TargetArgs),
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// The target [default: the only one, or production]
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeployRecord {
    /// You read the diff of the commit that is checked out
    Review,
    /// Now is a good time
    Window,
    /// The deployment has just been made
    Deployed,
}

/// Ask another AI, read-only and with little context; nothing of its answer is applied
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi consult --by codex --mode review --task task.yaml --staged\n\nExit codes: 0 answered, 3 unclear or two run already, 4 refused"
)]
pub struct ConsultArgs {
    /// Who is asked: codex, claude, or exec:PROGRAM, which reads the question on standard input
    #[arg(long, value_name = "NAME")]
    pub by: String,
    #[arg(long, value_enum)]
    pub mode: ConsultMode,
    /// A YAML file with the task and its acceptance criteria
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// A file it may see; may be given again
    #[arg(long = "file", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The change it is about, as a diff
    #[arg(long, value_name = "FILE", conflicts_with = "staged")]
    pub diff: Option<PathBuf>,
    /// The change it is about is what is staged
    #[arg(long)]
    pub staged: bool,
    /// Something it must keep to; may be given again
    #[arg(long = "constraint", value_name = "TEXT")]
    pub constraints: Vec<String>,
    /// Only show what would be sent
    #[arg(long)]
    pub dry_run: bool,
    /// The question; `-` reads standard input
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
