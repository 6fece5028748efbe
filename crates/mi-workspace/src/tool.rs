//! The eleven operations by name, and what they answer when they cannot do their work.

use crate::{FileError, OutsideError};

/// One operation of the contract (NX-001). The names carry no prefix; a server adds its own (NX-002).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Tool {
    PlanStart,
    PlanStatus,
    PlanUpdate,
    PlanDecide,
    TaskAdd,
    TaskList,
    TaskUpdate,
    TaskClose,
    HistorySearch,
    Context,
    ArtifactWrite,
}

impl Tool {
    /// Every operation, in the order of the contract.
    pub const ALL: [Self; 11] = [
        Self::PlanStart,
        Self::PlanStatus,
        Self::PlanUpdate,
        Self::PlanDecide,
        Self::TaskList,
        Self::TaskAdd,
        Self::TaskUpdate,
        Self::TaskClose,
        Self::HistorySearch,
        Self::Context,
        Self::ArtifactWrite,
    ];

    /// The contract's name, such as `plan_start`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the operation leaves every file as it is (NX-008).
    pub fn is_read_only(self) -> bool {
        match self {
            Self::PlanStatus | Self::TaskList | Self::HistorySearch | Self::Context => true,
            Self::PlanStart
            | Self::PlanUpdate
            | Self::PlanDecide
            | Self::TaskAdd
            | Self::TaskUpdate
            | Self::TaskClose
            | Self::ArtifactWrite => false,
        }
    }
}

/// Why an operation did nothing. The text is what the caller reads in `{error: …}` (NX-007).
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error("{parameter} is required")]
    Missing { parameter: &'static str },
    #[error("{parameter} must be {wanted}")]
    Wrong { parameter: String, wanted: &'static str },
    #[error("No active plan session")]
    NoActivePlan,
    #[error("issue_id is required for {action}")]
    IssueIdRequired { action: &'static str },
    #[error("issue_id and title are required for edit")]
    EditNeedsBoth,
    #[error("title is required for add")]
    TitleRequired,
    #[error("Issue {id} not found")]
    IssueNotFound { id: String },
    #[error("Unknown action")]
    UnknownAction,
    #[error("tasks.json not found")]
    TasksNotFound,
    #[error("Task id {id} not found")]
    TaskNotFound { id: String },
    #[error("there is no id left behind {highest}: give the entry that has it another one")]
    NoIdLeft { highest: String },
    #[error(transparent)]
    Damaged(#[from] DamagedFile),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Outside(#[from] OutsideError),
}

/// A state file that is not what its schema says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {problem}: {advice}; nothing was written", path.display())]
pub struct DamagedFile {
    pub path: std::path::PathBuf,
    pub problem: String,
    pub advice: &'static str,
}

impl DamagedFile {
    /// A file whose text cannot be understood.
    pub(crate) fn new(path: &std::path::Path, problem: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            problem: problem.into(),
            advice: "repair it, or move it away to start afresh",
        }
    }
}
