//! What the contract says about hooks beyond single calls: who owns which file, what survives, what is never done.

use super::hook::Place;
use serde_json::{Value, json};
use std::fs;

const TRACKER: &str = ".nexus/state/h/agent-tracker.json";

/// Names in a folder.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.project.path().join(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A whole session leaves files of registered names in the harness's own folder, none of a tool's, and nothing beside it.
#[test]
fn nx_142_nx_143_nx_144_nx_163_nx_164_files_of_a_session() {
    let place = Place::new();
    place.project.write(".nexus/memory/pattern-x.md", "x");
    place.project.write(".nexus/state/other/agent-tracker.json", "not ours");
    place.hook("session-start", json!({}));
    place.hook("user-message", json!({"message": "[plan] x"}));
    place.hook("agent-spawn", json!({"agent_id": "a", "agent_name": "engineer"}));
    place.hook("post-tool-use", json!({"tool": "Edit", "file_path": "a.rs"}));
    place.hook(
        "memory-read",
        json!({"file_path": ".nexus/memory/pattern-x.md", "reader_identity": "engineer"}),
    );
    assert_eq!(
        names(&place, ".nexus/state/h"),
        ["active-skill.json", "agent-tracker.json", "memory-access.jsonl", "tool-log.jsonl"]
    );
    assert_eq!(names(&place, ".nexus/state"), ["h", "other"]);
    assert_eq!(place.project.read(".nexus/state/other/agent-tracker.json"), "not ours");
    for name in ["agent-tracker.json", "memory-access.jsonl", "tool-log.jsonl"] {
        let path = place.project.path().join(".nexus/state/h").join(name);
        assert_eq!(super::conformance::misfits(&path), Vec::<String>::new());
    }
}

/// An end says that a plan is open; tasks are what Lead says they are, whoever ends (C-11).
#[test]
fn nx_201_nx_212_c_11_nothing_is_completed_by_itself() {
    let place = Place::new();
    let task = json!({"id": 1, "title": "t", "context": "c", "status": "in_progress", "deps": [], "owner": "engineer"});
    let tasks = json!({"goal": "", "decisions": [], "tasks": [task]}).to_string();
    place.project.write(".nexus/state/tasks.json", &tasks);
    let plan = json!({"id": 1, "topic": "Caching", "issues": [{"id": 1, "title": "a", "status": "pending"}]});
    place.project.write(".nexus/state/plan.json", plan.to_string());
    place.hook("agent-spawn", json!({"agent_id": "a", "agent_name": "engineer", "task_id": 1}));
    place.hook("agent-complete", json!({"agent_id": "a"}));
    assert_eq!(place.project.read(".nexus/state/tasks.json"), tasks);
    let warnings = place.hook("session-end", json!({}))["warnings"].to_string();
    assert!(warnings.contains("the plan \\\"Caching\\\" is still open (1 pending)"), "{warnings}");
}

/// After a compaction everything is told again from the disk: skill, plan, tasks with the ready ones, knowledge, agents.
#[test]
fn nx_217_a_compaction_tells_everything_again() {
    let place = Place::new();
    place.hook("session-start", json!({}));
    place.hook("user-message", json!({"message": "[run] go"}));
    place.hook("agent-spawn", json!({"agent_id": "a-7", "agent_name": "engineer"}));
    place.project.write(".nexus/rules/style.md", "x");
    let plan = json!({"id": 1, "topic": "Caching", "issues": [{"id": 1, "title": "Which store?", "status": "pending"}]});
    place.project.write(".nexus/state/plan.json", plan.to_string());
    let task = json!({"id": 4, "title": "Write it", "context": "c", "status": "pending", "deps": []});
    place
        .project
        .write(".nexus/state/tasks.json", json!({"goal": "g", "decisions": [], "tasks": [task]}).to_string());
    let answer = place.hook("context-compact", json!({}));
    let context = answer["additional_context"].as_str().unwrap();
    for part in ["Active skill: nx-run", "Which store?", "Write it", ".nexus/rules/style.md", "engineer"] {
        assert!(context.contains(part), "{part}: {context}");
    }
}

/// Ids and readers are only compared and shown, whatever they look like.
#[test]
fn nx_225_nx_324_ids_are_opaque() {
    let place = Place::new();
    for id in ["../x", "{\"a\": 1}", "名 前", "a\nb", "null"] {
        place.hook("agent-spawn", json!({"agent_id": id, "agent_name": "writer"}));
        place.hook("agent-complete", json!({"agent_id": id}));
        let last = place.json(TRACKER).as_array().unwrap().last().unwrap().clone();
        assert_eq!((&last["agent_id"], &last["status"]), (&json!(id), &json!("completed")));
        place.hook("memory-read", json!({"file_path": ".nexus/memory/pattern-x.md", "reader_identity": id}));
        let line: Value =
            serde_json::from_str(place.project.read(".nexus/state/h/memory-access.jsonl").trim()).unwrap();
        assert_eq!(line["last_agent"], id);
    }
}

/// An agent that no catalogue knows has no tier: it starts anew, always. A read by an agent that was resumed counts again.
#[test]
fn nx_237_nx_326_unknown_tiers_and_repeated_reads() {
    let place = Place::new();
    for (agent, decision) in [("stranger", "fresh"), ("engineer", "resume")] {
        place.hook("agent-spawn", json!({"agent_id": agent, "agent_name": agent}));
        place.hook("agent-complete", json!({"agent_id": agent, "files_touched": [format!("{agent}.rs")]}));
        let wish = json!({"agent_name": agent, "target_files": [format!("{agent}.rs")]});
        assert_eq!(place.hook("agent-spawn", wish)["resume"]["decision"], decision, "{agent}");
    }
    let read = json!({"file_path": ".nexus/memory/pattern-x.md", "reader_identity": "engineer"});
    place.hook("memory-read", read.clone());
    place.hook("agent-resume", json!({"agent_id": "engineer"}));
    assert_eq!(place.hook("memory-read", read)["access_count"], 2);
}
