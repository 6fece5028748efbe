//! Agents as reviewers: the real Codex on a scripted model, and every way in which a reviewer goes wrong.

use super::council::Table;
use mi_test_support::{ClaudeHome, CodexHome, FakeModel, Mi, codex, installed};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt, time::Instant};

fn vote(colour: &str) -> String {
    json!({
        "vote": colour, "rationale": "read it", "evidence_refs": ["calc.py#L1"], "scope": null,
        "mitigations": [{"text": "check the input", "owner": "dev", "due": 2}],
    })
    .to_string()
}

impl Table {
    /// A reviewer of that name: a script in the project, which first swallows its prompt.
    fn reviewer(&self, name: &str, script: &str) {
        let path = self.project.write(name, format!("#!/bin/sh\ncat > {name}.prompt\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What asking these comes to.
    fn asked(&self, mi: Mi, id: &str, by: &str, roles: &str, exit: i32) -> Value {
        mi.run(["review", "request", id, "--by", by, "--roles", roles, "--json"]).expect_exit(exit).json()
    }
}

/// The real Codex on a scripted model, reviewing one table's proposal.
struct CodexReview {
    table: Table,
    model: FakeModel,
    codex_home: CodexHome,
    program: Vec<(std::ffi::OsString, std::ffi::OsString)>,
}

impl CodexReview {
    /// None where Codex is not installed; the test is then listed as skipped.
    fn new(turns: Value) -> Option<Self> {
        let program = codex()?.env();
        let model = FakeModel::start(json!({"turns": turns}));
        let codex_home = CodexHome::new(&model);
        Some(Self { table: Table::new(), model, codex_home, program })
    }

    fn mi(&self) -> Mi {
        self.table.mi().envs(self.codex_home.env()).envs(self.program.clone())
    }
}

/// Codex tries to write and cannot; its vote is taken from strict JSON, and no secret has left.
#[test]
fn review_by_codex_is_read_only_strict_and_without_secrets() {
    let spoil = json!({"tool": {"name": "$shell", "arguments": {"command": "echo spoiled > calc.py"}}});
    let Some(scene) = CodexReview::new(json!([spoil, {"say": vote("green")}])) else { return };
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let code = format!("def add(a, b):\n    return a + b  # {token}\n");
    scene.table.project.write("calc.py", &code);
    let id = scene.table.propose(&[]);
    let answer = scene.table.asked(scene.mi(), &id, "codex", "qa", 0);
    assert_eq!(answer["votes"][0]["vote"], "green", "{answer}");
    assert_eq!(scene.table.project.read("calc.py"), code, "a reviewer changes nothing");
    assert_eq!(scene.table.status(&id)["votes"]["codex"]["role"], "qa");
    let requests = scene.model.model_requests();
    let body = requests[0]["body"].to_string();
    assert!(body.contains("Reviewer behavior") && body.contains("return a + b"), "{body}");
    assert!(
        body.contains("evidence_refs") && body.contains("json_schema"),
        "the schema is asked for: {body}"
    );
    assert!(requests.iter().all(|request| !request.to_string().contains(&token)), "a secret has left");
}

/// The real Claude Code, without any tool, votes too; what it says around its vote makes it none.
#[test]
fn review_by_claude_is_strict() {
    let Some(claude) = installed("claude") else { return };
    let model = FakeModel::start(json!({"turns": [{"say": vote("yellow")}], "side_uses_turns": true}));
    let home = ClaudeHome::new(&model);
    let table = Table::new();
    let mi = || {
        let path = format!("{}:/usr/bin:/bin:/usr/local/bin", claude.parent().unwrap().display());
        table.mi().envs(home.env()).env("PATH", path)
    };
    let id = table.propose(&[]);
    let answer = table.asked(mi(), &id, "claude", "qa", 0);
    assert_eq!(answer["votes"][0]["vote"], "yellow", "{answer}");
    assert!(model.model_requests()[0]["body"].to_string().contains("Reviewer behavior"));
    let chatty = format!("Sure! {}", vote("green"));
    model.set_scenario(json!({"turns": [{"say": chatty}, {"say": chatty}], "side_uses_turns": true}));
    let answer = table.asked(mi(), &id, "claude", "qa", 3);
    assert!(answer["votes"][0]["error"].as_str().unwrap().contains("rule `vote`"), "{answer}");
    assert_eq!(table.status(&id)["votes"]["claude"]["vote"], "yellow");
}

/// A malformed vote is asked for once more; two of them are no vote, and nothing was approved.
#[test]
fn review_by_codex_a_malformed_vote_is_retried_once() {
    let empty = vote("green").replace("\"calc.py#L1\"", "");
    let Some(scene) = CodexReview::new(json!([{"say": empty}, {"say": vote("green")}])) else { return };
    let id = scene.table.propose(&[]);
    let answer = scene.table.asked(scene.mi(), &id, "codex", "qa", 0);
    assert_eq!(answer["votes"][0]["vote"], "green", "{answer}");
    assert_eq!(scene.model.model_requests().len(), 2);
    let other = scene.table.propose(&[]);
    scene.model.set_scenario(json!({"turns": [{"say": empty}, {"say": empty}, {"say": vote("green")}]}));
    let answer = scene.table.asked(scene.mi(), &other, "codex", "qa", 3);
    assert_eq!(answer["votes"][0]["vote"], Value::Null, "{answer}");
    assert!(answer["votes"][0]["error"].as_str().unwrap().contains("rule `evidence`"), "{answer}");
    assert_eq!(scene.table.status(&other)["votes"], json!({}));
}

/// Codex and another disagree: both votes stand, and it is said.
#[test]
fn review_by_codex_and_another_disagreement_is_shown() {
    let Some(scene) = CodexReview::new(json!([{"say": vote("green")}])) else { return };
    scene.table.reviewer("strict", &format!("echo '{}'", vote("red")));
    let id = scene.table.propose(&[]);
    let answer = scene.table.asked(scene.mi(), &id, "codex,exec:./strict", "owner,security", 0);
    assert_eq!(answer["disagree"], true, "{answer}");
    let status = scene.table.status(&id);
    assert_eq!(
        (&status["votes"]["codex"]["vote"], &status["votes"]["strict"]["vote"]),
        (&json!("green"), &json!("red"))
    );
    assert!(status["blockers"].to_string().contains("red:strict"), "{status}");
}

/// A reviewer that hangs is stopped at its time limit, twice, and its silence approves nothing.
#[test]
fn review_a_hanging_reviewer_is_silence() {
    let table = Table::new();
    table.reviewer("hangs", "echo x >> tries; sleep 600");
    let id = table.propose(&[]);
    let began = Instant::now();
    let mi = table.mi().env("MI_COUNCIL_REVIEWER_TIMEOUT", "1s");
    let answer = table.asked(mi, &id, "exec:./hangs", "qa", 3);
    assert!(answer["votes"][0]["error"].as_str().unwrap().contains("within 1 s"), "{answer}");
    assert_eq!(table.project.read("tries"), "x\nx\n", "one retry");
    assert!(began.elapsed().as_secs() < 40);
    assert_eq!(table.status(&id)["votes"], json!({}));
    let shown = table.run(&["config", "show", "--json"]).expect_exit(0).out();
    assert!(shown.contains("council.reviewer_timeout"), "{shown}");
}

/// However many are asked, never more than two work at once.
#[test]
fn review_at_most_two_reviewers_at_once() {
    let table = Table::new();
    let script = format!(
        "mkdir -p running; mkdir running/$$; ls running | wc -l >> most; sleep 0.4; rmdir running/$$; echo '{}'",
        vote("green")
    );
    let names = ["r1", "r2", "r3", "r4", "r5"];
    names.iter().for_each(|name| table.reviewer(name, &script));
    let id = table.propose(&[]);
    let by: Vec<String> = names.iter().map(|name| format!("exec:./{name}")).collect();
    table.asked(table.mi(), &id, &by.join(","), "qa,owner,security,perf,architect", 0);
    let most = table.project.read("most");
    assert_eq!(most.lines().count(), 5);
    assert!(most.lines().all(|line| ["1", "2"].contains(&line.trim())), "{most}");
    assert_eq!(table.phase(&id), "CONSENSUS");
}

/// A vote is for the bytes that were shown: who changes them has not voted; nor has a liar.
#[test]
fn review_votes_of_agents_are_held_to_the_same_rules() {
    let table = Table::new();
    table.reviewer("changes", &format!("echo '# more' >> calc.py; echo '{}'", vote("green")));
    table.reviewer("invents", &format!("echo '{}'", vote("green").replace("calc.py#L1", "no-such-file.txt")));
    table.reviewer("nothing", "exit 0");
    table.reviewer("fails", "echo broken >&2; exit 7");
    table.reviewer(
        "claims",
        &format!("echo '{}'", vote("green").replace("\"scope\"", "\"as\":\"owner\",\"scope\"")),
    );
    let id = table.propose(&[]);
    for (name, said) in [
        ("invents", "rule `evidence`"),
        ("nothing", "rule `vote`"),
        ("fails", "broken"),
        ("claims", "rule `vote`"),
        ("changes", "rule `digest`"),
    ] {
        let answer = table.asked(table.mi(), &id, &format!("exec:./{name}"), "qa", 3);
        assert!(answer["votes"][0]["error"].as_str().unwrap().contains(said), "{name}: {answer}");
        assert_eq!(table.status(&id)["votes"], json!({}), "{name}");
    }
}

/// Nobody is started whose vote no rule would take: the author, an unknown role, after the hand-over. A draft is opened.
#[test]
fn review_by_agents_asks_the_rules_first() {
    let table = Table::new();
    table.reviewer("ann", &format!("echo '{}'", vote("green")));
    table.reviewer("bob", &format!("echo '{}'", vote("green")));
    let id = table.propose(&["--draft"]);
    let request = |by: &str, role: &str| table.run(&["review", "request", &id, "--by", by, "--roles", role]);
    for (by, role, rule) in [("exec:./ann", "qa", "author"), ("exec:./bob", "boss", "role")] {
        let said = request(by, role).expect_exit(4);
        assert!(said.err().contains(&format!("rule `{rule}`")), "{said}");
        assert_eq!(table.phase(&id), "DRAFT");
    }
    assert!(
        !table.project.path().join("ann.prompt").exists()
            && !table.project.path().join("bob.prompt").exists()
    );
    request("exec:./bob", "qa").expect_exit(0);
    assert_eq!(
        (table.phase(&id).as_str(), &table.status(&id)["votes"]["bob"]["vote"]),
        ("REVIEW", &json!("green"))
    );
}

/// Where the budget is spent nobody else is asked, and that is told.
#[test]
fn kaching_reviewers_stop_at_the_budget() {
    let table = Table::new();
    let message = json!({"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": vote("green")}});
    let end = json!({"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 0, "output_tokens": 20}});
    for name in ["r1", "r2", "r3"] {
        table.reviewer(name, &format!("cat <<'EOF'\n{message}\n{end}\nEOF"));
    }
    let id = table.propose(&[]);
    let by = "exec:./r1,exec:./r2,exec:./r3";
    let mi = table.mi().env("MI_BUDGET_MAX_TOKENS", "200");
    let answer = table.asked(mi, &id, by, "qa,owner,security", 3);
    assert_eq!(answer["votes"][1]["vote"], "green", "{answer}");
    assert!(
        answer["votes"][2]["error"].as_str().unwrap().contains("token limit is reached at 240"),
        "{answer}"
    );
    assert!(!table.project.path().join("r3.prompt").exists());
    let mi = table.mi().env("MI_BUDGET_MAX_CENTS", "5");
    mi.run(["review", "request", &id, "--by", by, "--roles", "qa,owner,security"]).expect_exit(2);
}
