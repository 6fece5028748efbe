//! The invariants that hold in every run unless a protocol turns them off by name and with a reason.

use crate::words::{Action, CheckTiming, Severity};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    TimeHardFloor,
    ValidatorApprovalRequired,
    ToolUseNonzero,
    OrchLogImmediateUpdate,
    RerunDelta,
}

impl BuiltIn {
    pub const ALL: [Self; 5] = [
        Self::TimeHardFloor,
        Self::ValidatorApprovalRequired,
        Self::ToolUseNonzero,
        Self::OrchLogImmediateUpdate,
        Self::RerunDelta,
    ];

    pub fn id(self) -> &'static str {
        match self {
            Self::TimeHardFloor => "TIME_HARD_FLOOR",
            Self::ValidatorApprovalRequired => "VALIDATOR_APPROVAL_REQUIRED",
            Self::ToolUseNonzero => "TOOL_USE_NONZERO",
            Self::OrchLogImmediateUpdate => "ORCH_LOG_IMMEDIATE_UPDATE",
            Self::RerunDelta => "RERUN_DELTA",
        }
    }

    /// When it is checked; the delta of a rerun is checked when an output arrives.
    pub fn timing(self) -> Option<CheckTiming> {
        match self {
            Self::TimeHardFloor | Self::ValidatorApprovalRequired => Some(CheckTiming::OnTransition),
            Self::ToolUseNonzero | Self::OrchLogImmediateUpdate => Some(CheckTiming::PostPhase),
            Self::RerunDelta => None,
        }
    }

    pub fn fail_action(self) -> Action {
        match self {
            Self::TimeHardFloor | Self::ToolUseNonzero | Self::RerunDelta => Action::Rerun,
            Self::ValidatorApprovalRequired | Self::OrchLogImmediateUpdate => Action::Block,
        }
    }

    /// The seed calls them critical.
    pub fn severity(self) -> Severity {
        Severity::Critical
    }

    /// What it says, for traces and drawings.
    pub fn told(self) -> &'static str {
        match self {
            Self::TimeHardFloor => "forward edges need state.cumulative_duration >= state.minimum_duration",
            Self::ValidatorApprovalRequired => {
                "forward edges out of a validator need state.validator_verdict == \"APPROVE\""
            }
            Self::ToolUseNonzero => "the end of a phase needs state.tool_calls > 0",
            Self::OrchLogImmediateUpdate => "the end of a phase needs state.log_updated_after_phase",
            Self::RerunDelta => {
                "a rerun builds on its previous output, changes it, and keeps what was approved"
            }
        }
    }
}
