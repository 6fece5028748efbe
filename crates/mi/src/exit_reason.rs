//! How a command ends: the one place that knows the exit codes of `mi`.
//!
//! Holds: no other module of this crate writes an exit code as a number.

use mi_model::RunStatus;
use std::process::ExitCode;

/// Why a command ended. Scripts read it as an exit code, so the codes never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// 0: the command did what it was asked to do, or there was nothing to do.
    Done,
    /// 1: the command failed, found problems, or was asked for something that does not exist.
    Failed,
    /// 2: the command line, a setting or an input file is wrong.
    WrongUsage,
    /// 3: a person has to answer, decide or set something up first.
    NeedsYou,
    /// 4: a rule denies it.
    Denied,
    /// 130: a person interrupted it.
    Interrupted,
    /// Any code: that of the command in the box (124 time limit, 137 out of memory), or the one that an agent's hook
    /// protocol prescribes.
    PassedOn(u8),
}

impl ExitReason {
    /// The exit code that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::WrongUsage => 2,
            Self::NeedsYou => 3,
            Self::Denied => 4,
            Self::Interrupted => 130,
            Self::PassedOn(code) => code,
        }
    }

    /// `Failed` if the condition is true, else `Done`.
    pub fn failed_if(failed: bool) -> Self {
        if failed { Self::Failed } else { Self::Done }
    }

    pub fn is_success(self) -> bool {
        self.code() == Self::Done.code()
    }
}

impl From<ExitReason> for ExitCode {
    fn from(reason: ExitReason) -> Self {
        Self::from(reason.code())
    }
}

impl From<RunStatus> for ExitReason {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Done => Self::Done,
            RunStatus::Failed | RunStatus::NotDone => Self::Failed,
            RunStatus::Blocked => Self::NeedsYou,
            RunStatus::Interrupted => Self::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run ends with the exit code that its last record has.
    #[test]
    fn run_status_and_its_record_have_the_same_code() {
        for status in [
            RunStatus::Done,
            RunStatus::Failed,
            RunStatus::NotDone,
            RunStatus::Blocked,
            RunStatus::Interrupted,
        ] {
            assert_eq!(ExitReason::from(status).code(), status.exit_code(), "{status}");
        }
    }
}
