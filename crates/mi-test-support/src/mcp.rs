//! A plain MCP client over the pipes of any server: it sends what it is told, right or wrong.
//!
//! Holds: no wait is longer than [`LIMIT`]; the server dies with the client.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::processes::wait_until;

const LIMIT: Duration = Duration::from_secs(30);

/// A server that was started, and both of its pipes.
#[derive(Debug)]
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl McpClient {
    /// Starts a server; nothing is sent yet. Its standard error is inherited unless the command says otherwise.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("start {command:?}: {error}"));
        let stdout = child.stdout.take().expect("stdout was piped");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next_id: 1 }
    }

    /// Starts a server and shakes hands.
    pub fn connect(command: &mut Command) -> Self {
        let mut client = Self::start(command);
        client.initialize("2025-06-18");
        client
    }

    /// Shakes hands for one protocol revision; gives the server's answer.
    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "mi-test", "version": "1"});
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", &hello)["result"].clone();
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends a request and waits for the answer to it, `result` or `error`.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send_request(method, params);
        self.answer(id)
    }

    /// Sends a request and does not wait.
    pub fn send_request(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Calls a tool; gives the result of the call. Panics at a protocol error.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{tool} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed; gives the JSON that it returned.
    #[track_caller]
    pub fn returned(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().expect("a result has text");
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{tool} returned {text}: {error}"))
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends anything. A server that has gone is no failure here.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is still open");
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    /// Waits for the answer to one request; others that come first are dropped.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message =
                self.next_message().unwrap_or_else(|| panic!("the server ended before it answered {id}"));
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next message; `None` when the server has closed its output.
    #[track_caller]
    pub fn next_message(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => {
                Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("line {line:?}: {error}")))
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server said nothing for {LIMIT:?}"),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input; its answers can still be read.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end, which must come by itself.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until(LIMIT, || {
            status = self.child.try_wait().expect("ask whether the server has ended");
            status.is_some()
        });
        status.unwrap_or_else(|| panic!("the server did not end within {LIMIT:?}"))
    }

    /// Closes the input and waits for the end.
    #[track_caller]
    pub fn close(mut self) -> ExitStatus {
        self.close_input();
        self.wait()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // Errors mean that it has already ended, which is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
