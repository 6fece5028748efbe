//! `.nexus/`: what a project's agents plan, do, decide and remember, in files that any harness can read.
//!
//! Holds: state is read fresh on every call and changed under one lock per project; a reader never sees half a file;
//! nothing is written outside of the folder it belongs to; what another harness wrote stays.
//! Elsewhere: tool schemas and transport are `mi-mcp`, hook payloads `mi-hook`, the clock and the environment `mi`.

mod arguments;
mod artifact;
mod branch;
mod close;
mod context;
mod document;
mod error;
mod folder;
mod harness;
mod history;
mod layout;
pub mod lifecycle;
pub mod manifest;
pub mod memory;
mod plan;
pub mod planning;
mod records;
mod schemas;
mod store;
mod tasks;
mod tool;
mod torn;
pub mod vocabulary;
mod workspace;

pub use artifact::Artifact;
pub use error::FileError;
pub use folder::{Folder, OutsideError, without_dots};
pub use harness::{HarnessId, HarnessIdError};
pub use layout::Layout;
pub use schemas::{schema, schema_names};
pub use store::{Lock, ReadLock, Store};
pub use tool::{DamagedFile, Tool, ToolError};
pub use workspace::Workspace;
