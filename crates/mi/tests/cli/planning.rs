//! `mi plan check` and `mi plan synthesize` on real state files.

use mi_model::Timestamp;
use mi_test_support::{Mi, TempHome, TempProject};
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::fs;

struct Scene {
    home: TempHome,
    project: TempProject,
}

impl Scene {
    /// A plan with these decisions; `None` leaves an issue open.
    fn new(decisions: &[Option<&str>]) -> Self {
        let scene = Self { home: TempHome::new(), project: TempProject::python() };
        let titles: Vec<String> = (1..=decisions.len()).map(|id| format!("Question {id}")).collect();
        scene.call(Tool::PlanStart, json!({"topic": "Reach", "issues": titles, "research_summary": "none"}));
        for (decision, id) in decisions.iter().zip(1..) {
            if let Some(decision) = decision {
                scene.call(Tool::PlanDecide, json!({"issue_id": id, "decision": decision}));
            }
        }
        scene
    }

    fn call(&self, tool: Tool, arguments: Value) -> Value {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        Workspace::new(Layout::new(self.project.path())).call(tool, &arguments, now).unwrap()
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }
}

/// Decided issues become tasks, once; the result breaks no rule.
#[test]
fn nx_286_decisions_become_tasks_once() {
    let scene = Scene::new(&[
        Some("Retry requests in src/http.rs. Acceptance: a timeout is retried twice"),
        Some("Name the field in docs/a.md and docs/b.md"),
        None,
    ]);
    let shown = scene.mi().run(["plan", "synthesize", "--json"]).expect_exit(0).json();
    assert_eq!((&shown["applied"], &shown["undecided_issues"]), (&json!(false), &json!([3])));
    assert_eq!(scene.call(Tool::TaskList, json!({})), json!({"exists": false}));

    let added = scene.mi().run(["plan", "synthesize", "--apply", "--json"]).expect_exit(0).json();
    assert_eq!(added["tasks"], shown["tasks"]);
    let list = scene.call(Tool::TaskList, json!({}));
    let rows: Vec<Value> = list["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| json!([task["id"], task["owner"], task["plan_issue"], task["deps"]]))
        .collect();
    assert_eq!(
        json!(rows),
        json!([[1, "engineer", 1, []], [2, "tester", 1, [1]], [3, "writer", 2, []], [4, "reviewer", 2, [3]]])
    );
    assert_eq!(list["goal"], "Reach");
    assert_eq!(scene.call(Tool::Context, json!({}))["decisions"].as_array().unwrap().len(), 2);

    let again = scene.mi().run(["plan", "synthesize", "--apply"]).expect_exit(0);
    assert_eq!(again.out(), "Nothing to add: every decided issue has tasks.\n");
    let checked = scene.mi().run(["plan", "check", "--json"]).expect_exit(0).json();
    assert_eq!((&checked["errors"], &checked["findings"][0]["rule"]), (&json!(0), &json!("issue.undecided")));
}

/// What a plan breaks is told with the rule, the tasks and what to do; errors end in exit 1.
#[test]
fn nx_312_a_broken_plan_is_told() {
    let scene = Scene::new(&[Some("x")]);
    for title in ["One", "Two"] {
        scene.call(
            Tool::TaskAdd,
            json!({"title": title, "context": "src/a.rs", "plan_issue": 1, "owner": "lead"}),
        );
    }
    let output = scene.mi().run(["plan", "check"]).expect_exit(1);
    assert_eq!(
        output.out(),
        "error: [files.overlap] tasks 1, 2 change `src/a.rs` and none waits for the other\n  to do: make one task of them (same_file_bundle in its context), or link them by deps\n1 error, 0 warnings\n"
    );
    let output = scene.mi().run(["plan", "check", "--json"]).expect_exit(1).json();
    assert_eq!(output["findings"][0]["tasks"], json!([1, 2]));
}

/// Without a plan there is nothing to check, and nothing to synthesize from.
#[test]
fn nx_046_no_plan() {
    let scene = Scene { home: TempHome::new(), project: TempProject::python() };
    assert_eq!(scene.mi().run(["plan", "check"]).expect_exit(0).out(), "The plan breaks no rule.\n");
    let output = scene.mi().run(["plan", "synthesize"]).expect_exit(1);
    assert!(output.err().contains("No active plan session"), "{}", output.err());
    assert!(!scene.project.path().join(".nexus").exists());
}

/// A damaged file is named, and stays as it is.
#[test]
fn a_damaged_plan_is_named() {
    let scene = Scene::new(&[Some("x")]);
    let path = scene.project.path().join(".nexus/state/plan.json");
    fs::write(&path, "{").unwrap();
    let output = scene.mi().run(["plan", "synthesize", "--apply"]).expect_exit(1);
    assert!(output.err().contains("plan.json"), "{}", output.err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");
}
