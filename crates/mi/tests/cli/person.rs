//! What only the person does: `mi permit`, `mi ack`. A terminal stands in for them.

use super::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::fs;

/// Runs a program on a terminal and types one line.
const TERMINAL: &str = r#"
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
os.write(fd, (sys.argv[1] + "\n").encode())
said = b""
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
sys.stdout.write(said.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

struct Person {
    home: TempHome,
    project: TempProject,
}

fn person() -> Person {
    Person { home: TempHome::with_values("x"), project: TempProject::python() }
}

impl Person {
    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    /// Types `answer` on a terminal.
    fn types(&self, answer: &str, arguments: &[&str]) -> MiOutput {
        let mut all = vec!["python3", "-c", TERMINAL, answer, env!("CARGO_BIN_EXE_mi")];
        all.extend(arguments);
        Mi::new("/usr/bin/env", &self.home).cwd(self.project.path()).run(all)
    }

    fn gate(&self, more: &[&str], command: &str) -> Value {
        let mut arguments = vec!["gate", "check", "--json"];
        arguments.extend(more);
        let action = json!({"tool": "Bash", "input": {"command": command}}).to_string();
        self.mi().stdin(action).run(arguments).json()
    }

    fn permits(&self) -> usize {
        self.mi().run(["permit", "--json"]).expect_exit(0).json().as_array().unwrap().len()
    }

    /// Asked about, agreed to, ended well: as hooks record it.
    fn safe_uses(&self, count: u32) {
        let record = |kind: &str, more: Value| {
            let mut line = json!({"v": 1, "kind": kind, "session": "s", "action": "d"});
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            format!("{line}\n")
        };
        let one = record("gate_decision", json!({"decision": "prompt", "rules": ["mi.commit"]}))
            + &record("gate_outcome", json!({"outcome": "done"}));
        self.home.write("gate/decisions.jsonl", one.repeat(usize::try_from(count).unwrap()));
    }
}

/// A deny never becomes an allow in one step, not even for the person.
#[test]
fn d_19_deny_never_becomes_allow_in_one_step() {
    let person = person();
    let output =
        person.types("mi.force-push-main", &["permit", "mi.force-push-main", "allow", "--reason", "x"]);
    assert!(output.expect_exit(4).out().contains("never becomes allow in one step"));
    assert_eq!(person.permits(), 0);
}

/// A deny becomes a prompt with the person and a reason, is journalled, and can be taken back.
#[test]
fn d_19_deny_becomes_prompt_with_the_person_and_a_reason() {
    let person = person();
    let rule = "mi.force-push-main";
    person.types(rule, &["permit", rule, "prompt"]).expect_exit(4);
    let shown = person.types("no", &["permit", rule, "prompt", "--reason", "mirror"]).expect_exit(3);
    assert!(shown.out().contains("mi.force-push-main: deny -> prompt"), "{shown}");
    assert_eq!(
        (person.permits(), &person.gate(&[], "git push -f origin main")["decision"]),
        (0, &json!("deny"))
    );
    person.types(rule, &["permit", rule, "prompt", "--reason", "mirror"]).expect_exit(0);
    assert_eq!(person.gate(&[], "git push -f origin main")["decision"], "prompt");
    let lines = person.mi().run(["permit", "--json"]).expect_exit(0).json();
    assert_eq!(
        (&lines[0]["from"], &lines[0]["to"], &lines[0]["reason"]),
        (&json!("deny"), &json!("prompt"), &json!("mirror"))
    );
    // Taking it back makes it stricter, which anybody may.
    person.mi().run(["permit", "--undo", lines[0]["id"].as_str().unwrap()]).expect_exit(0);
    assert_eq!(
        (person.permits(), &person.gate(&[], "git push -f origin main")["decision"]),
        (0, &json!("deny"))
    );
}

/// A prompt becomes an allow after five recorded safe uses, and only for the person at a terminal.
#[test]
fn d_19_prompt_becomes_allow_after_safe_uses() {
    let person = person();
    let wish = ["permit", "mi.commit", "allow"];
    person.safe_uses(4);
    let few = person.types("mi.commit", &wish).expect_exit(4);
    assert!(few.out().contains("after 5 safe uses; there are 4"), "{few}");
    person.safe_uses(5);
    person.mi().stdin("mi.commit\n").run(wish).expect_exit(3);
    person.mi().run(["permit", "mi.commit", "allow", "--dry-run"]).expect_exit(0);
    assert_eq!(person.permits(), 0);
    person.types("mi.commit", &wish).expect_exit(0);
    assert_eq!(person.gate(&[], "git commit -m x")["decision"], "allow");
    assert_eq!(person.gate(&[], "git commit -m x && git push")["rule"], "mi.push");
}

/// How many safe uses are needed is a setting of the person: not of a project, and never none. Becoming stricter needs no
/// settings at all.
#[test]
fn d_19_the_number_of_safe_uses_is_the_persons_setting() {
    let person = person();
    let wish = ["permit", "mi.commit", "allow", "--dry-run"];
    let project = person.project.path().join(".mi");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("config.toml"), "[gate]\nsafe_uses = 1\n").unwrap();
    person.safe_uses(2);
    let few = person.mi().run(wish).expect_exit(4);
    assert!(few.err().contains("after 5 safe uses; there are 2"), "{few}");
    let own = person.mi().run(["config", "path"]).expect_exit(0);
    assert!(own.out().contains("config.toml"), "{own}");
    person.mi().env("MI_GATE_SAFE_USES", "2").run(wish).expect_exit(0);
    person.mi().env("MI_GATE_SAFE_USES", "3").run(wish).expect_exit(4);
    person.mi().env("MI_GATE_SAFE_USES", "0").run(wish).expect_exit(2);
    person.mi().env("MI_GATE_SAFE_USES", "0").run(["permit", "mi.commit", "deny"]).expect_exit(0);
}

