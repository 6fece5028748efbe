//! `mi hook EVENT --harness H`: the gate's answer in each agent's own words, and what bad input gets.

use mi_test_support::{Mi, MiOutput, TempHome, TempProject, skipped};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const MI: &str = env!("CARGO_BIN_EXE_mi");

pub struct Place {
    pub home: TempHome,
    pub project: TempProject,
}

impl Place {
    pub fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::no_tests() }
    }

    pub fn mi(&self) -> Mi {
        Mi::new(MI, &self.home).cwd(self.project.path())
    }

    fn call(&self, harness: &str, event: &str, payload: &Value) -> MiOutput {
        self.raw(harness, event, payload.to_string())
    }

    fn raw(&self, harness: &str, event: &str, input: impl Into<Vec<u8>>) -> MiOutput {
        self.mi().stdin(input).run(["hook", event, "--harness", harness, "--gate"])
    }

    /// A call from a shell, which can do to it what a harness could.
    fn shell(&self, script: &str, input: &str) -> std::process::Output {
        let mut shell = Command::new("bash")
            .args(["-c", script])
            .current_dir(self.project.path())
            .env("MI_HOME", self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(shell.stdin.take().unwrap().write_all(input.as_bytes()));
        shell.wait_with_output().unwrap()
    }

    /// A tool call as the agents report it.
    fn tool(&self, tool: &str, input: Value) -> Value {
        json!({
            "session_id": "s1", "transcript_path": "/nowhere", "cwd": self.project.path(),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t1",
        })
    }

    fn bash(&self, command: &str) -> Value {
        self.tool("Bash", json!({"command": command}))
    }

    fn session(&self, harness: &str, file: &str) -> PathBuf {
        self.home.path().join("gate/sessions").join(format!("{harness}-s1")).join(file)
    }
}

/// `allow`, `ask`, `deny`, with the reason.
#[track_caller]
fn decision(harness: &str, output: &MiOutput) -> (String, String) {
    assert_eq!(output.code(), Some(0), "{output}");
    if output.out().is_empty() {
        assert_ne!(harness, "opencode", "silence is no answer to the plugin: {output}");
        return ("allow".to_owned(), String::new());
    }
    let answer: Value =
        serde_json::from_str(&output.out()).unwrap_or_else(|error| panic!("{error}: {output}"));
    if harness == "opencode" {
        let block = answer["block"].as_str().unwrap_or_default();
        return (answer["decision"].as_str().unwrap().to_owned(), block.to_owned());
    }
    let inner = &answer["hookSpecificOutput"];
    assert_eq!(inner["hookEventName"], "PreToolUse", "{output}");
    assert_eq!(answer.as_object().unwrap().len(), 1, "an unknown field would void it: {output}");
    let reason = inner["permissionDecisionReason"].as_str().unwrap().to_owned();
    assert!(!reason.trim().is_empty(), "{output}");
    (inner["permissionDecision"].as_str().unwrap().to_owned(), reason)
}

/// The same calls in the three dialects: a question is a denial where nobody can be asked.
#[test]
fn d_17_each_agent_gets_its_own_answer() {
    let place = Place::new();
    let cases = [
        ("Bash", "bash", json!({"command": "ls -la"}), "allow"),
        ("Bash", "bash", json!({"command": "git push --force origin main"}), "deny"),
        ("Bash", "bash", json!({"command": "touch new"}), "ask"),
        ("Read", "read", json!({"file_path": "README.md"}), "allow"),
        ("Read", "read", json!({"file_path": "persona/.bob/private/x"}), "deny"),
        ("Write", "write", json!({"file_path": "a.txt", "content": "x"}), "ask"),
        ("mcp__s__t", "s_t", json!({"text": "x"}), "ask"),
        ("Unheard", "unheard", json!({}), "ask"),
    ];
    for (tool, opencode, input, expected) in cases {
        for harness in ["claude", "codex", "opencode"] {
            let name = if harness == "opencode" { opencode } else { tool };
            let output = place.call(harness, "pre-tool-use", &place.tool(name, input.clone()));
            let expected = if harness != "claude" && expected == "ask" { "deny" } else { expected };
            let (found, reason) = decision(harness, &output);
            assert_eq!(found, expected, "{harness} {tool} {input}: {reason}");
        }
    }
}

