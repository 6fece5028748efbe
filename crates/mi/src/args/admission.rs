//! `mi admit` and `mi policy`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Ask whether a run may start; nothing is started
///
/// SPEC is a run request as JSON. Every rule that is against it is named. Rules: `mi policy list`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi policy example | mi admit -\n\nExit codes: 0 admitted, 4 denied")]
pub struct AdmitArgs {
    /// The request; `-` reads standard input
    #[arg(value_name = "SPEC")]
    pub file: PathBuf,
}

/// The rules that every run must pass: list, test, explain
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi policy explain F.network")]
pub struct PolicyArgs {
    #[command(subcommand)]
    pub action: PolicyAction,
}

#[derive(Debug, Subcommand)]
pub enum PolicyAction {
    /// Every rule, the organisation's policies, and the exceptions in force
    #[command(after_help = "Example:\n  mi policy list")]
    List,
    /// Show each rule a request that it must deny, and run the `test_` rules of the organisation's policies
    #[command(after_help = "Example:\n  mi policy test\n\nExit codes: 0 all passed, 1 not")]
    Test,
    /// One rule with its policy, or what each rule says about a request
    #[command(after_help = "Example:\n  mi policy explain X.limits")]
    Explain {
        /// A rule such as F.network, or a file with a request (`-` reads standard input)
        what: String,
    },
    /// A request that is admitted, to start from
    #[command(after_help = "Example:\n  mi policy example")]
    Example,
}
