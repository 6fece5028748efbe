//! `mi mcp` over pipes and HTTP: the protocol, wrong input, and two servers on one project.

use mi_test_support::{McpClient, TempHome, TempProject, sealed_environment, wait_until};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

pub(crate) const TOOLS: [&str; 17] = [
    "nx_plan_start",
    "nx_plan_status",
    "nx_plan_update",
    "nx_plan_decide",
    "nx_task_list",
    "nx_task_add",
    "nx_task_update",
    "nx_task_close",
    "nx_history_search",
    "nx_context",
    "nx_artifact_write",
    "memory_search",
    "memory_save",
    "review_vote",
    "review_status",
    "deliver_submit",
    "context_get",
];

/// A project and a home for the servers on it.
pub(crate) struct Place {
    pub(crate) home: TempHome,
    pub(crate) project: TempProject,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::python() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mi"));
        command.arg("mcp").env_clear().envs(sealed_environment(&self.home)).current_dir(self.project.path());
        command
    }

    fn start(&self) -> McpClient {
        McpClient::start(&mut self.command())
    }

    pub(crate) fn connect(&self) -> McpClient {
        McpClient::connect(&mut self.command())
    }

    /// A state file as JSON; none when it is not there.
    pub(crate) fn file(&self, name: &str) -> Option<Value> {
        let text = fs::read(self.project.path().join(".nexus").join(name)).ok()?;
        Some(serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}")))
    }
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Whether a server still answers.
#[track_caller]
fn assert_lives(client: &mut McpClient) {
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
}

/// A whole cycle, from the plan to the history.
#[test]
fn nx_001_a_cycle_goes_through_the_tools() {
    let place = Place::new();
    let mut client = place.connect();
    assert_eq!(names(&client.request("tools/list", &json!({}))), TOOLS);
    let plan =
        json!({"topic": "Cache", "issues": ["Which store?"], "research_summary": "Two were looked at."});
    assert_eq!(client.returned("nx_plan_start", &plan)["created"], true);
    let decision = json!({"issue_id": 1, "decision": "A file."});
    assert_eq!(client.returned("nx_plan_decide", &decision)["allComplete"], true);
    let task = json!({"title": "Write it", "context": "src/cache.rs", "plan_issue": 1});
    assert_eq!(client.returned("nx_task_add", &task)["task"]["id"], 1);
    client.returned("nx_task_update", &json!({"id": 1, "status": "completed"}));
    assert_eq!(client.returned("nx_task_close", &json!({}))["closed"], true);
    assert!(place.file("state/plan.json").is_none() && place.file("state/tasks.json").is_none());
    assert_eq!(place.file("history.json").unwrap_or_default()["cycles"][0]["plan"]["topic"], "Cache");
    assert_eq!(client.close().code(), Some(0));
}

/// What a tool refuses is a result, in every place where a client may look.
#[test]
fn nx_007_a_refusal_is_a_result_and_no_protocol_error() {
    let place = Place::new();
    let mut client = place.connect();
    let cases = [
        ("nx_plan_update", json!({"action": "add", "title": "x"}), "No active plan session"),
        ("nx_plan_decide", json!({"issue_id": 1, "decision": "x"}), "No active plan session"),
        ("nx_task_update", json!({"id": 1, "status": "completed"}), "tasks.json not found"),
        ("nx_plan_start", json!({"topic": "x", "issues": []}), "research_summary"),
        ("nx_task_add", json!({"title": 5, "context": "x"}), "title"),
        ("nx_artifact_write", json!({"filename": "../../out.md", "content": "x"}), "out.md"),
    ];
    for (tool, arguments, words) in cases {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let error = result["structuredContent"]["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{tool}: {result}");
        assert_eq!(result["content"][0]["text"], json!({"error": error}).to_string());
    }
    assert!(place.file("state/plan.json").is_none() && place.file("state/tasks.json").is_none());
    assert!(!place.project.path().join("out.md").exists());
}

/// A lesson is kept and found again, beside the rules that were learned from the person.
#[test]
fn memory_tools_save_and_find() {
    let place = Place::new();
    let mi = mi_test_support::Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home).cwd(place.project.path());
    mi.run(["learned", "add", "Take the plan lock before the task lock."]).expect_exit(0);
    let mut client = place.connect();
    let note = json!({"name": "lock-order", "content": "Two processes hung: the task lock was taken first.", "category": "empirical"});
    assert_eq!(client.returned("memory_save", &note)["saved"], true);
    assert!(place.project.path().join(".nexus/memory/empirical-lock-order.md").is_file());
    let found = client.returned("memory_search", &json!({"query": "task lock"}));
    let sources: Vec<&str> =
        found["hits"].as_array().into_iter().flatten().filter_map(|hit| hit["from"].as_str()).collect();
    assert!(sources.contains(&"memory") && sources.contains(&"learned"), "{found}");
    assert_eq!(client.call("memory_search", &json!({}))["isError"], true);
}