/// What a person reads: operation, target, expected effect, rule, the way out; and no secret.
#[test]
fn d_17_operation_target_and_effect_are_shown() {
    let place = Place::new();
    let token = format!("ghp_{}", "a".repeat(36));
    let (_, reason) = decision(
        "claude",
        &place.call(
            "claude",
            "pre-tool-use",
            &place.bash(&format!("git push -f https://x:{token}@h.example/r main")),
        ),
    );
    for part in
        ["mi.force-push", "operation: run", "target: git push", "effect: starts this program", "instead: "]
    {
        assert!(reason.contains(part), "{part} is not in {reason}");
    }
    assert!(!reason.contains(&token), "{reason}");
    let (_, reason) = decision("codex", &place.call("codex", "pre-tool-use", &place.bash("touch x")));
    assert!(reason.contains("override") && reason.contains("mi permit mi.edit"), "{reason}");
}

/// Whatever cannot be read before a tool is denied, in words that the agent understands.
#[test]
fn bad_hook_input_is_denied() {
    let place = Place::new();
    let good = place.bash("ls").to_string();
    let long =
        place.bash(&format!("echo {}; git push --force origin main", "x".repeat(10 << 20))).to_string();
    let inputs: Vec<(&str, Vec<u8>)> = vec![
        ("empty", b"".to_vec()),
        ("blank", b" \n".to_vec()),
        ("truncated", good.as_bytes()[..good.len() / 2].to_vec()),
        ("10 MB", long.into_bytes()),
        (
            "invalid UTF-8",
            good.replace("ls", "l\u{1}s")
                .into_bytes()
                .iter()
                .map(|byte| if *byte == 1 { 0xff } else { *byte })
                .collect(),
        ),
        ("duplicate keys", good.replace("{\"command\"", "{\"command\":\"ls\",\"command\"").into_bytes()),
        (
            "a key twice by escape",
            good.replace("{\"command\"", "{\"c\\u006fmmand\":\"ls\",\"command\"").into_bytes(),
        ),
        ("a list", b"[]".to_vec()),
        ("deep", "[".repeat(10_000).into_bytes()),
        ("no tool", b"{}".to_vec()),
        ("tool of another type", b"{\"tool_name\":5}".to_vec()),
        ("cwd of another type", good.replace("\"cwd\":", "\"cwd\":[],\"was\":").into_bytes()),
        ("two objects", format!("{good}{good}").into_bytes()),
    ];
    for (name, input) in inputs {
        for harness in ["claude", "codex", "opencode"] {
            let output = place.raw(harness, "pre-tool-use", input.clone());
            assert_eq!(decision(harness, &output).0, "deny", "{name}, {harness}: {output}");
        }
    }
}

/// A known tool whose input is missing or mistyped is never allowed.
#[test]
fn d_19_missing_input_is_never_allowed() {
    let place = Place::new();
    for (tool, input) in [
        ("Bash", json!({})),
        ("Bash", json!({"command": ["ls"]})),
        ("Bash", Value::Null),
        ("Read", json!({"file_path": 5})),
        ("bash", json!({"command": "ls"})),
        ("apply_patch", json!({"command": "no patch"})),
    ] {
        let output = place.call("claude", "pre-tool-use", &place.tool(tool, input.clone()));
        assert_ne!(decision("claude", &output).0, "allow", "{tool} {input}");
    }
}

/// An event or a harness that nobody knows denies where a tool may wait for the answer, and blocks nothing else.
#[test]
fn unknown_events_and_harnesses() {
    let place = Place::new();
    let tool = place.bash("ls").to_string();
    let stop = json!({"hook_event_name": "Stop", "session_id": "s1"}).to_string();
    for (words, input, code) in [
        (["fly", "claude"], &tool, 2),
        (["pre-tool-use", "vim"], &tool, 2),
        (["fly", "claude"], &stop, 1),
        (["stop", "vim"], &stop, 1),
    ] {
        let output = place.raw(words[1], words[0], input.as_str());
        assert_eq!(output.code(), Some(code), "{words:?}: {output}");
        assert!(!output.err().trim().is_empty() && output.out().is_empty(), "{output}");
    }
    let output =
        place.mi().stdin(tool.as_str()).run(["hook", "pre-tool-use", "--harness", "claude", "--loud"]);
    assert_eq!(output.code(), Some(2), "{output}");
    let output = place.raw("claude", "post-tool-use", tool.as_str().replace("ls", "git push -f origin main"));
    assert_eq!(decision("claude", &output).0, "deny", "the agent says it is before a tool: {output}");
}

