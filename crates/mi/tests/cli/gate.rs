//! `mi gate` and `mi intake`, as a hook or a person calls them.

use super::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};

struct Gate {
    home: TempHome,
    project: TempProject,
}

fn gate() -> Gate {
    Gate { home: TempHome::with_values("x"), project: TempProject::python() }
}

impl Gate {
    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    fn check(&self, more: &[&str], input: impl Into<Vec<u8>>) -> MiOutput {
        let mut arguments = vec!["gate", "check", "--json"];
        arguments.extend(more);
        self.mi().stdin(input).run(arguments)
    }

    fn bash(&self, more: &[&str], command: &str) -> MiOutput {
        self.check(more, json!({"tool": "Bash", "input": {"command": command}}).to_string())
    }

    fn intake(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["intake", "--json"];
        all.extend(arguments);
        self.mi().run(all).expect_exit(0).json()
    }
}

/// Allow, prompt and deny have their exit codes and their rules.
#[test]
fn d_19_gate_check_answers_with_decision_and_exit_code() {
    let gate = gate();
    let allowed = gate.bash(&[], "git status").expect_exit(0).json();
    assert_eq!(
        (allowed["decision"].as_str(), allowed["parts"][0]["operation"].as_str()),
        (Some("allow"), Some("run"))
    );
    let asked = gate.bash(&[], "git commit -m x").expect_exit(3).json();
    assert_eq!((asked["decision"].as_str(), asked["rule"].as_str()), (Some("prompt"), Some("mi.commit")));
    let denied = gate.bash(&[], "git push -f origin main").expect_exit(4).json();
    assert_eq!(denied["decision"], "deny");
    assert!(denied["reason"].is_string() && denied["alternative"].is_string(), "{denied}");
}

/// A repository that plants a program into git's settings is asked about.
#[test]
fn d_19_planted_git_config_prompts() {
    let gate = gate();
    let config = gate.project.path().join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[core]\n\tfsmonitor = ./evil\n")).unwrap();
    assert_eq!(gate.bash(&[], "git status").expect_exit(3).json()["decision"], "prompt");
}

/// Files of rules hold through links, dots and patches.
#[test]
fn d_19_rules_hold_through_links() {
    let gate = gate();
    let rules = gate.home.write("rules.yaml", "version: 1\nrules:\n  - {id: ban, decision: deny, match: {write: M, read: M}, reason: r}\n  - {id: ban2, decision: deny, match: {write: M}, reason: r}\n  - {id: read, decision: deny, match: {read: M}, reason: r}\n");
    let rules = rules.to_str().unwrap();
    std::fs::write(gate.project.path().join("M"), "x").unwrap();
    std::os::unix::fs::symlink("M", gate.project.path().join("L")).unwrap();
    for command in ["cat L", "cat ./x/../M", "echo x > L", "cp M y"] {
        gate.bash(&["--rules", rules], command).expect_exit(4);
    }
    let cwd = gate.project.path().join(".git");
    let action = json!({"tool": "Read", "input": {"file_path": "../M"}, "cwd": cwd}).to_string();
    gate.check(&["--rules", rules], action).expect_exit(4);
    gate.bash(&["--rules", rules], "cat calc.py").expect_exit(0);
}

/// One line out per line in, whatever the line is.
#[test]
fn d_19_batch_prints_one_line_per_line() {
    let gate = gate();
    let mut input = Vec::new();
    for line in [
        "{\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"}}",
        "",
        "nonsense",
        "{\"tool\":\"Bash\",\"tool\":\"Read\"}",
        "{\"tool\":\"X\"}",
    ] {
        input.extend_from_slice(line.as_bytes());
        input.push(b'\n');
    }
    input.extend_from_slice(b"\xff\xfe\n{\"tool\":");
    let lines = gate.check(&["--batch"], input).expect_exit(0).events();
    let words: Vec<_> = lines.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(words, ["allow", "deny", "deny", "deny", "prompt", "deny", "deny"]);
}

/// Input that is no call is denied, with exit code 4 and a reason.
#[test]
fn d_17_bad_input_is_denied() {
    let gate = gate();
    for input in
        [&b""[..], b"{", b"[]", b"\xff", b"{\"tool\":7}", b"{\"tool\":\"Bash\",\"input\":{},\"input\":{}}"]
    {
        let output = gate.check(&[], input).expect_exit(4).json();
        assert_eq!(output["rule"], "mi.bad-input", "{output}");
    }
    gate.check(&[], vec![b' '; 9 * 1024 * 1024]).expect_exit(4);
}

