//! From what an agent sends to flat fields.
//!
//! Claude Code and Codex share one dialect (measured: 2.1.197 and 0.166); the OpenCode plugin that `mi` generates
//! speaks it too. Holds: nothing is invented, except an agent name that fits the contract's pattern.

use serde_json::{Map, Value, json};

use super::{Effect, Event, command_line, effect_of, effect_of_call, tools};

/// The event that a call really means, and its flat fields.
pub fn flatten(event: Event, native: &Map<String, Value>) -> (Event, Map<String, Value>) {
    let event = real_event(event, native);
    let mut flat = Map::new();
    for name in ["session_id", "cwd", "agent_id"] {
        copy(native, name, &mut flat, name);
    }
    agent_name(native, &mut flat);
    match event {
        Event::SessionStart | Event::ContextCompact => copy(native, "source", &mut flat, "source"),
        Event::UserMessage => copy(native, "prompt", &mut flat, "message"),
        Event::PreToolUse | Event::PostToolUse => tool_use(native, &mut flat),
        Event::AgentComplete => copy(native, "last_assistant_message", &mut flat, "last_message"),
        Event::Stop => copy(native, "stop_hook_active", &mut flat, "stop_hook_active"),
        Event::MemoryRead => copy(native, "file_path", &mut flat, "file_path"),
        Event::AgentSpawn | Event::AgentResume | Event::SessionEnd => {}
    }
    if event == Event::PostToolUse {
        result(native, &mut flat);
    }
    (event, flat)
}

/// After a compaction the agents call the start hook again, and only its answer reaches the model.
fn real_event(event: Event, native: &Map<String, Value>) -> Event {
    let compacted = native.get("source").is_some_and(|source| source == "compact");
    if event == Event::SessionStart && compacted { Event::ContextCompact } else { event }
}

fn tool_use(native: &Map<String, Value>, flat: &mut Map<String, Value>) {
    let Some(tool) = native.get("tool_name").and_then(Value::as_str) else { return };
    flat.insert("tool".to_owned(), tool.into());
    let Some(input) = native.get("tool_input").and_then(Value::as_object) else { return };
    let effect = effect_of_call(tool, input);
    if effect == Effect::Shell {
        flat.extend(command_line(input).map(|command| ("command".to_owned(), command.into())));
    }
    // The input is not passed on, so what only it tells is.
    if effect != effect_of(tool) {
        flat.insert("effect".to_owned(), effect.as_str().into());
    }
    let files = tools::input_files(tool, input);
    if let Some(first) = files.first() {
        flat.insert("file_path".to_owned(), first.as_str().into());
    }
    if files.len() > 1 {
        flat.insert("files".to_owned(), json!(files));
    }
}

/// A failed tool is reported by an event of its own (Claude Code), or within the response.
fn result(native: &Map<String, Value>, flat: &mut Map<String, Value>) {
    let response = native.get("tool_response");
    let flag = |name: &str| response.and_then(|response| response.get(name)).and_then(Value::as_bool);
    let failed_event = native.get("hook_event_name").is_some_and(|name| name == "PostToolUseFailure");
    let error = native.get("error").and_then(Value::as_str);
    let failed =
        failed_event || error.is_some() || flag("is_error") == Some(true) || flag("success") == Some(false);
    flat.insert("status".to_owned(), if failed { "error" } else { "ok" }.into());
    flat.extend(error.map(|error| ("error".to_owned(), error.into())));
}

/// `agent_type` may hold what the contract's pattern forbids (`Explore`, `plugin:name`).
fn agent_name(native: &Map<String, Value>, flat: &mut Map<String, Value>) {
    let Some(kind) = native.get("agent_type").and_then(Value::as_str) else { return };
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let name: String = kind.chars().map(plain).collect();
    let name = name.trim_matches(|letter: char| letter == '-' || letter.is_ascii_digit());
    if !name.is_empty() {
        flat.insert("agent_name".to_owned(), name.into());
    }
}

fn copy(from: &Map<String, Value>, name: &str, to: &mut Map<String, Value>, new_name: &str) {
    if let Some(value) = from.get(name).filter(|value| !value.is_null()) {
        to.insert(new_name.to_owned(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(event: Event, native: Value) -> (Event, Value) {
        let (event, flat) = flatten(event, native.as_object().unwrap());
        (event, Value::Object(flat))
    }

    /// The fields of each event, as the real agents send them.
    #[test]
    fn native_payloads_become_flat() {
        let cases = [
            (
                Event::PostToolUse,
                json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "exit 3"}, "error": "Exit code 3"}),
                json!({"tool": "Bash", "command": "exit 3", "status": "error", "error": "Exit code 3"}),
            ),
            (
                Event::PostToolUse,
                json!({"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Add File: a\n*** Add File: b\n*** End Patch"}, "tool_response": "Done!"}),
                json!({"tool": "apply_patch", "file_path": "a", "files": ["a", "b"], "status": "ok"}),
            ),
            (
                Event::PreToolUse,
                json!({"tool_name": "shell", "tool_input": {"command": ["sed", "-i", "s/a b/c/", "f"]}}),
                json!({"tool": "shell", "command": "'sed' '-i' 's/a b/c/' 'f'"}),
            ),
            (
                Event::PreToolUse,
                json!({"tool_name": "mcp__x__go", "tool_input": {"path": "f", "content": "x"}}),
                json!({"tool": "mcp__x__go", "effect": "write", "file_path": "f"}),
            ),
            (
                Event::AgentSpawn,
                json!({"agent_id": "a06", "agent_type": "general-purpose", "cwd": "/p"}),
                json!({"cwd": "/p", "agent_id": "a06", "agent_name": "general-purpose"}),
            ),
            (Event::AgentSpawn, json!({"agent_type": "nexus:Explore"}), json!({"agent_name": "explore"})),
            (Event::AgentSpawn, json!({"agent_type": "7"}), json!({})),
            (
                Event::AgentComplete,
                json!({"agent_id": "a06", "last_assistant_message": "sub answer"}),
                json!({"agent_id": "a06", "last_message": "sub answer"}),
            ),
            (Event::UserMessage, json!({"prompt": "[run]"}), json!({"message": "[run]"})),
        ];
        for (event, native, expected) in cases {
            assert_eq!(flat(event, native.clone()), (event, expected), "{native}");
        }
    }

    /// A start after a compaction is a compaction.
    #[test]
    fn start_after_compaction() {
        let (event, _) = flat(Event::SessionStart, json!({"source": "compact"}));
        assert_eq!(event, Event::ContextCompact);
    }
}
