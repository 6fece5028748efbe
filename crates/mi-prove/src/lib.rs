//! Finds out whether any check notices a change: takes the work back in a scratch copy and runs the checks again.
//!
//! [`prove_change`] reads both sides of a change, copies the project once, runs the checks on head, then with parts of the
//! work taken back, and reports which hunks a check notices.
//! Holds: the project's own files are only ever read; a scratch copy is removed when the run ends, and one that a killed
//! process left is removed by [`sweep_scratch`]; every outcome is cached by what it depends on.
//! Elsewhere: cutting a change into pieces and searching them is `mi-bearing`; what the result means for a task is
//! `mi-loop`.

mod cache;
mod change;
mod engine;
mod git;
mod sandbox;
mod scratch;
mod start;

pub use change::{BaseTree, HeadTree};
pub use engine::{Progress, ProveError, ProveOrder, prove_change};
pub use git::{GitError, Repository};
pub use sandbox::{CheckShell, SandboxEngine, find_sandbox};
pub use scratch::sweep_scratch;
pub use start::{SavedStart, save_start};
