//! The rules, one function for each group; [`super::check`] asks them in order.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    PlanFinding, PlanState, Task,
    files::{counted, is_document, is_generated, target_files},
    pairing::{self, Pairing},
};
use crate::vocabulary::Vocabulary;

type Found = Vec<PlanFinding>;

/// Every issue is decided and has tasks, every task has an issue (NX-283, NX-286).
pub(super) fn issues(state: &PlanState, found: &mut Found) {
    for issue in &state.issues {
        let has_task = state.has_task(issue.id);
        if !issue.is_decided() {
            let message = format!("issue {} is not decided: {}", issue.id, issue.title);
            let hint = "decide it (mi plan decide), then its tasks can be made";
            let finding = match has_task {
                true => PlanFinding::error("issue.undecided", format!("{message}; yet it has tasks"), hint),
                false => PlanFinding::warning("issue.undecided", message, hint),
            };
            found.push(finding.issues(&[issue.id]));
        } else if !has_task {
            let message = format!("issue {} is decided and has no task: {}", issue.id, issue.title);
            let hint = "mi plan synthesize --apply adds what is missing";
            found.push(PlanFinding::error("issue.without_task", message, hint).issues(&[issue.id]));
        }
    }
    if state.topic.is_none() {
        return;
    }
    for task in &state.tasks {
        let ids = task.issue_ids();
        let unknown: Vec<i64> = ids.iter().copied().filter(|id| state.issue(*id).is_none()).collect();
        if ids.is_empty() {
            let message = format!("task {} names no plan_issue", task.id);
            let hint = "add tasks with plan_issue, so that a decision can be traced to them";
            found.push(PlanFinding::error("task.without_issue", message, hint).tasks(&[task.id]));
        } else if !unknown.is_empty() {
            let message =
                format!("task {} names an issue that the plan does not have: {}", task.id, join(&unknown));
            let hint = "name an issue of this plan";
            found.push(
                PlanFinding::error("task.unknown_issue", message, hint).tasks(&[task.id]).issues(&unknown),
            );
        }
    }
}

/// Every owner is an agent of the catalogue or Lead (NX-265, NX-287).
pub(super) fn owners(state: &PlanState, vocabulary: &Vocabulary, found: &mut Found) {
    let known: Vec<&str> = vocabulary.agents.iter().map(|agent| agent.id.as_str()).chain(["lead"]).collect();
    let hint = format!("one of: {}", known.join(", "));
    for task in &state.tasks {
        let finding = match &task.owner {
            None => PlanFinding::warning("owner.missing", format!("task {} has no owner", task.id), &hint),
            Some(owner) if !known.contains(&owner.as_str()) => PlanFinding::error(
                "owner.unknown",
                format!("task {}: nobody is called `{owner}`", task.id),
                &hint,
            ),
            Some(_) => continue,
        };
        found.push(finding.tasks(&[task.id]));
    }
}

/// Dependencies name tasks that exist, and lead in no circle.
pub(super) fn dependencies(state: &PlanState, found: &mut Found) {
    let mut in_circle = BTreeSet::new();
    for task in &state.tasks {
        let unknown: Vec<i64> = task.dep_ids().filter(|id| state.task(*id).is_none()).collect();
        if !unknown.is_empty() {
            let message = format!("task {} waits for tasks that do not exist: {}", task.id, join(&unknown));
            let hint = "it would never be ready: name tasks of this list";
            found.push(PlanFinding::error("deps.unknown", message, hint).tasks(&[task.id]));
        }
        if state.waits_for(task.id, task.id) {
            in_circle.insert(task.id);
        }
    }
    if !in_circle.is_empty() {
        let ids: Vec<i64> = in_circle.into_iter().collect();
        let message = format!("tasks wait for each other in a circle: {}", join(&ids));
        let hint = "none of them would ever be ready: take one dependency away";
        found.push(PlanFinding::error("deps.cycle", message, hint).tasks(&ids));
    }
}

/// No two tasks change one file at the same time (NX-290, NX-312).
pub(super) fn overlaps(state: &PlanState, vocabulary: &Vocabulary, found: &mut Found) {
    let mut by_file: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for task in state.tasks.iter().filter(|task| task.is_open() && changes_files(task, vocabulary)) {
        for file in target_files(task).into_iter().filter(|file| !is_generated(file)) {
            by_file.entry(file).or_default().push(task.id);
        }
    }
    for (file, ids) in by_file {
        let parallel: Vec<i64> = ids
            .iter()
            .copied()
            .filter(|one| ids.iter().any(|other| other != one && !state.is_sequenced(*one, *other)))
            .collect();
        if !parallel.is_empty() {
            let message = format!("tasks {} change `{file}` and none waits for the other", join(&parallel));
            let hint = "make one task of them (same_file_bundle in its context), or link them by deps";
            found.push(PlanFinding::error("files.overlap", message, hint).tasks(&parallel));
        }
    }
}

