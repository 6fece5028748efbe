//! `.nexus/`: what a project's agents plan, do, decide and remember, in files that any harness can read.
//!
//! Holds: state is read fresh on every call, changed under one lock per project and replaced as a whole; a reader
//! never sees half a file; nothing is written outside of the folder it belongs to; what another harness wrote stays.
//! Elsewhere: tool schemas and transport are `mi-mcp`, hook payloads `mi-hook`, the clock and the environment `mi`.

mod error;
mod folder;
mod harness;
mod layout;
pub mod manifest;
mod store;
pub mod vocabulary;
mod yaml;

pub use error::FileError;
pub use folder::{Folder, OutsideError};
pub use harness::{HarnessId, HarnessIdError};
pub use layout::Layout;
pub use store::{Lock, Store};
