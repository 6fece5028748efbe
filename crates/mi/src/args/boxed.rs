//! `mi box`.

use clap::{Args, Subcommand};
use mi_config::BoxEngine;
use std::path::PathBuf;

use super::{AdmitArgs, PolicyArgs, word_parser};

pub const ENGINE_HELP: [(&str, &str); 4] = [
    ("auto", "A container if an engine and an image are available, else bwrap"),
    ("container", ""),
    ("bwrap", ""),
    ("none", "Extract and record; run nothing"),
];

/// Run a command in a sealed box, and collect and sign its outputs
///
/// The box has no network, a read-only system and limits. The command starts in /workspace/data, finds the files of
/// --from in /workspace/input, and writes its outputs to /workspace/output.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi box exec --engine bwrap -- sh -c 'echo hello > /workspace/output/hello.txt'\n  mi box exec --from reply.md --language python -- python3 /workspace/input/main.py\n\nExit codes: that of the command; 4 denied, 124 time limit, 137 out of memory"
)]
pub struct ExecArgs {
    /// Engine that runs the box [default: box.engine]
    #[arg(long, value_parser = word_parser(&ENGINE_HELP, BoxEngine::from_word))]
    pub engine: Option<BoxEngine>,
    /// Input: a folder, or an agent's reply whose files are extracted
    #[arg(long, value_name = "DIR|REPLY")]
    pub from: Option<PathBuf>,
    /// Environment: base, rust, go, python, node, java, cpp
    #[arg(long, alias = "env", value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// Container image with its digest
    #[arg(long, value_name = "NAME@sha256:…")]
    pub image: Option<String>,
    /// Run request as JSON; `-- CMD…` replaces its command
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// Task that the run is for, such as PROJ-CAT-001
    #[arg(long, value_name = "ID")]
    pub task_id: Option<String>,
    /// Run twice and compare the outputs
    #[arg(long)]
    pub prove: bool,
    /// Command with its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// Run this project's own checks in the box
///
/// A check that passes in the box is verified proof, bound to the digest of the tree.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Example:\n  mi box check --cd .\n  mi box check -- python3 -m unittest\n\nExit codes: 0 verified, 1 not verified, 4 denied"
)]
pub struct CheckArgs {
    /// Engine that runs the box [default: box.engine]
    #[arg(long, value_parser = word_parser(&ENGINE_HELP, BoxEngine::from_word))]
    pub engine: Option<BoxEngine>,
    /// Container image with its digest
    #[arg(long, value_name = "NAME@sha256:…")]
    pub image: Option<String>,
    /// Check to run [default: the project's own]
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// Run code in a sealed box, and manage the sealed runs
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi box exec -- sh -c 'echo hello > /workspace/output/hello.txt'\n  mi box list"
)]
pub struct BoxArgs {
    #[command(subcommand)]
    pub action: BoxAction,
}

#[derive(Debug, Subcommand)]
pub enum BoxAction {
    Exec(ExecArgs),
    Check(CheckArgs),
    /// List the sealed runs, newest last
    #[command(after_help = "Example:\n  mi box list")]
    List,
    /// Print the manifest of a run
    #[command(after_help = "Example:\n  mi box show last")]
    Show {
        /// Run id, or `last`
        run: String,
    },
    /// Verify the manifest, the signature and every file of a run
    #[command(
        after_help = "Example:\n  mi box verify last\n\nExit codes: 0 unchanged since it was sealed, 1 changed"
    )]
    Verify {
        /// Run id, folder of a run, or `last`
        dir: String,
        /// Public key to verify with [default: the key of this home]
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Release outputs that the gate holds back
    #[command(after_help = "Example:\n  mi box release last --reviewer ada --reason 'a test key'")]
    Release {
        /// Run id, or `last`
        run: String,
        /// Name of the reviewer who releases them
        #[arg(long)]
        reviewer: String,
        /// Reason for the release
        #[arg(long)]
        reason: String,
        /// Redact the findings instead of letting them pass
        #[arg(long)]
        redact: bool,
    },
    Publish(PublishArgs),
    /// Remove what runs of killed mi processes left behind
    #[command(after_help = "Example:\n  mi box gc")]
    Gc {
        /// Also remove sealed runs older than this many days
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u64>,
    },
    Admit(AdmitArgs),
    Policy(PolicyArgs),
}

/// Copy the outputs of a run to a place that `sinks.allow` lists
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi box publish last --to /srv/artifacts\n\nExit codes: 0 published, 4 denied"
)]
pub struct PublishArgs {
    /// Run id, or `last`
    pub run: String,
    /// Folder, `git:REMOTE#BRANCH`, or http(s) URL for PUT
    #[arg(long, value_name = "SINK")]
    pub to: String,
}
