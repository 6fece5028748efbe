//! The real agents with an installed gate, on a scripted model: stopped from what is denied, going on after what is
//! allowed, and clean after uninstalling.

use super::gate_hook::Place;
use mi_test_support::{ClaudeHome, CodexHome, FakeModel, MiOutput, codex, installed, sealed_environment};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// `run/**` may be touched by commands, `locked/**` may not be written at all.
const RULES: &str = "version: 1
rules:
  - id: no-marker
    decision: deny
    reason: markers are made by hand
    match: {write: \"marker\"}
  - id: locked
    decision: deny
    reason: locked files are generated
    match: {write: \"locked/**\"}
";

fn place() -> Place {
    let place = Place::new();
    place.project.write(".mi/gate.yaml", RULES);
    place.project.write("locked/a.txt", "old\n");
    place.project.write("free.txt", "free text\n");
    place.project.commit("rules");
    place
}

/// A denied command, a denied edit of a protected file, an allowed command, and the end.
fn model() -> FakeModel {
    let call = |name: &str, arguments: Value| json!({"tool": {"name": name, "arguments": arguments}});
    FakeModel::start(json!({"turns": [
        call("$read", json!({"path": "locked/a.txt"})),
        call("$shell", json!({"command": "touch marker"})),
        call("$edit", json!({"path": "locked/a.txt", "old": "old", "new": "new"})),
        call("$shell", json!({"command": "cat free.txt"})),
        {"say": "All done."},
    ]}))
}

/// What the model heard after each of its calls.
fn heard(model: &FakeModel) -> String {
    let requests = model.model_requests();
    requests
        .iter()
        .map(|request| format!("{}\n", request["last_text"].as_str().unwrap_or_default()))
        .collect()
}

#[track_caller]
fn assert_guarded(place: &Place, model: &FakeModel, said: &str) {
    let heard = heard(model);
    assert!(heard.contains("no-marker") && heard.contains("markers are made by hand"), "{heard}\n{said}");
    assert!(heard.contains("locked files are generated"), "{heard}\n{said}");
    assert!(heard.contains("free text"), "it goes on after an allowed command: {heard}\n{said}");
    assert!(!place.project.path().join("marker").exists(), "the denied command ran: {said}");
    assert_eq!(place.project.read("locked/a.txt"), "old\n", "the protected file was edited: {said}");
}

fn start(program: &Path, place: &Place, environment: &[(OsString, OsString)], arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(sealed_environment(&place.home))
        .envs(environment.iter().cloned());
    command.current_dir(place.project.path()).stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The status of one place, with the probe.
fn probe(place: &Place, environment: &[(OsString, OsString)], agent: &str, program: &Path) -> MiOutput {
    let folder = program.parent().unwrap();
    let path = std::env::join_paths(
        [folder.to_owned()].into_iter().chain(std::env::split_paths(&mi_test_support::tool_path())),
    );
    let mi = place.mi().envs(environment.to_vec()).env("PATH", path.unwrap());
    mi.limit(std::time::Duration::from_secs(170))
        .run(["hooks", "status", agent, "--user", "--probe", "--json"])
}

/// The files below a folder that name the gate's flag.
fn leftovers(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("--gate")))
        .collect()
}

/// The real Codex is stopped from a denied command and from patching a protected file, and goes on.
#[test]
fn d_17_real_codex_is_guarded() {
    let Some(codex) = codex() else { return };
    let (place, model) = (place(), model());
    let codex_home = CodexHome::new(&model);
    let config = codex_home.path().join("config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let environment = codex_home.env();
    place.mi().envs(environment.clone()).run(["hooks", "install", "codex"]).expect_exit(0);
    let arguments = ["exec", "--json", "-s", "workspace-write", "--", "Work"];
    let output = start(&codex.program, &place, &environment, &arguments);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert_guarded(&place, &model, &said);
    let status =
        place.mi().envs(environment.clone()).run(["hooks", "status", "codex", "--user", "--json"]).json();
    assert_eq!(status["places"][0]["active"], true, "{status}");
    assert_eq!(status["places"][0]["seen"]["unasked"], 0, "every tool use asked the gate: {status}");
    let probed = probe(&place, &environment, "codex", &codex.program).expect_exit(0);
    assert_eq!(probed.json()["places"][0]["probe"]["honoured"], true, "{probed}");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("trusted_hash = \"sha256:", "trusted_hash = \"sha256:0")).unwrap();
    let probed = probe(&place, &environment, "codex", &codex.program);
    assert_eq!(
        probed.json()["places"][0]["probe"]["honoured"],
        false,
        "an untrusted hook is skipped: {probed}"
    );
    fs::write(&config, text).unwrap();
    place.mi().envs(environment).run(["hooks", "uninstall", "codex"]).expect_exit(0);
    let left = fs::read_to_string(&config).unwrap();
    assert!(!left.contains("mi hook") && !left.contains("trusted_hash"), "{left}");
    assert!(left.starts_with(before.trim_end()), "{left}");
}

/// The real Claude Code is stopped from a denied command and from editing a protected file, and goes on.
#[test]
fn d_17_real_claude_is_guarded() {
    let Some(claude) = installed("claude") else { return };
    let (place, model) = (place(), model());
    let home = ClaudeHome::new(&model);
    let settings = home.path().join("settings.json");
    fs::write(&settings, "{\n  \"includeCoAuthoredBy\": false\n}\n").unwrap();
    let environment = home.env();
    place.mi().envs(environment.clone()).run(["hooks", "install", "claude"]).expect_exit(0);
    let arguments = [
        "-p",
        "Work",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash",
    ];
    let output = start(&claude, &place, &environment, &arguments);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert_guarded(&place, &model, &said);
    let status =
        place.mi().envs(environment.clone()).run(["hooks", "status", "claude", "--user", "--json"]).json();
    assert_eq!(status["places"][0]["seen"]["unasked"], 0, "every tool use asked the gate: {status}");
    let probed = probe(&place, &environment, "claude", &claude).expect_exit(0);
    assert_eq!(probed.json()["places"][0]["probe"]["honoured"], true, "{probed}");
    place.mi().envs(environment).run(["hooks", "uninstall", "claude"]).expect_exit(0);
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\n  \"includeCoAuthoredBy\": false\n}\n");
    assert!(
        leftovers(&home.path(), &["settings.json", ".claude.json", "settings.json.mi-gate-backup"])
            .is_empty()
    );
}

