//! What the tests of every room share: a scripted model, a fake agent, temporary homes and projects.
//!
//! For tests only: nothing ships with it, so helpers panic with the reason instead of returning errors.
//! Everything temporary lives under the cargo target directory, never under `/tmp` (the real Codex refuses
//! to work from there), and is removed on drop. Every child process dies with the test that started it.
#![expect(
    clippy::disallowed_methods,
    reason = "test helpers start processes, read the environment and the clock by design"
)]

mod fake_model;
mod scratch;

pub use fake_model::{FakeModel, scenario};
pub use scratch::{Scratch, TempHome, target_dir, workspace_dir};
