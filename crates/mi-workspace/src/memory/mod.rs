//! `.nexus/memory/`: what the project's agents have learned by working, in Markdown files of a few words' name.
//!
//! [`search`] finds in all memories; [`access`] and [`observe`] keep count of who reads what.

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