/// The words of the contract reach the caller although the action is wrong.
#[test]
fn nx_006_an_unknown_action_is_named_by_the_tool() {
    let place = Place::new();
    let mut client = place.connect();
    client.returned("nx_plan_start", &json!({"topic": "x", "issues": ["y"], "research_summary": ""}));
    let result = client.call("nx_plan_update", &json!({"action": "explode"}));
    assert_eq!(result["structuredContent"], json!({"error": "Unknown action"}));
}

/// An unknown tool and wrong parameters of the protocol itself are protocol errors with the request's id.
#[test]
fn unknown_tool_and_unreadable_parameters_are_protocol_errors() {
    let place = Place::new();
    let mut client = place.connect();
    let cases = [
        ("tools/call", json!({"name": "nx_explode", "arguments": {}}), -32602),
        ("tools/call", json!({"name": 5}), -32602),
        ("tools/call", json!({"name": "nx_context", "arguments": "none"}), -32602),
        ("tools/explode", json!({}), -32601),
    ];
    for (method, params, code) in cases {
        let answer = client.request(method, &params);
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    assert_lives(&mut client);
}

/// Every revision that the SDK knows is spoken; an unknown one gets the newest that has a handshake.
#[test]
fn protocol_revisions_are_negotiated() {
    let place = Place::new();
    let cases = [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2099-01-01", "2025-11-25"),
    ];
    for (asked, expected) in cases {
        let mut client = place.start();
        let answer = client.initialize(asked);
        assert_eq!(answer["protocolVersion"], expected, "{asked}");
        assert_eq!(answer["serverInfo"]["name"], "mi");
        assert_eq!(client.returned("nx_plan_status", &json!({})), json!({"active": false}));
    }
}

/// The revision of 2026-07-28 has no handshake: each request brings what it needs.
#[test]
fn revision_without_handshake_is_served() {
    let place = Place::new();
    let mut client = place.start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "mi-test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.request("server/discover", &json!({"_meta": meta}));
    assert!(discovered["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{discovered}");
    let call = json!({"_meta": meta, "name": "nx_plan_status", "arguments": {}});
    assert_eq!(client.request("tools/call", &call)["result"]["structuredContent"], json!({"active": false}));
}

/// A client that closes its pipe is the normal end, at once or after work, with all answers given.
#[test]
fn client_that_closes_its_pipe_is_a_normal_end() {
    let place = Place::new();
    assert_eq!(place.start().close().code(), Some(0), "without a word");
    assert_eq!(place.connect().close().code(), Some(0), "after the handshake");
    let mut client = place.connect();
    let call = json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}});
    let ids: Vec<u64> = (0..200).map(|_| client.send_request("tools/call", &call)).collect();
    client.close_input();
    for id in ids {
        assert_eq!(client.answer(id)["result"]["isError"], false);
    }
    assert_eq!(client.wait().code(), Some(0));
    let tasks = place.file("state/tasks.json").unwrap_or_default();
    let numbers: Vec<u64> =
        tasks["tasks"].as_array().into_iter().flatten().filter_map(|task| task["id"].as_u64()).collect();
    assert_eq!(numbers, (1..=200).collect::<Vec<u64>>());
}

/// A client that reads no answers and goes away does not keep the server.
#[test]
fn client_that_stops_reading_is_a_normal_end() {
    let place = Place::new();
    let mut child = place.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    for id in 0..3 {
        let _ = writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    }
    assert!(wait_until(Duration::from_secs(20), || child.try_wait().unwrap().is_some()));
    assert_eq!(child.wait().unwrap().code(), Some(0), "the input was still open");
}

/// Lines that are no JSON, no message or no text get an error or nothing, and the server lives on.
#[test]
fn garbage_lines_do_not_end_the_server() {
    let place = Place::new();
    let garbage: [&[u8]; 8] = [
        b"hello\n",
        b"{\"jsonrpc\":\"2.0\",\n",
        b"[]\n",
        b"null\n",
        b"\n\r\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":77,\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
    ];
    let mut early = place.start();
    for line in garbage {
        early.send_bytes(line);
    }
    assert_eq!(early.initialize("2025-06-18")["protocolVersion"], "2025-06-18");
    let mut late = place.connect();
    for line in garbage {
        late.send_bytes(line);
    }
    assert_lives(&mut late);
}

/// Bytes of every value are one more kind of garbage.
#[test]
fn binary_input_does_not_end_the_server() {
    let place = Place::new();
    let mut client = place.connect();
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    client.send_bytes(&bytes);
    client.send_bytes(b"\n");
    assert_lives(&mut client);
}

