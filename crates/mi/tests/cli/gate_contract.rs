//! The gate's surfaces as a program outside relies on them: keys, exit codes, several files of rules, bad files.

use super::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};

struct Scene {
    home: TempHome,
    project: TempProject,
}

fn scene() -> Scene {
    Scene { home: TempHome::with_values("x"), project: TempProject::python() }
}

impl Scene {
    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    fn run(&self, words: &[&str]) -> MiOutput {
        self.mi().run(words)
    }

    fn bash(&self, more: &[&str], command: &str) -> MiOutput {
        let call = json!({"tool": "Bash", "input": {"command": command}}).to_string();
        self.mi().stdin(call).run([&["gate", "check", "--json"], more].concat())
    }

    fn rules(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        self.home.write(name, text).display().to_string()
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Decisions and their parts have exactly these keys, whatever the decision is.
#[test]
fn d_19_decisions_have_fixed_keys() {
    let scene = scene();
    for (command, code) in [("ls", 0), ("git commit -m x", 3), ("git push -f origin main", 4), ("ls '", 3)] {
        let decision = scene.bash(&[], command).expect_exit(code).json();
        assert_eq!(keys(&decision), ["alternative", "decision", "parts", "reason", "rule"], "{command}");
        for part in decision["parts"].as_array().unwrap() {
            let expected = ["alternative", "decision", "effect", "operation", "reason", "rule", "target"];
            assert_eq!(keys(part), expected, "{command}");
        }
        assert_eq!(decision["decision"] == "deny", decision["alternative"].is_string(), "{command}");
    }
    let same = scene.run(&["gate", "explain", "--json", "git push -f origin main"]).expect_exit(4).json();
    assert_eq!(same, scene.bash(&[], "git push -f origin main").json());
    let rules = scene.run(&["gate", "rules", "--json"]).expect_exit(0).json();
    assert_eq!(keys(&rules), ["problems", "proposals", "rules"]);
    let expected = ["alternative", "decision", "file", "id", "layer", "reason", "shipped"];
    assert!(rules["rules"].as_array().unwrap().iter().all(|rule| keys(rule) == expected), "{rules}");
}

/// `--rules` may be given again; each file adds, and the strictest match decides.
#[test]
fn d_19_several_files_of_rules_add_up() {
    let scene = scene();
    let rule = |id: &str, decision: &str, command: &str| {
        let rule = format!("{{id: {id}, decision: {decision}, match: {{command: {command}}}, reason: r}}");
        scene.rules(&format!("{id}.yaml"), format!("version: 1\nrules:\n  - {rule}\n"))
    };
    let (one, two, open) =
        (rule("one", "deny", "ls"), rule("two", "deny", "pwd"), rule("open", "allow", "pwd"));
    let all = ["--rules", &one, "--rules", &open, "--rules", &two];
    assert_eq!(scene.bash(&all, "ls").expect_exit(4).json()["rule"], "one");
    assert_eq!(scene.bash(&all, "pwd").expect_exit(4).json()["rule"], "two");
    scene.bash(&all, "whoami").expect_exit(0);
    // An allow opens nothing that the gate's own rules ask about.
    let push = rule("push", "allow", "git");
    scene.bash(&["--rules", &push], "git push -f origin main").expect_exit(4);
}

/// Every way in which a file of rules can be wrong: what it guards is denied, the place is named, and it is said once.
#[test]
fn d_19_bad_files_of_rules_deny_what_they_guard() {
    let scene = scene();
    let rule = "id: x, decision: deny, match: {command: ls}, reason: no";
    let cases: [(&str, Vec<u8>); 13] = [
        ("unknown key", format!("version: 1\nrules:\n  - {{{rule}, reasn: y}}\n").into()),
        ("unknown match", "version: 1\nrules:\n  - {id: x, decision: deny, match: {comand: ls}, reason: no}\n".into()),
        ("wrong type", "version: 1\nrules:\n  - {id: x, decision: deny, match: {command: {a: ls}}, reason: no}\n".into()),
        ("unknown decision", format!("version: 1\nrules:\n  - {{{}}}\n", rule.replace("deny", "never")).into()),
        ("example missed", format!("version: 1\nrules:\n  - {{{rule}, examples: {{matches: [cat a]}}}}\n").into()),
        ("example hit", format!("version: 1\nrules:\n  - {{{rule}, examples: {{passes: [nice ls]}}}}\n").into()),
        ("id twice", format!("version: 1\nrules:\n  - {{{rule}}}\n  - {{{rule}}}\n").into()),
        ("key twice", "version: 1\nrules:\n  - {id: x, decision: deny, match: {command: ls, command: cat}, reason: no}\n".into()),
        ("other version", format!("version: 2\nrules:\n  - {{{rule}}}\n").into()),
        ("no version", format!("rules:\n  - {{{rule}}}\n").into()),
        ("cut off", "version: 1\nrules: [\n".into()),
        ("empty", Vec::new()),
        ("no text", vec![0xff, 0xfe]),
    ];
    for (name, text) in cases {
        let file = scene.rules("bad.yaml", text);
        let said = scene.bash(&["--rules", &file], "ls").expect_exit(4);
        let decision = said.json();
        assert_eq!(decision["rule"], "mi.rules-not-loaded", "{name}: {decision}");
        assert!(decision["reason"].as_str().unwrap().contains("bad.yaml"), "{name}: {decision}");
        assert_eq!(said.err().matches("bad.yaml").count(), 1, "{name}: {said}");
    }
    scene.bash(&["--rules", "/no/such/rules.yaml"], "ls").expect_exit(4);
}

/// A batch prints one decision per line, in order, whatever stands in the line, and ends with 0.
#[test]
fn d_19_batch_is_ndjson() {
    let scene = scene();
    let call = |command: &str| json!({"tool": "Bash", "input": {"command": command}}).to_string();
    let lines = [
        call("ls"),
        String::new(),
        "{\"tool\":\"Bash\",\"tool\":\"Read\",\"input\":{\"command\":\"ls\"}}".to_owned(),
        call("git push -f origin main"),
        "[]".to_owned(),
        json!({"tool": "bash", "input": {"command": "ls"}}).to_string(),
        json!({"tool": "Read", "input": {"file_path": 7}}).to_string(),
        call("git commit -m x") + "\r",
    ];
    let output = scene.mi().stdin(lines.join("\n")).run(["gate", "check", "--batch"]).expect_exit(0);
    let decisions: Vec<String> = output
        .out()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(decisions, ["allow", "deny", "deny", "deny", "deny", "prompt", "prompt", "prompt"]);
}

/// Any rule, the defaults too, is made stricter at any time; a default never becomes milder than it came.
#[test]
fn d_19_defaults_are_permitted_stricter_only() {
    let scene = scene();
    let changed = scene.run(&["permit", "mi.read-only", "prompt", "--json"]).expect_exit(0).json();
    assert_eq!((&changed["from"], &changed["to"]), (&json!("allow"), &json!("prompt")));
    assert_eq!(scene.bash(&[], "ls").expect_exit(3).json()["rule"], "mi.read-only");
    scene.run(&["permit", "mi.mcp-tool", "deny", "--json"]).expect_exit(0);
    let call = json!({"tool": "mcp__a__b", "input": {}}).to_string();
    let denied = scene.mi().stdin(call).run(["gate", "check", "--json"]).expect_exit(4).json();
    assert_eq!(denied["rule"], "mi.mcp-tool");
    assert!(denied["alternative"].is_string(), "{denied}");
    let refused = scene.run(&["permit", "mi.unknown-command", "allow", "--reason", "r", "--json"]);
    assert!(refused.expect_exit(4).err().contains("never milder than prompt"));
    scene.run(&["permit", "mi.no-such-rule", "deny"]).expect_exit(2);
    let rules = scene.run(&["gate", "rules", "--json"]).json();
    let row = rules["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "mi.read-only").unwrap();
    assert_eq!((&row["decision"], &row["shipped"]), (&json!("prompt"), &json!("allow")));
}

/// Handoffs keep their shape, are listed in the order in which they were made, and go one way only.
#[test]
fn d_08_handoffs_keep_their_contract() {
    let scene = scene();
    let offer = ["handoff", "new", "Fix it", "--to", "bob", "--context", "c", "--json", "--as", "ann"];
    scene.run(&[&offer[..], &["--criterion", "tests pass"]].concat()).expect_exit(3);
    scene.run(&["persona", "init"]).expect_exit(0);
    for criterion in [&[][..], &["--criterion", ""], &["--criterion", "TBD"]] {
        scene.run(&[&offer[..], criterion].concat()).expect_exit(3);
    }
    let mut ids = Vec::new();
    for _ in 0..11 {
        let made = scene.run(&[&offer[..], &["--criterion", "tests pass"]].concat()).expect_exit(0).json();
        let expected = [
            "acceptance_criteria",
            "constraints",
            "context",
            "created",
            "deliverables",
            "from",
            "id",
            "not_in_scope",
            "path",
            "reason",
            "status",
            "task",
            "to",
        ];
        assert_eq!(keys(&made), expected);
        ids.push(made["id"].clone());
    }
    let list = scene.run(&["handoff", "list", "--json"]).expect_exit(0).json();
    let listed: Vec<Value> =
        list["handoffs"].as_array().unwrap().iter().map(|handoff| handoff["id"].clone()).collect();
    assert_eq!(listed, ids);
    let id = ids[9].as_str().unwrap();
    let step = |words: &[&str], code: i32| scene.run(&[words, &["--json"]].concat()).expect_exit(code).json();
    step(&["handoff", "accept", id, "--as", "ann"], 4);
    let early = step(&["handoff", "complete", id, "--as", "bob", "--deliverable", "d"], 3);
    assert!(early["error"].as_str().unwrap().contains("is offered; only one that is accepted"), "{early}");
    assert_eq!(step(&["handoff", "accept", id, "--as", "bob"], 0)["status"], "accepted");
    step(&["handoff", "accept", id, "--as", "bob"], 3);
    step(&["handoff", "complete", id, "--as", "bob"], 3);
    let done = step(&["handoff", "complete", id, "--as", "bob", "--deliverable", "commit 1"], 0);
    assert_eq!((&done["status"], &done["deliverables"]), (&json!("completed"), &json!(["commit 1"])));
    step(&["handoff", "reject", id, "--as", "bob", "--reason", "late"], 3);
}

/// `mi cu` prints exactly these keys, from every source, and refuses what is none.
#[test]
fn d_18_change_units_have_fixed_keys() {
    let scene = scene();
    scene.project.write("calc.py", "# one\n");
    scene.project.write("new.txt", "1\n");
    scene.project.write("package-lock.json", "{}\n");
    scene.project.git(&["add", "-A"]);
    let units = scene.run(&["cu", "--json", "--staged"]).expect_exit(0).json();
    assert_eq!(keys(&units), ["cu", "excluded", "files", "lines"]);
    assert_eq!((&units["cu"], &units["excluded"]), (&json!(2), &json!(["package-lock.json"])));
    for file in units["files"].as_array().unwrap() {
        assert_eq!(keys(file), ["change", "cu", "lines", "path"]);
    }
    for words in [&["--range", "HEAD"][..], &["--staged", "--range", "a..b"], &["--diff", "none.diff"]] {
        scene.run(&[&["cu", "--json"], words].concat()).expect_exit(2);
    }
    scene.run(&["cu", "--json", "--range", "no..HEAD"]).expect_exit(1);
}
