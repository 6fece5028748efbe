//! Decided issues become drafts of tasks (NX-286 to NX-288, NX-310 to NX-314).
//!
//! Holds: an issue that has tasks is left alone, so that doing it twice adds nothing; what is drafted breaks no rule of
//! [`super::check`].

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    PlanState, Task,
    files::is_generated,
    pairing::{self, Pairing},
    pieces::{Bundle, bundle, cut},
    state::ISSUES_LINE,
    target_files,
};

/// A task that is not added yet. `deps` of drafts point to drafts before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Draft {
    pub title: String,
    pub context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<String>,
    pub owner: String,
    pub plan_issue: i64,
    /// Tasks that exist already.
    pub deps: Vec<i64>,
    /// Places in the list of drafts.
    pub deps_on_drafts: Vec<usize>,
}

/// What would be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Synthesis {
    pub goal: String,
    /// Decisions that the task list does not have yet.
    pub decisions: Vec<String>,
    pub drafts: Vec<Draft>,
    /// Issues that have tasks already.
    pub skipped: Vec<i64>,
    pub undecided: Vec<i64>,
}

/// The tasks that the decided issues of a plan still need.
pub fn synthesize(state: &PlanState) -> Synthesis {
    let mut made = Synthesis { goal: state.topic.clone().unwrap_or_default(), ..Synthesis::default() };
    let mut pieces = Vec::new();
    for issue in &state.issues {
        match &issue.decision {
            _ if state.has_task(issue.id) => made.skipped.push(issue.id),
            Some(decision) if issue.is_decided() && !decision.trim().is_empty() => {
                pieces.extend(cut(issue.id, decision));
                if !state.decisions.contains(decision) && !made.decisions.contains(decision) {
                    made.decisions.push(decision.clone());
                }
            }
            _ => made.undecided.push(issue.id),
        }
    }
    for bundle in bundle(pieces) {
        add(state, &bundle, &mut made.drafts);
    }
    made
}

impl Synthesis {
    /// The arguments of `task_add` for one draft, once the ids of the drafts before it are known. Goal and decisions
    /// ride with the first.
    pub fn arguments(&self, place: usize, ids: &[i64]) -> Value {
        let Some(draft) = self.drafts.get(place) else { return Value::Null };
        let mut deps = draft.deps.clone();
        deps.extend(draft.deps_on_drafts.iter().filter_map(|place| ids.get(*place)));
        let mut arguments = Map::new();
        arguments.insert("title".to_owned(), json!(draft.title));
        arguments.insert("context".to_owned(), json!(draft.context));
        arguments.insert("deps".to_owned(), json!(deps));
        for (name, text) in [("approach", &draft.approach), ("acceptance", &draft.acceptance)] {
            if let Some(text) = text {
                arguments.insert(name.to_owned(), json!(text));
            }
        }
        arguments.insert("plan_issue".to_owned(), json!(draft.plan_issue));
        arguments.insert("owner".to_owned(), json!(draft.owner));
        if place == 0 {
            arguments.insert("goal".to_owned(), json!(self.goal));
            arguments.insert("decisions".to_owned(), json!(self.decisions));
        }
        Value::Object(arguments)
    }
}

fn add(state: &PlanState, bundle: &Bundle, drafts: &mut Vec<Draft>) {
    let draft = draft(state, bundle);
    let place = drafts.len();
    let verifier = match pairing::of(&as_task(&draft)) {
        Pairing::Wanted(agent) => Some(agent),
        Pairing::Free(agent) if draft.owner == "writer" => Some(agent),
        Pairing::Free(_) | Pairing::Unwanted(_) => None,
    };
    let pair = verifier.map(|agent| Draft {
        title: clip(&format!("Verify: {}", draft.title)),
        context: format!(
            "Verifies the result of the task \"{}\".\n{}",
            draft.title,
            issues_text(state, bundle)
        ),
        approach: None,
        acceptance: draft.acceptance.clone(),
        owner: agent.to_owned(),
        plan_issue: draft.plan_issue,
        deps: Vec::new(),
        deps_on_drafts: vec![place],
    });
    drafts.push(draft);
    drafts.extend(pair);
}

fn draft(state: &PlanState, bundle: &Bundle) -> Draft {
    let files = bundle.files();
    let texts: Vec<&str> = bundle.pieces.iter().map(|piece| piece.text.as_str()).collect();
    let mut acceptance: Vec<&str> = bundle.pieces.iter().map(|piece| piece.acceptance.as_str()).collect();
    acceptance.retain(|text| !text.is_empty());
    acceptance.dedup();
    let mut context = issues_text(state, bundle);
    if !files.is_empty() {
        context.push_str(&format!("\ntarget_files: {}", files.join(", ")));
    }
    if !bundle.exceptions.is_empty() {
        context.push_str(&format!("\nexception: {}", bundle.exceptions.join(", ")));
    }
    Draft {
        title: title(&texts),
        context,
        approach: approach(bundle, &texts),
        // Without a criterion of its own, what was decided is what has to be seen.
        acceptance: Some(if acceptance.is_empty() { texts.join("\n") } else { acceptance.join("\n") }),
        owner: bundle.owner.to_owned(),
        plan_issue: bundle.issues().first().copied().unwrap_or_default(),
        deps: shared_with(state, &files),
        deps_on_drafts: Vec::new(),
    }
}

/// Open tasks that change one of the files: the new task waits for them.
fn shared_with(state: &PlanState, files: &[String]) -> Vec<i64> {
    let own: Vec<&String> = files.iter().filter(|file| !is_generated(file)).collect();
    let touches = |task: &&Task| target_files(task).iter().any(|file| own.contains(&file));
    state
        .tasks
        .iter()
        .filter(|task| task.is_open() && !pairing::is_verification(task))
        .filter(touches)
        .map(|task| task.id)
        .collect()
}

fn issues_text(state: &PlanState, bundle: &Bundle) -> String {
    let issues = bundle.issues();
    let said = issues
        .iter()
        .filter_map(|id| state.issue(*id))
        .map(|issue| format!("Issue {}: {}", issue.id, issue.title));
    let mut text = said.collect::<Vec<_>>().join("\n");
    if issues.len() > 1 {
        let ids: Vec<String> = issues.iter().map(i64::to_string).collect();
        text.push_str(&format!("\n{ISSUES_LINE} {}", ids.join(", ")));
    }
    text
}

fn approach(bundle: &Bundle, texts: &[&str]) -> Option<String> {
    let list = || texts.iter().map(|text| format!("- {}", one_line(text))).collect::<Vec<_>>().join("\n");
    if bundle.exceptions.contains(&"docs_only.coherent") {
        return Some(format!("These documents change together, for one decision:\n{}", list()));
    }
    (texts.len() > 1).then(|| format!("Do all of these in one session:\n{}", list()))
}

fn title(texts: &[&str]) -> String {
    let first = one_line(texts.first().copied().unwrap_or_default());
    match texts.len() {
        0 | 1 => clip(&first),
        more => clip(&format!("{} (and {} more)", clip_to(&first, 60), more - 1)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clip(text: &str) -> String {
    clip_to(text, 100)
}

fn clip_to(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
}

fn as_task(draft: &Draft) -> Task {
    Task {
        title: draft.title.clone(),
        context: draft.context.clone(),
        approach: draft.approach.clone(),
        acceptance: draft.acceptance.clone(),
        owner: Some(draft.owner.clone()),
        ..Task::default()
    }
}
