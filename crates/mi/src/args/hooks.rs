//! `mi hooks`: the gate inside agents and git.

use clap::{Args, Subcommand, ValueEnum};

/// The gate inside your own agents: install, uninstall, status
///
/// Before each tool the agent asks your rules: allow, ask, deny. In git, before each commit.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi hooks install claude --dry-run\n  mi hooks status")]
pub struct HooksArgs {
    #[command(subcommand)]
    pub action: HooksAction,
}

#[derive(Debug, Subcommand)]
pub enum HooksAction {
    /// Let the gate decide before each tool of an agent, or before each commit
    ///
    /// Shows the change, keeps the first text of each file beside it, and can be repeated. On a terminal it asks first.
    #[command(after_help = "Example:\n  mi hooks install claude --project --dry-run")]
    Install(HooksChangeArgs),
    /// Take the gate out again: exactly what was put in
    #[command(after_help = "Example:\n  mi hooks uninstall claude --dry-run")]
    Uninstall(HooksChangeArgs),
    /// Where the gate is installed, trusted, and was last seen
    #[command(after_help = "Example:\n  mi hooks status")]
    Status(HooksStatusArgs),
}

#[derive(Debug, Args)]
pub struct HooksChangeArgs {
    /// Whose configuration
    #[arg(value_enum)]
    pub place: HookPlace,
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

#[derive(Debug, Args)]
pub struct HooksStatusArgs {
    /// Only this one
    #[arg(value_enum)]
    pub place: Option<HookPlace>,
    /// Only the person's own configuration
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// Only this project's files
    #[arg(long)]
    pub project: bool,
    /// Start the agent on a scripted model and see whether it honours a denial
    #[arg(long)]
    pub probe: bool,
}

/// What can hold the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookPlace {
    Claude,
    Codex,
    Opencode,
    Git,
}

impl HookPlace {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Opencode, Self::Git];

    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Git => "git",
        }
    }
}
