//! What the tests of every room share: a scripted model, a fake agent, temporary homes and projects.
//!
//! For tests only: nothing ships with it, so helpers panic with the reason instead of returning errors.
//! Everything temporary lives under the cargo target directory, never under `/tmp` (the real Codex refuses
//! to work from there), and is removed on drop. Every child process dies with the test that started it.
#![expect(
    clippy::disallowed_methods,
    reason = "test helpers start processes, read the environment and the clock by design"
)]

mod claude;
mod codex;
mod dockerd;
mod environment;
mod fake_agent;
mod fake_model;
mod image;
mod installed;
mod mcp;
mod mi;
mod podman;
mod processes;
mod project;
mod scratch;
mod skip;
mod small_disk;

pub use claude::ClaudeHome;
pub use codex::{CodexHome, CodexInstall, codex};
pub use dockerd::Dockerd;
pub use environment::{sealed_environment, tool_path};
pub use fake_agent::{Batch, FakeAgent};
pub use fake_model::{FakeModel, scenario};
pub use installed::installed;
pub use mcp::McpClient;
pub use mi::{Mi, MiOutput, RunningMi};
pub use podman::Podman;
pub use processes::{Descendant, descendants_with_marker, leftovers_after, wait_until};
pub use project::TempProject;
pub use scratch::{Scratch, TempHome, target_dir, workspace_dir};
pub use skip::{skip_list, skipped};
pub use small_disk::SmallDisk;