/// An agent that carries `no_file_edit` changes none.
fn changes_files(task: &Task, vocabulary: &Vocabulary) -> bool {
    let agent = vocabulary.agent(task.owner());
    !agent.is_some_and(|agent| agent.capabilities.iter().any(|capability| capability == "no_file_edit"))
}

/// Work of one owner for one issue is split from three independent results on; thinking is split by domain only.
pub(super) fn splits(state: &PlanState, found: &mut Found) {
    let mut groups: BTreeMap<(Vec<i64>, &str), Vec<&Task>> = BTreeMap::new();
    for task in state.tasks.iter().filter(|task| task.is_open() && !task.issue_ids().is_empty()) {
        groups.entry((task.issue_ids(), task.owner())).or_default().push(task);
    }
    for ((issues, owner), tasks) in groups {
        let is_parallel = |task: &&Task| {
            tasks.iter().any(|other| other.id != task.id && !state.is_sequenced(task.id, other.id))
        };
        let parallel: Vec<&Task> = tasks.iter().copied().filter(is_parallel).collect();
        let ids: Vec<i64> = parallel.iter().map(|task| task.id).collect();
        let finding = match owner {
            "engineer" | "writer" | "researcher" if too_few(&parallel) => PlanFinding::warning(
                "split.too_few",
                format!("tasks {} of `{owner}` are fewer than three independent results", join(&ids)),
                "one task is enough; from three independent results on, splitting pays",
            ),
            "architect" | "designer" | "strategist" | "postdoc" if parallel.len() > 1 => {
                PlanFinding::warning(
                    "split.same_domain",
                    format!("tasks {} ask `{owner}` about one issue more than once", join(&ids)),
                    "one session knows more than two: ask once, or ask agents of different domains",
                )
            }
            _ => continue,
        };
        found.push(finding.tasks(&ids).issues(&issues));
    }
}

fn too_few(tasks: &[&Task]) -> bool {
    if tasks.len() < 2 || tasks.iter().any(|task| task.records("docs_only.independent")) {
        return false;
    }
    let mut results = BTreeSet::new();
    for task in tasks {
        let files = target_files(task);
        match counted(&files).as_slice() {
            // What is not known by a file is one result of its own.
            [] => drop(results.insert(format!("task {}", task.id))),
            known => results.extend(known.iter().map(|file| (*file).to_owned())),
        }
    }
    results.len() < 3
}

/// Verification where it is wanted, linked to what it verifies, and none where it is not (NX-288).
pub(super) fn pairs(state: &PlanState, found: &mut Found) {
    for task in state.tasks.iter().filter(|task| !pairing::is_verification(task)) {
        let linked: Vec<&Task> = state
            .tasks
            .iter()
            .filter(|other| pairing::is_verification(other) && other.dep_ids().any(|dep| dep == task.id))
            .collect();
        match pairing::of(task) {
            Pairing::Wanted(agent) if !linked.iter().any(|other| other.owner() == agent) => {
                found.push(missing(state, task, agent));
            }
            Pairing::Unwanted(reason) => found.extend(unwanted(state, task, &linked, reason)),
            Pairing::Wanted(_) | Pairing::Free(_) => {}
        }
    }
}

/// A verification of the same issue that is linked to nothing is probably the one that is missed.
fn missing(state: &PlanState, task: &Task, agent: &'static str) -> PlanFinding {
    let loose = state.tasks.iter().find(|other| {
        other.owner() == agent
            && other.issue_ids() == task.issue_ids()
            && !other.dep_ids().any(|dep| state.task(dep).is_some())
    });
    match loose {
        Some(other) => {
            let message =
                format!("task {} ({agent}) is not linked to task {}, which it verifies", other.id, task.id);
            let hint =
                format!("add it with deps [{}]: it would start before there is something to verify", task.id);
            PlanFinding::error("pairing.unlinked", message, &hint).tasks(&[task.id, other.id])
        }
        None => {
            let message = format!("task {} ({}) has no {agent} task behind it", task.id, task.owner());
            let hint = format!("add a task of `{agent}` with deps [{}]", task.id);
            PlanFinding::error("pairing.missing", message, &hint).tasks(&[task.id])
        }
    }
}

