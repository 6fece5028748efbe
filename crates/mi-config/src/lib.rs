//! Layers of text → settings, each value with its origin.
//!
//! [`resolve`] takes the texts of the configuration files, the environment and the flags, and returns
//! [`Settings`] together with everything that is wrong with them. Later layers win: defaults, user (XDG, then
//! `MI_HOME`), project, local, environment, flags. It reads no file and no environment: `mi` does.
//!
//! Holds: settings are always complete; what cannot be used is left out and reported, never fatal here. A
//! project's files, which come with a clone, can neither loosen a limit nor set what runs or leaves the machine.

mod choices;
mod duration;
mod file;
mod keys;
mod problem;
mod resolve;
mod settings;
mod value;

pub use choices::{
    BoxEngine, CounterCheck, Locale, MakeService, MindProvider, OpenaiWire, ProveEngine, Sandbox,
};
pub use duration::{DurationError, format_duration, parse_duration};
pub use file::{Layer, Level};
pub use problem::{Origin, Problem, ProblemKind, Severity};
pub use resolve::{Resolved, resolve};
pub use settings::{
    AnthropicSettings, BoxLimits, BoxSettings, BudgetSettings, CodexHandsSettings, CodexMindSettings,
    CouncilSettings, ExtractSettings, HandsSettings, KachingSettings, MakeSettings, MemoryGcSettings,
    MemorySettings, MindSettings, NotifySettings, OpenaiSettings, ProofSettings, Settings, WorkspaceGates,
    WorkspaceSettings,
};
pub use value::Value;

/// The defaults as a commented TOML text: a starting point for a file of one's own.
pub const DEFAULTS: &str = include_str!("../defaults.toml");

/// One setting as `mi config show` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub key: &'static str,
    pub value: Value,
    pub origin: Origin,
}
