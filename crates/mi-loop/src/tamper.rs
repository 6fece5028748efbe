//! Signs that a check was weakened: tests deleted, skipped or emptied, configuration changed to ignore them.

use serde::{Deserialize, Serialize};

/// One sign, in words a person can check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TamperSign {
    pub path: String,
    pub what: String,
}