fn unwanted(state: &PlanState, task: &Task, linked: &[&Task], reason: &str) -> Option<PlanFinding> {
    // A verification that also looks at something else is there for that.
    let alone = |other: &&&Task| {
        let mut deps = other.dep_ids().filter_map(|dep| state.task(dep));
        deps.all(|dep| matches!(pairing::of(dep), Pairing::Unwanted(_)))
    };
    let other = linked.iter().find(alone)?;
    let message = format!("task {} verifies task {}: {reason}", other.id, task.id);
    let hint = "leave the verification out, or say in the acceptance what is to be verified";
    let finding = match task.owner() {
        "researcher" => PlanFinding::error("pairing.unwanted", message, hint),
        _ => PlanFinding::warning("pairing.unwanted", message, hint),
    };
    Some(finding.tasks(&[task.id, other.id]))
}

/// Exceptions that apply are recorded, and those that are recorded exist and apply (NX-310 to NX-314).
pub(super) fn exceptions(state: &PlanState, vocabulary: &Vocabulary, found: &mut Found) {
    for task in &state.tasks {
        let known = |id: &str| vocabulary.task_exceptions.iter().any(|exception| exception.id == id);
        for id in claimed(task).into_iter().filter(|id| !known(id)) {
            let message = format!("task {} records the exception `{id}`, which does not exist", task.id);
            let ids: Vec<&str> =
                vocabulary.task_exceptions.iter().map(|exception| exception.id.as_str()).collect();
            let hint = format!("one of: {}", ids.join(", "));
            found.push(PlanFinding::error("exception.unknown", message, &hint).tasks(&[task.id]));
        }
        if !pairing::is_verification(task) {
            found.extend(exceptions_of(task).map(|finding| finding.tasks(&[task.id])));
        }
    }
}

/// The ids that a context claims: behind `exception:`, or of a family that is known.
fn claimed(task: &Task) -> Vec<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '.';
    let clean =
        |word: &str| word.trim_matches(|character| !is_part(character)).trim_end_matches('.').to_owned();
    let listed = task.context.lines().filter_map(|line| {
        let (key, list) = line.trim().split_once(':')?;
        ["exception", "exceptions", "task_exception"]
            .contains(&key.trim().to_ascii_lowercase().as_str())
            .then_some(list)
    });
    let mut ids: Vec<String> = listed.flat_map(|list| list.split([',', ' '])).map(clean).collect();
    let family = task.context.split_whitespace().map(clean).filter(|word| word.starts_with("docs_only"));
    ids.extend(family);
    ids.retain(|id| !id.is_empty());
    ids.sort();
    ids.dedup();
    ids
}

fn exceptions_of(task: &Task) -> impl Iterator<Item = PlanFinding> {
    let files = target_files(task);
    let (own, generated) = (counted(&files), files.iter().filter(|file| is_generated(file)).count());
    let (coherent, independent) = (task.records("docs_only.coherent"), task.records("docs_only.independent"));
    let is_docs = !own.is_empty() && own.iter().all(|file| is_document(file));
    let unrecorded = |id: &str, why: &str| {
        let message = format!("task {}: {why}, and `{id}` does not stand in its context", task.id);
        PlanFinding::warning("exception.unrecorded", message, "write the id into the context")
    };
    let misapplied = |id: &str, why: &str| {
        let message = format!("task {} records `{id}`, but {why}", task.id);
        PlanFinding::warning(
            "exception.misapplied",
            message,
            "take the id out of the context, or correct the task",
        )
    };
    let bundle = task.records("same_file_bundle");
    let cases = [
        (is_docs && own.len() > 1 && !coherent && !independent && !bundle)
            .then(|| unrecorded("docs_only.coherent", "it changes several documents and nothing else")),
        (generated > 0 && !task.records("generated_artifacts"))
            .then(|| unrecorded("generated_artifacts", "some of its files are generated")),
        (generated > 0 && own.is_empty()).then(|| {
            let message = format!("task {} has nothing but generated files", task.id);
            let hint = "leave it out: they are committed with the task that makes them";
            PlanFinding::warning("generated.counted", message, hint)
        }),
        ((coherent || independent) && !own.is_empty() && !is_docs).then(|| {
            misapplied(
                if coherent { "docs_only.coherent" } else { "docs_only.independent" },
                "not all of its files are documents",
            )
        }),
        (task.records("generated_artifacts") && !files.is_empty() && generated == 0)
            .then(|| misapplied("generated_artifacts", "none of its files is generated")),
        (coherent && task.approach.as_deref().is_none_or(|approach| approach.trim().is_empty())).then(|| {
            let message =
                format!("task {} claims docs_only.coherent and does not say what holds it together", task.id);
            PlanFinding::warning(
                "exception.unclaimed",
                message,
                "say in the approach which common change it is",
            )
        }),
    ];
    cases.into_iter().flatten()
}

fn join(ids: &[i64]) -> String {
    ids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