/// A file that does not load denies what it guards and says where it is wrong, once.
#[test]
fn d_19_broken_rules_deny_and_say_so() {
    let gate = gate();
    let rules = gate.home.write(
        "rules.yaml",
        "version: 1\nrules:\n  - id: a\n    decision: deny\n    match: { comand: touch }\n    reason: r\n",
    );
    let rules = rules.to_str().unwrap();
    let output = gate.bash(&["--rules", rules], "touch x").expect_exit(4);
    assert!(output.json()["reason"].to_string().contains("did you mean `command`"), "{output}");
    assert_eq!(output.err().matches("line 5").count(), 1, "{output}");
    gate.bash(&["--rules", "/no/such/rules.yaml"], "ls").expect_exit(4);
}

/// The matrix has its fixed shape.
#[test]
fn d_18_gate_matrix_prints_level_and_must() {
    let gate = gate();
    let run = |cu: &str, risk: &str| {
        gate.mi().run(["gate", "matrix", "--cu", cu, "--risk", risk, "--json"]).expect_exit(0).json()
    };
    assert_eq!(run("1", "0"), json!({"level": "skip", "must": []}));
    assert_eq!(
        run("7", "4"),
        json!({"level": "review_confirm_split", "must": ["review", "human_confirm", "suggest_split"]})
    );
    gate.mi().run(["gate", "matrix", "--cu", "-1", "--risk", "0"]).expect_exit(2);
}

/// Rules are listed with their layer; explain prints every part.
#[test]
fn d_19_rules_and_explain_show_what_holds() {
    let gate = gate();
    let rules = gate.mi().run(["gate", "rules", "--json"]).expect_exit(0).json();
    assert!(rules["rules"].as_array().unwrap().iter().any(|rule| rule["id"] == "mi.force-push-main"));
    let text = gate.mi().run(["gate", "explain", "ls && rm x"]).expect_exit(3).out();
    assert!(text.contains("mi.delete") && text.contains("mi.read-only"), "{text}");
}

/// Intake prints every field of its contract, and keeps its state where it is told to.
#[test]
fn d_03_intake_prints_its_contract() {
    let gate = gate();
    let reading = gate.intake(&["fix it ASAP"]);
    for field in [
        "mode",
        "triggers",
        "secrets",
        "spec_gate",
        "risk",
        "orchestration",
        "batch",
        "speed",
        "tier",
        "cognitive",
        "autosave",
        "notices",
        "output",
    ] {
        assert!(reading.get(field).is_some(), "{field}: {reading}");
    }
    assert_eq!(
        (reading["mode"].as_str(), &reading["triggers"], &reading["speed"]),
        (Some("challenge"), &json!(["urgency"]), &json!(["S1", "S3"]))
    );
    let state = gate.home.write("s/x", "");
    let state = state.parent().unwrap().to_str().unwrap().to_owned();
    assert_eq!(
        gate.intake(&["--state", &state, "override: change the payment architecture"])["mode"],
        "obey"
    );
    assert_eq!(gate.intake(&["--state", &state, "payment architecture urgently"])["mode"], "obey");
    let journal = std::fs::read_to_string(gate.home.path().join("gate/decisions.jsonl")).unwrap();
    assert_eq!(journal.matches("\"override\"").count(), 1, "{journal}");
    assert_eq!(gate.intake(&["--state", &state, "换个任务"])["mode"], "mirror");
}

/// Two readers, one content: what `--json` found, people are told as well.
#[test]
fn d_03_people_read_what_json_has() {
    let gate = gate();
    let message =
        format!("1. a\n2. b\n3. c\n4. d\n5. e\n6. f\npassword: {}{}\nthat's all for today", "hunter", "2x9");
    let json = gate.intake(&[&message]);
    let text = gate.mi().run(["intake", &message]).expect_exit(0).out();
    let secret = &json["secrets"][0];
    assert!(!text.contains("hunter"), "{text}");
    assert!(
        text.contains(&format!(
            "secret {}, {} characters",
            secret["kind"].as_str().unwrap(),
            secret["length"]
        )),
        "{text}"
    );
    assert!(
        json["batch"]["first"].as_array().unwrap().iter().all(|item| text.contains(item.as_str().unwrap())),
        "{text}"
    );
    assert_eq!((&json["autosave"]["trigger"], &json["session_end"]["signal"]), (&json!(true), &json!(true)));
    assert!(text.contains("auto-save, trigger 1") && text.contains("the session ends, trigger"), "{text}");
}

/// D.10: the warning about a secret is given also where the session cannot be kept.
#[test]
fn d_10_a_secret_is_told_where_nothing_can_be_kept() {
    let gate = gate();
    let file = gate.home.write("no-folder", "").display().to_string();
    let message = format!("password: {}{}", "hunter", "2x9");
    let output = gate.mi().run(["intake", "--json", "--state", &file, &message]).expect_exit(1);
    assert!(output.out().contains("\"secrets\"") && output.out().contains("\"kind\""), "{output}");
    assert!(!output.out().contains("hunter") && output.err().contains("no-folder"), "{output}");
}

