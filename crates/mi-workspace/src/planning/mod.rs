//! The rules for cutting decisions into tasks: what a plan breaks ([`check`]), and which tasks its decided issues ask
//! for ([`synthesize`]).
//!
//! Pure: the plan and the tasks come in as the answers of `plan_status` and `task_list`, and drafts go out as the
//! arguments of `task_add`. What a task touches is read from its text (see [`files`]), and what its acceptance asks for
//! by the words of it (see [`words`]); most findings that hang on such reading are
//! warnings; overlapping files and missing or unlinked pairs are errors all the same.
//! Elsewhere: the files are [`crate::Workspace`]'s, the words of the exceptions are [`crate::vocabulary`]'s.

mod check;
mod files;
mod pairing;
mod pieces;
mod rules;
mod state;
mod synthesize;
mod words;

pub use check::{PlanFinding, PlanSeverity, check};
pub use files::{is_generated, target_files};
pub use state::{Issue, PlanState, ReadPlanError, Task};
pub use synthesize::{Draft, Synthesis, synthesize};

#[cfg(test)]
mod tests;
