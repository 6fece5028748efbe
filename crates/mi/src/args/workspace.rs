//! What can be typed about `.nexus`: plans, tasks, history, artifacts, context.

use super::council::ContextAction;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The plan session: what is to be decided before work begins
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi plan start 'Caching' --issue 'Which store?' --research 'Read the code'"
)]
pub struct PlanArgs {
    #[command(subcommand)]
    pub action: Option<PlanAction>,
}

#[derive(Debug, Subcommand)]
pub enum PlanAction {
    /// Begin a session; the one before it goes to the history
    #[command(after_help = "Example:\n  mi plan start 'Caching' --issue 'Which store?' --issue 'Which key?'")]
    Start {
        topic: String,
        /// Something to decide; give it once for each
        #[arg(long = "issue", value_name = "TITLE")]
        issues: Vec<String>,
        /// What was found out before planning
        #[arg(long, value_name = "TEXT", default_value = "")]
        research: String,
    },
    /// What is decided and what is open (also: bare `mi plan`)
    #[command(after_help = "Example:\n  mi plan status --json")]
    Status,
    /// Add an issue
    #[command(after_help = "Example:\n  mi plan add 'How long do entries live?'")]
    Add { title: String },
    /// Change the title of an issue
    #[command(after_help = "Example:\n  mi plan edit 2 'Which key, and who makes it?'")]
    Edit { id: u64, title: String },
    /// Take an issue out
    #[command(after_help = "Example:\n  mi plan remove 2")]
    Remove { id: u64 },
    /// Make a decided issue open again
    #[command(after_help = "Example:\n  mi plan reopen 1")]
    Reopen { id: u64 },
    /// Decide an issue
    #[command(after_help = "Example:\n  mi plan decide 1 'Redis: we run it already'")]
    Decide {
        id: u64,
        decision: String,
        /// An agent that was asked; give it once for each
        #[arg(long = "agent", value_name = "NAME")]
        agents: Vec<String>,
        /// What an agent said
        #[arg(long = "said", value_name = "NAME=TEXT", value_parser = pair)]
        said: Vec<(String, String)>,
        /// Which instance of an agent it was
        #[arg(long = "agent-id", value_name = "NAME=ID", value_parser = pair)]
        agent_ids: Vec<(String, String)>,
    },
    #[command(flatten)]
    Rules(PlanRules),
}

/// What the planning rules do with the plan and its tasks.
#[derive(Debug, Subcommand)]
pub enum PlanRules {
    /// Say what the plan and its tasks break
    #[command(
        after_help = "Example:\n  mi plan check\n\nExit codes: 0 no errors (there may be warnings), 1 errors"
    )]
    Check,
    /// Draft the tasks that decided issues still need
    #[command(after_help = "Example:\n  mi plan synthesize --apply")]
    Synthesize {
        /// Add them; without it they are only shown
        #[arg(long)]
        apply: bool,
    },
}

/// The task list: what is to be done, in which order, by whom
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi task add 'Write the cache' --context 'Decided in plan 1' --dep 1")]
pub struct TaskArgs {
    #[command(subcommand)]
    pub action: Option<TaskAction>,
}

#[derive(Debug, Subcommand)]
pub enum TaskAction {
    /// Add a task
    Add(Box<TaskAddArgs>),
    /// Every task and what is ready (also: bare `mi task`)
    #[command(after_help = "Example:\n  mi task list --json")]
    List,
    /// Change the status of a task
    #[command(after_help = "Example:\n  mi task update 1 completed")]
    Update {
        id: u64,
        #[arg(value_enum)]
        status: TaskStatus,
    },
    /// Close the cycle: plan and tasks go to the history
    #[command(after_help = "Example:\n  mi task close")]
    Close,
}

/// Add a task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi task add 'Write the cache' --context 'Decided in plan 1' --dep 1")]
pub struct TaskAddArgs {
    pub title: String,
    /// Why it is needed, and what one has to know
    #[arg(long, value_name = "TEXT")]
    pub context: String,
    /// A task that must be completed first; give it once for each
    #[arg(long = "dep", value_name = "ID")]
    pub deps: Vec<u64>,
    /// How to go about it
    #[arg(long, value_name = "TEXT")]
    pub approach: Option<String>,
    /// When it is done
    #[arg(long, value_name = "TEXT")]
    pub acceptance: Option<String>,
    /// What may go wrong
    #[arg(long, value_name = "TEXT")]
    pub risk: Option<String>,
    /// The issue of the plan it comes from
    #[arg(long, value_name = "ID")]
    pub plan_issue: Option<u64>,
    /// What the whole list is for
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// A decision that holds for the whole list; give it once for each
    #[arg(long = "decision", value_name = "TEXT")]
    pub decisions: Vec<String>,
    /// The agent that does it
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// Which instance of that agent
    #[arg(long, value_name = "ID")]
    pub owner_agent_id: Option<String>,
    /// Whether that agent goes on in its old session
    #[arg(long, value_enum, value_name = "POLICY")]
    pub owner_reuse_policy: Option<ReusePolicy>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskStatus {
    Pending,
    #[value(name = "in_progress", alias = "in-progress")]
    InProgress,
    Completed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReusePolicy {
    Fresh,
    #[value(name = "resume_if_same_artifact", alias = "resume-if-same-artifact")]
    ResumeIfSameArtifact,
    Resume,
}

/// The closed cycles of this project
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi history search 'cache' -n 3")]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub action: HistoryAction,
}

#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// The newest cycles that contain a text, in any case
    #[command(after_help = "Example:\n  mi history search 'cache' -n 3")]
    Search {
        /// Without it, every cycle
        query: Option<String>,
        /// At most this many, the newest
        #[arg(short, value_name = "N", default_value_t = 10)]
        n: usize,
    },
}

/// Reports and other files of this session
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '# Findings' | mi artifact write findings.md")]
pub struct ArtifactArgs {
    #[command(subcommand)]
    pub action: ArtifactAction,
}

#[derive(Debug, Subcommand)]
pub enum ArtifactAction {
    /// Write a file from standard input; one that is there is replaced
    #[command(after_help = "Example:\n  echo '# Findings' | mi artifact write findings.md")]
    Write {
        /// Its name, such as notes/report.md
        name: String,
        /// Take the content from this file
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// The files that are there
    #[command(after_help = "Example:\n  mi artifact list")]
    List,
}

/// Branch, goal, progress and decisions at a glance
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi context --json")]
pub struct ContextArgs {
    #[command(subcommand)]
    pub action: Option<ContextAction>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=TEXT, such as architect='two layers are enough'".to_owned()),
    }
}
