//! A plan and its tasks, as far as the rules look at them.

use serde::Deserialize;
use serde_json::{Number, Value};

/// What is planned now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanState {
    /// `None` when no plan is open.
    pub topic: Option<String>,
    pub issues: Vec<Issue>,
    pub tasks: Vec<Task>,
    /// The decisions that the task list already has.
    pub decisions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Issue {
    #[serde(deserialize_with = "whole")]
    pub id: i64,
    pub title: String,
    pub status: String,
    pub decision: Option<String>,
}

impl Issue {
    pub fn is_decided(&self) -> bool {
        self.status == "decided"
    }
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Task {
    #[serde(deserialize_with = "whole")]
    pub id: i64,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub context: String,
    pub approach: Option<String>,
    pub acceptance: Option<String>,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub deps: Vec<Number>,
    pub plan_issue: Option<Number>,
    pub owner: Option<String>,
}

/// Numbers are whole in every file that a tool wrote; what is not is no id of anything.
fn whole<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = Number::deserialize(deserializer)?;
    as_id(&number).ok_or_else(|| serde::de::Error::custom("an id is a whole number"))
}

fn as_id(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| number.as_f64().filter(|id| id.fract() == 0.0).map(|id| id as i64))
}

impl Task {
    pub fn dep_ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.deps.iter().filter_map(as_id)
    }

    /// The issues that a task serves: its `plan_issue`, and those that its context lists for a bundle.
    pub fn issue_ids(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.plan_issue.iter().filter_map(as_id).collect();
        for line in self.context.lines() {
            let Some(list) = line.trim().strip_prefix(ISSUES_LINE) else { continue };
            for id in list.split(',').filter_map(|id| id.trim().parse().ok()) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        ids
    }

    pub fn owner(&self) -> &str {
        self.owner.as_deref().unwrap_or_default()
    }

    pub(super) fn is_open(&self) -> bool {
        self.status != "completed"
    }

    /// Whether an exception stands in the context, as a word of its own (NX-314).
    pub(super) fn records(&self, exception: &str) -> bool {
        let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
        self.context
            .split(|character| !is_part(character))
            .any(|word| word.trim_end_matches('.') == exception)
    }

    /// Everything that is said about the task.
    pub(super) fn text(&self) -> String {
        let parts = [
            Some(self.title.as_str()),
            Some(self.context.as_str()),
            self.approach.as_deref(),
            self.acceptance.as_deref(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

/// Begins the line of a context that lists the issues of a bundle.
pub(super) const ISSUES_LINE: &str = "plan_issues:";

/// An answer of a tool that is not as the contract says.
#[derive(Debug, thiserror::Error)]
#[error("understand the {what}")]
pub struct ReadPlanError {
    what: &'static str,
    source: serde_json::Error,
}

impl PlanState {
    /// From the answers of `plan_status`, `task_list` and `context`.
    pub fn read(plan: &Value, tasks: &Value, context: &Value) -> Result<Self, ReadPlanError> {
        let issues =
            list(&plan["issues"]).map_err(|source| ReadPlanError { what: "issues of the plan", source })?;
        let tasks =
            list(&tasks["tasks"]).map_err(|source| ReadPlanError { what: "list of tasks", source })?;
        let decisions = list(&context["decisions"]).unwrap_or_default();
        let topic = plan["topic"].as_str().filter(|_| plan["active"] == true).map(str::to_owned);
        Ok(Self { topic, issues, tasks, decisions })
    }

    pub fn issue(&self, id: i64) -> Option<&Issue> {
        self.issues.iter().find(|issue| issue.id == id)
    }

    pub fn task(&self, id: i64) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    pub(super) fn has_task(&self, issue: i64) -> bool {
        self.tasks.iter().any(|task| task.issue_ids().contains(&issue))
    }

    /// Whether one of two tasks waits for the other, directly or through others.
    pub(super) fn is_sequenced(&self, one: i64, other: i64) -> bool {
        self.waits_for(one, other) || self.waits_for(other, one)
    }

    /// Whether `task` waits for `earlier`.
    pub(super) fn waits_for(&self, task: i64, earlier: i64) -> bool {
        let (mut open, mut seen) = (vec![task], std::collections::HashSet::new());
        while let Some(id) = open.pop() {
            for dep in self.task(id).into_iter().flat_map(Task::dep_ids) {
                if dep == earlier {
                    return true;
                }
                if seen.insert(dep) {
                    open.push(dep);
                }
            }
        }
        false
    }
}

fn list<T: serde::de::DeserializeOwned>(value: &Value) -> Result<Vec<T>, serde_json::Error> {
    if value.is_null() { Ok(Vec::new()) } else { Vec::deserialize(value) }
}
