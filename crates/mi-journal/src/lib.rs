//! Crash-safe append-only logs, their hash chain, locks, index and queries, and the small state files beside them.
//!
//! A record that [`Log::append`] acknowledged is on the disk; a torn tail is set aside and told ([`Repair`]), and
//! [`verify`] shows edits, inserts, reorders, truncation and deletion. Reading never needs the index or write access.
//!
//! Holds: this crate touches the folder it is given and nothing else; it reads no clock and no environment.
//! Elsewhere: what records mean is `mi-model::record`; when to write them is `mi-autopilot`.

pub mod bench_support;
mod error;
mod frame;
mod head;
mod index;
mod layout;
pub mod learned;
mod line;
mod log;
mod query;
mod read;
mod repair;
mod run_lock;
mod runs;
mod seek;
mod state_file;
mod verify;

pub use error::{FileError, JournalError};
pub use head::{Head, Mark};
pub use layout::{Layout, LogPlace, ProjectLayout};
pub use learned::{Learned, LearnedLog};
pub use line::{Line, LineFrame, MAX_LINE_BYTES};
pub use log::Log;
pub use query::{Hits, LogView, Pattern, Query};
pub use read::{Follower, Lines, LogReader};
pub use repair::{Repair, repair_torn_tail};
pub use run_lock::{RunHolder, RunLock, RunLockError};
pub use runs::RunSummary;
pub use state_file::{Loaded, StateFile, replace_file};
pub use verify::{VerifyReport, verify, verify_place, vouched_bytes};
