//! Rules of a workflow that can be executed and audited: a protocol file and a stream of events in, verdicts out.
//!
//! Holds: pure; same file and events, same bytes out; nothing panics on input; what cannot be evaluated is refused.
//! Elsewhere: reading files, driving agents and printing is `mi`.

mod access;
mod analyse;
mod builtin;
mod engine;
mod event;
mod event_kind;
mod expr;
mod file;
mod link;
mod load;
mod nearest;
mod problem;
mod protocol;
mod said;
mod state;
mod tree;
mod words;

pub use engine::{Detail, Engine, Refusal, RestoreError, Verdict};
pub use load::{Loaded, check, load};
pub use problem::{Kind, Level, Place, Problem};
pub use protocol::Protocol;