/// Tasks, diffs and what is staged count; bad ones are refused with their place.
#[test]
fn d_06_intake_reads_tasks_and_diffs() {
    let gate = gate();
    let task = gate.home.write("task.yaml", "involves: [auth]\nlines_changed: 200\nspec_incomplete: true\n");
    let reading = gate.intake(&["--task", task.to_str().unwrap(), "do it"]);
    assert_eq!(
        (&reading["risk"]["score"], &reading["orchestration"]),
        (&json!(2), &json!("must_review_human"))
    );
    let blocked = gate.home.write("blocked.yaml", "spec_unclear: true\n");
    let reading = gate.intake(&["--task", blocked.to_str().unwrap(), "do it"]);
    assert_eq!((&reading["spec_gate"]["blocked"], reading["risk"].get("score")), (&json!(true), None));
    let bad = gate.home.write("bad.yaml", "involve: [auth]\n");
    let output = gate.mi().run(["intake", "--task", bad.to_str().unwrap(), "x"]).expect_exit(2);
    assert!(output.err().contains("line 1") && output.err().contains("`involves`"), "{output}");
    assert_eq!(gate.intake(&["--staged", "commit it"])["batch"]["count"], 0);
    gate.mi().run(["intake", "--diff", bad.to_str().unwrap(), "x"]).expect_exit(2);
}

/// A list is a message although it begins with a hyphen; flags before and behind it are read (D.5).
#[test]
fn d_05_lists_are_messages() {
    let gate = gate();
    let list: String = (1..=6).map(|number| format!("- rename thing{number}\n")).collect();
    for arguments in [["intake", "--json", list.as_str()], ["intake", list.as_str(), "--json"]] {
        let reading = gate.mi().run(arguments).expect_exit(0).json();
        assert_eq!(reading["batch"]["count"], 6, "{reading}");
    }
    gate.mi().run(["intake", "--jsn", "fix it"]).expect_exit(2);
}

/// A secret in a message is told by kind, length and fingerprint, and its value is nowhere.
#[test]
fn d_10_intake_never_repeats_a_secret() {
    let gate = gate();
    let token = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let state = gate.home.write("s/x", "");
    let folder = state.parent().unwrap().to_path_buf();
    let output = gate
        .mi()
        .run(["intake", "--json", "--state", folder.to_str().unwrap(), &format!("we decided to use {token}")])
        .expect_exit(0);
    assert_eq!(output.json()["secrets"][0]["length"], 20, "{output}");
    let kept = std::fs::read_to_string(folder.join("intake.json")).unwrap();
    assert!(!format!("{output}{kept}").to_lowercase().contains(&token.to_lowercase()));
}

/// Nobody's home is no reason to let anything through, or to fail.
#[test]
fn d_17_gate_works_without_a_home() {
    let gate = gate();
    let ask = |command: &str, code: i32| {
        let action = json!({"tool": "Bash", "input": {"command": command}}).to_string();
        let output = Mi::new("/usr/bin/env", &gate.home).cwd(gate.project.path()).stdin(action).run([
            "-u",
            "HOME",
            "-u",
            "MI_HOME",
            env!("CARGO_BIN_EXE_mi"),
            "gate",
            "check",
            "--json",
        ]);
        output.expect_exit(code);
    };
    ask("ls", 0);
    ask("touch x", 3);
    ask("git push -f origin main", 4);
}

/// `--cwd` holds for calls that name no folder; a call's own folder decides otherwise, and `--actor` is asked.
#[test]
fn d_19_cwd_and_actor_are_asked() {
    let gate = gate();
    let rules = gate.home.write(
        "rules.yaml",
        "version: 1\nrules:\n  - {id: ban, decision: deny, match: {actor: director, read: 'output/**/agent_output.md'}, reason: file-ban}\n",
    );
    let rules = rules.to_str().unwrap();
    gate.project.write("output/a/agent_output.md", "x");
    gate.bash(&["--rules", rules, "--actor", "director"], "cat output/a/agent_output.md").expect_exit(4);
    gate.bash(&["--rules", rules, "--actor", "writer"], "cat output/a/agent_output.md").expect_exit(0);
    let inner = gate.project.path().join("output/a");
    let inner = inner.to_str().unwrap();
    gate.bash(&["--rules", rules, "--actor", "director", "--cwd", inner], "cat agent_output.md")
        .expect_exit(4);
    let elsewhere = gate.home.path();
    let action =
        json!({"tool": "Bash", "input": {"command": "cat agent_output.md"}, "cwd": elsewhere}).to_string();
    gate.check(&["--rules", rules, "--actor", "director", "--cwd", inner], action).expect_exit(0);
}

