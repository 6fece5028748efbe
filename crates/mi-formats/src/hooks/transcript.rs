//! Which tools an agent used, read from the transcript that its hooks point to.
//!
//! Holds: a line that is not understood says nothing. Measured on Claude Code 2.1.197 and Codex 0.166.

use serde_json::Value;

use super::Harness;

/// What a line of a transcript says about tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolFact {
    /// The model asked for a tool.
    Used { id: String, tool: String },
    /// The agent refused before any hook: no such tool, input of the wrong shape.
    Refused { id: String },
}

/// Tools for which an agent calls no hook before they run.
pub fn never_hooked(harness: Harness) -> &'static [&'static str] {
    match harness {
        Harness::Claude => &[],
        // `exec` and `wait` are the shell around calls that are hooked themselves.
        Harness::Codex => &["write_stdin", "tool_search", "web_search", "exec", "wait"],
        Harness::Opencode => &["invalid"],
    }
}

/// What one line says.
pub fn tool_facts(harness: Harness, line: &[u8]) -> Vec<ToolFact> {
    // Most of a transcript is talk.
    let hints: &[&str] = match harness {
        Harness::Claude => &["\"tool_use"],
        Harness::Codex | Harness::Opencode => &["_call"],
    };
    let has = |hint: &&str| line.windows(hint.len()).any(|window| window == hint.as_bytes());
    if !hints.iter().any(has) {
        return Vec::new();
    }
    let Ok(line) = serde_json::from_slice::<Value>(line) else { return Vec::new() };
    match harness {
        Harness::Claude => claude(&line),
        Harness::Codex => codex(&line).into_iter().collect(),
        Harness::Opencode => Vec::new(),
    }
}

fn claude(line: &Value) -> Vec<ToolFact> {
    let blocks = line["message"]["content"].as_array().into_iter().flatten();
    blocks.filter_map(claude_block).collect()
}

fn claude_block(block: &Value) -> Option<ToolFact> {
    match block["type"].as_str()? {
        "tool_use" => Some(ToolFact::Used { id: text(&block["id"])?, tool: text(&block["name"])? }),
        "tool_result" => {
            let content = &block["content"];
            let said = content.as_str().or_else(|| content[0]["text"].as_str())?;
            let refused = said.starts_with("<tool_use_error>") && block["is_error"] == true;
            refused.then(|| text(&block["tool_use_id"])).flatten().map(|id| ToolFact::Refused { id })
        }
        _ => None,
    }
}

fn codex(line: &Value) -> Option<ToolFact> {
    let payload = &line["payload"];
    let id = text(&payload["call_id"])?;
    match payload["type"].as_str()? {
        "function_call" | "custom_tool_call" => Some(ToolFact::Used { id, tool: text(&payload["name"])? }),
        "local_shell_call" => Some(ToolFact::Used { id, tool: "local_shell".to_owned() }),
        "function_call_output" | "custom_tool_call_output" => {
            let said = payload["output"].as_str()?;
            let refused = said.starts_with("unsupported call:")
                || said.starts_with("failed to parse function arguments");
            refused.then_some(ToolFact::Refused { id })
        }
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls and refusals of both agents are read; talk and broken lines say nothing.
    #[test]
    fn d_17_tool_uses_of_transcripts() {
        let used = |id: &str, tool: &str| vec![ToolFact::Used { id: id.to_owned(), tool: tool.to_owned() }];
        let refused = |id: &str| vec![ToolFact::Refused { id: id.to_owned() }];
        let cases = [
            (
                Harness::Claude,
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}"#,
                used("t1", "Bash"),
            ),
            (
                Harness::Claude,
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"<tool_use_error>Error: No such tool available: x</tool_use_error>"}]}}"#,
                refused("t1"),
            ),
            (
                Harness::Claude,
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}"#,
                vec![],
            ),
            (Harness::Claude, r#"{"type":"user","message":{"content":"a \"tool_use\" in talk"}}"#, vec![]),
            (
                Harness::Codex,
                r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c1","arguments":"{}"}}"#,
                used("c1", "exec_command"),
            ),
            (
                Harness::Codex,
                r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","call_id":"c2","input":""}}"#,
                used("c2", "apply_patch"),
            ),
            (
                Harness::Codex,
                r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"unsupported call: x"}}"#,
                refused("c1"),
            ),
            (Harness::Codex, r#"{"type":"response_item","payload":{"type":"function_call""#, vec![]),
        ];
        for (harness, line, expected) in cases {
            assert_eq!(tool_facts(harness, line.as_bytes()), expected, "{line}");
        }
    }
}
