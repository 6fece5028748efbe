//! Drives a whole [`mi_mind::Mind`] against the scripted model, against broken servers and against agent programs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod agents;
mod answers;
mod broken_servers;
mod leaks;
mod support;