/// Rules that do not load deny what they would have guarded, and the session's start says so.
#[test]
fn rules_that_do_not_load_deny_what_they_guard() {
    let place = Place::new();
    let rule = "version: 1\nrules:\n  - id: no-make\n    decision: deny\n    reason: slow\n    match: {command: make}\n    surprise: 1\n";
    place.home.write("gate.yaml", rule);
    let asked =
        |command: &str| decision("claude", &place.call("claude", "pre-tool-use", &place.bash(command)));
    let (found, reason) = asked("make all");
    assert!(found == "deny" && reason.contains("gate.yaml") && reason.contains("surprise"), "{reason}");
    assert_eq!(asked("ls").0, "allow");
    let start = json!({"session_id": "s1", "cwd": place.project.path(), "source": "startup"});
    let output = place.call("claude", "session-start", &start).expect_exit(0);
    assert_eq!(output.json()["systemMessage"].as_str().unwrap().matches("gate.yaml").count(), 1, "{output}");
    place.home.write("gate.yaml", "not: [yaml");
    let (found, reason) = asked("ls");
    assert!(found == "deny" && reason.contains("gate.yaml"), "{reason}");
}

/// A user's deny and a project's deny hold for patch and edit tools of every agent.
#[test]
fn d_19_protected_files_are_guarded_for_every_edit_tool() {
    let place = Place::new();
    let rule = "version: 1\nrules:\n  - id: locked\n    decision: deny\n    reason: generated\n    match: {write: \"locked/**\"}\n";
    place.project.write(".mi/gate.yaml", rule);
    place.project.write("locked/a.txt", "x");
    let patch =
        "*** Begin Patch\n*** Update File: src.txt\n*** Move to: locked/b.txt\n@@\n-a\n+b\n*** End Patch";
    let file = place.project.path().join("locked/a.txt");
    for (harness, tool, input) in [
        ("claude", "Edit", json!({"file_path": file, "old_string": "x", "new_string": "y"})),
        ("claude", "MultiEdit", json!({"file_path": file, "edits": []})),
        ("claude", "NotebookEdit", json!({"notebook_path": "locked/n.ipynb", "new_source": ""})),
        ("claude", "Write", json!({"file_path": "sub/../locked/new", "content": ""})),
        ("codex", "apply_patch", json!({"command": patch})),
        (
            "codex",
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Delete File: locked/a.txt\n*** End Patch"}),
        ),
        ("opencode", "edit", json!({"filePath": file, "oldString": "x", "newString": "y"})),
        ("opencode", "patch", json!({"patchText": patch})),
        ("claude", "Bash", json!({"command": "echo y > locked/a.txt"})),
    ] {
        let output = place.call(harness, "pre-tool-use", &place.tool(tool, input.clone()));
        let (found, reason) = decision(harness, &output);
        assert!(found == "deny" && reason.contains("locked"), "{harness} {tool} {input}: {found} {reason}");
    }
}

