//! What happens around the tools: sessions, agents, tool uses, resuming (NX-180 to NX-242).
//!
//! [`Lifecycle`] is one harness in one project at one instant; its methods change the files of that harness alone.
//! Holds: files are read fresh, changed under the project's lock and replaced as a whole; fields that this version does
//! not know are kept; what cannot be understood is refused with its place and left as it is.
//! Elsewhere: payloads, tags and blocking are `mi-hook`; reads of memory files are `memory`; the eleven tools never come here (NX-010).

mod resume;
mod session;
mod situation;
mod skill;
mod tool_log;
mod tracker;

use std::path::PathBuf;

use mi_model::Timestamp;

use crate::{FileError, HarnessId, Store};

pub use resume::{Decision, Policy, Prior, Request, Tier, decide};
pub use session::{Ended, Started, Tracker as TrackerAtStart};
pub use situation::{Knowledge, PlanView, Situation, TaskView};
pub use skill::ActiveSkill;
pub use tool_log::ToolUse;
pub use tracker::{Completed, NewAgent};

/// One harness in one project, now.
#[derive(Debug, Clone, Copy)]
pub struct Lifecycle<'a> {
    pub store: &'a Store,
    pub harness: &'a HarnessId,
    pub now: Timestamp,
}

/// Why an event was not recorded. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LifecycleError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}` is malformed ({reason}): repair it, or start a session, which sets it aside", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("no agent `{agent_id}` is in `{}`: record its start with `mi hook agent-spawn` first", path.display())]
    UnknownAgent { agent_id: String, path: PathBuf },
    #[error(
        "`{value}` is no agent name: use a lower-case letter, then letters, digits and `-`, such as `engineer`"
    )]
    AgentName { value: String },
    #[error("agent_id is empty: give the id under which the agent can be found again")]
    AgentId,
}

impl Lifecycle<'_> {
    /// The place of a file of this harness; no link leads there.
    fn place(&self, name: &str) -> Result<PathBuf, FileError> {
        let place = self.store.layout().harness(self.harness).join(name);
        self.store.refuse_links(&place)?;
        Ok(place)
    }
}

pub(crate) const TRACKER: &str = "agent-tracker.json";
pub(crate) const TOOL_LOG: &str = "tool-log.jsonl";
