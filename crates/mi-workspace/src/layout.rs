//! Where everything below `.nexus/` is (NX-135). Names only; touches no file.

use std::path::{Path, PathBuf};

use crate::HarnessId;

/// The places of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    project: PathBuf,
}

impl Layout {
    /// `project` is the folder that holds `.nexus/`, as an absolute path.
    pub fn new(project: impl Into<PathBuf>) -> Self {
        Self { project: project.into() }
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    pub fn nexus(&self) -> PathBuf {
        self.project.join(".nexus")
    }

    pub fn state(&self) -> PathBuf {
        self.nexus().join("state")
    }

    pub fn plan(&self) -> PathBuf {
        self.state().join("plan.json")
    }

    pub fn tasks(&self) -> PathBuf {
        self.state().join("tasks.json")
    }

    pub fn history(&self) -> PathBuf {
        self.nexus().join("history.json")
    }

    pub fn gitignore(&self) -> PathBuf {
        self.nexus().join(".gitignore")
    }

    pub fn artifacts(&self) -> PathBuf {
        self.state().join("artifacts")
    }

    pub fn memory(&self) -> PathBuf {
        self.nexus().join("memory")
    }

    pub fn context(&self) -> PathBuf {
        self.nexus().join("context")
    }

    pub fn rules(&self) -> PathBuf {
        self.nexus().join("rules")
    }

    /// What one harness keeps for itself; no other one reads or writes it (NX-162).
    pub fn harness(&self, harness: &HarnessId) -> PathBuf {
        self.state().join(harness.as_str())
    }

    pub fn agent_tracker(&self, harness: &HarnessId) -> PathBuf {
        self.harness(harness).join("agent-tracker.json")
    }

    pub fn tool_log(&self, harness: &HarnessId) -> PathBuf {
        self.harness(harness).join("tool-log.jsonl")
    }

    pub fn memory_access(&self, harness: &HarnessId) -> PathBuf {
        self.harness(harness).join("memory-access.jsonl")
    }
}
