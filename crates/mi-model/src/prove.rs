//! The result of a counter-check: which parts of a change the project's checks notice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Proof;

/// What `mi prove` found out about one change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProveReport {
    pub status: ProveStatus,
    pub checks: Vec<ProvenCheck>,
    pub hunks: Vec<ProvenHunk>,
    /// Tests that failed on base already and still fail.
    pub broken_before: Vec<String>,
    /// Tests that both passed and failed on the same tree.
    pub flaky: Vec<String>,
    pub criteria: Vec<Proof>,
    /// What could not be told, or is still to do.
    pub left: Vec<String>,
    /// What the change was compared with.
    pub base: String,
    /// Digest of the change that was looked at.
    pub change: String,
    /// New or changed tests, when the change brings no work to show.
    pub new_tests: Vec<NewTest>,
    /// How often a check was run.
    pub runs: u32,
    pub elapsed_ms: u64,
}

/// The outcome in one word.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ProveStatus {
    /// A check notices every part of the change that has behaviour.
    Shown,
    /// No check notices some of it.
    Unshown,
    /// A check that was green on base fails.
    Red,
    /// The sandbox, memory, time or a missing tool prevented an answer.
    #[default]
    Unknown,
    /// Nothing changed, or only documentation or tests.
    NothingToShow,
}

/// One check, on head and with the work taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProvenCheck {
    pub command: String,
    pub head: CheckRunSummary,
    pub taken_back: Option<CheckRunSummary>,
}

/// What one run of a check printed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckRunSummary {
    pub exit: Option<i32>,
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    /// Names of the tests that failed.
    pub tests: Vec<String>,
}

/// One part of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenHunk {
    pub file: String,
    /// `A-B` in head's numbering, `-A-B` in base's for pure deletions.
    pub lines: String,
    pub kind: HunkKind,
    pub strength: ShownStrength,
    pub shown_by: Vec<String>,
    /// A weak result counts only where a test also asserts something about what was added.
    #[serde(default)]
    pub is_asserted: bool,
    /// Hunks that go red only together carry the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Whether it belongs to the tests.
    #[serde(default)]
    pub is_test: bool,
    /// The function or class around it, if it is inside one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The text that was removed and the text that was added, shortened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub removed: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub added: String,
}

/// What a hunk changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HunkKind {
    Comment,
    Documentation,
    Formatting,
    Configuration,
    DeadCode,
    Behaviour,
}

impl HunkKind {
    /// Whether a check could be expected to notice it.
    pub fn can_be_shown(self) -> bool {
        matches!(self, Self::Configuration | Self::Behaviour)
    }

    /// The word for a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Documentation => "documentation",
            Self::Formatting => "formatting",
            Self::Configuration => "configuration",
            Self::DeadCode => "dead code",
            Self::Behaviour => "behaviour",
        }
    }
}

/// A test that a change adds or edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewTest {
    pub name: String,
    pub file: String,
    /// Whether it asserts anything that could fail.
    pub asserts: bool,
}

/// How strongly a check shows a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownStrength {
    Strong,
    Weak,
    None,
}

impl ProveStatus {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl ProvenHunk {
    /// Whether it changes what the program does, so that a check should notice it.
    pub fn needs_showing(&self) -> bool {
        !self.is_test && self.kind == HunkKind::Behaviour
    }

    /// Whether a check notices it for more than its name.
    pub fn is_shown(&self) -> bool {
        match self.strength {
            ShownStrength::Strong => true,
            ShownStrength::Weak => self.is_asserted,
            ShownStrength::None => false,
        }
    }
}
