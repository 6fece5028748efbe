//! The live loop: gathers events from agent, person, model and signals, asks `mi-loop`, and obeys.
//!
//! Holds: it decides nothing. Every command of the brain is carried out in order, every record is durable
//! before the action that follows it, one run per project at a time.
//! Elsewhere: what happens next is `mi-loop`; starting agents is `mi-hands`; showing a run is `mi`.

mod batch;
mod clock;
mod drive;
mod events;
mod evidence;
mod git;
mod look;
mod observe;
mod project;
mod replay;
mod restore;
mod think;

pub use clock::Clock;
pub use drive::{Drive, DriveError, HandsLimits, Person, Reply, Verification, drive};
pub use events::RunEvent;
pub use look::CounterChecking;
pub use mi_tree::{Snapshot, TreeScanner};
pub use observe::{Baseline, Observatory};
pub use project::{Mindset, OpenProjectError, Project};
pub use replay::{Difference, Replayed, replay};
pub use restore::{FollowedProtocol, Recorded, RestoreError, newest_run};
pub use think::mind_question;

use mi_journal::Repair;
use mi_model::record::{Entry, Note};

/// The record that says what was set aside.
pub fn note(repair: &Repair) -> Entry {
    Entry::Note(Note { message: repair.to_string(), path: repair.path.display().to_string() })
}
