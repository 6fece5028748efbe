//! The deployment checklist, the health report and the rollback question of D.16.
//!
//! Holds: an item is done only with what proves it; a deployment with anything missing is blocked; a rollback is
//! proposed, never chosen. Running tests, asking git and calling endpoints is the caller's.

mod output;
mod plan;

use serde::Serialize;

pub use output::{Named, named_in};
pub use plan::{Plan, PlanError, Target, names, names_with_value, startup_errors};

/// The six items, in the seed's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    TestsPass,
    TreeClean,
    DiffReviewed,
    EnvironmentVerified,
    RollbackPlan,
    WindowConfirmed,
}

impl Item {
    pub const ALL: [Self; 6] = [
        Self::TestsPass,
        Self::TreeClean,
        Self::DiffReviewed,
        Self::EnvironmentVerified,
        Self::RollbackPlan,
        Self::WindowConfirmed,
    ];
}

/// What is known about one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Proof {
    Proven { by: String },
    Missing { why: String },
}

/// Facts about the commit that is to be deployed. `None` is "not known", which is never good enough.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub commit: String,
    pub tests: Option<TestRun>,
    /// Changed and untracked paths of the tree.
    pub uncommitted: Option<Vec<String>>,
    /// The commit whose diff the person approved.
    pub reviewed_commit: Option<String>,
    /// Names that the target needs and does not have.
    pub missing_variables: Option<Vec<String>>,
    /// The text of the rollback plan.
    pub rollback_plan: Option<String>,
    pub window_confirmed: bool,
}

/// How the configured tests ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRun {
    pub command: String,
    pub commit: String,
    pub failed: u64,
    pub skipped: u64,
    /// None where the output does not say it: the exit code then speaks alone.
    pub passed: Option<u64>,
}

/// The checklist with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checklist {
    pub items: Vec<(Item, Proof)>,
    pub blocked: bool,
}

/// Looks at all six items.
pub fn check(facts: &Facts) -> Checklist {
    let items: Vec<_> = Item::ALL.into_iter().map(|item| (item, prove(item, facts))).collect();
    let blocked = items.iter().any(|(_, proof)| matches!(proof, Proof::Missing { .. }));
    Checklist { items, blocked }
}

fn prove(item: Item, facts: &Facts) -> Proof {
    match item {
        Item::TestsPass => tests(facts),
        Item::TreeClean => tree(facts),
        Item::DiffReviewed => match &facts.reviewed_commit {
            Some(commit) if !commit.is_empty() && *commit == facts.commit => {
                proven(format!("the person approved the diff of {commit}"))
            }
            Some(commit) => missing(format!("the approved diff is that of {commit}, not of this commit")),
            None => {
                missing("nobody has approved the diff of this commit; read it, then: mi deploy record review")
            }
        },
        Item::EnvironmentVerified => match facts.missing_variables.as_deref() {
            Some([]) => proven("every variable of the manifest is set"),
            Some(names) => missing(format!("not set on the target: {}", names.join(", "))),
            None => missing(
                "the variables of the target were not compared with a manifest; name its file as `environment` of the target",
            ),
        },
        Item::RollbackPlan => match facts.rollback_plan.as_deref().map(str::trim) {
            Some(plan) if !plan.is_empty() => proven("a rollback plan is written down"),
            Some(_) => missing("the rollback plan is empty"),
            None => missing("there is no rollback plan; name its file as `rollback_plan` of the target"),
        },
        Item::WindowConfirmed if facts.window_confirmed => proven("the person confirmed the window"),
        Item::WindowConfirmed => {
            missing("the person has not confirmed the deployment window: mi deploy record window")
        }
    }
}

fn tests(facts: &Facts) -> Proof {
    match &facts.tests {
        None => missing("the tests were not run; name their command as `tests` of the target"),
        Some(run) if run.commit != facts.commit => missing("the tests ran on another commit"),
        Some(run) if run.failed > 0 => missing(format!("{} tests fail", run.failed)),
        Some(run) if run.skipped > 0 => missing(format!("{} tests are skipped", run.skipped)),
        Some(TestRun { passed: Some(0), .. }) => missing("no test ran"),
        Some(TestRun { passed: Some(count), command, .. }) => proven(format!("`{command}`: {count} passed")),
        Some(TestRun { passed: None, command, .. }) => proven(format!(
            "`{command}`: exit code 0; its output does not say how many tests ran, or whether any was skipped"
        )),
    }
}

