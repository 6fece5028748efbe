//! From an agent's own tool call to the action that rules judge.

use mi_formats::hooks::Harness;
use mi_gate::permission::{Action, opencode_tool};
use serde_json::Value;

use super::NativeCall;
use crate::{HookError, field::wrong};

impl NativeCall<'_> {
    /// The action, with the agent that asks for it if it is a sub-agent.
    pub(super) fn action(&self) -> Result<Action, HookError> {
        let name = match self.payload.get("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => name.as_str(),
            Some(Value::String(_)) | None => return Err(HookError::Missing { name: "tool_name" }),
            Some(_) => return Err(wrong("tool_name", "a text")),
        };
        let tool = match self.harness {
            Harness::Opencode => opencode_tool(name).unwrap_or(name),
            Harness::Claude | Harness::Codex => name,
        };
        let cwd = match self.payload.get("cwd") {
            None | Some(Value::Null) => None,
            Some(Value::String(cwd)) => Some(cwd.as_str()),
            Some(_) => return Err(wrong("cwd", "a text")),
        };
        let input = self.payload.get("tool_input").cloned().unwrap_or(Value::Null);
        let mut action = Action::new(tool, input, cwd);
        action.actor = self.text("agent_type").map(str::to_owned);
        Ok(action)
    }
}
