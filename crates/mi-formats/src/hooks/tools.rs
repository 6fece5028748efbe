//! What an agent's tools do, by their names: the part of the capability map that needs no vocabulary.
//!
//! Names of Claude Code, Codex and OpenCode stand side by side: none of them means two things.

use serde_json::{Map, Value};

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }
}

const READS: [&str; 6] = ["Read", "NotebookRead", "read", "read_file", "view", "view_image"];
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

/// What the tool of this name does: by the names that the agents give to theirs, else by the words of the name, since
/// every server has names of its own (`mcp__fs__edit_file`, `container.exec`).
pub fn effect_of(tool: &str) -> Effect {
    let own = tool.rsplit("__").next().unwrap_or(tool);
    if is_harmless(own) {
        Effect::Other
    } else if READS.contains(&own) {
        Effect::Read
    } else if WRITES.contains(&own) {
        Effect::Write
    } else if SHELLS.contains(&own) {
        Effect::Shell
    } else {
        by_words(tool, own)
    }
}

/// What one call does: where the name does not say it, the input does (a command line; a path with a new content).
pub fn effect_of_call(tool: &str, input: &Map<String, Value>) -> Effect {
    let has =
        |names: &[&str]| names.iter().any(|name| input.get(*name).is_some_and(|value| !value.is_null()));
    match effect_of(tool) {
        // An editor with several commands, one of which only shows.
        Effect::Write if input.get("command").is_some_and(|command| command == "view") => Effect::Read,
        Effect::Other if is_harmless(tool.rsplit("__").next().unwrap_or(tool)) => Effect::Other,
        Effect::Other if has(&PATHS) && has(&CONTENTS) => Effect::Write,
        Effect::Other if has(&COMMANDS) => Effect::Shell,
        effect => effect,
    }
}

/// Fields in which the path of a file stands, those that name one file first.
const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "target_file",
    "filename",
    "file",
    "source",
    "destination",
];
const CONTENTS: [&str; 11] = [
    "content",
    "contents",
    "new_string",
    "newString",
    "new_str",
    "file_text",
    "insert_text",
    "new_source",
    "edits",
    "patch",
    "diff",
];
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Our own tools keep what they write below `.nexus/`: reports and memory are open to agents that may not edit
/// (NX-256). What some agents call a command is the name of a prompt.
fn is_harmless(own: &str) -> bool {
    own.contains("nx_")
        || ["memory_save", "memory_search"].iter().any(|tool| own.ends_with(tool))
        || ["Skill", "SlashCommand"].contains(&own)
}

/// By the words of a name: an action on files, or a shell.
fn by_words(tool: &str, own: &str) -> Effect {
    const CHANGES: [&str; 18] = [
        "write",
        "edit",
        "create",
        "update",
        "delete",
        "remove",
        "move",
        "rename",
        "copy",
        "patch",
        "replace",
        "insert",
        "append",
        "save",
        "modify",
        "overwrite",
        "put",
        "push",
    ];
    const FILES: [&str; 9] =
        ["file", "files", "directory", "folder", "dir", "notebook", "cell", "editor", "symlink"];
    const SHELL_WORDS: [&str; 8] =
        ["shell", "bash", "powershell", "pwsh", "terminal", "exec", "console", "zsh"];
    const STARTS: [&str; 3] = ["run", "execute", "exec"];
    const LOOKS: [&str; 9] = ["output", "kill", "list", "status", "get", "history", "stop", "view", "search"];
    let (words, all) = (words_of(own), words_of(tool));
    let any = |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if any(&words, &CHANGES) && any(&words, &FILES) || own.contains("str_replace") {
        Effect::Write
    } else if any(&words, &LOOKS) {
        Effect::Other
    } else if any(&words, &["read"]) && any(&words, &FILES) {
        Effect::Read
    } else if any(&all, &SHELL_WORDS) || any(&words, &STARTS) && any(&words, &["command", "cmd", "script"]) {
        Effect::Shell
    } else {
        Effect::Other
    }
}

