//! Arguments of the commands on `.nexus`: plans, tasks, history, artifacts, context.

use super::council::ContextAction;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Plan a change: list the issues and decide them
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
    /// Start a plan; the previous one moves to the history
    #[command(after_help = "Example:\n  mi plan start 'Caching' --issue 'Which store?' --issue 'Which key?'")]
    Start {
        /// Topic of the plan
        topic: String,
        /// Issue to decide; can be repeated
        #[arg(long = "issue", value_name = "TITLE")]
        issues: Vec<String>,
        /// Findings from before the plan
        #[arg(long, value_name = "TEXT", default_value = "")]
        research: String,
    },
    /// List decided and open issues (also: bare `mi plan`)
    #[command(after_help = "Example:\n  mi plan status --json")]
    Status,
    /// Add an issue
    #[command(after_help = "Example:\n  mi plan add 'How long do entries live?'")]
    Add {
        /// Title of the issue
        title: String,
    },
    /// Change the title of an issue
    #[command(after_help = "Example:\n  mi plan edit 2 'Which key, and who makes it?'")]
    Edit {
        /// Number of the issue
        id: u64,
        /// New title
        title: String,
    },
    /// Remove an issue
    #[command(after_help = "Example:\n  mi plan remove 2")]
    Remove {
        /// Number of the issue
        id: u64,
    },
    /// Reopen a decided issue
    #[command(after_help = "Example:\n  mi plan reopen 1")]
    Reopen {
        /// Number of the issue
        id: u64,
    },
    /// Decide an issue
    #[command(after_help = "Example:\n  mi plan decide 1 'Redis: we run it already'")]
    Decide {
        /// Number of the issue
        id: u64,
        /// Decision with its reason
        decision: String,
        /// Agent that was asked; can be repeated
        #[arg(long = "agent", value_name = "NAME")]
        agents: Vec<String>,
        /// What that agent said
        #[arg(long = "said", value_name = "NAME=TEXT", value_parser = pair)]
        said: Vec<(String, String)>,
        /// Instance of that agent
        #[arg(long = "agent-id", value_name = "NAME=ID", value_parser = pair)]
        agent_ids: Vec<(String, String)>,
    },
    #[command(flatten)]
    Rules(PlanRules),
}

/// Subcommands of the planning rules.
#[derive(Debug, Subcommand)]
pub enum PlanRules {
    /// Check the plan and its tasks against the planning rules
    #[command(after_help = "Example:\n  mi plan check\n\nExit codes: 0 no errors (maybe warnings), 1 errors")]
    Check,
    /// Draft tasks for the decided issues that have none
    #[command(after_help = "Example:\n  mi plan synthesize --apply")]
    Synthesize {
        /// Add the tasks instead of only showing them
        #[arg(long)]
        apply: bool,
    },
}

/// Manage the task list: what to do, in which order, by whom
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
    /// List the tasks, and which are ready (also: bare `mi task`)
    #[command(after_help = "Example:\n  mi task list --json")]
    List,
    /// Change the status of a task
    #[command(after_help = "Example:\n  mi task update 1 completed")]
    Update {
        /// Number of the task
        id: u64,
        /// New status
        #[arg(value_enum)]
        status: TaskStatus,
    },
    /// Close the cycle: plan and tasks move to the history
    #[command(after_help = "Example:\n  mi task close")]
    Close,
}

/// Add a task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi task add 'Write the cache' --context 'Decided in plan 1' --dep 1")]
pub struct TaskAddArgs {
    /// Title of the task
    pub title: String,
    /// Why the task is needed, and what to know
    #[arg(long, value_name = "TEXT")]
    pub context: String,
    /// Task that must be completed first; can be repeated
    #[arg(long = "dep", value_name = "ID")]
    pub deps: Vec<u64>,
    /// How to do it
    #[arg(long, value_name = "TEXT")]
    pub approach: Option<String>,
    /// Acceptance criteria
    #[arg(long, value_name = "TEXT")]
    pub acceptance: Option<String>,
    /// What can go wrong
    #[arg(long, value_name = "TEXT")]
    pub risk: Option<String>,
    /// Issue of the plan that it comes from
    #[arg(long, value_name = "ID")]
    pub plan_issue: Option<u64>,
    /// Goal of the whole list
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// Decision that applies to the whole list; can be repeated
    #[arg(long = "decision", value_name = "TEXT")]
    pub decisions: Vec<String>,
    /// Agent that does it
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// Instance of that agent
    #[arg(long, value_name = "ID")]
    pub owner_agent_id: Option<String>,
    /// Whether that agent resumes its old session
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

/// Search task cycles closed with `mi task close`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi history search 'cache' -n 3")]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub action: HistoryAction,
}

#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// List the newest closed cycles that contain a text, ignoring case
    #[command(after_help = "Example:\n  mi history search 'cache' -n 3")]
    Search {
        /// Text to search for [default: every cycle]
        query: Option<String>,
        /// At most this many cycles, the newest ones
        #[arg(short, value_name = "N", default_value_t = 10)]
        n: usize,
    },
}

/// Write and list the reports and other files of this session
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  echo '# Findings' | mi artifact write findings.md")]
pub struct ArtifactArgs {
    #[command(subcommand)]
    pub action: ArtifactAction,
}

#[derive(Debug, Subcommand)]
pub enum ArtifactAction {
    /// Write a file from standard input, replacing an existing one
    #[command(after_help = "Example:\n  echo '# Findings' | mi artifact write findings.md")]
    Write {
        /// File name, such as notes/report.md
        name: String,
        /// Read the content from this file
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// List the files of this session
    #[command(after_help = "Example:\n  mi artifact list")]
    List,
}

/// Show branch, goal, progress and decisions of the current work
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
