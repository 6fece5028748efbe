//! Our entries go into agents' configurations and come out again, whatever else stands there.

use mi_formats::agent_config::*;

fn program() -> Program {
    Program("/usr/bin/mi".to_owned(), Vec::new())
}

const CLAUDE: [&str; 6] = [
    "",
    "{}\n",
    "{\n  \"model\": \"x\"\n}\n",
    "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  },\n  \"env\": {\"A\": \"b\"}\n}\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"guard\"}]}]}}",
    "{\"mcpServers\": {\"other\": {\"command\": \"x\", \"args\": [\"mcp\"]}}}\n",
];

const CODEX: [&str; 5] = [
    "",
    "# mine\nmodel = \"gpt-5.5\" # the model\n",
    "[mcp_servers.other]\ncommand = \"x\"\nargs = [\"mcp\"]\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
    "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"guard\"\n\n[hooks.state.\"/c:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
    "hooks.Stop = [{ hooks = [{ type = \"command\", command = \"say done\" }] }]\n\n[tui]\ntheme = \"dark\"\n",
];

/// Adding twice is adding once, and taking out leaves what was there, as values.
#[test]
fn claude_entries_come_and_go() {
    for text in CLAUDE {
        let added =
            add_claude_hooks(&add_claude_server(text, &program()).unwrap(), &program(), HookSet::Lifecycle)
                .unwrap();
        let value: serde_json::Value = serde_json::from_str(&without_comments(&added)).unwrap();
        assert_eq!(value["mcpServers"]["mi"]["command"], "/usr/bin/mi");
        assert!(value["hooks"]["SessionStart"].to_string().contains("hook session-start --harness claude"));
        let again =
            add_claude_hooks(&add_claude_server(&added, &program()).unwrap(), &program(), HookSet::Lifecycle)
                .unwrap();
        assert_eq!(again, added);
        let before = Some(text).filter(|text| !text.is_empty());
        let removed =
            remove_claude_server(&remove_claude_hooks(&added, before, HookSet::Lifecycle).unwrap(), before)
                .unwrap();
        assert_eq!(removed.trim(), if text.is_empty() { "{}" } else { text.trim() }, "{added}");
    }
}

/// The same for Codex, with the trust that makes its hooks run.
#[test]
fn codex_entries_come_and_go() {
    for text in CODEX {
        let added = add_codex(text, &program()).unwrap();
        let trusted = trust_codex(&added, "/c", text, &added).unwrap();
        let value: toml_edit::DocumentMut = trusted.parse().unwrap();
        assert_eq!(value["mcp_servers"]["mi"]["command"].as_str(), Some("/usr/bin/mi"), "{trusted}");
        assert_eq!(
            trusted.matches("trusted_hash = \"sha256:").count(),
            8 + text.matches("trusted_hash").count()
        );
        assert_eq!(add_codex(&trusted, &program()).unwrap(), trusted);
        assert_eq!(trust_codex(&trusted, "/c", &trusted, &trusted).unwrap(), trusted);
        let removed = remove_codex(&trusted).unwrap();
        let removed = trust_codex(&removed, "/c", &trusted, &removed).unwrap();
        assert_eq!(removed.trim(), text.trim(), "{trusted}");
    }
}

/// Both sets of hooks live side by side, and whichever goes first leaves the other one whole and trusted.
#[test]
fn d_17_gate_and_lifecycle_come_and_go_in_any_order() {
    type Edit = fn(&str) -> String;
    let steps: [(Edit, Edit); 2] = [
        (|text| add_codex(text, &program()).unwrap(), |text| remove_codex(text).unwrap()),
        (|text| add_codex_gate(text, &program()).unwrap(), |text| remove_codex_gate(text).unwrap()),
    ];
    let change = |text: &str, edit: Edit| {
        let edited = edit(text);
        trust_codex(&edited, "/c", text, &edited).unwrap()
    };
    let trusted = |text: &str, set: HookSet| codex_set_is_trusted(text, "/c", text, &program(), set).unwrap();
    for text in CODEX {
        for (first, second) in [(0, 1), (1, 0)] {
            for (out_first, out_second) in [(0, 1), (1, 0)] {
                let both = change(&change(text, steps[first].0), steps[second].0);
                assert!(trusted(&both, HookSet::Gate) && trusted(&both, HookSet::Lifecycle), "{both}");
                let one = change(&both, steps[out_first].1);
                let left = if out_second == 1 { HookSet::Gate } else { HookSet::Lifecycle };
                assert!(trusted(&one, left), "{one}");
                assert_eq!(change(&one, steps[out_second].1).trim(), text.trim(), "{both}");
            }
        }
    }
    for text in CLAUDE {
        let before = Some(text).filter(|text| !text.is_empty());
        for (first, second) in [(HookSet::Gate, HookSet::Lifecycle), (HookSet::Lifecycle, HookSet::Gate)] {
            let one = add_claude_hooks(text, &program(), HookSet::Gate).unwrap();
            let both = add_claude_hooks(&one, &program(), HookSet::Lifecycle).unwrap();
            let left = remove_claude_hooks(&both, before, first).unwrap();
            assert!(claude_has_hooks(&left, &program(), second).unwrap(), "{left}");
            let expected = if text.is_empty() { "{}" } else { text.trim() };
            assert_eq!(remove_claude_hooks(&left, before, second).unwrap().trim(), expected, "{both}");
            // The text from before the second installation already held the first.
            let later = Some(one.as_str()).filter(|_| second == HookSet::Lifecycle).or(before);
            assert_eq!(remove_claude_hooks(&left, later, second).unwrap().trim(), expected, "{both}");
        }
    }
}

