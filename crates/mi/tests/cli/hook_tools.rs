//! `mi hook` around tools: gates, the tool log, reads of memory, stopping; and the agents' native payloads.

use super::hook::Place;
use serde_json::{Value, json};

fn decision(place: &Place, payload: Value) -> (String, String) {
    let answer = place.hook("pre-tool-use", payload);
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    (text("decision"), text("reason"))
}

/// What an agent's capabilities deny is blocked, through the shell too; reads and artifacts never are.
#[test]
fn nx_203_nx_204_nx_254_nx_255_nx_256_nx_258_capability_gates() {
    let place = Place::new();
    let cases = [
        ("tester", "Edit", "", "block"),
        ("tester", "apply_patch", "", "block"),
        ("architect", "mcp__mi__nx_task_update", "", "block"),
        ("architect", "mcp__mi__nx_task_close", "", "block"),
        ("engineer", "mcp__mi__nx_task_add", "", "block"),
        ("tester", "Bash", "sed -i s/a/b/ x.rs", "block"),
        ("tester", "exec_command", "cat > x <<E\n1\nE", "block"),
        ("tester", "Bash", "sed -Ei s/a/b/ x.rs", "block"),
        ("tester", "Bash", "ls | xargs sed -i s/a/b/", "block"),
        ("tester", "Bash", "patch -p1 < x.diff", "block"),
        ("tester", "Bash", "git stash", "block"),
        ("tester", "Monitor", "sed -i s/a/b/ x.rs", "block"),
        ("tester", "container.exec", "sed -i s/a/b/ x.rs", "block"),
        ("tester", "mcp__filesystem__write_file", "", "block"),
        ("tester", "str_replace_editor", "", "block"),
        ("tester", "str_replace_editor", "view", "allow"),
        ("tester", "Bash", "cargo test 2>&1 | tail", "allow"),
        ("engineer", "Bash", "git stash", "allow"),
        ("tester", "Read", "", "allow"),
        ("tester", "mcp__mi__nx_artifact_write", "", "allow"),
        ("tester", "mcp__mi__nx_task_list", "", "allow"),
        ("engineer", "Edit", "", "allow"),
        ("engineer", "mcp__mi__nx_task_update", "", "allow"),
        ("stranger", "Edit", "", "allow"),
        ("lead", "mcp__mi__nx_task_add", "", "allow"),
        ("lead", "mcp__mi__nx_plan_start", "", "allow"),
        ("engineer", "mcp__mi__nx_plan_start", "", "block"),
        ("architect", "mcp__mi__nx_plan_decide", "", "block"),
        ("stranger", "mi_nx_plan_update", "", "block"),
        ("architect", "mcp__mi__nx_plan_status", "", "allow"),
    ];
    for (agent, tool, command, expected) in cases {
        let payload = json!({"agent_name": agent, "tool": tool, "command": command});
        assert_eq!(decision(&place, payload).0, expected, "{agent} {tool} {command}");
    }
    assert!(!place.exists(".nexus"), "a question records nothing");
    let added =
        json!({"agent_name": "engineer", "tool": "Bash", "command": "ls", "capabilities": ["no_shell_exec"]});
    assert_eq!(decision(&place, added).0, "block", "NX-249: a project may add");
    place.hook("agent-spawn", json!({"agent_id": "t1", "agent_name": "tester"}));
    let (answer, reason) = decision(&place, json!({"agent_id": "t1", "tool": "Write", "file_path": "x"}));
    assert_eq!(answer, "block", "the tracker knows the agent's name");
    assert!(reason.contains("tester may not use Write"), "{reason}");
}

/// The contract's gates are off until the project switches them on.
#[test]
fn nx_202_nx_206_nx_216_gates_are_opt_in() {
    let place = Place::new();
    let edit = json!({"tool": "Edit", "file_path": "src/a.rs"});
    let shell = json!({"tool": "Bash", "command": "echo x > a.txt"});
    assert_eq!(decision(&place, edit.clone()).0, "allow");
    place.project.write(
        ".mi/config.toml",
        "[workspace.gates]\nedit_without_tasks = true\nstop_with_pending = true\nshell_edits = true\n",
    );
    for payload in [&edit, &shell] {
        let (answer, reason) = decision(&place, payload.clone());
        assert!(answer == "block" && reason.contains("no tasks"), "{reason}");
    }
    for free in [
        json!({"tool": "Read", "file_path": "a"}),
        json!({"tool": "Bash", "command": "ls > /dev/null"}),
        json!({"tool": "Write", "file_path": ".nexus/memory/a.md"}),
    ] {
        assert_eq!(decision(&place, free.clone()).0, "allow", "{free}");
    }
    let task = |status: &str| json!({"goal": "", "decisions": [], "tasks": [{"id": 1, "title": "t", "context": "c", "status": status, "deps": []}]});
    place.project.write(".nexus/state/tasks.json", task("pending").to_string());
    assert_eq!(decision(&place, edit).0, "allow");
    assert!(decision(&place, shell).1.contains("through the shell"));
    assert_eq!(place.hook("stop", json!({}))["decision"], "block");
    assert_eq!(place.hook("stop", json!({"stop_hook_active": true}))["decision"], "allow", "never in a loop");
    place.project.write(".nexus/state/tasks.json", task("completed").to_string());
    let answer = place.hook("stop", json!({}));
    assert_eq!(answer["decision"], "allow");
    assert!(answer["warnings"].to_string().contains("close the cycle"), "{answer}");
}

