//! `mi prove`.

use clap::Args;
use mi_config::ProveEngine;
use std::path::PathBuf;

use super::word_parser;

pub const ENGINE_HELP: [(&str, &str); 4] = [
    ("auto", "Bubblewrap"),
    ("bwrap", ""),
    ("container", "A container without network"),
    ("host", "This machine, in a scratch copy"),
];

/// Check whether any test notices a change, by reverting it
///
/// Runs the project's checks on the change, then again in a scratch copy without the change but with its tests. A check
/// that still passes without a hunk does not cover that hunk. Never changes your files.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi prove\n  mi prove --base origin/main --check 'npm test' --json\n  mi prove --base HEAD~1 --head HEAD\n\nExit codes: 0 every hunk is noticed, or there is none to notice; 1 a hunk is not noticed, or a check fails; 3 unknown; 4 denied"
)]
pub struct ProveArgs {
    /// Revision before the change [default: the start of the last run, else the merge base with the main branch]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Revision after the change [default: the working tree with untracked files]
    #[arg(long, value_name = "REV")]
    pub head: Option<String>,
    /// Check to run; can be repeated [default: the project's own checks]
    #[arg(long, value_name = "CMD")]
    pub check: Vec<String>,
    /// Also judge the criteria of this task, given as text or file
    #[arg(long, value_name = "TEXT|FILE")]
    pub task: Option<String>,
    /// Engine that runs the checks [default: prove.engine]
    #[arg(long, value_parser = word_parser(&ENGINE_HELP, ProveEngine::from_word))]
    pub engine: Option<ProveEngine>,
    /// Time limit of the whole search, such as 90s or 10m [default: prove.budget]
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Memory limit of a check, such as 512M or 4G [default: box.limits.memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Processor limit of a check [default: box.limits.cpus]
    #[arg(long, value_name = "N")]
    pub cpus: Option<u64>,
    /// Process and thread limit of a check [default: box.limits.pids]
    #[arg(long, value_name = "N")]
    pub pids: Option<u64>,
    /// Time limit of one run of a check [default: box.limits.time]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Image for --engine container [default: box.images.base]
    #[arg(long, value_name = "NAME")]
    pub image: Option<PathBuf>,
}