/// The real OpenCode is stopped by the generated plugin, and goes on.
#[test]
fn d_17_real_opencode_is_guarded() {
    let Some(opencode) = installed("opencode") else { return };
    let (place, model) = (place(), model());
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "models": {"fake-model": {"tool_call": true}},
        "options": {"baseURL": model.openai_url(), "apiKey": "no-key"},
    });
    let config =
        json!({"provider": {"fake": provider}, "model": "fake/fake-model", "small_model": "fake/fake-model"});
    place.project.write("opencode.json", config.to_string());
    // No packages are fetched, no updates, no model list.
    let environment: Vec<(OsString, OsString)> = [
        ("npm_config_registry", "http://127.0.0.1:9/"),
        ("npm_config_fetch_retries", "0"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ]
    .iter()
    .map(|(name, value)| (name.into(), value.into()))
    .collect();
    place.mi().envs(environment.clone()).run(["hooks", "install", "opencode"]).expect_exit(0);
    let output = start(&opencode, &place, &environment, &["run", "--format", "json", "Work"]);
    assert_guarded(&place, &model, &text(&output));
    place.mi().run(["hooks", "uninstall", "opencode"]).expect_exit(0);
    assert!(!place.home.user_home().join(".config/opencode/plugin/mi-gate.js").exists());
}
