//! `.nexus/memory/`: what the project's agents have learned by working, in Markdown files of a few words' name.
//!
//! [`save`] keeps a lesson, [`search`] finds in all memories, [`gc`] forgets in commits that git can undo; [`observe`] and
//! [`access`] keep count of who reads what; [`tools`] is the same for callers without types.
//! Holds: nothing is overwritten, no link is followed, every change is made under the project's lock.

pub mod access;
pub mod admission;
mod copies;
mod cycles;
pub mod files;
pub mod gc;
pub mod git;
pub mod name;
pub mod observe;
pub mod overlap;
pub mod save;
pub mod search;
pub mod signals;
pub mod terms;
pub mod tools;

pub use save::{Action, Decision, SaveError, SaveRequest, SaveResult, save};
pub use search::{Document, Hit, SearchError, SearchRequest, SearchResult, Source, search};