/// Settings that cannot be read are told with their place.
#[test]
fn broken_settings_are_told() {
    let place = Place::new();
    place.project.write(".mi/config.toml", "[workspace.gates]\nedit_without_tasks = \"yes\"\n");
    let answer = place.hook("pre-tool-use", json!({"tool": "Edit", "file_path": "a"}));
    assert!(answer["warnings"].to_string().contains("config.toml"), "{answer}");
}

/// A gate that may be switched on, but cannot be read, denies edits other than its own repair; other mistakes do not.
#[test]
fn gates_that_cannot_be_read_deny() {
    let place = Place::new();
    for (settings, expected) in [
        ("[workspace.gates]\nedit_without_tasks = \"yes\"\n", "block"),
        ("[workspace.gates]\nshell_edits = tru\n", "block"),
        ("[workspace\n", "allow"),
        ("[gate]\nnonsense = 1\n", "allow"),
    ] {
        place.project.write(".mi/config.toml", settings);
        assert_eq!(decision(&place, json!({"tool": "Edit", "file_path": "a"})).0, expected, "{settings}");
        let repair = json!({"tool": "Edit", "file_path": ".mi/config.toml"});
        assert_eq!(decision(&place, repair).0, "allow", "{settings}");
        assert_eq!(decision(&place, json!({"tool": "Read", "file_path": "a"})).0, "allow", "{settings}");
    }
}

/// What cannot be judged before a tool is blocked, in the answer too.
#[test]
fn flat_questions_that_cannot_be_judged_are_blocked() {
    let place = Place::new();
    for input in ["{", "{}", "[]", r#"{"tool": 5}"#] {
        let exit = place.raw(&["pre-tool-use", "--harness-id", "h"], input).expect_exit(1);
        assert_eq!(exit.json()["decision"], "block", "{input}");
    }
}

/// A capability that nobody knows may deny anything: told, and blocked where capabilities matter.
#[test]
fn nx_249_unknown_capabilities_are_told_and_deny() {
    let place = Place::new();
    let ask = |tool: &str| {
        let payload = json!({"agent_name": "engineer", "tool": tool, "file_path": "a", "capabilities": ["no_file_edits"]});
        place.hook("pre-tool-use", payload)
    };
    assert_eq!(ask("Edit")["decision"], "block");
    let read = ask("Read");
    assert_eq!(read["decision"], "allow", "NX-204");
    assert!(read["warnings"].to_string().contains("no_file_edit,"), "{read}");
}

/// Only Lead plans; whoever has an id is not Lead, tracked or not.
#[test]
fn nx_258_an_unknown_agent_does_not_plan() {
    let place = Place::new();
    let plan = |id: &str| decision(&place, json!({"agent_id": id, "tool": "nx_plan_start"})).0;
    assert_eq!((plan("a77").as_str(), plan("lead").as_str(), plan("").as_str()), ("block", "allow", "allow"));
    let edit = json!({"agent_id": "a77", "tool": "Edit", "file_path": "a"});
    assert_eq!(decision(&place, edit).0, "allow", "no capability is known of it");
}

