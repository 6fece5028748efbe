//! A scripted model server: `assets/fakemodel.py` as a child process on loopback.
//!
//! It speaks the OpenAI (Responses, Chat Completions) and Anthropic wire formats; the scenario format is in
//! the Python file's own docstring. Mind that a request which offers no tools counts as a *side* request:
//! tests of HTTP mind providers set `"side_uses_turns": true` in their scenario.
//! Holds: the child ends when the [`FakeModel`] is dropped, and also when the test process is killed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::scratch::Scratch;

/// Runs the server, and ends it when our end of its standard input closes: no orphan after a killed test.
const GUARDED_START: &str = "import os, runpy, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')";

/// One running scripted model.
#[derive(Debug)]
pub struct FakeModel {
    child: Child,
    address: String,
    _scratch: Scratch,
}

impl FakeModel {
    /// Starts a server that answers from `scenario` and waits until it listens.
    pub fn start(scenario: Value) -> Self {
        Self::start_with(scenario, &[])
    }

    /// Like [`FakeModel::start`], and answers 401 to every other key.
    pub fn start_with_key(scenario: Value, key: &str) -> Self {
        Self::start_with(scenario, &["--api-key", key])
    }

    fn start_with(scenario: Value, arguments: &[&str]) -> Self {
        let scratch = Scratch::new("fakemodel");
        let file = scratch.path().join("scenario.json");
        fs::write(&file, scenario.to_string()).expect("write the scenario file");
        let mut child = Command::new("python3")
            .args(["-u", "-c", GUARDED_START])
            .arg(asset("fakemodel.py"))
            .arg("--scenario")
            .arg(&file)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start python3 for the scripted model (is python3 installed?)");
        let address = read_address(&mut child);
        Self { child, address, _scratch: scratch }
    }

    /// `http://127.0.0.1:PORT`, without `/v1`. What `ANTHROPIC_BASE_URL` takes.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// [`FakeModel::url`] with `/v1`. What `OPENAI_BASE_URL` and Codex take.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request so far, oldest first: `method`, `path`, `headers`, `body`, `status`, `turn`, `last_text`.
    pub fn requests(&self) -> Vec<Value> {
        match self.call("GET", "/__fake/requests", "") {
            Value::Array(entries) => entries,
            other => panic!("the scripted model answered {other} instead of a list of requests"),
        }
    }

    /// The requests that asked the model for an answer (no model lists, no telemetry).
    pub fn model_requests(&self) -> Vec<Value> {
        self.requests().into_iter().filter(|entry| entry.get("turn").is_some()).collect()
    }

    /// Replaces the scenario; the log of requests stays.
    pub fn set_scenario(&self, scenario: Value) {
        self.call("POST", "/__fake/scenario", &scenario.to_string());
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("connect to the scripted model");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set a read timeout");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("send the request head");
        stream.write_all(body.as_bytes()).expect("send the request body");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("read the scripted model's answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer has a head and a body");
        assert!(head.starts_with("HTTP/1.1 200"), "{method} {path} on the scripted model: {answer}");
        serde_json::from_str(body).expect("the scripted model answers JSON")
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        // Errors mean that it has already ended, which is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scenario that comes with the server: `happy`, `question`, `failing`, `flaky`, `interrupt`, `structured`.
pub fn scenario(name: &str) -> Value {
    let file = asset("scenarios").join(format!("{name}.json"));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("parse {}: {error}", file.display()))
}

fn asset(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

fn read_address(child: &mut Child) -> String {
    let stdout = child.stdout.take().expect("stdout was piped");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("read the scripted model's first line");
    let hello: Value =
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the scripted model did not start: {line:?}"));
    let url = hello["listening"].as_str().expect("the first line names the address");
    url.trim_start_matches("http://").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(model: &FakeModel, text: &str) -> Value {
        let body = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
        model.call("POST", "/v1/chat/completions", &body.to_string())
    }

    /// A scenario's turns are answered in order, logged, and can be replaced while the server runs.
    #[test]
    fn answers_from_the_scenario_and_keeps_a_log() {
        let model = FakeModel::start(json!({"side_uses_turns": true, "turns": [{"say": "one"}]}));
        assert_eq!(ask(&model, "first")["choices"][0]["message"]["content"], "one");
        model.set_scenario(json!({"side_uses_turns": true, "turns": [{"say": "two"}]}));
        assert_eq!(ask(&model, "second")["choices"][0]["message"]["content"], "two");
        let seen: Vec<_> = model.model_requests().iter().map(|entry| entry["last_text"].clone()).collect();
        assert_eq!(seen, ["first", "second"]);
    }

    /// Dropping the model ends its process: the port no longer answers.
    #[test]
    fn drop_ends_the_server() {
        let model = FakeModel::start(json!({}));
        let address = model.address.clone();
        drop(model);
        assert!(TcpStream::connect(address).is_err());
    }

    /// Every scenario that comes with the server can be read.
    #[test]
    fn bundled_scenarios_parse() {
        for name in ["happy", "question", "failing", "flaky", "interrupt", "structured"] {
            assert!(scenario(name)["turns"].is_array(), "{name}");
        }
    }
}
