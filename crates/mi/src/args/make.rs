//! `mi make`.

use clap::Args;

/// Let a role's model write files for a task, and check them in the box
///
/// Asks the model, takes the files out of its reply, runs the check on them in a sealed box, and shows the model what
/// failed, for a few rounds. The result is a branch with the files, the run's manifest and the check's report; your
/// working tree is not touched.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi make 'Add a function that reverses a text, with a test' --role developer -- python3 -m unittest\n\nExit codes: 0 done, 3 no files or still failing, 4 denied"
)]
pub struct MakeArgs {
    /// What is to be made; `-` reads standard input
    pub task: String,
    /// Whose model is asked [default: make.role]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// How often the model may try [default: make.rounds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub rounds: Option<u32>,
    /// What the box needs, as for `mi exec`
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// Who runs it, as for `mi exec`
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// The image, as for `mi exec`
    #[arg(long, value_name = "REF@sha256:…")]
    pub image: Option<String>,
    /// The check [default: the project's own]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}