/// Each use of a tool is one line; errors are kept; an ended agent's files come from the log.
#[test]
fn nx_207_nx_208_nx_198_the_tool_log() {
    let place = Place::new();
    place.hook("agent-spawn", json!({"agent_id": "e1", "agent_name": "engineer"}));
    let uses = [
        json!({"tool": "Edit", "file_path": place.project.path().canonicalize().unwrap().join("src/a.rs"), "agent_id": "e1"}),
        json!({"tool": "apply_patch", "command": "*** Begin Patch\n*** Add File: b.rs\n*** Update File: c.rs\n*** End Patch", "agent_id": "e1"}),
        json!({"tool": "Bash", "command": "echo x >> notes.txt", "agent_id": "e1"}),
        json!({"tool": "Edit", "file_path": "failed.rs", "agent_id": "e1", "error": "no such text"}),
        json!({"tool": "Read", "file_path": "read.rs", "agent_id": "e1"}),
        json!({"tool": "Write", "file_path": "other.rs"}),
    ];
    for used in uses {
        place.hook("post-tool-use", used);
    }
    let log = place.project.read(".nexus/state/h/tool-log.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        (&lines[0]["tool"], &lines[0]["file_path"], &lines[0]["status"]),
        (&json!("Edit"), &json!("src/a.rs"), &json!("ok"))
    );
    assert_eq!((&lines[3]["status"], &lines[3]["error"]), (&json!("error"), &json!("no such text")));
    assert_eq!(lines[5]["agent_id"], "lead");
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["agent_id"].is_string()));
    place.hook("agent-complete", json!({"agent_id": "e1"}));
    let tracker = place.json(".nexus/state/h/agent-tracker.json");
    assert_eq!(tracker[0]["files_touched"], json!(["src/a.rs", "b.rs", "c.rs", "notes.txt"]));
}

/// A line that a kill cut off is set aside and told, in every file of lines; a line that only lacks its end is whole.
#[test]
fn a_torn_last_line_is_set_aside_and_told() {
    let place = Place::new();
    place.project.write(".nexus/memory/a.md", "x");
    for name in ["tool-log.jsonl", "memory-access.jsonl"] {
        place.project.write(&format!(".nexus/state/h/{name}"), "{\"tool\":\"Ed");
    }
    let answer = place.hook("post-tool-use", json!({"tool": "Read", "file_path": ".nexus/memory/a.md"}));
    for name in ["tool-log.jsonl", "memory-access.jsonl"] {
        let log = place.project.read(&format!(".nexus/state/h/{name}"));
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(serde_json::from_str::<Value>(&log).is_ok(), "{log}");
        assert_eq!(place.project.read(&format!(".nexus/state/h/{name}.torn-1")), "{\"tool\":\"Ed");
        assert!(answer["warnings"].to_string().contains(&format!("{name}.torn-1")), "{answer}");
    }
    place.project.write(".nexus/state/h/tool-log.jsonl", "{\"tool\":\"Edit\"}");
    let answer = place.hook("post-tool-use", json!({"tool": "Read", "file_path": "b"}));
    assert_eq!(answer["warnings"], json!([]));
    let log = place.project.read(".nexus/state/h/tool-log.jsonl");
    assert!(log.starts_with("{\"tool\":\"Edit\"}\n{\"timestamp\""), "{log}");
}

/// A read of a memory file is counted, by tool, by command and by its own event; writes and searches are not.
#[test]
fn nx_210_nx_320_nx_321_reads_of_memory_are_observed() {
    let place = Place::new();
    place.project.write(".nexus/memory/a.md", "x");
    place.project.write(".nexus/memory/b.md", "x");
    place.hook("memory-read", json!({"file_path": ".nexus/memory/b.md", "reader_identity": "r1", "observed_at": "2026-01-01T00:00:00Z"}));
    place.hook("post-tool-use", json!({"tool": "Read", "file_path": ".nexus/memory/a.md", "agent_id": "e1"}));
    place.hook("post-tool-use", json!({"tool": "Bash", "command": "cat .nexus/memory/b.md"}));
    for no_read in [
        json!({"tool": "Grep", "path": ".nexus/memory/a.md"}),
        json!({"tool": "Edit", "file_path": ".nexus/memory/a.md"}),
        json!({"tool": "Read", "file_path": ".nexus/memory/a.md", "error": "denied"}),
        json!({"tool": "Read", "file_path": ".nexus/memory/gone.md"}),
        json!({"tool": "Bash", "command": "grep x .nexus/memory/a.md; ls .nexus/memory"}),
    ] {
        place.hook("post-tool-use", no_read);
    }
    let log = place.project.read(".nexus/state/h/memory-access.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let root = place.project.path().canonicalize().unwrap();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["path"].as_str().unwrap().to_owned(),
                line["access_count"].clone(),
                line["last_agent"].clone(),
            )
        })
        .collect();
    let path = |name: &str| root.join(".nexus/memory").join(name).to_string_lossy().into_owned();
    assert_eq!(
        told,
        [(path("b.md"), json!(2), json!("lead")), (path("a.md"), json!(1), json!("e1"))],
        "in order of first observation"
    );
    for outside in ["README.md", "/etc/passwd", ".nexus/memory/../../README.md", ".nexus/memory"] {
        let payload = json!({"file_path": outside}).to_string();
        let output = place.raw(&["memory-read", "--harness-id", "h"], payload).expect_exit(1);
        assert!(output.err().contains("no file below .nexus/memory"), "{output}");
    }
}

