//! `mi make`.

use clap::Args;

/// Ask a model for the files of a task, and check them in the box
///
/// Extracts the files in the model's reply, runs the check on them in a sealed box, and sends failures back to the model
/// for a few rounds. The result is a branch with the files, the run's manifest and the check's report. Your working tree
/// does not change.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi make 'Add a function that reverses a text, with a test' --role developer -- python3 -m unittest\n\nExit codes: 0 done, 3 no files or still failing, 4 denied"
)]
pub struct MakeArgs {
    /// Task for the model; `-` reads standard input
    pub task: String,
    /// Role whose model is asked [default: make.role]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Maximum number of rounds [default: make.rounds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub rounds: Option<u32>,
    /// Environment of the box, as for `mi box exec`
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// Engine that runs the box, as for `mi box exec`
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Container image, as for `mi box exec`
    #[arg(long, value_name = "REF@sha256:…")]
    pub image: Option<String>,
    /// Check to run [default: the project's own]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}