/// `editFile`, `edit_file`, `edit-file`, `fs.edit`: the words in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let is_start = letter.is_uppercase() && was_small || !letter.is_alphanumeric();
        if is_start {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words
}

/// The command line of a call: one text, or a list of words, each of which is one word whatever stands in it.
pub fn command_line(input: &Map<String, Value>) -> Option<String> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    COMMANDS.iter().find_map(|name| match input.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    })
}

/// The files that a tool's input names, in the order in which they stand.
pub fn input_files(tool: &str, input: &Map<String, Value>) -> Vec<String> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let is_patch = matches!(tool, "apply_patch" | "patch");
    let patch = ["command", "input", "patch", "patchText", "patch_text"].iter().find_map(|name| text(name));
    if let Some(patch) = patch.filter(|_| is_patch) {
        return patch_files(patch);
    }
    match effect_of_call(tool, input) {
        Effect::Read | Effect::Write => {
            let (ends, one) = (&PATHS[7..], &PATHS[..7]);
            let named = one.iter().find_map(|name| text(name));
            // What is moved or copied has two names.
            named.into_iter().chain(ends.iter().filter_map(|name| text(name))).map(str::to_owned).collect()
        }
        Effect::Shell | Effect::Other => Vec::new(),
    }
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
    use super::{Effect, effect_of, effect_of_call, input_files, patch_files};
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
            ("mcp__filesystem__move_file", json!({"source": "a", "destination": "b"}), vec!["a", "b"]),
            ("mcp__x__put", json!({"path": "a", "content": "x"}), vec!["a"]),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(input_files(tool, input.as_object().unwrap()), expected, "{tool}");
        }
    }

    /// Tools of any server are known by what their names say they do (NX-203, NX-255).
    #[test]
    fn nx_255_tools_of_other_servers_are_known_by_their_words() {
        for (effect, tools) in [
            (
                Effect::Write,
                &[
                    "mcp__filesystem__write_file",
                    "mcp__fs__edit_file",
                    "mcp__filesystem__move_file",
                    "mcp__filesystem__create_directory",
                    "create_file",
                    "str_replace_editor",
                    "str_replace_based_edit_tool",
                    "update_file",
                    "delete_file",
                    "editFile",
                    "mcp__fs__write",
                ][..],
            ),
            (
                Effect::Shell,
                &["PowerShell", "container.exec", "mcp__shell__run", "run_terminal_cmd", "execute_command"],
            ),
            (Effect::Read, &["mcp__filesystem__read_file", "read_text_file", "view"]),
            (
                Effect::Other,
                &[
                    "TodoWrite",
                    "BashOutput",
                    "KillShell",
                    "WebFetch",
                    "update_plan",
                    "mcp__github__get_file_contents",
                    "mcp__github__create_issue",
                    "mcp__filesystem__list_directory",
                    "mcp__filesystem__search_files",
                    "mcp__mi__nx_artifact_write",
                    "mcp__mi__memory_save",
                    "Skill",
                    "",
                ],
            ),
        ] {
            for tool in tools {
                assert_eq!(effect_of(tool), effect, "{tool}");
            }
        }
    }

    /// What the name does not say, the input does: a command line, a path with a new content.
    #[test]
    fn nx_255_calls_are_known_by_their_input() {
        for (tool, input, effect) in [
            ("Monitor", json!({"command": "sed -i s/a/b/ f"}), Effect::Shell),
            ("mcp__x__go", json!({"cmd": ["ls"]}), Effect::Shell),
            ("mcp__x__go", json!({"path": "a", "content": "x"}), Effect::Write),
            ("mcp__x__go", json!({"path": "a"}), Effect::Other),
            ("mcp__mi__nx_artifact_write", json!({"filename": "a", "content": "x"}), Effect::Other),
            ("str_replace_based_edit_tool", json!({"command": "view", "path": "a"}), Effect::Read),
            ("str_replace_based_edit_tool", json!({"command": "create", "path": "a"}), Effect::Write),
        ] {
            assert_eq!(effect_of_call(tool, input.as_object().unwrap()), effect, "{tool} {input}");
        }
    }
}
