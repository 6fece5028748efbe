use super::{Draft, Issue, PlanState, Task, check, synthesize};
use crate::vocabulary::Vocabulary;
use serde_json::{Value, json};

fn issue(id: i64, decision: Option<&str>) -> Issue {
    Issue {
        id,
        title: format!("Question {id}"),
        status: if decision.is_some() { "decided" } else { "pending" }.to_owned(),
        decision: decision.map(str::to_owned),
    }
}

fn plan(issues: Vec<Issue>, tasks: Value) -> PlanState {
    let tasks: Vec<Task> = serde_json::from_value(tasks).unwrap();
    PlanState { topic: Some("Topic".to_owned()), issues, tasks, decisions: Vec::new() }
}

/// One decided issue, and these tasks.
fn with_tasks(tasks: Value) -> PlanState {
    plan(vec![issue(1, Some("x"))], tasks)
}

fn rules(state: &PlanState) -> Vec<String> {
    let mark = |finding: &super::PlanFinding| {
        let ids: Vec<String> = finding.tasks.iter().map(|id| format!("#{id}")).collect();
        format!("{}{} {}", if finding.is_error() { "" } else { "?" }, finding.rule, ids.join(" "))
            .trim()
            .to_owned()
    };
    check(state, Vocabulary::starter()).iter().map(mark).collect()
}

/// Adds what was drafted, as `task_add` would.
fn apply(state: &mut PlanState) -> Vec<Draft> {
    let made = synthesize(state);
    let mut ids = Vec::new();
    for place in 0..made.drafts.len() {
        let mut task: Task = {
            let mut arguments = made.arguments(place, &ids);
            arguments["id"] = json!(state.tasks.iter().map(|task| task.id).max().unwrap_or(0) + 1);
            serde_json::from_value(arguments).unwrap()
        };
        task.status = "pending".to_owned();
        ids.push(task.id);
        state.tasks.push(task);
    }
    state.decisions.extend(made.decisions);
    made.drafts
}

fn owners(drafts: &[Draft]) -> Vec<&str> {
    drafts.iter().map(|draft| draft.owner.as_str()).collect()
}

fn drafts(decisions: &[&str]) -> Vec<Draft> {
    let issues = decisions.iter().zip(1..).map(|(decision, id)| issue(id, Some(decision))).collect();
    let mut state = plan(issues, json!([]));
    let made = apply(&mut state);
    // An issue that decides on nothing but generated files is questionable however it is cut.
    let mut broken = rules(&state);
    broken.retain(|rule| !rule.starts_with("?generated.counted"));
    assert_eq!(broken, Vec::<String>::new(), "{:#?}", state.tasks);
    assert_eq!(apply(&mut state), [], "doing it twice adds nothing");
    made
}

/// Issues without decisions or tasks, and tasks without issues.
#[test]
fn nx_283_nx_286_issues_and_tasks_belong_together() {
    assert_eq!(rules(&plan(vec![issue(1, None)], json!([]))), ["?issue.undecided"]);
    let early = json!([{"id": 1, "plan_issue": 1, "owner": "lead"}]);
    assert_eq!(rules(&plan(vec![issue(1, None)], early)), ["issue.undecided"]);
    assert_eq!(rules(&plan(vec![issue(1, Some("x"))], json!([]))), ["issue.without_task"]);
    let loose = json!([{"id": 1, "plan_issue": 1, "owner": "lead"}, {"id": 2, "owner": "lead"}, {"id": 3, "owner": "lead", "plan_issue": 9}]);
    assert_eq!(rules(&with_tasks(loose)), ["task.without_issue #2", "task.unknown_issue #3"]);
    let mut no_plan = with_tasks(json!([{"id": 1, "owner": "lead"}]));
    (no_plan.topic, no_plan.issues) = (None, Vec::new());
    assert_eq!(rules(&no_plan), Vec::<String>::new());
}

/// Owners are agents of the catalogue, or Lead.
#[test]
fn nx_265_nx_287_owners_are_known() {
    let tasks = json!([
        {"id": 1, "plan_issue": 1, "owner": "lead"},
        {"id": 2, "plan_issue": 1, "owner": "explore"},
        {"id": 3, "plan_issue": 1},
    ]);
    assert_eq!(rules(&with_tasks(tasks)), ["owner.unknown #2", "?owner.missing #3"]);
}

/// Dependencies that cannot be fulfilled.
#[test]
fn nx_068_dependencies_can_be_fulfilled() {
    let tasks = json!([
        {"id": 1, "plan_issue": 1, "owner": "lead", "deps": [2]},
        {"id": 2, "plan_issue": 1, "owner": "lead", "deps": [1]},
        {"id": 3, "plan_issue": 1, "owner": "lead", "deps": [3]},
        {"id": 4, "plan_issue": 1, "owner": "lead", "deps": [1, 99]},
    ]);
    assert_eq!(rules(&with_tasks(tasks)), ["deps.unknown #4", "deps.cycle #1 #2 #3"]);
}