/// Tightening needs nobody; taking it back makes it milder and needs the person.
#[test]
fn d_19_tightening_is_always_possible() {
    let person = person();
    let done = person.mi().run(["permit", "mi.commit", "deny", "--json"]).expect_exit(0).json();
    assert_eq!(person.gate(&[], "git commit -m x")["decision"], "deny");
    let id = done["id"].as_str().unwrap();
    person.mi().run(["permit", "--undo", id]).expect_exit(3);
    person.types("mi.commit", &["permit", "--undo", id]).expect_exit(0);
    assert_eq!(person.gate(&[], "git commit -m x")["decision"], "prompt");
}

/// What guards the gate itself stays; rules that are not there are told.
#[test]
fn d_17_gates_own_rules_stay() {
    let person = person();
    let output = person.types("mi.human-only", &["permit", "mi.human-only", "prompt", "--reason", "x"]);
    output.expect_exit(4);
    person.mi().run(["permit", "nothing", "deny"]).expect_exit(2);
    person.mi().run(["permit", "--undo", "p0"]).expect_exit(2);
    person.mi().run(["permit", "mi.commit"]).expect_exit(2);
}

/// A damaged log of permits permits nothing, and says so; what is damaged at its very end is torn, and set aside.
#[test]
fn d_19_damaged_permits_permit_nothing() {
    let person = person();
    person.mi().run(["permit", "mi.commit", "deny"]).expect_exit(0);
    let log = fs::read_to_string(person.home.path().join("gate/permits.jsonl")).unwrap();
    person.home.write("gate/permits.jsonl", format!("nonsense\n{log}"));
    assert_eq!(
        person.gate(&[], "git commit -m x")["decision"],
        "deny",
        "what can still be read and is stricter holds"
    );
    person.mi().run(["permit"]).expect_exit(1);
    person.home.write("gate/permits.jsonl", "nonsense\n");
    assert_eq!(person.gate(&[], "git commit -m x")["decision"], "prompt");
    assert!(person.mi().run(["permit"]).expect_exit(0).err().contains("set aside"));
}

/// A high-risk request waits for `mi ack`; reading goes on meanwhile.
#[test]
fn d_03_high_risk_waits_for_acknowledgement() {
    let person = person();
    let state = person.home.path().join("s");
    let state = state.to_str().unwrap();
    let message = "drop the users table, it is irreversible";
    let reading = person.mi().run(["intake", "--json", "--state", state, message]).expect_exit(0).json();
    assert_eq!(reading["needs_acknowledgement"], true);
    let id = reading["acknowledge"].as_str().unwrap();
    assert_eq!(person.gate(&["--state", state], "ls")["decision"], "allow");
    let waits = person.gate(&["--state", state], "touch x");
    assert_eq!((&waits["decision"], &waits["rule"]), (&json!("deny"), &json!("mi.acknowledgement")));
    assert!(waits["alternative"].as_str().unwrap().contains(&format!("mi ack {id}")), "{waits}");
    let listed = person.mi().run(["ack", "--state", state, "--json"]).expect_exit(0).json();
    assert_eq!(listed[0]["id"], id);
    person.mi().run(["ack", "--state", state, "a000000"]).expect_exit(2);
    person.mi().run(["ack", "--state", state, id]).expect_exit(0);
    assert_eq!(person.gate(&["--state", state], "touch x")["decision"], "prompt");
}

/// The gate denies these commands to tools, in whatever dress.
#[test]
fn d_17_tools_cannot_approve_anything() {
    let person = person();
    for command in ["mi ack a1", "mi permit mi.edit allow", "env X=1 mi --json ack a1", "sh -c 'mi ack a1'"] {
        assert_eq!(person.gate(&[], command)["rule"], "mi.human-only", "{command}");
    }
}

/// A rule that is overridden again and again is listed with a proposal; nothing is adjusted by itself.
#[test]
fn d_17_often_overridden_rule_is_proposed_for_adjustment() {
    let person = person();
    let line = format!("{}\n", json!({"kind": "override_used", "rule": "mi.force-push-main"}));
    person.home.write("gate/decisions.jsonl", line.repeat(3));
    let rules = person.mi().run(["gate", "rules", "--json"]).expect_exit(0).json();
    assert_eq!(
        (&rules["proposals"][0]["rule"], &rules["proposals"][0]["overridden"]),
        (&json!("mi.force-push-main"), &json!(3))
    );
    assert_eq!(person.gate(&[], "git push -f origin main")["decision"], "deny");
}
