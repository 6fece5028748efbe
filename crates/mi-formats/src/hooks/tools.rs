//! What an agent's tools do, by their names: the part of the capability map that needs no vocabulary.
//!
//! Names of Claude Code, Codex and OpenCode stand side by side: none of them means two things.

use serde_json::{Map, Value};

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Gives the content of a file.
    Read,
    /// Creates, changes or removes files.
    Write,
    /// Runs a command line.
    Shell,
    /// Neither: listings, searches, questions, tools of servers.
    Other,
}

impl Effect {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Shell => "shell",
            Self::Other => "other",
        }
    }
}

const READS: [&str; 5] = ["Read", "NotebookRead", "read", "read_file", "view_image"];
const WRITES: [&str; 10] = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "write",
    "edit",
    "multiedit",
    "patch",
    "write_file",
];
const SHELLS: [&str; 7] =
    ["Bash", "bash", "shell", "exec_command", "local_shell", "write_stdin", "unified_exec"];

/// What the tool of this name does.
pub fn effect_of(tool: &str) -> Effect {
    if READS.contains(&tool) {
        Effect::Read
    } else if WRITES.contains(&tool) {
        Effect::Write
    } else if is_shell(tool) {
        Effect::Shell
    } else {
        Effect::Other
    }
}

pub fn is_shell(tool: &str) -> bool {
    SHELLS.contains(&tool)
}

/// The files that a tool's input names, in the order in which they stand.
pub(super) fn input_files(tool: &str, input: &Map<String, Value>) -> Vec<String> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let is_patch = matches!(tool, "apply_patch" | "patch");
    let patch = ["command", "input", "patch", "patchText", "patch_text"].iter().find_map(|name| text(name));
    if let Some(patch) = patch.filter(|_| is_patch) {
        return patch_files(patch);
    }
    let names = ["file_path", "filePath", "notebook_path", "path"];
    let named = names.iter().find_map(|name| text(name));
    named
        .filter(|_| matches!(effect_of(tool), Effect::Read | Effect::Write))
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// The files that a patch in Codex's form adds, changes, removes or moves to.
pub fn patch_files(patch: &str) -> Vec<String> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let found = HEADERS.iter().find_map(|header| line.trim_start().strip_prefix(header));
        let found = found.map(str::trim).filter(|name| !name.is_empty());
        files.extend(found.filter(|name| !files.iter().any(|known| known == name)).map(str::to_owned));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{input_files, patch_files};
    use serde_json::json;

    /// Every file of a patch is found once, moves included.
    #[test]
    fn files_of_a_patch() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: c.rs\n*** Move to: d.rs\n@@\n-*** Add File: no\n*** Delete File: c.rs\n*** End Patch";
        assert_eq!(patch_files(patch), ["a b.txt", "c.rs", "d.rs"]);
    }

    /// Each agent names the file of a tool in its own way; searches and commands name none.
    #[test]
    fn files_of_tool_inputs() {
        let cases = [
            ("Edit", json!({"file_path": "/p/a"}), vec!["/p/a"]),
            ("NotebookEdit", json!({"notebook_path": "n.ipynb"}), vec!["n.ipynb"]),
            ("read", json!({"filePath": "b"}), vec!["b"]),
            ("apply_patch", json!({"command": "*** Begin Patch\n*** Add File: c\n*** End Patch"}), vec!["c"]),
            ("Grep", json!({"path": "src"}), vec![]),
            ("Bash", json!({"command": "cat x"}), vec![]),
            ("Edit", json!({"file_path": 5}), vec![]),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(input_files(tool, input.as_object().unwrap()), expected, "{tool}");
        }
    }
}