/// Two open tasks of people who change files, in one file, at the same time.
#[test]
fn nx_290_nx_312_overlapping_files() {
    let two = |deps: Value, status: &str, owner: &str, context: &str| {
        with_tasks(json!([
            {"id": 1, "plan_issue": 1, "owner": "lead", "context": "src/a.rs", "status": status},
            {"id": 2, "plan_issue": 1, "owner": owner, "context": context, "deps": deps, "status": "pending"},
        ]))
    };
    assert_eq!(rules(&two(json!([]), "pending", "engineer", "`src/a.rs:7` too")), ["files.overlap #1 #2"]);
    assert_eq!(rules(&two(json!([1]), "pending", "engineer", "src/a.rs")), Vec::<String>::new());
    assert_eq!(rules(&two(json!([]), "completed", "engineer", "src/a.rs")), Vec::<String>::new());
    assert_eq!(rules(&two(json!([]), "pending", "researcher", "src/a.rs")), Vec::<String>::new());
    assert_eq!(
        rules(&two(json!([]), "pending", "engineer", "target_files: src/b.rs\nlike src/a.rs")),
        Vec::<String>::new()
    );
    // Through a third task they are in order.
    let chain = json!([
        {"id": 1, "plan_issue": 1, "owner": "lead", "context": "src/a.rs"},
        {"id": 2, "plan_issue": 1, "owner": "lead", "context": "x", "deps": [1]},
        {"id": 3, "plan_issue": 1, "owner": "lead", "context": "src/a.rs", "deps": [2]},
    ]);
    assert_eq!(rules(&with_tasks(chain)), Vec::<String>::new());
}

/// Verification: wanted, linked, and left out where it must be.
#[test]
fn nx_288_conditional_pairing() {
    let pair = |owner: &str, acceptance: &str, context: &str, verifier: Option<(&str, Value)>| {
        let mut tasks = vec![
            json!({"id": 1, "plan_issue": 1, "owner": owner, "acceptance": acceptance, "context": context, "approach": "one change"}),
        ];
        if let Some((verifier, deps)) = verifier {
            tasks.push(json!({"id": 2, "plan_issue": 1, "owner": verifier, "deps": deps}));
        }
        rules(&with_tasks(Value::Array(tasks)))
    };
    let linked = |who: &'static str| Some((who, json!([1])));
    let none: [String; 0] = [];
    assert_eq!(pair("engineer", "It returns 404", "x", None), ["pairing.missing #1"]);
    assert_eq!(pair("engineer", "It returns 404", "x", linked("reviewer")), ["pairing.missing #1"]);
    assert_eq!(
        pair("engineer", "It returns 404", "x", Some(("tester", json!([])))),
        ["pairing.unlinked #1 #2"]
    );
    assert_eq!(pair("engineer", "It returns 404", "x", linked("tester")), none);
    assert_eq!(pair("engineer", "The name is short", "x", None), none);
    assert_eq!(pair("engineer", "The name is short", "x", linked("tester")), ["?pairing.unwanted #1 #2"]);
    assert_eq!(pair("engineer", "All tests pass", "Refactor the store", None), none);
    assert_eq!(
        pair("engineer", "All tests pass", "Refactor the store", linked("tester")),
        ["?pairing.unwanted #1 #2"]
    );
    assert_eq!(
        pair("engineer", "It returns", "type-only change", linked("tester")),
        ["?pairing.unwanted #1 #2"]
    );
    assert_eq!(pair("writer", "docs/a.md covers every flag", "x", None), ["pairing.missing #1"]);
    assert_eq!(pair("writer", "docs/a.md covers every flag", "x", linked("reviewer")), none);
    assert_eq!(pair("writer", "Nice", "x", linked("reviewer")), ["?pairing.unwanted #1 #2"]);
    assert_eq!(pair("researcher", "It returns findings", "x", None), none);
    assert_eq!(
        pair("researcher", "It returns findings", "x", linked("reviewer")),
        ["pairing.unwanted #1 #2"]
    );
    let docs = "docs_only.coherent: docs/a.md docs/b.md";
    assert_eq!(pair("writer", "docs/a.md covers it", docs, None), none);
    assert_eq!(pair("writer", "docs/a.md covers it", docs, linked("reviewer")), none);
}

