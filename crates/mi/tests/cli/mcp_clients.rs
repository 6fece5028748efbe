//! Real MCP clients on `mi mcp`: Codex and Claude Code on a scripted model, the official inspector, the official
//! conformance tool.

use super::mcp::{HttpServer, Place, TOOLS};
use mi_test_support::{ClaudeHome, CodexHome, FakeModel, codex, installed, sealed_environment};
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

const MI: &str = env!("CARGO_BIN_EXE_mi");

/// What the scripted model calls, in order: a plan, a decision, a task, its end, the end of the cycle.
fn cycle() -> [(&'static str, Value); 5] {
    [
        (
            "nx_plan_start",
            json!({"topic": "Cache", "issues": ["Which store?"], "research_summary": "Two were looked at."}),
        ),
        ("nx_plan_decide", json!({"issue_id": 1, "decision": "A file."})),
        (
            "nx_task_add",
            json!({"title": "Write it", "context": "src/cache.rs", "goal": "A cache", "plan_issue": 1}),
        ),
        ("nx_task_update", json!({"id": 1, "status": "completed"})),
        ("nx_task_close", json!({})),
    ]
}

fn model() -> FakeModel {
    let call = |(tool, arguments): (&str, Value)| json!({"tool": {"name": "$mcp", "arguments": {"server": "mi", "tool": tool, "arguments": arguments}}});
    let mut turns: Vec<Value> = cycle().into_iter().map(call).collect();
    turns.push(json!({"say": "All done."}));
    FakeModel::start(json!({"turns": turns}))
}

fn run(place: &Place, command: &mut Command) -> Output {
    command.env_clear().envs(sealed_environment(&place.home)).current_dir(place.project.path());
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn text(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The cycle is in the history, and the model was shown every tool and every answer.
#[track_caller]
fn assert_cycle_done(place: &Place, model: &FakeModel, printed: &str) {
    let requests = model.model_requests();
    assert_eq!(requests.len(), 6, "{printed}");
    let offered = requests[0]["tools"].to_string();
    for tool in TOOLS {
        assert!(offered.contains(&format!("\"mcp__mi__{tool}\"")), "{tool} is not in {offered}");
    }
    let told = [
        "\"created\":true",
        "\"allComplete\":true",
        "\"task\":{\"id\":1",
        "\"status\":\"completed\"",
        "\"closed\":true",
    ];
    for (request, words) in requests[1..].iter().zip(told) {
        let last = request["last_text"].as_str().unwrap_or_default();
        assert!(last.contains(words), "{words} is not in {last}");
        assert!(request["unoffered"].is_null(), "{request}");
    }
    assert!(place.file("state/plan.json").is_none() && place.file("state/tasks.json").is_none());
    let history = place.file("history.json").unwrap_or_default();
    let closed = &history["cycles"][0];
    assert_eq!(closed["plan"]["issues"][0]["decision"], "A file.", "{history}");
    assert_eq!(closed["tasks"][0]["status"], "completed", "{history}");
}

/// The real Codex starts `mi mcp` and works through a cycle.
#[test]
fn real_codex_completes_a_cycle_over_mcp() {
    let Some(codex) = codex() else { return };
    let (place, model) = (Place::new(), model());
    let codex_home = CodexHome::new(&model);
    codex_home.add_mcp_server("mi", MI);
    let mut command = Command::new(&codex.program);
    // A model that Codex does not know is shown every tool at once instead of a search for tools.
    command.args(["exec", "--json", "-m", "fake-model", "-s", "workspace-write", "--", "Plan and do it"]);
    command.env_clear().envs(sealed_environment(&place.home)).envs(codex_home.env());
    let output = command.current_dir(place.project.path()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_cycle_done(&place, &model, &text(&output));
}

/// The real Claude Code starts `mi mcp` and works through a cycle.
#[test]
fn real_claude_completes_a_cycle_over_mcp() {
    let Some(claude) = installed("claude") else { return };
    let (place, model) = (Place::new(), model());
    let home = ClaudeHome::new(&model);
    let servers = json!({"mcpServers": {"mi": {"command": MI, "args": ["mcp"]}}}).to_string();
    let mut command = Command::new(claude);
    command.args(["-p", "Plan and do it", "--output-format", "stream-json", "--verbose"]);
    command.args(["--mcp-config", &servers, "--strict-mcp-config", "--allowedTools", "mcp__mi"]);
    command.env_clear().envs(sealed_environment(&place.home)).envs(home.env());
    let output = command.current_dir(place.project.path()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("\"permission_denials\":[]"), "{}", text(&output));
    assert_cycle_done(&place, &model, &text(&output));
}

/// The official inspector lists the tools and calls one, over pipes and over HTTP.
#[test]
fn real_inspector_lists_and_calls() {
    let Some(inspector) = installed("mcp-inspector") else { return };
    let place = Place::new();
    let inspect = |server: &[&str], question: &[&str]| {
        let mut command = Command::new(&inspector);
        let output = run(&place, command.arg("--cli").args(server).args(question));
        let answer = serde_json::from_slice::<Value>(&output.stdout);
        answer.unwrap_or_else(|error| panic!("{error}\n{}", text(&output)))
    };
    let add = [
        "--method",
        "tools/call",
        "--tool-name",
        "nx_task_add",
        "--tool-arg",
        "title=One",
        "context=two words",
        "deps=[]",
    ];
    let http = HttpServer::start(&place);
    let url = format!("http://{}/mcp", http.address);
    for (server, id) in [(&[MI, "mcp"][..], 1), (&[url.as_str(), "--transport", "http"][..], 2)] {
        let list = inspect(server, &["--method", "tools/list"]);
        let listed: Vec<&str> =
            list["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(listed, TOOLS);
        assert_eq!(inspect(server, &add)["structuredContent"]["task"]["id"], id);
        let refused = inspect(
            server,
            &["--method", "tools/call", "--tool-name", "nx_plan_update", "--tool-arg", "action=explode"],
        );
        assert_eq!(refused["isError"], true, "{refused}");
    }
}

/// The official conformance tool finds nothing wrong in what applies to a server with tools alone.
#[test]
fn real_conformance_tool_is_content() {
    let Some(conformance) = installed("conformance") else { return };
    let place = Place::new();
    let http = HttpServer::start(&place);
    let url = format!("http://{}/mcp", http.address);
    for scenario in ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"] {
        let output =
            run(&place, Command::new(&conformance).args(["server", "--url", &url, "--scenario", scenario]));
        let said = text(&output);
        assert!(output.status.success() && said.contains("0 failed, 0 warnings"), "{scenario}: {said}");
    }
}
