//! What a run in the box may use up.

use serde::{Deserialize, Serialize};

/// The limits of a run: asked for, kept, and stood by in its manifest. Which values are allowed is `mi-admission`'s business.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunLimits {
    pub pids: u64,
    pub memory_bytes: u64,
    pub cpus: f64,
    pub nofile: u64,
    pub step_seconds: u64,
    pub job_seconds: u64,
}