/// Without a home, on a read-only or a full disk: a deny stays a deny, and an allowance that cannot be written down is
/// asked about.
#[test]
fn no_home_read_only_and_full_disk() {
    let place = Place::new();
    let asked = |mi: Mi, command: &str| {
        let output = mi.stdin(place.bash(command).to_string()).run([
            "hook",
            "pre-tool-use",
            "--harness",
            "claude",
            "--gate",
        ]);
        decision("claude", &output).0
    };
    let no_home = || place.mi().env("HOME", "").env("MI_HOME", "");
    assert_eq!(asked(no_home(), "git push -f origin main"), "deny");
    assert_eq!(asked(no_home(), "ls"), "allow");
    let nowhere = || place.mi().env("MI_HOME", "/proc/mi");
    assert_eq!(asked(nowhere(), "git push -f origin main"), "deny");
    assert_eq!(asked(nowhere(), "ls"), "ask");
    let disk = place.home.path().join("disk");
    fs::create_dir_all(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return skipped("a small tmpfs cannot be mounted here (needs root)");
    }
    let full = || place.mi().env("MI_HOME", &disk);
    let mut verdicts = Vec::new();
    drop(fs::write(disk.join("filler"), vec![0; 64 << 10]));
    for command in ["git push -f origin main", "ls"] {
        verdicts.push(asked(full(), command));
    }
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    assert_eq!(verdicts, ["deny", "ask"]);
}

/// Fifty at once: each answers, each is on record.
#[test]
fn fifty_gate_hooks_at_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for worker in 0..50 {
            let place = &place;
            scope.spawn(move || {
                let (command, expected) =
                    if worker % 2 == 0 { ("ls", "allow") } else { ("git push -f origin main", "deny") };
                let mut payload = place.bash(command);
                payload["tool_use_id"] = format!("t{worker}").into();
                let output = place.call("claude", "pre-tool-use", &payload);
                assert_eq!(decision("claude", &output).0, expected, "{output}");
            });
        }
    });
    let calls = fs::read_to_string(place.session("claude", "calls")).unwrap();
    assert_eq!(calls.lines().count(), 50);
    let records = fs::read_to_string(place.home.path().join("gate/decisions.jsonl")).unwrap();
    assert_eq!(records.lines().filter(|line| line.contains("gate_decision")).count(), 50, "{records}");
}

/// An agent that never ends its input gets its denial before its own patience ends, whatever signals it has blocked.
#[test]
fn the_deadline_is_a_denial() {
    let place = Place::new();
    let started = Instant::now();
    let mut child = Command::new("env")
        .args(["--block-signal=ALRM", MI, "hook", "pre-tool-use", "--harness", "codex", "--gate"])
        .current_dir(place.project.path())
        .env_clear()
        .envs(mi_test_support::sealed_environment(&place.home))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"tool_name\":").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success()
            && said.contains("\"permissionDecision\":\"deny\"")
            && said.contains("in time"),
        "{said}"
    );
}

/// The person's own `override` lets exactly the denied action through, once; an agent's words do nothing.
#[test]
fn d_3_override_in_a_session_grants_once() {
    let place = Place::new();
    for harness in ["claude", "codex"] {
        let push = place.bash("git push --force origin main");
        let asked = |payload: &Value| decision(harness, &place.call(harness, "pre-tool-use", payload)).0;
        let message = |text: &str| {
            let payload = json!({"session_id": "s1", "cwd": place.project.path(), "hook_event_name": "UserPromptSubmit", "prompt": text});
            place.call(harness, "user-message", &payload).expect_exit(0)
        };
        message("please publish the branch");
        assert_eq!(asked(&push), "deny");
        assert_eq!(asked(&place.bash("echo override")), "allow", "said by an agent, it is only a word");
        assert_eq!(asked(&push), "deny");
        let said = message("override");
        assert!(said.out().contains("Override acknowledged."), "{said}");
        assert_eq!(asked(&place.bash("git push --force origin master")), "deny", "another action");
        assert_eq!(asked(&push), "allow");
        assert_eq!(asked(&push), "deny", "only once");
    }
    let touch = place.bash("touch made");
    let codex = |payload: &Value| decision("codex", &place.call("codex", "pre-tool-use", payload)).0;
    assert_eq!(codex(&touch), "deny", "Codex cannot ask");
    let payload = json!({"session_id": "s1", "cwd": place.project.path(), "prompt": "override"});
    place.call("codex", "user-message", &payload).expect_exit(0);
    assert_eq!(codex(&touch), "allow");
    assert_eq!(codex(&touch), "deny");
}

