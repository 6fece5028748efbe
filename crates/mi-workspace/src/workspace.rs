//! One project's working state and the operations on it.
//!
//! Holds: state is read fresh from disk on every call; what is kept in memory is only where the last write of this
//! process ended, and it is believed only while the file is untouched since. Elsewhere: each operation is a module of
//! its own ([`crate::plan`], [`crate::tasks`], [`crate::close`], [`crate::history`], …).

use mi_model::Timestamp;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    Layout, Store, Tool, ToolError, arguments::Arguments, artifact, close, context, history, plan,
    records::Spot, tasks,
};

/// A project's `.nexus/`, ready for calls. Cheap to make; may be shared between threads.
#[derive(Debug)]
pub struct Workspace {
    store: Store,
    pub(crate) known_tasks: Mutex<Option<tasks::Known>>,
    pub(crate) known_history: Mutex<Option<history::Known>>,
    /// The history as it was when a search last went through all of it and found it whole.
    pub(crate) whole_history: Mutex<Option<Spot>>,
}

impl Workspace {
    /// `layout` names the project by an absolute path. Touches nothing.
    pub fn new(layout: Layout) -> Self {
        Self {
            store: Store::new(layout),
            known_tasks: Mutex::default(),
            known_history: Mutex::default(),
            whole_history: Mutex::default(),
        }
    }

    pub fn layout(&self) -> &Layout {
        self.store.layout()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Carries out one operation. `arguments` is the object of the call; the answer is the contract's return value.
    /// An error has changed nothing.
    pub fn call(&self, tool: Tool, arguments: &Value, now: Timestamp) -> Result<Value, ToolError> {
        let arguments = Arguments::new(arguments)?;
        match tool {
            Tool::PlanStart => plan::start(self, &plan::StartRequest::read(&arguments)?, now),
            Tool::PlanStatus => plan::status(self),
            Tool::PlanUpdate => plan::update(self, &plan::UpdateRequest::read(&arguments)?),
            Tool::PlanDecide => plan::decide(self, plan::DecideRequest::read(&arguments)?),
            Tool::TaskAdd => tasks::add(self, tasks::AddRequest::read(&arguments)?, now),
            Tool::TaskList => tasks::list(self),
            Tool::TaskUpdate => tasks::update(self, &tasks::UpdateRequest::read(&arguments)?),
            Tool::TaskClose => close::close(self, now),
            Tool::HistorySearch => history::search(self, &history::SearchRequest::read(&arguments)?),
            Tool::Context => Ok(context::snapshot(self)),
            Tool::ArtifactWrite => artifact::write(self, &artifact::WriteRequest::read(&arguments)?),
        }
    }

    /// What was repaired since this was last asked.
    pub fn take_notes(&self) -> Vec<String> {
        self.store.take_notes()
    }
}

/// A holder that panicked left nothing half-done: what is kept here is replaced as a whole.
pub(crate) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
