//! A project in a temporary folder, and one place that knows the API.

use mi_model::Timestamp;
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};
use tempfile::TempDir;

pub const NOW: &str = "2026-02-08T12:00:00.250Z";

pub struct Scene {
    pub folder: TempDir,
    pub workspace: Workspace,
}

impl Scene {
    /// An empty project.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::new(Layout::new(folder.path()));
        Self { folder, workspace }
    }

    /// A project with these files.
    pub fn with(files: &[(&str, Value)]) -> Self {
        let scene = Self::new();
        for (path, content) in files {
            scene.write(path, content.to_string());
        }
        scene
    }

    /// A plan with these pending issues.
    pub fn planning(issues: &[&str]) -> Self {
        let scene = Self::new();
        scene.ok(Tool::PlanStart, json!({"topic": "T", "issues": issues, "research_summary": "R"}));
        scene
    }

    pub fn call(&self, tool: Tool, arguments: Value) -> Result<Value, String> {
        self.workspace.call(tool, &arguments, now()).map_err(|error| error.to_string())
    }

    #[track_caller]
    pub fn ok(&self, tool: Tool, arguments: Value) -> Value {
        self.call(tool, arguments).unwrap()
    }

    #[track_caller]
    pub fn error(&self, tool: Tool, arguments: Value) -> String {
        self.call(tool, arguments).unwrap_err()
    }

    /// The same project as another process sees it.
    pub fn other(&self) -> Workspace {
        Workspace::new(self.workspace.layout().clone())
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[track_caller]
    pub fn json(&self, relative: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(relative)).unwrap()).unwrap()
    }

    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// Every file of the project with its bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut waiting) = (Vec::new(), vec![self.folder.path().to_owned()]);
        while let Some(path) = waiting.pop() {
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let bytes = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            found.push((path, bytes));
        }
        found.sort();
        found
    }
}

pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub const PLAN: &str = ".nexus/state/plan.json";
pub const TASKS: &str = ".nexus/state/tasks.json";
pub const HISTORY: &str = ".nexus/history.json";
