//! Rules of a workflow that can be executed and audited: a protocol file and a stream of events in, verdicts out.
//!
//! Holds: pure; same file and events, same bytes out; nothing panics on input; what cannot be evaluated is refused.
//! Elsewhere: reading files, driving agents and printing is `mi`.

mod access;
mod analyse;
pub mod audit;
pub mod bench_support;
mod builtin;
mod engine;
mod event;
mod event_kind;
pub mod evidence;
mod expr;
mod file;
mod link;
mod load;
mod nearest;
mod problem;
mod protocol;
pub mod render;
mod said;
mod schema;
mod shipped;
mod state;
mod table;
mod tree;
mod words;

pub use engine::{DecisionTrace, Detail, Engine, Refusal, RestoreError, TraceKind, TraceLine, Verdict};
pub use event::LONGEST_LINE;
pub use expr::Value;
pub use load::{Loaded, check, load};
pub use problem::{Kind, Level, Place, Problem};
pub use protocol::{Edge, Node, Protocol};
pub use schema::schema;
pub use shipped::{SHIPPED, shipped};
pub use table::{Exported, ImportError, export, import};
pub use words::{Action, EdgeClass, TrustLevel, VerificationStatus};