/// Fewer than three independent results are one task; one domain is asked once.
#[test]
fn nx_286_splitting_needs_three_independent_results() {
    let tasks = |files: &[&str], owner: &str, note: &str| {
        let tasks = files.iter().zip(1..).map(|(file, id)| {
            json!({"id": id, "plan_issue": 1, "owner": owner, "context": format!("{file} {note}"), "approach": "x"})
        });
        rules(&with_tasks(tasks.collect()))
    };
    let none: [String; 0] = [];
    assert_eq!(tasks(&["a/a.rs", "a/b.rs"], "engineer", ""), ["?split.too_few #1 #2"]);
    assert_eq!(tasks(&["a/a.rs", "a/b.rs", "a/c.rs"], "engineer", ""), none);
    assert_eq!(tasks(&["a/a.rs", "a/b.rs", "a/c.rs"], "engineer", "dist/x.js generated_artifacts"), none);
    assert_eq!(
        tasks(&["a/a.rs", "a/b.rs", "dist/c.js generated_artifacts a/b.rs"], "engineer", "")[1..],
        ["?split.too_few #1 #2 #3"]
    );
    assert_eq!(tasks(&["a.md", "b.md"], "writer", "docs_only.independent"), none);
    assert_eq!(tasks(&["one", "two"], "architect", ""), ["?split.same_domain #1 #2"]);
}

/// Exceptions that apply stand in the context, and those that stand there exist and apply.
#[test]
fn nx_310_to_nx_314_exceptions_are_recorded() {
    let one = |owner: &str, context: &str, approach: &str| {
        rules(&with_tasks(
            json!([{"id": 1, "plan_issue": 1, "owner": owner, "context": context, "approach": approach}]),
        ))
    };
    let none: [String; 0] = [];
    assert_eq!(one("writer", "docs/a.md and docs/b.md", ""), ["?exception.unrecorded #1"]);
    assert_eq!(one("writer", "docs_only.coherent: docs/a.md and docs/b.md", "one new field"), none);
    assert_eq!(one("writer", "docs_only.coherent: docs/a.md and docs/b.md", ""), ["?exception.unclaimed #1"]);
    assert_eq!(one("engineer", "docs_only.coherent: src/a.rs", "x"), ["?exception.misapplied #1"]);
    assert_eq!(one("engineer", "src/a.rs and dist/a.js", "x"), ["?exception.unrecorded #1"]);
    assert_eq!(one("engineer", "src/a.rs and dist/a.js (generated_artifacts).", "x"), none);
    assert_eq!(one("engineer", "dist/a.js generated_artifacts", "x"), ["?generated.counted #1"]);
    assert_eq!(one("engineer", "src/a.rs generated_artifacts", "x"), ["?exception.misapplied #1"]);
    assert_eq!(one("engineer", "exception: whole_day\nx", "x"), ["exception.unknown #1"]);
    assert_eq!(one("engineer", "under docs_only.loose", "x"), ["exception.unknown #1"]);
}

/// Who does what, by the owner table.
#[test]
fn nx_287_nx_289_owner_table() {
    let cases = [
        ("Fix a typo in src/a.rs", "lead"),
        ("Add a field to `src/a.rs` and `src/b.rs`", "engineer"),
        ("Use the new parser", "engineer"),
        ("Write the guide docs/guide.md", "writer"),
        ("Extend the documentation", "writer"),
        ("Research what other tools do", "researcher"),
        ("Evaluate the UI of the settings screen", "designer"),
        ("Analyse the API schema", "architect"),
        ("Weigh the business case", "strategist"),
        ("Evaluate the evidence for the claim", "postdoc"),
    ];
    for (decision, owner) in cases {
        assert_eq!(drafts(&[decision])[0].owner, owner, "{decision}");
    }
    assert_eq!(owners(&drafts(&["1. First rename it in src/a.rs\n2. Then move it in src/a.rs"])), ["lead"]);
}

/// Goal, decisions and plan_issue; the verification is linked to what it verifies.
#[test]
fn nx_286_nx_288_decided_issues_become_tasks() {
    let mut state = plan(
        vec![
            issue(1, Some("Retry requests in src/http.rs. Acceptance: a timeout is retried twice")),
            issue(2, None),
        ],
        json!([]),
    );
    state.decisions = Vec::new();
    let made = synthesize(&state);
    assert_eq!((made.goal.as_str(), made.undecided.as_slice()), ("Topic", [2].as_slice()));
    assert_eq!(
        made.arguments(0, &[]),
        json!({
            "title": "Retry requests in src/http.rs.",
            "context": "Issue 1: Question 1\ntarget_files: src/http.rs",
            "deps": [],
            "acceptance": "a timeout is retried twice",
            "plan_issue": 1,
            "owner": "engineer",
            "goal": "Topic",
            "decisions": ["Retry requests in src/http.rs. Acceptance: a timeout is retried twice"],
        })
    );
    assert_eq!(
        made.arguments(1, &[7]),
        json!({
            "title": "Verify: Retry requests in src/http.rs.",
            "context": "Verifies the result of the task \"Retry requests in src/http.rs.\".\nIssue 1: Question 1",
            "deps": [7],
            "acceptance": "a timeout is retried twice",
            "plan_issue": 1,
            "owner": "tester",
        })
    );
    apply(&mut state);
    state.issues[1] = issue(2, Some("Log it in src/http.rs"));
    let more = synthesize(&state);
    assert_eq!(
        (more.skipped.as_slice(), more.drafts.len(), more.drafts[0].deps.as_slice()),
        ([1].as_slice(), 2, [1].as_slice())
    );
    apply(&mut state);
    assert_eq!(rules(&state), Vec::<String>::new());
}