/// The payloads that Claude Code really sends are recorded under its name, with answers in its words.
#[test]
fn native_claude_payloads() {
    let place = Place::new();
    let root = place.project.path().to_str().unwrap().to_owned();
    let call = |event: &str, payload: Value| {
        let mut payload = payload;
        payload["cwd"] = root.as_str().into();
        let words = [event, "--harness", "claude", "--lifecycle"];
        place.raw(&words, payload.to_string()).expect_exit(0).out()
    };
    let started = call("session-start", json!({"hook_event_name": "SessionStart", "source": "startup"}));
    assert!(
        started.starts_with(r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"#),
        "{started}"
    );
    assert_eq!(call("user-message", json!({"prompt": "hello"})), "");
    assert!(call("user-message", json!({"prompt": "[run]"})).contains("nx-run"));
    assert!(call("user-message", json!({"prompt": "[d] x"})).starts_with(r#"{"decision":"block""#));
    assert!(
        call("agent-spawn", json!({"agent_id": "a06", "agent_type": "tester"})).contains("SubagentStart")
    );
    let denied = call(
        "pre-tool-use",
        json!({"agent_id": "a06", "agent_type": "tester", "tool_name": "Write", "tool_input": {"file_path": "x", "content": "y"}}),
    );
    assert!(denied.contains(r#""permissionDecision":"deny""#), "{denied}");
    assert_eq!(call("pre-tool-use", json!({"tool_name": "Write", "tool_input": {"file_path": "x"}})), "");
    assert_eq!(
        call(
            "post-tool-use",
            json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "exit 3"}, "error": "Exit code 3"})
        ),
        ""
    );
    assert_eq!(
        call("agent-complete", json!({"agent_id": "a06", "last_assistant_message": "sub answer"})),
        ""
    );
    call("agent-spawn", json!({"agent_id": "a06", "agent_type": "tester"}));
    let tracker = place.json(".nexus/state/claude/agent-tracker.json");
    assert_eq!(tracker.as_array().unwrap().len(), 1, "a known agent is resumed: {tracker}");
    assert_eq!((&tracker[0]["resume_count"], &tracker[0]["last_message"]), (&json!(1), &json!("sub answer")));
    assert!(call("session-start", json!({"source": "compact"})).contains("Running agents"));
    assert_eq!(call("stop", json!({"stop_hook_active": false})), "");
    assert_eq!(call("session-end", json!({"reason": "other"})), "");
    assert!(!place.exists(".nexus/state/claude/agent-tracker.json"));
    let log = place.project.read(".nexus/state/claude/tool-log.jsonl");
    assert!(log.contains("Exit code 3"), "{log}");
}

/// The captured inputs of the real agents are all taken.
#[test]
fn captured_native_payloads_are_taken() {
    let place = Place::new();
    let cases = [
        (
            "codex",
            "post-tool-use",
            json!({"hook_event_name": "PostToolUse", "model": "gpt-5.5", "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch"}, "tool_response": "Done!", "tool_use_id": "c1"}),
        ),
        (
            "codex",
            "post-tool-use",
            json!({"tool_name": "Bash", "tool_input": {"command": "echo ok"}, "tool_response": "ok\n"}),
        ),
        ("opencode", "post-tool-use", json!({"tool_name": "edit", "tool_input": {"filePath": "e.txt"}})),
    ];
    for (harness, event, mut payload) in cases {
        payload["cwd"] = place.project.path().to_str().unwrap().into();
        assert_eq!(place.raw(&[event, "--harness", harness], payload.to_string()).expect_exit(0).out(), "");
    }
    let codex = place.project.read(".nexus/state/codex/tool-log.jsonl");
    assert!(codex.contains(r#""file_path":"new.txt""#) && codex.contains(r#""effect":"write""#), "{codex}");
    assert!(place.project.read(".nexus/state/opencode/tool-log.jsonl").contains(r#""file_path":"e.txt""#));
}

/// An agent that is started in the home folder leaves no state there.
#[test]
fn nothing_is_kept_right_in_the_home_folder() {
    let place = Place::new();
    let home = place.project.path().to_str().unwrap();
    let payload = json!({"cwd": home, "source": "startup"}).to_string();
    let output = place.mi().env("HOME", home).stdin(payload).run([
        "hook",
        "session-start",
        "--harness",
        "claude",
        "--lifecycle",
    ]);
    assert_eq!(output.expect_exit(0).out(), "");
    assert!(!place.exists(".nexus"));
}