/// A line of 50 MB is refused by its id, is never held whole, and the next request is served.
#[test]
fn line_of_50_mb_is_refused_and_not_kept() {
    let place = Place::new();
    let mut client = place.connect();
    let long = "a".repeat(50_000_000);
    let call = json!({"name": "nx_artifact_write", "arguments": {"filename": "a.md", "content": long}});
    let id = client.send_request("tools/call", &call);
    let answer = client.answer(id);
    assert!(answer["error"]["message"].to_string().contains("too long"), "{answer}");
    client.send_bytes(&vec![b'x'; 50_000_000]);
    client.send_bytes(b"\n");
    assert_lives(&mut client);
    let status = fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 80_000, "{peak} kB at the most");
    assert!(!place.project.path().join(".nexus").exists());
}

/// Before the handshake a ping is answered, everything else is refused, and the handshake still works.
#[test]
fn requests_before_initialize_are_refused() {
    let place = Place::new();
    let mut client = place.start();
    assert_lives(&mut client);
    let call = json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}});
    assert_eq!(client.request("tools/call", &call)["error"]["code"], -32602);
    assert_eq!(client.request("initialize", &json!({"protocolVersion": 5}))["error"]["code"], -32602);
    assert!(place.file("state/tasks.json").is_none(), "nothing was written");
    assert_eq!(client.initialize("2025-06-18")["serverInfo"]["name"], "mi");
}

/// Two servers on one project see each other's work at once, and lose none of it.
#[test]
fn nx_017_two_servers_share_one_project() {
    let place = Place::new();
    let (mut one, mut two) = (place.connect(), place.connect());
    let add = |title: String| json!({"name": "nx_task_add", "arguments": {"title": title, "context": "c"}});
    for round in 0..50 {
        let first = one.send_request("tools/call", &add(format!("one {round}")));
        let second = two.send_request("tools/call", &add(format!("two {round}")));
        for answer in [one.answer(first), two.answer(second)] {
            assert_eq!(answer["result"]["isError"], false, "round {round}: {answer}");
        }
    }
    for client in [&mut one, &mut two] {
        assert_eq!(client.returned("nx_task_list", &json!({}))["summary"]["total"], 100);
    }
    let tasks = place.file("state/tasks.json").unwrap_or_default();
    let ids: std::collections::BTreeSet<u64> =
        tasks["tasks"].as_array().into_iter().flatten().filter_map(|task| task["id"].as_u64()).collect();
    assert_eq!(ids.len(), 100, "no id twice");
    two.returned("nx_task_close", &json!({}));
    assert_eq!(one.returned("nx_task_list", &json!({})), json!({"exists": false}));
}

/// A call that waits for another process's lock keeps nobody else waiting, and is carried out afterwards.
#[test]
fn ping_is_answered_while_a_call_waits_for_the_lock() {
    let place = Place::new();
    let mut client = place.connect();
    let call = json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}});
    client.returned("nx_task_add", &call["arguments"]);
    let state = fs::File::open(place.project.path().join(".nexus/state")).unwrap();
    state.lock().unwrap();
    let waiting = client.send_request("tools/call", &call);
    assert_lives(&mut client);
    assert_eq!(place.file("state/tasks.json").unwrap_or_default()["tasks"].as_array().map(Vec::len), Some(1));
    state.unlock().unwrap();
    assert_eq!(client.answer(waiting)["result"]["structuredContent"]["task"]["id"], 2);
}

/// The system's request to end is obeyed at once, in the middle of work too, and leaves whole files and no lock.
#[test]
fn sigterm_ends_the_server_and_leaves_whole_files() {
    let place = Place::new();
    let mut client = place.connect();
    let call = json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}});
    let first = client.send_request("tools/call", &call);
    for _ in 0..60 {
        client.send_request("tools/call", &call);
    }
    client.answer(first);
    let pid = rustix::process::Pid::from_raw(i32::try_from(client.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(client.wait().code().is_none(), "a signal ended it");
    let answered = std::iter::from_fn(|| client.next_message()).count() + 1;
    let tasks = place.file("state/tasks.json").unwrap_or_default();
    let kept = tasks["tasks"].as_array().map_or(0, Vec::len);
    assert!(kept >= answered, "{answered} were acknowledged, {kept} are there");
    assert_eq!(place.connect().returned("nx_task_list", &json!({}))["summary"]["total"], kept);
}

/// The project is what `--cd` says, else `NEXUS_PROJECT_ROOT`, else the working directory.
#[test]
fn project_is_found_in_three_ways() {
    let (here, named, flagged) = (Place::new(), Place::new(), Place::new());
    let write = |command: &mut Command| {
        let arguments = json!({"filename": "a.md", "content": "x"});
        McpClient::connect(command).returned("nx_artifact_write", &arguments)["path"].to_string()
    };
    let in_place = |place: &Place| place.project.path().canonicalize().unwrap().display().to_string();
    assert!(write(&mut here.command()).contains(&in_place(&here)));
    let mut command = here.command();
    command.env("NEXUS_PROJECT_ROOT", named.project.path());
    assert!(write(&mut command).contains(&in_place(&named)));
    assert!(write(command.arg("--cd").arg(flagged.project.path())).contains(&in_place(&flagged)));
}

/// A wrong folder, harness or address is wrong usage, said before anything is served.
#[test]
fn wrong_flags_are_refused() {
    let place = Place::new();
    let cases = [
        (["--cd", "/no/such/folder"], "/no/such/folder"),
        (["--harness-id", "../x"], "harness id"),
        (["--http", "0.0.0.0:0"], "other machines"),
        (["--http", "example.org:80"], "HOST:PORT"),
    ];
    for (flags, words) in cases {
        let output = place.command().args(flags).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(output.stdout.is_empty(), "stdout is the protocol");
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{flags:?}");
    }
}

/// A server on HTTP; ended when dropped.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) address: String,
}