/// D.19: a member's own private memory is open to the actor of that name, and no other's is.
#[test]
fn d_19_an_actors_own_memory_is_open_to_them() {
    let gate = gate();
    for member in ["ann", "bob"] {
        gate.home.write(&format!("persona/.{member}/private/n.md"), "mine\n");
    }
    let read = |member: &str| format!("cat {}/persona/.{member}/private/n.md", gate.home.path().display());
    gate.bash(&["--actor", "ann"], &read("ann")).expect_exit(0);
    gate.bash(&["--actor", "ann"], &read("bob")).expect_exit(4);
    gate.bash(&["--actor", "ann"], "mi boot --member ann").expect_exit(0);
    gate.bash(&["--actor", "ann"], "mi boot --member bob").expect_exit(4);
    gate.bash(&[], &read("ann")).expect_exit(4);
}

/// A project's file tightens for calls in that project, and a user's deny stays whatever the project says.
#[test]
fn d_19_project_tightens_and_never_loosens() {
    let gate = gate();
    let rule = |decision: &str, program: &str| {
        format!(
            "version: 1\nrules:\n  - {{id: x-{decision}, decision: {decision}, match: {{command: {program}}}, reason: r}}\n"
        )
    };
    gate.home.write("gate.yaml", rule("deny", "wc"));
    gate.project.write(".mi/gate.yaml", rule("deny", "ls"));
    gate.bash(&[], "ls").expect_exit(4);
    gate.bash(&[], "wc x").expect_exit(4);
    gate.project.write(".mi/gate.yaml", rule("allow", "wc"));
    gate.bash(&[], "wc x").expect_exit(4);
    gate.bash(&[], "ls").expect_exit(0);
}

/// Edits by patch are judged by the files they name, in both fields a patch may stand in.
#[test]
fn d_19_patches_are_judged_by_their_files() {
    let gate = gate();
    let rules = gate.home.write(
        "rules.yaml",
        "version: 1\nrules:\n  - {id: ban, decision: deny, match: {write: M}, reason: r}\n",
    );
    let rules = rules.to_str().unwrap();
    let patch = |file: &str| format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n");
    let cases = [
        (json!({"command": patch("M")}), 4),
        (json!({"patchText": patch("./a/../M")}), 4),
        (json!({"command": patch("other")}), 3),
        (json!({"command": "no patch"}), 3),
        (json!({}), 3),
    ];
    for (input, code) in cases {
        let action = json!({"tool": "apply_patch", "input": input}).to_string();
        gate.check(&["--rules", rules], action).expect_exit(code);
    }
    let edit = json!({"tool": "Edit", "input": {"file_path": "M", "old_string": "a", "new_string": "b"}});
    gate.check(&["--rules", rules], edit.to_string()).expect_exit(4);
}

/// A contradiction names the card, the principle or the session it goes against.
#[test]
fn d_15_contradictions_cite_ids() {
    let gate = gate();
    gate.home.write(
        "persona/cards/principles/P-007.md",
        "---\nid: P-007\ntitle: We use postgres, never mysql\nmerge_key: db\nstatus: active\n---\n# content\nUse postgres.\n",
    );
    let reading = gate.intake(&["switch to mysql"]);
    assert_eq!(
        (&reading["triggers"][0], &reading["contradicts"]),
        (&json!("contradiction"), &json!(["P-007"]))
    );
    assert!(reading["output"].as_str().unwrap().contains("P-007"), "{reading}");
}

/// What a protocol closes to an actor is closed by the gate too; a broken protocol denies.
#[test]
fn d_19_protocol_access_rules_are_asked() {
    let gate = gate();
    let text = "version: 1\nname: t\nstart: A\nnodes:\n  - { id: A, kind: phase, title: A }\n  - { id: DONE, kind: end }\n\
                edges:\n  - { id: E1, from: A, to: DONE, class: Progress }\naccess_rules:\n  - { actor: director, \
                resource_path: 'output/phase_*/agent_output.md', access_mode: read, access_allowed: false, reason: file-ban }\n\
                \x20 - { actor: '*', resource_path: 'output/**', access_mode: read, access_allowed: true }\n";
    let protocol = gate.home.write("protocol.yaml", text);
    let protocol = protocol.to_str().unwrap();
    gate.project.write("output/phase_1/agent_output.md", "x");
    let ask = |actor: &str, code: i32| {
        let output =
            gate.bash(&["--protocol", protocol, "--actor", actor], "cat output/phase_1/agent_output.md");
        output.expect_exit(code)
    };
    let denied = ask("director", 4).json();
    assert_eq!((&denied["rule"], &denied["reason"]), (&json!("access:director"), &json!("file-ban")));
    ask("writer", 0);
    let broken = gate.home.write("broken.yaml", "nonsense: 1\n");
    gate.bash(&["--protocol", broken.to_str().unwrap()], "ls").expect_exit(4);
}