/// A message is read at once: a secret is warned of and kept nowhere, urgency gets its line, minor notices one block.
#[test]
fn d_10_d_20_messages_are_read() {
    let place = Place::new();
    let secret = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    let message = |text: &str| {
        let payload = json!({"session_id": "s1", "cwd": place.project.path(), "hook_event_name": "UserPromptSubmit", "prompt": text});
        place.call("claude", "user-message", &payload).expect_exit(0)
    };
    assert_eq!(message("list the files of this folder").out(), "");
    let said = message(&format!("use {secret} for the upload, urgent"));
    let answer = said.json();
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(
        context.contains("mode challenge") && context.contains("secret") && context.contains("⚡"),
        "{said}"
    );
    assert!(answer["systemMessage"].as_str().unwrap().contains("⚠️"), "{said}");
    assert!(!said.out().contains(&secret), "{said}");
    let zh = json!({"session_id": "s2", "prompt": format!("用 {secret} 上传")}).to_string();
    let said = place.mi().env("LANG", "zh_CN.UTF-8").stdin(zh).run([
        "hook",
        "user-message",
        "--harness",
        "claude",
        "--gate",
    ]);
    assert!(said.out().contains("⚠️ 检测到敏感信息,建议立即撤回并更换凭证。"), "{said}");
    let mut waiting = vec![place.home.path()];
    while let Some(path) = waiting.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => {
                assert!(!String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(&secret), "{path:?}")
            }
        }
    }
}

/// At a stop every tool use that can be hooked must have asked; what did not is told, once, and nothing is blocked.
#[test]
fn d_17_stop_reports_tool_uses_without_a_record() {
    let place = Place::new();
    let start = json!({"session_id": "s1", "cwd": place.project.path(), "source": "startup"});
    let mark = place.call("codex", "session-start", &start).expect_exit(0);
    assert!(mark.out().contains("mi gate is asked"), "{mark}");
    place.call("codex", "pre-tool-use", &place.bash("ls"));
    let call = |name: &str, id: &str| json!({"type": "response_item", "payload": {"type": "function_call", "name": name, "call_id": id}});
    let refused = json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "t4", "output": "unsupported call: x"}});
    let lines = [
        call("exec_command", "t1"),
        call("exec_command", "t2"),
        call("write_stdin", "t3"),
        call("x", "t4"),
        refused,
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let transcript = place.project.write("rollout.jsonl", text);
    let stop = json!({"session_id": "s1", "cwd": place.project.path(), "transcript_path": transcript, "hook_event_name": "Stop", "stop_hook_active": false});
    let said = place.call("codex", "stop", &stop).expect_exit(0);
    let told = said.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(told.contains("1 tool uses") && told.contains("exec_command (t2)"), "{said}");
    assert!(said.json().get("decision").is_none(), "it reports, it never loops: {said}");
    assert_eq!(place.call("codex", "stop", &stop).expect_exit(0).out(), "", "told once");
    let status = place.mi().run(["hooks", "status", "codex", "--json"]).expect_exit(0).json();
    assert_eq!(status["places"][0]["seen"]["unasked"], 1, "{status}");
    assert_eq!(status["places"][0]["never_hooked"][0], "write_stdin", "{status}");
    let missing = json!({"session_id": "s1", "transcript_path": "/nowhere/x", "hook_event_name": "Stop"});
    let said = place.call("codex", "stop", &missing);
    assert!(said.out().is_empty() && said.err().contains("transcript"), "{said}");
}

/// Without `--gate` one call does both: the gate decides and the life cycle is recorded.
#[test]
fn one_call_can_be_gate_and_lifecycle() {
    let place = Place::new();
    let both = |event: &str, payload: Value| {
        place.mi().stdin(payload.to_string()).run(["hook", event, "--harness", "claude"]).expect_exit(0)
    };
    let start =
        both("session-start", json!({"session_id": "s1", "cwd": place.project.path(), "source": "startup"}));
    assert!(start.out().contains("mi gate is asked"), "{start}");
    assert!(place.project.path().join(".nexus/state/claude/agent-tracker.json").exists(), "{start}");
    assert_eq!(decision("claude", &both("pre-tool-use", place.bash("git push -f origin main"))).0, "deny");
    assert_eq!(decision("claude", &both("pre-tool-use", place.bash("ls"))).0, "allow");
    let mut reader = place.bash("ls");
    reader["hook_event_name"] = "PostToolUse".into();
    reader["tool_response"] = json!({"stdout": ""});
    assert_eq!(both("post-tool-use", reader).out(), "");
    assert!(place.project.read(".nexus/state/claude/tool-log.jsonl").contains("Bash"));
}

