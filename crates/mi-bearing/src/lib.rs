//! Decides which parts of a change a project's checks really depend on.
//!
//! [`split_change`] cuts a change into pieces and tells work from tests. [`search_pieces`] asks its caller to run the
//! checks with chosen pieces taken back, and concludes which pieces a check notices. [`read_outcome`] turns the output of
//! such a run into green, red or unknown.
//! Pure: the caller brings file contents, runs the checks and keeps the time.
//! Holds: a piece counts as shown only if a check that was green on the whole change went red without it.
//! Elsewhere: scratch copies, the sandbox and the cache are `mi-prove`.

mod language;
mod outcome;
mod pieces;
mod search;
mod sides;
mod tests_read;

pub use outcome::{CheckOutcome, HowEnded, Strength, Verdict as CheckVerdict, read_outcome};
pub use pieces::{FileBody, FileChange, Piece, Side, Treatment, Variant, render_file, split_change};
pub use search::{Depth, Finding, Findings, TrialResult, search_pieces};
pub use sides::is_test_path;
pub use tests_read::{any_asserts, asserts_on, defined_names, new_tests};
