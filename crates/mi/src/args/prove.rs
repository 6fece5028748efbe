//! `mi prove`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Does any check show this change? Take it back and see
///
/// Runs the project's checks on the change, then again in a scratch copy with the work taken back and the tests kept.
/// What stays green without a hunk does not show that hunk. Your files are never touched.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi prove\n  mi prove --base origin/main --check 'npm test' --json\n  mi prove --base HEAD~1 --head HEAD\n\nExit codes: 0 shown or nothing to show, 1 unshown or red, 3 cannot be told, 4 denied"
)]
pub struct ProveArgs {
    /// What the change began with [default: the start of the last run, else the merge base with the main branch]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// What it ended with [default: the working tree, untracked files included]
    #[arg(long, value_name = "REV")]
    pub head: Option<String>,
    /// A check to run; may be given more than once [default: the project's own]
    #[arg(long, value_name = "CMD")]
    pub check: Vec<String>,
    /// Also judge the criteria of this task; a file's name reads the file
    #[arg(long, value_name = "TEXT|FILE")]
    pub task: Option<String>,
    /// Where checks run [default: prove.engine]
    #[arg(long, value_enum)]
    pub engine: Option<ProveEngineName>,
    /// How long to look, such as 90s or 10m [default: prove.budget]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Memory of one check, such as 512M or 4G [default: box.limits.memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Processors for one check [default: box.limits.cpus]
    #[arg(long, value_name = "N")]
    pub cpus: Option<u64>,
    /// Processes and threads of one check [default: box.limits.pids]
    #[arg(long, value_name = "N")]
    pub pids: Option<u64>,
    /// Time of one run of a check [default: box.limits.time]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// The image for --engine container [default: box.images.base]
    #[arg(long, value_name = "NAME")]
    pub image: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProveEngineName {
    /// In bubblewrap
    Auto,
    Bwrap,
    /// In a container without network
    Container,
    /// On this machine itself, in a scratch copy
    Host,
}
