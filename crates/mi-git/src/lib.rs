//! Runs git: the only place that knows which options make a call safe.
//!
//! Callers bring their arguments, a folder, limits and what is special about their repository.
//! Holds: a call never asks a question, opens an editor or a pager, or starts a hook or a file-system monitor, and takes no
//! lock that is optional; messages are in English; what git prints is bounded, and output that was cut off is an error
//! unless the caller wants it.
//! Elsewhere: programs that a repository names for single commands (external diffs, text conversions, filters) are switched
//! off by the arguments of those commands. Starting processes is `mi-process`.

mod call;
mod error;
mod runner;

pub use call::GitCall;
pub use error::RunGitError;
pub use runner::GitRunner;
