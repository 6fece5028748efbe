//! Whatever an agent sends before a tool, it gets an answer that it obeys, and never an allowance by accident.

use mi_gate::messages::Locale;
use mi_hook::{Exit, Gates, World};
use mi_model::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

const HARNESSES: [&str; 3] = ["claude", "codex", "opencode"];

/// A call without a home: nothing is kept, the built-in rules decide.
fn call(event: &str, harness: &str, input: &[u8]) -> Exit {
    let world = World {
        now: Timestamp::from_millis(1_790_000_000_000),
        cwd: PathBuf::from("/"),
        harness_id: None,
        project: None,
        agent_project: None,
        home: None,
        gates: &|_| (Gates::default(), Vec::new()),
        mi_home: None,
        persona: None,
        member: None,
        locale: &|| Locale::En,
        today: &|| mi_persona::Date::constant(2026, 1, 2),
        unseal: &|_| Box::new(mi_persona::Locked),
    };
    let words = ["hook", event, "--harness", harness, "--gate"].map(str::to_owned);
    mi_hook::run(&mi_hook::CommandLine::read(&words[1..]), input, &world)
}

/// `allow`, `ask` or `deny`; anything that an agent would not understand fails the test.
fn verdict(harness: &str, exit: &Exit) -> String {
    assert_eq!(exit.code, 0, "{exit:?}");
    if exit.stdout.is_empty() {
        assert_ne!(harness, "opencode");
        return "allow".to_owned();
    }
    let answer: Value =
        serde_json::from_str(&exit.stdout).unwrap_or_else(|error| panic!("{error}: {exit:?}"));
    let (decision, reason) = match harness {
        "opencode" => (&answer["decision"], &answer["block"]),
        _ => {
            let inner = &answer["hookSpecificOutput"];
            (&inner["permissionDecision"], &inner["permissionDecisionReason"])
        }
    };
    let decision = decision.as_str().unwrap_or_else(|| panic!("no decision: {exit:?}"));
    assert!(decision == "allow" || !reason.as_str().unwrap_or_default().trim().is_empty(), "{exit:?}");
    assert!(harness != "codex" || decision == "deny", "Codex knows no other word: {exit:?}");
    decision.to_owned()
}

fn payload(tool: &str, input: Value) -> Value {
    json!({"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t"})
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        prop::sample::select(vec![
            "Bash",
            "Write",
            "apply_patch",
            "ls",
            "git push -f origin main",
            "/etc/passwd",
            "*** Begin Patch"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(vec![
                    "command",
                    "file_path",
                    "path",
                    "content",
                    "patchText",
                    "cmd",
                    "x"
                ])
                .prop_map(str::to_owned),
                inner,
                0..5
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Bytes that are no JSON object are denied.
    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300), which in 0..3_usize) {
        let harness = HARNESSES[which];
        let said = verdict(harness, &call("pre-tool-use", harness, &bytes));
        if !matches!(serde_json::from_slice::<Value>(&bytes), Ok(Value::Object(_))) {
            prop_assert_eq!(said, "deny");
        }
    }

    /// Any tool with any input gets an answer; a payload that was cut off is denied wherever it was cut.
    #[test]
    fn any_tool_call_gets_an_answer(tool in "[A-Za-z_]{0,12}|Bash|Read|Write|Edit|apply_patch|mcp__a__b", input in any_json(), cut in any::<prop::sample::Index>(), which in 0..3_usize) {
        let harness = HARNESSES[which];
        let text = payload(&tool, input).to_string();
        verdict(harness, &call("pre-tool-use", harness, text.as_bytes()));
        let cut = cut.index(text.len());
        let said = verdict(harness, &call("pre-tool-use", harness, &text.as_bytes()[..cut]));
        prop_assert_eq!(said, "deny");
    }

    /// A denied command stays denied whatever stands beside it in the payload.
    #[test]
    fn a_denied_command_stays_denied(name in "[a-z_]{1,12}", extra in any_json(), which in 0..3_usize) {
        let harness = HARNESSES[which];
        let tool = if harness == "opencode" { "bash" } else { "Bash" };
        let mut call_of = payload(tool, json!({"command": "git push --force origin main"}));
        if call_of.get(&name).is_none() {
            call_of[&name] = extra;
        }
        let said = verdict(harness, &call("pre-tool-use", harness, call_of.to_string().as_bytes()));
        prop_assert_eq!(said, "deny");
    }

    /// No other event ever blocks or panics.
    #[test]
    fn other_events_never_block(event in prop::sample::select(vec!["session-start", "user-message", "post-tool-use", "subagent-start", "subagent-stop", "pre-compact", "stop", "session-end"]), mut input in any_json(), which in 0..3_usize) {
        let harness = HARNESSES[which];
        if let Some(fields) = input.as_object_mut() {
            fields.remove("hook_event_name");
        }
        let exit = call(event, harness, input.to_string().as_bytes());
        prop_assert!(exit.code <= 1, "{:?}", exit);
        prop_assert!(!exit.stdout.contains("\"decision\":\"block\"") && !exit.stdout.contains("permissionDecision"), "{:?}", exit);
    }
}
