//! The real OpenCode with what `mi mcp install opencode` writes, on a scripted model.

use mi_test_support::{FakeModel, Mi, TempHome, TempProject, installed, sealed_environment};
use serde_json::json;
use std::process::{Command, Stdio};

/// The plugin runs: a tag brings its action to the model, tools are logged, a read of memory is counted; the server
/// runs too, and a plan is made over MCP. Uninstalling takes both away.
#[test]
fn the_real_opencode_runs_what_is_installed() {
    let Some(opencode) = installed("opencode") else { return };
    let (home, project) = (TempHome::new(), TempProject::python());
    let memory = project.write(".nexus/memory/pattern-x.md", "a lesson\n").canonicalize().unwrap();
    let plan = json!({"topic": "T", "issues": ["I"], "research_summary": "R"});
    let model = FakeModel::start(json!({"turns": [
        {"tool": {"name": "read", "arguments": {"filePath": memory}}},
        {"tool": {"name": "mi_nx_plan_start", "arguments": plan}},
        {"say": "Done."},
    ]}));
    let provider = json!({"npm": "@ai-sdk/openai-compatible", "models": {"m": {}},
        "options": {"baseURL": model.openai_url(), "apiKey": "no-key"}});
    let config = json!({"model": "fake/m", "small_model": "fake/m", "provider": {"fake": provider}});
    project.write("opencode.json", config.to_string());
    let mi = || Mi::new(env!("CARGO_BIN_EXE_mi"), &home).cwd(project.path());
    mi().run(["install", "opencode", "--yes"]).expect_exit(0);
    let output = Command::new(opencode)
        .args(["run", "--format", "json", "[m] keep this"])
        .env_clear()
        .envs(sealed_environment(&home))
        // It would fetch packages, models and updates; it works without.
        .envs([("npm_config_registry", "http://127.0.0.1:9/"), ("npm_config_fetch_retries", "0")])
        .envs([("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let requests = model.model_requests();
    assert!(requests.iter().any(|request| request.to_string().contains("asks for memory_store")), "{said}");
    assert!(project.path().join(".nexus/state/plan.json").exists(), "{said}");
    let log = project.read(".nexus/state/opencode/tool-log.jsonl");
    assert!(
        log.contains("\"tool\":\"read\"") && log.contains("\"tool\":\"mi_nx_plan_start\""),
        "{log}\n{said}"
    );
    assert!(project.read(".nexus/state/opencode/memory-access.jsonl").contains("pattern-x.md"));
    mi().run(["uninstall", "opencode", "--yes"]).expect_exit(0);
    assert!(mi().run(["install", "opencode", "--dry-run"]).out().contains("mi.js"), "nothing is left of it");
}
