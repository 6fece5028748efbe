//! Codex's `exec --json` stream (measured on 0.166).
//!
//! Holds: only `turn.completed` and `turn.failed` end a turn; `error` lines and items are warnings, because
//! codex also prints them for retries that then succeed.

use mi_model::Usage;
use serde_json::Value;

use crate::{AgentEvent, ChangeKind, FileChange, Phase, TurnEnd, shell::unwrap_shell};

/// The event of one line. A line that is not a JSON object is [`AgentEvent::Unknown`] of kind `not_json`.
pub fn read_line(line: &str) -> AgentEvent {
    match serde_json::from_str::<Value>(line) {
        Ok(value) if value.is_object() => read_value(&value),
        _ => unknown("not_json"),
    }
}

/// The `type` of the line's event and of its item, for counting.
pub fn event_types(line: &str) -> (Option<String>, Option<String>) {
    let Ok(value) = serde_json::from_str::<Value>(line) else { return (None, None) };
    types_of(&value)
}

/// As [`event_types`], of a value that is already parsed.
pub fn types_of(value: &Value) -> (Option<String>, Option<String>) {
    let kind = value.get("type").and_then(Value::as_str).map(str::to_owned);
    let item = value.pointer("/item/type").and_then(Value::as_str).map(str::to_owned);
    (kind, item)
}

/// Whether a JSON object looks like an event of this stream.
pub fn is_codex(value: &Value) -> bool {
    let kind = text(value, "type");
    ["thread.", "turn.", "item."].iter().any(|prefix| kind.starts_with(prefix))
}

/// The event of one parsed line.
pub fn read_value(value: &Value) -> AgentEvent {
    match text(value, "type") {
        "thread.started" => AgentEvent::ThreadStarted { thread_id: text(value, "thread_id").to_owned() },
        "turn.started" => AgentEvent::TurnStarted,
        "turn.completed" => {
            AgentEvent::TurnEnded { end: TurnEnd::Completed, usage: value.get("usage").map(read_usage) }
        }
        "turn.failed" => {
            let message = value.pointer("/error/message").and_then(Value::as_str).unwrap_or("no message");
            AgentEvent::TurnEnded { end: TurnEnd::Failed { message: message.to_owned() }, usage: None }
        }
        "error" => AgentEvent::Warning { message: text(value, "message").to_owned() },
        "item.started" | "item.updated" => read_item(value.get("item").unwrap_or(&Value::Null), false),
        "item.completed" => read_item(value.get("item").unwrap_or(&Value::Null), true),
        other => unknown(other),
    }
}

fn read_item(item: &Value, completed: bool) -> AgentEvent {
    let id = text(item, "id").to_owned();
    let phase = item_phase(item, completed);
    match (text(item, "type"), completed) {
        ("agent_message", true) => AgentEvent::Message { text: text(item, "text").to_owned() },
        ("reasoning", true) => AgentEvent::Reasoning { text: text(item, "text").to_owned() },
        ("command_execution", false) => {
            AgentEvent::CommandStarted { id, command: unwrap_shell(text(item, "command")) }
        }
        ("command_execution", true) => AgentEvent::CommandFinished {
            id,
            command: unwrap_shell(text(item, "command")),
            exit_code: exit_code(item),
            output: text(item, "aggregated_output").to_owned(),
        },
        ("file_change", _) => AgentEvent::FilesChanged { id, changes: read_changes(item), phase },
        ("mcp_tool_call", _) => AgentEvent::ToolCall {
            id,
            name: format!("{}.{}", text(item, "server"), text(item, "tool")),
            arguments: item.get("arguments").map(Value::to_string).unwrap_or_default(),
            phase,
        },
        ("collab_tool_call", _) => AgentEvent::ToolCall {
            id,
            name: format!("collab.{}", text(item, "tool")),
            arguments: text(item, "prompt").to_owned(),
            phase,
        },
        ("web_search", _) => AgentEvent::WebSearch { query: text(item, "query").to_owned() },
        ("todo_list", _) => AgentEvent::Plan { items: read_plan(item) },
        ("error", _) => AgentEvent::Warning { message: text(item, "message").to_owned() },
        (other, _) => unknown(&format!("item:{other}")),
    }
}

/// The exit code of a command. A zero that the item's own status speaks against is none: it says that nothing failed
/// where the harness says that something did, or that the command never ran to its end.
fn exit_code(item: &Value) -> Option<i32> {
    let code = i32::try_from(item.get("exit_code").and_then(Value::as_i64)?).ok()?;
    let ended_well = matches!(text(item, "status"), "" | "completed");
    (code != 0 || ended_well).then_some(code)
}

fn item_phase(item: &Value, completed: bool) -> Phase {
    match (completed, text(item, "status")) {
        (false, _) => Phase::Started,
        (true, "failed" | "declined") => Phase::Failed,
        (true, _) => Phase::Completed,
    }
}

fn read_changes(item: &Value) -> Vec<FileChange> {
    let changes = item.get("changes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    changes
        .iter()
        .map(|change| FileChange {
            path: text(change, "path").to_owned(),
            kind: match text(change, "kind") {
                "add" => ChangeKind::Add,
                "delete" => ChangeKind::Delete,
                _ => ChangeKind::Update,
            },
        })
        .collect()
}

fn read_plan(item: &Value) -> Vec<(String, bool)> {
    let items = item.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let done = |entry: &Value| entry.get("completed").and_then(Value::as_bool).unwrap_or(false);
    items.iter().map(|entry| (text(entry, "text").to_owned(), done(entry))).collect()
}

fn read_usage(usage: &Value) -> Usage {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input_tokens: count("input_tokens"),
        cached_input_tokens: count("cached_input_tokens"),
        output_tokens: count("output_tokens"),
        reasoning_output_tokens: count("reasoning_output_tokens"),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn unknown(kind: &str) -> AgentEvent {
    AgentEvent::Unknown { kind: kind.to_owned() }
}
