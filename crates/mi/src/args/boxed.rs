//! `mi exec`, `mi check`, `mi box`, `mi publish`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Run a command in a sealed box: no network, read-only, limited; outputs are collected and signed
///
/// Write deliverables to /workspace/output; /workspace/input holds what --from gives. The command starts in
/// /workspace/data.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi exec --engine bwrap -- sh -c 'echo hello > /workspace/output/hello.txt'\n  mi exec --from reply.md --language python -- python3 /workspace/input/main.py\n\nExit codes: the command's own; 4 denied, 124 time limit, 137 out of memory"
)]
pub struct ExecArgs {
    /// Who runs it [default: box.engine]
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// A folder, or an agent's reply whose files are taken out
    #[arg(long, value_name = "DIR|REPLY")]
    pub from: Option<PathBuf>,
    /// The environment: base, rust, go, python, node, java, cpp
    #[arg(long, alias = "env", value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// The image, by its digest
    #[arg(long, value_name = "NAME@sha256:…")]
    pub image: Option<String>,
    /// The whole request; `-- CMD…` replaces its command
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// What the run is for, such as PROJ-CAT-001
    #[arg(long, value_name = "ID")]
    pub task_id: Option<String>,
    /// Run twice and compare the outputs
    #[arg(long)]
    pub prove: bool,
    /// The command and its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// A container, if an engine and an image are there; else bwrap
    Auto,
    Container,
    Bwrap,
    /// Extract and record, run nothing
    None,
}

/// Run this project's own checks in the box
///
/// A check that passes here is verified proof, bound to the digest of the tree that was checked.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi check --cd .\n  mi check -- python3 -m unittest\n\nExit codes: 0 verified, 1 not, 4 denied"
)]
pub struct CheckArgs {
    /// Who runs it [default: box.engine]
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// The image, by its digest
    #[arg(long, value_name = "NAME@sha256:…")]
    pub image: Option<String>,
    /// The check, instead of the one that the project's files name
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// The runs of the box
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi box list")]
pub struct BoxArgs {
    #[command(subcommand)]
    pub action: BoxAction,
}

#[derive(Debug, Subcommand)]
pub enum BoxAction {
    /// Every sealed run, newest last
    #[command(after_help = "Example:\n  mi box list")]
    List,
    /// One run's manifest
    #[command(after_help = "Example:\n  mi box show last")]
    Show {
        /// A run, or `last`
        run: String,
    },
    /// Check manifest, signature and every file of a run
    #[command(after_help = "Example:\n  mi box verify last\n\nExit codes: 0 as it was sealed, 1 not")]
    Verify {
        /// The run's folder, a run, or `last`
        dir: String,
        /// The key that signed it [default: the key of this home]
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Let outputs pass that the gate holds back, as a reviewer
    #[command(after_help = "Example:\n  mi box release last --reviewer ada --reason 'a test key'")]
    Release {
        /// A run, or `last`
        run: String,
        /// Who answers for it
        #[arg(long)]
        reviewer: String,
        #[arg(long)]
        reason: String,
        /// Take what was found out of the files, instead of letting it pass
        #[arg(long)]
        redact: bool,
    },
    /// Take away what runs left whose mi is dead
    #[command(after_help = "Example:\n  mi box gc")]
    Gc {
        /// Also remove sealed runs older than so many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u64>,
    },
}

/// Hand a run's outputs to a place that `sinks.allow` names
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi publish last --to /srv/artifacts\n\nExit codes: 0 published, 4 denied"
)]
pub struct PublishArgs {
    /// A run, or `last`
    pub run: String,
    /// A folder, `git:REMOTE#BRANCH`, or an http(s) URL for PUT
    #[arg(long, value_name = "SINK")]
    pub to: String,
}
