//! `mi plan|task|history|artifact|context`: the operations on `.nexus`, as a person and as a script would use them.

use mi_test_support::{Mi, TempHome, TempProject};
use serde_json::{Value, json};
use std::fs;

const NOW: &str = "2026-02-08T12:00:00.250Z";

struct Desk {
    home: TempHome,
    project: TempProject,
}

impl Desk {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::no_tests() }
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path()).env("MI_NOW", NOW)
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        self.mi().run([arguments, &["--json"]].concat()).expect_exit(0).json()
    }

    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let text = self.mi().run(arguments).expect_exit(0).out();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        text
    }
}

/// With `--json`, exactly what the tools answer, from the first plan to the closed cycle.
#[test]
fn nx_003_json_is_the_answer_of_the_tool() {
    let desk = Desk::new();
    let start =
        ["plan", "start", "Caching", "--issue", "Which store?", "--issue", "Which key?", "--research", "R"];
    assert_eq!(
        desk.json(&start),
        json!({"created": true, "plan_id": 1, "topic": "Caching", "issueCount": 2, "previousArchived": false})
    );
    let issue = json!({"id": 3, "title": "x", "status": "pending"});
    assert_eq!(desk.json(&["plan", "add", "x"]), json!({"added": true, "issue": issue}));
    assert_eq!(
        desk.json(&["plan", "edit", "3", "y"]),
        json!({"edited": true, "issue": {"id": 3, "title": "y"}})
    );
    assert_eq!(desk.json(&["plan", "remove", "3"]), json!({"removed": true, "issue": {"id": 3}}));
    let decide = [
        "plan",
        "decide",
        "1",
        "Redis",
        "--agent",
        "architect",
        "--said",
        "architect=a=b",
        "--agent-id",
        "architect=7",
    ];
    assert_eq!(desk.json(&decide)["allComplete"], false);
    assert_eq!(
        desk.json(&["plan", "status"])["issues"][0],
        json!({"id": 1, "title": "Which store?", "status": "decided", "decision": "Redis", "how_agents": ["architect"],
               "how_summary": {"architect": "a=b"}, "how_agent_ids": {"architect": "7"}})
    );
    assert_eq!(desk.json(&["plan", "reopen", "1"])["reopened"], true);
    let add = [
        "task",
        "add",
        "T",
        "--context",
        "C",
        "--dep",
        "2",
        "--dep",
        "3",
        "--approach",
        "A",
        "--acceptance",
        "B",
        "--risk",
        "R",
        "--plan-issue",
        "1",
        "--goal",
        "G",
        "--decision",
        "D",
        "--owner",
        "engineer",
        "--owner-agent-id",
        "e-1",
        "--owner-reuse-policy",
        "resume_if_same_artifact",
    ];
    let task = json!({"id": 1, "title": "T", "context": "C", "status": "pending", "deps": [2, 3], "approach": "A",
                      "acceptance": "B", "risk": "R", "plan_issue": 1, "owner": "engineer", "owner_agent_id": "e-1",
                      "owner_reuse_policy": "resume_if_same_artifact", "created_at": NOW});
    assert_eq!(desk.json(&add), json!({"task": task}));
    assert_eq!(desk.json(&["task", "update", "1", "in-progress"])["task"]["status"], "in_progress");
    assert_eq!(desk.json(&["task", "list"])["summary"]["blocked"], 1);
    assert_eq!(
        desk.json(&["context"]),
        json!({"branch": "main", "activeMode": "team", "goal": "G",
               "tasksSummary": {"total": 1, "completed": 0, "pending": 0}, "decisions": ["D"]})
    );
    assert_eq!(desk.json(&["task", "close"])["memoryHint"]["cycleTopics"], json!(["Caching", "G"]));
    assert_eq!(
        desk.json(&["history", "search", "CACHING"]),
        json!({"total": 1, "showing": 1, "cycles": [
            {"completed_at": NOW, "branch": "main", "topic": "Caching", "decisions": [], "task_count": 1}]})
    );
    assert_eq!(desk.json(&["task", "list"]), json!({"exists": false}));
    assert_eq!(desk.json(&["plan"]), json!({"active": false}));
}