/// Pieces are cut, bundled and told apart as the exceptions say.
#[test]
fn nx_310_to_nx_313_bundles() {
    let two = drafts(&["- Add x to src/a.rs\n- Add y to src/b.rs"]);
    assert_eq!(
        (owners(&two), two[0].approach.as_deref()),
        (vec!["engineer"], Some("Do all of these in one session:\n- Add x to src/a.rs\n- Add y to src/b.rs"))
    );
    let three = drafts(&["- Add x to src/a.rs\n- Add y to src/b.rs\n- Add z to src/c.rs"]);
    assert_eq!(owners(&three), ["engineer", "engineer", "engineer"]);
    let same = drafts(&["- Add x to src/a.rs\n- Add y to src/a.rs"]);
    assert_eq!(owners(&same), ["engineer"]);
    assert!(same[0].context.ends_with("\nexception: same_file_bundle"), "{}", same[0].context);
    let across = drafts(&["Add x to src/a.rs", "Add y to src/a.rs"]);
    assert_eq!((owners(&across), across[0].plan_issue), (vec!["engineer"], 1));
    assert!(across[0].context.contains("\nplan_issues: 1, 2\n"), "{}", across[0].context);
    let coherent = drafts(&["Name the new field in docs/a.md and docs/b.md"]);
    assert_eq!(owners(&coherent), ["writer", "reviewer"]);
    assert!(coherent[0].context.ends_with("exception: docs_only.coherent") && coherent[0].approach.is_some());
    let independent = drafts(&["- Describe setup in docs/a.md\n- Describe flags in docs/b.md"]);
    assert_eq!(owners(&independent), ["writer", "reviewer", "writer", "reviewer"]);
    assert!(independent[0].context.ends_with("exception: docs_only.independent"));
    let generated = drafts(&["Change src/a.ts and the output dist/a.js"]);
    assert!(generated[0].context.ends_with("exception: generated_artifacts"));
}

/// Whatever is decided, what is drafted breaks no rule, and drafting again adds nothing.
#[test]
fn nx_286_synthesis_keeps_its_own_rules() {
    let parts = [
        "Refactor",
        "Return errors from",
        "src/a.rs",
        "src/b.rs",
        "docs/a.md",
        "docs/b.md",
        "dist/x.js",
        "then",
        "typo",
        "research",
        "evaluate the UI",
        "\n- ",
        "\n2. ",
        "Acceptance: it runs",
        "type-only",
        "Makefile",
        "가나다",
        "README.md lists",
        "…",
        "docs",
    ];
    let mut seed: u64 = 3;
    let mut next = move |most: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % most
    };
    for _ in 0..3_000 {
        let decisions: Vec<String> = (0..=next(3))
            .map(|_| (0..=next(8)).map(|_| parts[next(parts.len())]).collect::<Vec<_>>().join(" "))
            .collect();
        drafts(&decisions.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// The answers of the tools are read as they are; a broken one is named.
#[test]
fn plans_are_read_from_the_answers_of_the_tools() {
    let status = json!({"active": true, "plan_id": 1, "topic": "T", "issues": [{"id": 1, "title": "a", "status": "pending", "new": 1}], "summary": {}});
    let state = PlanState::read(&status, &json!({"exists": false}), &json!({"decisions": ["d"]})).unwrap();
    assert_eq!(
        (state.topic.as_deref(), state.issues.len(), state.tasks.len(), state.decisions.len()),
        (Some("T"), 1, 0, 1)
    );
    let idle = PlanState::read(
        &json!({"active": false}),
        &json!({"tasks": [{"id": 1.0, "title": "a", "context": "b", "status": "pending", "deps": []}]}),
        &json!({}),
    )
    .unwrap();
    assert_eq!((idle.topic, idle.tasks[0].id), (None, 1));
    let broken = PlanState::read(&json!({"issues": [{"id": "x"}]}), &json!({}), &json!({})).unwrap_err();
    assert_eq!(broken.to_string(), "understand the issues of the plan");
}
