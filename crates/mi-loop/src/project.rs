//! What a project says about itself: its languages, whether it has tests, and how it is checked.

use serde::{Deserialize, Serialize};

/// Where a check command was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectCheck {
    /// As a person would type it in the project's root.
    pub command: String,
    /// The file that names it, or the marker it was derived from.
    pub source: String,
    /// True when it runs tests; false for build, lint or type checks.
    pub runs_tests: bool,
}

/// The project as its files describe it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectProfile {
    pub stack_hints: Vec<String>,
    pub has_tests: bool,
    pub test_hints: Vec<String>,
    /// Cheapest first; the first one that runs tests is the project's check.
    pub checks: Vec<ProjectCheck>,
}