fn tree(facts: &Facts) -> Proof {
    match facts.uncommitted.as_deref() {
        Some([]) => proven("git status is clean"),
        Some([only]) => missing(format!("uncommitted changes: {only}")),
        Some([first, rest @ ..]) => missing(format!("uncommitted changes: {first} and {} more", rest.len())),
        None => missing("the state of the working tree is not known"),
    }
}

fn proven(by: impl Into<String>) -> Proof {
    Proof::Proven { by: by.into() }
}

fn missing(why: impl Into<String>) -> Proof {
    Proof::Missing { why: why.into() }
}

/// Seconds after a deployment within which its health must be told.
pub const HEALTH_SECONDS: u64 = 60;

/// What was seen after a deployment. `None` is "not looked at".
#[derive(Debug, Clone, Default)]
pub struct Probes {
    /// 0: it did not answer.
    pub endpoint_status: Option<u16>,
    pub smoke_test_passed: Option<bool>,
    pub startup_errors: Option<Vec<String>>,
    pub seconds_since_deployment: u64,
    /// The plan's command for going back.
    pub rollback: String,
}

/// Whether the service is well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "health")]
pub enum Health {
    Good,
    /// The person decides about the rollback.
    Bad {
        symptom: String,
        suspected_cause: String,
        proposed_rollback: String,
    },
}

