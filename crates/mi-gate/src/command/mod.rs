//! Reads a shell script without running it: which programs it would start, where, and what its exit code says.
//!
//! [`analyze`] is the sole maker of an [`Analysis`]. [`exit_code_is_visible`] and [`risk`] ask it questions.
//! If the parser refuses a script, or is known to misread its syntax, `understood` is false and the commands are a
//! best effort: enough to look for danger, never enough to allow or to prove.

mod builtins;
mod exits;
mod fallback;
mod git;
mod heredocs;
mod interpreters;
mod misread;
mod options;
mod parse;
mod plain;
mod remembered;
pub(crate) mod risk;
mod scope;
mod simple;
mod tables;
mod types;
mod walk;
mod words;
mod wrappers;
mod writes;

pub use risk::{RiskFinding, risk};
pub use types::{
    Analysis, Assignment, Body, Connector, Directory, Place, Redirect, RedirectKind, SimpleCommand, Via,
    Visibility, Word,
};
pub use writes::{Written, changes_in_place, written, written_paths};

/// The longest script that is read at all, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 256 * 1024;
/// The most simple commands an analysis holds.
pub const MAX_COMMANDS: usize = 512;
/// How deep scripts may be nested in scripts.
pub const MAX_DEPTH: u8 = 12;

/// Reads `script` as bash would.
pub fn analyze(script: &str) -> Analysis {
    remembered::or_read(script, walk::Walker::analyze)
}

/// Whether exit code 0 of the whole script implies that command `index` ran and exited with 0.
///
/// Everything that is not clearly so is hidden; so is everything in a script that is not understood.
pub fn exit_code_is_visible(analysis: &Analysis, index: usize) -> Visibility {
    if !analysis.understood {
        let why = analysis.reasons.first().map_or("the script is not understood", String::as_str);
        return Visibility::Hidden { why: why.to_owned() };
    }
    match analysis.commands.get(index) {
        Some(command) => command.visibility.clone(),
        None => Visibility::Hidden { why: "there is no such command".to_owned() },
    }
}