/// What the person changes in between stays, to the byte.
#[test]
fn other_changes_stay() {
    let added = add_codex(CODEX[2], &program()).unwrap();
    let changed = added.replace("trust_level = \"trusted\"\n", "trust_level = \"trusted\" # yes\n")
        + "\n[new]\nx = 1\n";
    let removed = remove_codex(&changed).unwrap();
    assert_eq!(removed.trim(), CODEX[2].replace("\"trusted\"\n", "\"trusted\" # yes\n") + "\n[new]\nx = 1");
    let added = add_claude_hooks(CLAUDE[3], &program(), HookSet::Lifecycle).unwrap();
    let changed =
        added.replace("\"env\": {\"A\": \"b\"}", "\"env\": {\"A\": \"c\"}").replace("say done", "say it");
    let removed = remove_claude_hooks(&changed, Some(CLAUDE[3]), HookSet::Lifecycle).unwrap();
    assert_eq!(removed, CLAUDE[3].replace("\"A\": \"b\"", "\"A\": \"c\"").replace("say done", "say it"));
}

/// A hook whose place moved, as after an upgrade, is replaced and not doubled.
#[test]
fn another_program_replaces_the_old_entries() {
    let new = Program("/opt/mi".to_owned(), Vec::new());
    let old = add_claude_hooks(CLAUDE[3], &program(), HookSet::Lifecycle).unwrap();
    let updated = add_claude_hooks(&old, &new, HookSet::Lifecycle).unwrap();
    assert!(
        !updated.contains("/usr/bin/mi") && updated.matches("/opt/mi hook stop").count() == 1,
        "{updated}"
    );
    let updated = add_codex(&add_codex(CODEX[1], &program()).unwrap(), &new).unwrap();
    assert!(
        !updated.contains("/usr/bin/mi") && updated.matches("/opt/mi hook stop").count() == 1,
        "{updated}"
    );
}

/// A server of the same name that is not ours, and a text that is broken, are refused.
#[test]
fn foreign_and_broken_texts_are_refused() {
    let taken = "{\"mcpServers\": {\"mi\": {\"command\": \"x\", \"args\": [\"serve\"]}}}";
    assert!(matches!(add_claude_server(taken, &program()), Err(EditError::Taken { .. })));
    let taken = "[mcp_servers.mi]\ncommand = \"x\"\n";
    assert!(matches!(add_codex(taken, &program()), Err(EditError::Taken { .. })));
    assert_eq!(remove_codex(taken).unwrap(), taken);
    let broken = add_codex("a = 1\nb = \n", &program());
    assert!(matches!(broken, Err(EditError::Syntax { line: 2, .. })), "{broken:?}");
    assert!(matches!(add_codex("hooks = 5", &program()), Err(EditError::Shape { .. })));
    assert!(matches!(
        add_claude_hooks("{\"hooks\": []}", &program(), HookSet::Gate),
        Err(EditError::Shape { .. })
    ));
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim().starts_with("//")).collect()
}

/// Where nothing is ours, nothing is taken out: not a byte changes (D.17).
#[test]
fn d_17_what_is_not_ours_is_left_as_it_is() {
    for text in [
        "{\"hooks\":[]}\n",
        "{\"hooks\":{\"PreToolUse\":{}}}\n",
        "{\r\n  \"hooks\": {}\r\n}\r\n",
        "{ \"hooks\" : { \"PreToolUse\" : [ ] , \"Stop\":[\n\n] } }",
        "{\"hooks\":{\"\\u0050reToolUse\":[]}}",
    ] {
        for set in [HookSet::Lifecycle, HookSet::Gate] {
            assert_eq!(remove_claude_hooks(text, None, set).unwrap(), text);
        }
    }
    for text in ["model = \"x\"", "model = \"x\"\r\n[a]\r\nb = 1\r\n", "\u{feff}model = \"x\"\n", "[hooks]\n"]
    {
        assert_eq!(remove_codex(text).unwrap(), text);
        assert_eq!(remove_codex_gate(text).unwrap(), text);
    }
}

/// Line ends of Windows and the mark at a text's beginning outlive what we put in and take out (D.17).
#[test]
fn d_17_marks_of_the_text_are_kept() {
    let text = "\u{feff}# mine\r\nmodel = \"x\"\r\n";
    let added = add_codex_gate(text, &program()).unwrap();
    assert!(added.starts_with(text), "{added:?}");
    assert_eq!(added.matches('\n').count(), added.matches("\r\n").count());
    assert_eq!(remove_codex_gate(&added).unwrap(), text);
}