/// A denial that cannot be printed is told by exit 2 and a reason: silence would be an allowance.
#[test]
fn d_17_lost_denials_are_told_by_exit_2() {
    let place = Place::new();
    let payload = place.bash("git push --force origin main").to_string();
    for redirect in [">&-", ">/dev/full"] {
        for harness in ["claude", "codex"] {
            let output =
                place.shell(&format!("{MI} hook pre-tool-use --harness {harness} {redirect}"), &payload);
            assert_eq!(output.status.code(), Some(2), "{harness} {redirect}");
            assert!(!output.stderr.trim_ascii().is_empty(), "{harness} {redirect}");
        }
    }
    let read = place.bash("ls").to_string();
    let output = place.shell(&format!("{MI} hook pre-tool-use --harness codex >&-"), &read);
    assert_eq!(output.status.code(), Some(0));
}

/// An agent that reads nothing is told by exit 2 before its own time is up, and other events end as well.
#[test]
fn d_17_answers_that_nobody_reads_are_told_by_exit_2() {
    let place = Place::new();
    let payload = place.bash("git push --force origin main").to_string();
    let full = "rm -f full; mkfifo full; exec 3<>full; head -c 65536 /dev/zero >&3; exec";
    let begun = Instant::now();
    for harness in ["claude", "codex"] {
        let output = place.shell(&format!("{full} {MI} hook pre-tool-use --harness {harness} >&3"), &payload);
        assert_eq!(output.status.code(), Some(2), "{harness}");
        assert!(!output.stderr.trim_ascii().is_empty(), "{harness}");
    }
    // Neither is read: the code alone is left.
    let output = place.shell(&format!("{full} {MI} hook pre-tool-use --harness claude >&3 2>&3"), &payload);
    assert_eq!(output.status.code(), Some(2));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Files that may not grow, and a process that is ended from outside, end in a denial.
#[test]
fn d_17_ended_calls_are_denials() {
    let place = Place::new();
    let payload = place.bash("git push --force origin main").to_string();
    let small = place.shell(&format!("ulimit -f 0; exec {MI} hook pre-tool-use --harness codex"), &payload);
    assert_eq!(small.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&small.stdout).contains("mi.force-push-main"));
    for signal in ["TERM", "HUP", "ABRT"] {
        let script = format!(
            "(sleep 0.5; kill -{signal} $$) & exec {MI} hook pre-tool-use --harness codex < <(sleep 3)"
        );
        let output = place.shell(&script, "");
        assert_eq!(output.status.code(), Some(0), "{signal}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"deny\""), "{signal}");
    }
}

/// Names in names of arrays, however deep, are no way around the gate.
#[test]
fn d_19_deep_subscripts_are_denied() {
    let place = Place::new();
    let script = format!("{}git push --force origin main{}", "a[".repeat(40_000), "=1]".repeat(40_000));
    let output = place.call("codex", "pre-tool-use", &place.bash(&script));
    assert_eq!(decision("codex", &output).0, "deny");
}

/// What the gate decided can be checked later: a changed record is found.
#[test]
fn d_19_a_changed_decision_is_found_by_verify() {
    let place = Place::new();
    for command in ["ls", "git push --force origin main", "ls -l"] {
        place.call("claude", "pre-tool-use", &place.bash(command));
    }
    let whole = place.mi().run(["verify", "--json"]).expect_exit(0).json();
    assert_eq!((&whole["ok"], &whole["records"]), (&json!(true), &json!(3)));
    let log = place.home.path().join("gate/decisions.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace(r#""decision":"deny""#, r#""decision":"allow""#)).unwrap();
    let changed = place.mi().run(["verify", "--json"]).expect_exit(1).json();
    assert!(changed["problems"][0].as_str().unwrap().contains("gate/decisions.jsonl"), "{changed}");
}