/// For a person, in sentences that say what comes next.
#[test]
fn nx_141_a_session_reads_well() {
    let desk = Desk::new();
    assert!(desk.text(&["plan"]).starts_with("No plan session."));
    assert!(desk.text(&["task"]).starts_with("No tasks."));
    assert_eq!(desk.text(&["history", "search"]), "No cycle was closed yet.\n");
    let start = ["plan", "start", "Caching", "--issue", "Which store?", "--issue", "Which key?"];
    assert_eq!(desk.text(&start), "Plan 1 is begun, with 2 issues.\nNext: mi plan decide 1 'DECISION'\n");
    assert_eq!(
        desk.text(&["plan", "decide", "1", "Redis"]),
        "Issue 1 is decided; 1 issue left.\nNext: mi plan decide 2 'DECISION'\n"
    );
    assert_eq!(
        desk.text(&["plan", "status"]),
        "Plan 1  Caching\n   1  decided  Which store?\n               Redis\n   2  open     Which key?\n1 of 2 decided\n"
    );
    desk.text(&["task", "add", "Write it", "--context", "c", "--goal", "A cache", "--decision", "Redis"]);
    desk.text(&["task", "add", "Test it", "--context", "c", "--dep", "1", "--owner", "tester"]);
    assert_eq!(
        desk.text(&["task", "list"]),
        "A cache\n   1  ready        Write it\n   2  waiting      Test it  (tester, after 1)\n2 tasks: 0 completed, 0 in progress, 2 pending\n"
    );
    assert_eq!(desk.text(&["task", "update", "1", "completed"]), "Task 1 is completed: Write it\n");
    assert_eq!(
        desk.text(&["context"]),
        "Branch     main\nGoal       A cache\nProgress   2 tasks: 1 completed, 1 pending\nDecisions  Redis\n"
    );
    let closed = desk.text(&["task", "close"]);
    assert_eq!(
        closed,
        "Closed on main: the plan with 1 decision, 2 tasks. 1 cycle in the history.\nNext: git add .nexus/history.json, with the work of this cycle\n"
    );
    assert_eq!(
        desk.text(&["history", "search", "redis"]),
        "2026-02-08 12:00  Caching  main, 2 tasks\n    Which store?: Redis\n1 of 1 cycles that match, the newest last\n"
    );
}

/// Content from standard input or from a file; names stay inside.
#[test]
fn nx_125_nx_129_artifacts() {
    let desk = Desk::new();
    assert!(desk.text(&["artifact", "list"]).starts_with("No artifacts."));
    let written = desk
        .mi()
        .stdin("# Findings\n")
        .run(["artifact", "write", "deep/a.md", "--json"])
        .expect_exit(0)
        .json();
    let path = fs::canonicalize(desk.project.path()).unwrap().join(".nexus/state/artifacts/deep/a.md");
    assert_eq!(written, json!({"success": true, "path": path.to_str()}));
    assert_eq!(fs::read_to_string(path).unwrap(), "# Findings\n");
    desk.json(&["artifact", "write", "b.md", "--file", "README.md"]);
    let list = json!([{"filename": "b.md", "bytes": 8}, {"filename": "deep/a.md", "bytes": 11}]);
    assert_eq!(desk.json(&["artifact", "list"]), json!({"artifacts": list}));
    for bad in ["../a", "/tmp/a", "a/../../b"] {
        desk.mi().stdin("x").run(["artifact", "write", bad]).expect_exit(2);
    }
    desk.mi().run(["artifact", "write", "a", "--file", "missing"]).expect_exit(1);
}

/// Wrong use is 2, what is not there is 1, each with the contract's words and what to do.
#[test]
fn nx_046_nx_089_failures_have_their_exit_code() {
    let desk = Desk::new();
    let cases: [(&[&str], i32, &str); 9] = [
        (&["plan", "add", "x"], 1, "No active plan session"),
        (&["plan", "decide", "1", "x"], 1, "No active plan session"),
        (&["task", "update", "1", "completed"], 1, "tasks.json not found"),
        (&["task", "update", "1", "blocked"], 2, "in_progress"),
        (&["task", "update", "one", "pending"], 2, "invalid value"),
        (&["task", "add", "T"], 2, "--context"),
        (&["task", "add", "", "--context", "c"], 2, "title must be a text that is not empty"),
        (&["plan", "start", ""], 2, "topic must be a text that is not empty"),
        (&["history", "search", "x", "-n", "-1"], 2, "-1"),
    ];
    for (arguments, exit, words) in cases {
        let output = desk.mi().run(arguments).expect_exit(exit);
        assert!(output.err().contains(words), "{arguments:?}: {output}");
    }
    assert!(!desk.project.path().join(".nexus").exists(), "nothing was written");
    let error = desk.mi().run(["plan", "remove", "9", "--json"]).expect_exit(1).json();
    assert_eq!(error["error"], "No active plan session");
}

/// A state file that is damaged is named, with what to do; one that was cut is repaired and said.
#[test]
fn nx_017_damage_is_told() {
    let desk = Desk::new();
    desk.project.write(".nexus/state/tasks.json", "{\"goal\": ");
    for arguments in [&["task", "list"][..], &["task", "add", "T", "--context", "C"], &["task", "close"]] {
        let output = desk.mi().run(arguments).expect_exit(1);
        assert!(output.err().contains("tasks.json") && output.err().contains("repair it"), "{output}");
    }
    assert_eq!(desk.project.read(".nexus/state/tasks.json"), "{\"goal\": ");
    desk.json(&["context"]);
}