impl HttpServer {
    pub(crate) fn start(place: &Place) -> Self {
        let mut command = place.command();
        command.args(["--http", "127.0.0.1:0"]).stderr(Stdio::piped());
        let mut child = command.spawn().expect("start mi");
        let mut line = String::new();
        let stderr = child.stderr.take().expect("stderr was piped");
        BufReader::new(stderr).read_line(&mut line).expect("read the line with the URL");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap_or_default();
        let address = url.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        Self { child, address }
    }

    /// Posts one message; gives the status and the body.
    fn post(&self, headers: &str, message: &Value) -> (u16, String) {
        self.post_to("/mcp", headers, message)
    }

    /// The same to any path.
    pub(crate) fn post_to(&self, path: &str, headers: &str, message: &Value) -> (u16, String) {
        self.post_text(path, headers, &message.to_string())
    }

    /// The same with a text, which need not be what a careful client sends.
    pub(crate) fn post_text(&self, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connect to the server");
        let head = format!(
            "POST {path} HTTP/1.1\r\n{headers}content-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        // A server that refuses a long body may close before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The same tools over HTTP, on the same files.
#[test]
fn http_serves_the_same_tools() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    let host = format!("host: {}\r\n", server.address);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let (status, body) = server.post(&host, &request("initialize", hello));
    assert_eq!((status, body.contains("\"serverInfo\"")), (200, true), "{body}");
    let (status, body) = server.post(&host, &request("tools/list", json!({})));
    assert_eq!((status, body.contains("nx_task_close")), (200, true), "{body}");
    let add = json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}});
    let (status, body) = server.post(&host, &request("tools/call", add));
    assert_eq!((status, body.contains("\"isError\":false")), (200, true), "{body}");
    assert_eq!(place.file("state/tasks.json").unwrap_or_default()["tasks"][0]["title"], "t");
    let refused = json!({"name": "nx_plan_decide", "arguments": {"issue_id": 1, "decision": "x"}});
    let (status, body) = server.post(&host, &request("tools/call", refused));
    assert_eq!((status, body.contains("No active plan session")), (200, true), "{body}");
}

/// A web page cannot reach the server: neither from its own origin nor through a name that points here.
#[test]
fn http_refuses_foreign_hosts_and_origins() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    let host = format!("host: {}\r\n", server.address);
    let add =
        request("tools/call", json!({"name": "nx_task_add", "arguments": {"title": "t", "context": "c"}}));
    let foreign = [
        "host: evil.example.org\r\n".to_owned(),
        format!("{host}origin: https://evil.example.org\r\n"),
        format!("{host}origin: null\r\n"),
        format!("{host}origin: http://localhost.evil.example.org\r\n"),
    ];
    for headers in foreign {
        assert_eq!(server.post(&headers, &add).0, 403, "{headers}");
    }
    assert!(place.file("state/tasks.json").is_none());
    assert_eq!(server.post(&format!("{host}origin: http://localhost:6274\r\n"), &add).0, 200);
}

/// A body beyond the limit is refused, and the next request is served.
#[test]
fn http_refuses_a_body_of_50_mb() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    let host = format!("host: {}\r\n", server.address);
    let long = json!({"name": "nx_artifact_write", "arguments": {"filename": "a", "content": "a".repeat(50_000_000)}});
    let (status, _) = server.post(&host, &request("tools/call", long));
    assert!([413, 0].contains(&status), "{status}");
    assert_eq!(server.post(&host, &request("tools/list", json!({}))).0, 200);
    assert!(!place.project.path().join(".nexus").exists());
}
