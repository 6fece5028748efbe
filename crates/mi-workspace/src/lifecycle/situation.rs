//! How things stand, read fresh from the disk: plan, tasks, knowledge, agents (NX-185, NX-186, NX-190, NX-217).
//!
//! Holds: reading never fails and never writes; a file that cannot be read is told as a problem.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;

use super::{ActiveSkill, Lifecycle, skill::ACTIVE_SKILL};

/// Everything a model has to know to go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    pub plan: Option<PlanView>,
    pub tasks: Option<TaskView>,
    pub knowledge: Knowledge,
    /// Name or id of every agent that runs.
    pub running: Vec<String>,
    pub skill: Option<ActiveSkill>,
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanView {
    pub id: u64,
    pub topic: String,
    /// Id, title, whether it is decided.
    pub issues: Vec<(u64, String, bool)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskView {
    pub goal: String,
    /// Id, title, status.
    pub tasks: Vec<(u64, String, String)>,
    /// Pending tasks whose dependencies are all completed (NX-068).
    pub ready: Vec<u64>,
}

/// The documents of the project, named from its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    pub memory: Vec<String>,
    pub context: Vec<String>,
    pub rules: Vec<String>,
}

impl Lifecycle<'_> {
    /// Reads how things stand.
    pub fn situation(&self) -> Situation {
        let layout = self.store.layout();
        let mut problems = Vec::new();
        let plan = self.json(&layout.plan(), &mut problems).map(|plan| read_plan(&plan));
        let tasks = self.json(&layout.tasks(), &mut problems).map(|tasks| read_tasks(&tasks));
        let knowledge = Knowledge {
            memory: documents(&layout.memory(), ".nexus/memory"),
            context: documents(&layout.context(), ".nexus/context"),
            rules: documents(&layout.rules(), ".nexus/rules"),
        };
        let skill = self.json(&layout.harness(self.harness).join(ACTIVE_SKILL), &mut problems);
        let skill = skill.as_ref().and_then(ActiveSkill::read);
        let running = match self.entries() {
            Ok(entries) => entries.iter().filter_map(running_name).collect(),
            Err(error) => {
                problems.push(error.to_string());
                Vec::new()
            }
        };
        Situation { plan, tasks, knowledge, running, skill, problems }
    }

    fn json(&self, path: &Path, problems: &mut Vec<String>) -> Option<Value> {
        let bytes = match self.store.read(path) {
            Ok(bytes) => bytes?,
            Err(error) => {
                problems.push(error.to_string());
                return None;
            }
        };
        match serde_json::from_slice(&bytes) {
            Ok(value) => Some(value),
            Err(error) => {
                problems.push(format!("`{}` is malformed ({error}): repair it", path.display()));
                None
            }
        }
    }
}

impl PlanView {
    pub fn pending(&self) -> usize {
        self.issues.iter().filter(|(_, _, decided)| !decided).count()
    }
}

impl TaskView {
    pub fn count(&self, status: &str) -> usize {
        self.tasks.iter().filter(|(_, _, own)| own == status).count()
    }

    pub fn unfinished(&self) -> usize {
        self.tasks.len() - self.count("completed")
    }
}

impl Situation {
    /// What a session start has to say about an earlier session (NX-185).
    pub fn leftovers(&self) -> Vec<String> {
        let mut found = self.problems.clone();
        if let Some(plan) = &self.plan {
            found.push(format!("plan.json of an earlier session is still open (\"{}\"): go on with [plan], or archive it with nx_task_close", plan.topic));
        }
        if let Some(tasks) = &self.tasks {
            let open = tasks.unfinished();
            found.push(format!("tasks.json of an earlier session is still there ({open} of {} tasks not completed): go on with [run], or archive it with nx_task_close", tasks.tasks.len()));
        }
        found
    }

    /// What a session end or a stop has to say (NX-211, NX-212, NX-216).
    pub fn unfinished(&self) -> Vec<String> {
        let mut found = self.problems.clone();
        match &self.tasks {
            Some(tasks) if tasks.unfinished() > 0 => found.push(format!(
                "{} of {} tasks are not completed: complete them, or archive them with nx_task_close",
                tasks.unfinished(),
                tasks.tasks.len()
            )),
            Some(_) => found.push(
                "all tasks are completed and not archived: close the cycle with nx_task_close".to_owned(),
            ),
            None => {}
        }
        if let Some(plan) = &self.plan {
            found.push(format!(
                "the plan \"{}\" is still open ({} pending): nx_task_close archives it",
                plan.topic,
                plan.pending()
            ));
        }
        found
    }

