//! A model that does as it is told, on loopback: it asks for one command, and keeps what it hears about it.
//!
//! Speaks just enough of the three wire formats for Codex, Claude Code and OpenCode to work through one turn.
//! Holds: it listens on 127.0.0.1 alone; a request that is not understood gets an empty answer.

use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// The id of the one call, by which its result is known again.
const CALL: &str = "call_mi_probe_1";
/// The longest request that is read: agents send their whole instructions.
const MOST_BYTES: u64 = 32 << 20;

/// A listening model. It ends with the program.
pub struct ScriptedModel {
    pub port: u16,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default, Clone)]
pub struct Heard {
    /// The agent asked the model at all.
    pub asked: bool,
    /// What the agent told the model about the command.
    pub result: Option<String>,
}

impl ScriptedModel {
    /// Listens, and asks for `command` once.
    pub fn start(command: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let shared = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&shared);
                // An agent that goes away in the middle is no failure of ours.
                thread::spawn(move || serve(&stream, command, &heard).ok());
            }
        });
        Ok(Self { port, heard })
    }

    pub fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(stream: &TcpStream, command: &str, heard: &Mutex<Heard>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let (path, body) = read_request(stream)?;
    let text = answer(&path, &body, command, heard);
    let kind = if text.starts_with('{') { "application/json" } else { "text/event-stream" };
    let mut out = stream;
    write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )
}

/// The path without its query, and the body.
fn read_request(stream: &TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.by_ref().take(64 * 1024).read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/").to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.by_ref().take(64 * 1024).read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = Vec::new();
    reader.take(length.min(MOST_BYTES)).read_to_end(&mut body)?;
    Ok((path, body))
}

fn answer(path: &str, body: &[u8], command: &str, heard: &Mutex<Heard>) -> String {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = String::from_utf8_lossy(body);
    let offers_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let (call, say): (Option<&str>, &str) = match (text.contains(CALL), offers_tools) {
        (true, _) => (None, "Probe done."),
        (false, true) => (Some(command), ""),
        (false, false) => (None, "Probe."),
    };
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    match path.rsplit('/').next() {
        Some("responses" | "messages" | "completions") => {
            heard.asked = true;
            if text.contains(CALL) {
                heard.result = Some(result_of(&request));
            }
        }
        _ => return "{}".to_owned(),
    }
    match path.rsplit('/').next() {
        Some("responses") => responses(call, say),
        Some("messages") if request["stream"] == true => messages(call, say),
        Some("messages") => message(say).to_string(),
        _ => completions(call, say),
    }
}

/// Everything that stands beside the id of the call, as text.
fn result_of(request: &Value) -> String {
    let mut found = String::new();
    let mut open = vec![request];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                let is_result = ["call_id", "tool_use_id", "tool_call_id"]
                    .iter()
                    .any(|name| fields.get(*name) == Some(&CALL.into()));
                let outcome = fields.get("output").or_else(|| fields.get("content"));
                if let Some(outcome) = outcome.filter(|_| is_result) {
                    found.push_str(&outcome.to_string());
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

fn event(kind: &str, value: &Value) -> String {
    format!("event: {kind}\ndata: {value}\n\n")
}

fn responses(call: Option<&str>, say: &str) -> String {
    let item = match call {
        Some(command) => json!({
            "type": "function_call", "id": "fc_1", "call_id": CALL, "name": "exec_command", "status": "completed",
            "arguments": json!({"cmd": command}).to_string(),
        }),
        None => json!({
            "type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
            "content": [{"type": "output_text", "text": say, "annotations": []}],
        }),
    };
    let response = |status: &str, output: Value| {
        json!({"id": "resp_1", "object": "response", "status": status, "model": "probe", "output": output,
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}})
    };
    let created = json!({"type": "response.created", "response": response("in_progress", json!([]))});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let completed = json!({"type": "response.completed", "response": response("completed", json!([item]))});
    event("response.created", &created)
        + &event("response.output_item.done", &done)
        + &event("response.completed", &completed)
}

fn message(say: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "probe", "stop_sequence": null,
        "content": [{"type": "text", "text": say}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn messages(call: Option<&str>, say: &str) -> String {
    let mut start = message(say);
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let (block, delta) = match call {
        Some(command) => (
            json!({"type": "tool_use", "id": CALL, "name": "Bash", "input": {}}),
            json!({"type": "input_json_delta", "partial_json": json!({"command": command, "description": "probe"}).to_string()}),
        ),
        None => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": say})),
    };
    let reason = if call.is_some() { "tool_use" } else { "end_turn" };
    let events = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().map(|value| event(value["type"].as_str().unwrap_or_default(), value)).collect()
}

fn completions(call: Option<&str>, say: &str) -> String {
    let chunk = |delta: Value, finish: Value| {
        json!({"id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 0, "model": "probe",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let (delta, finish) = match call {
        Some(command) => {
            let arguments = json!({"command": command, "description": "probe"}).to_string();
            let function = json!({"name": "bash", "arguments": arguments});
            (
                json!({"tool_calls": [{"index": 0, "id": CALL, "type": "function", "function": function}]}),
                "tool_calls",
            )
        }
        None => (json!({"content": say}), "stop"),
    };
    let chunks = [
        chunk(json!({"role": "assistant", "content": ""}), Value::Null),
        chunk(delta, Value::Null),
        chunk(json!({}), finish.into()),
    ];
    let lines: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}
