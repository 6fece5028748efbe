//! OpenCode: `opencode.json` has the server; hooks are a plugin, which is a file of our own.

use serde_json::json;

use super::{
    EditError, Program,
    claude::{add_server, remove_server},
    json_text::Node,
};

/// Puts the server in.
pub fn add_opencode(text: &str, program: &Program) -> Result<String, EditError> {
    let command = json!([program.0, "mcp", "--harness-id", "opencode"]);
    let value = json!({"type": "local", "command": command, "enabled": true});
    add_server(text, "mcp", &value, is_our_server)
}

/// Takes the server out; `before` is the text from before it was put in.
pub fn remove_opencode(text: &str, before: Option<&str>) -> Result<String, EditError> {
    remove_server(text, "mcp", before, is_our_server)
}

fn is_our_server(server: &Node) -> bool {
    let command = server.get("command").map(Node::items).unwrap_or_default();
    command.get(1).and_then(Node::as_str) == Some("mcp")
}

/// The plugin's whole text. It starts `mi` for each event and obeys its answer; without an answer nothing changes.
pub fn opencode_plugin(program: &Program) -> String {
    let program = serde_json::Value::from(program.0.as_str());
    format!(
        "// Written by `mi mcp install opencode`; `mi mcp uninstall opencode` removes it.\nconst MI = {program}\n{PLUGIN}"
    )
}

/// The gate's plugin. Unlike the other it takes a missing or odd answer for a denial: OpenCode has no one to ask.
pub fn opencode_gate_plugin(program: &Program) -> String {
    let settings = serde_json::Value::from(program.1.clone());
    let program = serde_json::Value::from(program.0.as_str());
    format!(
        "// Written by `mi hooks install opencode`; `mi hooks uninstall opencode` removes it.\nconst MI = {program}\nconst SETTINGS = {settings}\n{GATE_PLUGIN}"
    )
}

const GATE_PLUGIN: &str = r#"import { spawnSync } from "node:child_process"

export const MiGate = async ({ directory }) => {
  const uses = new Map()
  const call = (event, payload) => {
    const input = JSON.stringify({ cwd: directory, ...payload })
    const args = ["hook", event, "--harness", "opencode", "--gate", ...SETTINGS]
    const done = spawnSync(MI, args, { input, encoding: "utf8", timeout: 10000, maxBuffer: 1 << 26 })
    if (done.status !== 0) return { failed: done.stderr || String(done.error ?? "mi hook did not answer") }
    try {
      return done.stdout ? JSON.parse(done.stdout) : {}
    } catch (error) {
      return { failed: String(error) }
    }
  }
  return {
    event: async ({ event }) => {
      const info = event.properties?.info ?? {}
      const part = event.properties?.part
      if (event.type === "session.created" && info.parentID)
        call("subagent-start", { agent_id: info.id, session_id: info.parentID, agent_type: info.agent ?? "subagent" })
      else if (event.type === "session.created") call("session-start", { session_id: info.id, source: "startup" })
      else if (event.type === "session.deleted") call("session-end", { session_id: info.id })
      else if (event.type === "message.part.updated" && part?.type === "tool") {
        if (!uses.has(part.sessionID)) uses.set(part.sessionID, new Map())
        uses.get(part.sessionID).set(part.callID, part.tool)
      } else if (event.type === "session.idle") {
        const id = event.properties?.sessionID
        const tool_uses = [...(uses.get(id) ?? [])].map(([id, name]) => ({ id, name }))
        call("stop", { session_id: id, tool_uses })
        uses.delete(id)
      }
    },
    "chat.message": async (input, output) => {
      const part = output.parts?.find((part) => part.type === "text" && !part.synthetic)
      if (!part) return
      const answer = call("user-message", { session_id: input.sessionID, prompt: part.text })
      if (answer.block) throw new Error(answer.block)
      if (answer.context) part.text += "\n\n" + answer.context
    },
    "tool.execute.before": async (input, output) => {
      const payload = { session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_input: output.args }
      const answer = call("pre-tool-use", payload)
      if (answer.decision !== "allow")
        throw new Error(answer.block || "mi: the gate gave no answer, so this is denied: " + (answer.failed ?? ""))
    },
    "tool.execute.after": async (input, output) => {
      const failed = output.metadata?.exit ? { error: "exit code " + output.metadata.exit } : {}
      const payload = { session_id: input.sessionID, tool_use_id: input.callID, tool_name: input.tool, tool_input: input.args }
      call("post-tool-use", { ...payload, ...failed })
    },
    "experimental.session.compacting": async (input) => {
      call("pre-compact", { session_id: input.sessionID })
    },
  }
}
"#;

const PLUGIN: &str = r#"import { spawnSync } from "node:child_process"

export const MiLifecycle = async ({ directory }) => {
  const call = (event, payload) => {
    const input = JSON.stringify({ cwd: directory, ...payload })
    const args = ["hook", event, "--harness", "opencode", "--lifecycle", "--cd", directory]
    const done = spawnSync(MI, args, { input, encoding: "utf8", timeout: 10000 })
    try {
      return done.status === 0 && done.stdout ? JSON.parse(done.stdout) : {}
    } catch {
      return {}
    }
  }
  return {
    event: async ({ event }) => {
      const info = event.properties?.info ?? {}
      if (event.type === "session.created" && info.parentID)
        call("agent-spawn", { agent_id: info.id, agent_type: info.agent ?? "subagent" })
      else if (event.type === "session.created") call("session-start", { session_id: info.id, source: "startup" })
      else if (event.type === "session.idle") call("stop", { session_id: event.properties?.sessionID })
      else if (event.type === "session.deleted") call("session-end", { session_id: info.id })
    },
    "chat.message": async (input, output) => {
      const part = output.parts?.find((part) => part.type === "text" && !part.synthetic)
      if (!part) return
      const answer = call("user-message", { session_id: input.sessionID, prompt: part.text })
      if (answer.block) throw new Error(answer.block)
      if (answer.context) part.text += "\n\n" + answer.context
    },
    "tool.execute.before": async (input, output) => {
      const answer = call("pre-tool-use", { session_id: input.sessionID, tool_name: input.tool, tool_input: output.args })
      if (answer.block) throw new Error(answer.block)
    },
    "tool.execute.after": async (input, output) => {
      const failed = output.metadata?.exit ? { error: "exit code " + output.metadata.exit } : {}
      call("post-tool-use", { session_id: input.sessionID, tool_name: input.tool, tool_input: input.args, ...failed })
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = call("context-compact", { session_id: input.sessionID })
      if (answer.context) output.context?.push(answer.context)
    },
  }
}
"#;