    /// Counts and the ready tasks, for a message that carries a tag (NX-190).
    pub fn summary(&self) -> String {
        let mut lines = vec!["## State of .nexus".to_owned()];
        lines.push(match &self.plan {
            Some(plan) => format!(
                "Plan {} \"{}\": {} pending, {} decided",
                plan.id,
                plan.topic,
                plan.pending(),
                plan.issues.len() - plan.pending()
            ),
            None => "No plan is open.".to_owned(),
        });
        lines.push(match &self.tasks {
            Some(tasks) => format!(
                "Tasks: {} total, {} completed, {} pending; ready: {}",
                tasks.tasks.len(),
                tasks.count("completed"),
                tasks.count("pending"),
                numbers(&tasks.ready)
            ),
            None => "There are no tasks.".to_owned(),
        });
        let known = &self.knowledge;
        lines.push(format!(
            "Knowledge: {} memory, {} context, {} rules files",
            known.memory.len(),
            known.context.len(),
            known.rules.len()
        ));
        lines.join("\n")
    }

    /// Everything, for a model that has lost its context (NX-217).
    pub fn whole(&self) -> String {
        let mut text = self.summary();
        if let Some(plan) = &self.plan {
            text.push_str("\n\n### Issues\n");
            let line = |(id, title, decided): &(u64, String, bool)| {
                format!("{id}. [{}] {title}", if *decided { "decided" } else { "pending" })
            };
            text.push_str(&listed(&plan.issues, line));
        }
        if let Some(tasks) = &self.tasks {
            text.push_str("\n\n### Tasks\n");
            if !tasks.goal.is_empty() {
                text.push_str(&format!("Goal: {}\n", tasks.goal));
            }
            text.push_str(&listed(&tasks.tasks, |(id, title, status)| format!("{id}. [{status}] {title}")));
        }
        if !self.running.is_empty() {
            text.push_str(&format!("\n\n### Running agents\n{}", self.running.join(", ")));
        }
        text.push_str(&format!("\n\n{}", self.knowledge.index()));
        text
    }
}

impl Knowledge {
    /// The paths, for an agent to read what it needs (NX-186, NX-193).
    pub fn index(&self) -> String {
        let all: Vec<&String> = self.memory.iter().chain(&self.context).chain(&self.rules).collect();
        if all.is_empty() {
            return "### Knowledge\nNothing is written down yet below .nexus/memory, .nexus/context and .nexus/rules.".to_owned();
        }
        format!("### Knowledge (read what you need)\n{}", listed(&all, |path| (*path).clone()))
    }
}

/// At most so many lines of one kind are told; how many more there are is said.
const MOST_LINES: usize = 100;
/// The longest line.
const MOST_LETTERS: usize = 160;

fn listed<T>(items: &[T], line: impl Fn(&T) -> String) -> String {
    let clip = |text: String| match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let one_line = |text: String| text.replace(['\n', '\r'], " ");
    let mut lines: Vec<String> =
        items.iter().take(MOST_LINES).map(|item| format!("- {}", clip(one_line(line(item))))).collect();
    if items.len() > MOST_LINES {
        lines.push(format!("- … and {} more", items.len() - MOST_LINES));
    }
    lines.join("\n")
}

fn numbers(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn read_plan(plan: &Value) -> PlanView {
    let issue = |issue: &Value| {
        (issue["id"].as_u64().unwrap_or(0), text(issue, "title"), issue["status"] == "decided")
    };
    let issues = plan["issues"].as_array().into_iter().flatten().map(issue).collect();
    PlanView { id: plan["id"].as_u64().unwrap_or(0), topic: text(plan, "topic"), issues }
}

fn read_tasks(file: &Value) -> TaskView {
    let all: Vec<&Value> = file["tasks"].as_array().into_iter().flatten().collect();
    let completed = all.iter().filter(|task| task["status"] == "completed");
    let completed: HashSet<u64> = completed.filter_map(|task| task["id"].as_u64()).collect();
    let is_ready = |task: &&&Value| {
        let mut deps = task["deps"].as_array().into_iter().flatten();
        let is_completed = |id: &Value| id.as_u64().is_some_and(|id| completed.contains(&id));
        task["status"] == "pending" && deps.all(is_completed)
    };
    let id = |task: &Value| task["id"].as_u64().unwrap_or(0);
    TaskView {
        goal: text(file, "goal"),
        tasks: all.iter().map(|task| (id(task), text(task, "title"), text(task, "status"))).collect(),
        ready: all.iter().filter(is_ready).map(|task| id(task)).collect(),
    }
}

fn running_name(entry: &serde_json::Map<String, Value>) -> Option<String> {
    if entry.get("status")? != "running" {
        return None;
    }
    let name = |field: &str| entry.get(field).and_then(Value::as_str);
    match (name("agent_name"), name("agent_id")) {
        (Some(agent), Some(id)) => Some(format!("{agent} ({id})")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_owned()),
        (None, None) => None,
    }
}

/// The Markdown files of a folder, sorted; links and hidden files are left out.
fn documents(folder: &Path, shown: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let name = entry.file_name().into_string().ok()?;
        (is_file && name.ends_with(".md") && !name.starts_with('.')).then(|| format!("{shown}/{name}"))
    };
    let mut found: Vec<String> = entries.filter_map(name).collect();
    found.sort();
    found
}
