//! `mi box admit` and `mi box policy`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Check whether the rules admit a run, without starting it
///
/// SPEC is a run request as JSON. Reports every rule that denies it; `mi box policy list` lists the rules.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi box policy example | mi box admit -\n\nExit codes: 0 admitted, 4 denied"
)]
pub struct AdmitArgs {
    /// Run request; `-` reads standard input
    #[arg(value_name = "SPEC")]
    pub file: PathBuf,
}

/// List, test and explain the rules that admit runs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi box policy explain F.network")]
pub struct PolicyArgs {
    #[command(subcommand)]
    pub action: PolicyAction,
}

#[derive(Debug, Subcommand)]
pub enum PolicyAction {
    /// List the rules, the organisation's policies and the exceptions in force
    #[command(after_help = "Example:\n  mi box policy list")]
    List,
    /// Test each rule on a request it must deny, and run the organisation's `test_` rules
    #[command(after_help = "Example:\n  mi box policy test\n\nExit codes: 0 all passed, 1 some failed")]
    Test,
    /// Explain a rule, or the verdict of each rule on a request
    #[command(after_help = "Example:\n  mi box policy explain X.limits")]
    Explain {
        /// Rule such as F.network, or a request file (`-` reads standard input)
        what: String,
    },
    /// Print a request that is admitted, as a template
    #[command(after_help = "Example:\n  mi box policy example")]
    Example,
}