/// Judges the probes. What was not looked at, or too late, is a symptom.
pub fn health(probes: &Probes) -> Health {
    let mut symptoms = Vec::new();
    match probes.endpoint_status {
        Some(200..=299) => {}
        Some(0) => symptoms.push("the health endpoint does not answer".to_owned()),
        Some(status) => symptoms.push(format!("the health endpoint answers {status}")),
        None => symptoms.push("the health endpoint was not asked".to_owned()),
    }
    match probes.smoke_test_passed {
        Some(true) => {}
        Some(false) => symptoms.push("the smoke test fails".to_owned()),
        None => symptoms.push("the smoke test was not run".to_owned()),
    }
    let errors = probes.startup_errors.as_deref();
    match errors {
        Some([]) => {}
        Some(lines) => symptoms.push(format!("{} start-up errors in the log", lines.len())),
        None => symptoms.push("the log was not read".to_owned()),
    }
    if probes.seconds_since_deployment > HEALTH_SECONDS {
        symptoms.push(format!("told {} s after the deployment", probes.seconds_since_deployment));
    }
    if symptoms.is_empty() {
        return Health::Good;
    }
    let cause = errors.and_then(<[String]>::first).cloned();
    Health::Bad {
        symptom: symptoms.join("; "),
        suspected_cause: cause.unwrap_or_else(|| match probes.endpoint_status {
            Some(0) => "the service does not run, or cannot be reached".to_owned(),
            _ => "not known from the log".to_owned(),
        }),
        proposed_rollback: probes.rollback.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Facts {
        Facts {
            commit: "c1".to_owned(),
            tests: Some(TestRun {
                command: "make test".to_owned(),
                commit: "c1".to_owned(),
                failed: 0,
                skipped: 0,
                passed: Some(3),
            }),
            uncommitted: Some(Vec::new()),
            reviewed_commit: Some("c1".to_owned()),
            missing_variables: Some(Vec::new()),
            rollback_plan: Some("git revert".to_owned()),
            window_confirmed: true,
        }
    }

    /// With all six proven it may go.
    #[test]
    fn d_16_all_six_items_let_it_go() {
        assert!(!check(&good()).blocked);
        assert_eq!(check(&good()).items.len(), 6);
    }

    /// Each item alone blocks, and is the only one that is missing.
    #[test]
    fn d_16_each_missing_item_blocks() {
        type Spoil = fn(&mut Facts);
        let spoils: [(Item, Spoil); 13] = [
            (Item::TestsPass, |facts| facts.tests = None),
            (Item::TestsPass, |facts| facts.tests.as_mut().unwrap().failed = 1),
            (Item::TestsPass, |facts| facts.tests.as_mut().unwrap().skipped = 1),
            (Item::TestsPass, |facts| facts.tests.as_mut().unwrap().passed = Some(0)),
            (Item::TestsPass, |facts| facts.tests.as_mut().unwrap().commit = "c0".to_owned()),
            (Item::TreeClean, |facts| facts.uncommitted = Some(vec!["a".to_owned()])),
            (Item::TreeClean, |facts| facts.uncommitted = None),
            (Item::DiffReviewed, |facts| facts.reviewed_commit = Some("c0".to_owned())),
            (Item::DiffReviewed, |facts| facts.reviewed_commit = None),
            (Item::EnvironmentVerified, |facts| facts.missing_variables = Some(vec!["KEY".to_owned()])),
            (Item::EnvironmentVerified, |facts| facts.missing_variables = None),
            (Item::RollbackPlan, |facts| facts.rollback_plan = Some(" ".to_owned())),
            (Item::WindowConfirmed, |facts| facts.window_confirmed = false),
        ];
        for (item, spoil) in spoils {
            let mut facts = good();
            spoil(&mut facts);
            let list = check(&facts);
            assert!(list.blocked);
            let missing: Vec<_> = list
                .items
                .iter()
                .filter(|(_, proof)| matches!(proof, Proof::Missing { .. }))
                .map(|(item, _)| *item)
                .collect();
            assert_eq!(missing, [item]);
        }
    }

    /// No count is invented: a command that names none passed by its exit code, and the proof says so.
    #[test]
    fn d_16_a_count_that_is_not_known_is_not_told() {
        let mut facts = good();
        facts.tests.as_mut().unwrap().passed = None;
        let (_, proof) = &check(&facts).items[0];
        let Proof::Proven { by } = proof else { panic!("an exit code counts: {proof:?}") };
        assert!(by.contains("exit code 0") && !by.contains("passed"), "{by}");
    }

    /// Nothing known is nothing proven.
    #[test]
    fn d_16_unknown_facts_block_everything() {
        let list = check(&Facts::default());
        assert!(list.items.iter().all(|(_, proof)| matches!(proof, Proof::Missing { .. })));
    }

    /// A bad probe gives symptom, cause and a proposal, and does nothing.
    #[test]
    fn d_16_failure_is_told_with_symptom_cause_and_rollback() {
        let well = Probes {
            endpoint_status: Some(200),
            smoke_test_passed: Some(true),
            startup_errors: Some(Vec::new()),
            seconds_since_deployment: 60,
            rollback: "kubectl rollout undo".to_owned(),
        };
        assert_eq!(health(&well), Health::Good);
        let ill = Probes {
            endpoint_status: Some(503),
            startup_errors: Some(vec!["no DATABASE_URL".to_owned()]),
            ..well.clone()
        };
        let Health::Bad { symptom, suspected_cause, proposed_rollback } = health(&ill) else {
            panic!("a 503 is not good")
        };
        assert_eq!(symptom, "the health endpoint answers 503; 1 start-up errors in the log");
        assert_eq!(
            (suspected_cause.as_str(), proposed_rollback.as_str()),
            ("no DATABASE_URL", "kubectl rollout undo")
        );
        let silent = Probes { endpoint_status: Some(0), ..well.clone() };
        let Health::Bad { symptom, suspected_cause, .. } = health(&silent) else {
            panic!("silence is not good")
        };
        assert_eq!(symptom, "the health endpoint does not answer");
        assert_eq!(suspected_cause, "the service does not run, or cannot be reached");
        assert!(matches!(health(&Probes { seconds_since_deployment: 61, ..well }), Health::Bad { .. }));
        assert!(matches!(health(&Probes::default()), Health::Bad { .. }));
    }
}
