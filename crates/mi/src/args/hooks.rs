//! `mi hooks`: the gate inside agents and git.

use clap::{Args, Subcommand, ValueEnum};

/// Install your rules in your own agents and git, or uninstall them
///
/// The agent then asks the gate before each tool call, and git before each commit. The gate allows, prompts or denies.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi hooks install claude --dry-run\n  mi hooks status")]
pub struct HooksArgs {
    #[command(subcommand)]
    pub action: HooksAction,
}

#[derive(Debug, Subcommand)]
pub enum HooksAction {
    /// Add the gate to an agent's or git's configuration
    ///
    /// Shows the change, asks on a terminal, and keeps a backup of each file. Can be repeated.
    #[command(after_help = "Example:\n  mi hooks install claude --project --dry-run")]
    Install(HooksChangeArgs),
    /// Remove exactly what `mi hooks install` added
    #[command(after_help = "Example:\n  mi hooks uninstall claude --dry-run")]
    Uninstall(HooksChangeArgs),
    /// Show where the gate is installed, trusted and was last called
    #[command(after_help = "Example:\n  mi hooks status")]
    Status(HooksStatusArgs),
}

#[derive(Debug, Args)]
pub struct HooksChangeArgs {
    /// Agent to configure, or git
    #[arg(value_enum)]
    pub place: HookPlace,
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

#[derive(Debug, Args)]
pub struct HooksStatusArgs {
    /// Only this agent, or git
    #[arg(value_enum)]
    pub place: Option<HookPlace>,
    /// Only your own configuration
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// Only this project's files
    #[arg(long)]
    pub project: bool,
    /// Run the agent with a scripted model and check that it honours a denial
    #[arg(long)]
    pub probe: bool,
}

/// Where the gate can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum HookPlace {
    Claude,
    Codex,
    Opencode,
    Git,
}

impl HookPlace {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Opencode, Self::Git];

    pub fn name(self) -> &'static str {
        self.into()
    }
}
