//! `workspace_speed`: what the operations cost on this disk: adding tasks, and how that grows; searching the history.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people that reads the clock"
)]

use mi_model::Timestamp;
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::{error::Error, fs, io::Write, path::Path, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let here = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    adding(Path::new(&here))?;
    for cycles in [5_000, 100_000] {
        searching(Path::new(&here), cycles)?;
    }
    Ok(())
}

fn adding(here: &Path) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(here)?;
    let workspace = Workspace::new(Layout::new(folder.path()));
    let (mut from, mut done) = (Instant::now(), 0);
    for upto in [1_000, 2_000, 5_000, 10_000] {
        for number in done..upto {
            call(
                &workspace,
                Tool::TaskAdd,
                &json!({"title": format!("Task {number}"), "context": "why it is needed, in a sentence or two of plain text"}),
            )?;
        }
        let each = from.elapsed().as_secs_f64() * 1000.0 / f64::from(upto - done);
        println!("task_add {done:>6} to {upto:>6} open tasks: {each:.3} ms each");
        (from, done) = (Instant::now(), upto);
    }
    let from = Instant::now();
    call(&workspace, Tool::TaskUpdate, &json!({"id": 5_000, "status": "completed"}))?;
    println!("task_update among 10000: {:.1} ms", from.elapsed().as_secs_f64() * 1000.0);
    Ok(())
}

fn searching(here: &Path, cycles: u32) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(here)?;
    let path = folder.path().join(".nexus/history.json");
    fs::create_dir_all(folder.path().join(".nexus"))?;
    let mut file = std::io::BufWriter::new(fs::File::create(&path)?);
    file.write_all(b"{\"cycles\":[")?;
    for number in 1..=cycles {
        let issue = json!({"id": 1, "title": format!("Issue {number}"), "status": "decided", "decision": "Keep it simple and measure first"});
        let task = json!({"id": 1, "title": format!("Task {number}"), "context": "why it is needed, in a sentence or two", "status": "completed", "deps": []});
        let plan = json!({"id": number, "topic": format!("Topic {number}"), "issues": [issue, issue, issue], "research_summary": "What was read and found", "created_at": "2026-01-01T00:00:00Z"});
        let cycle = json!({"schema_version": "0.5", "completed_at": "2026-01-01T00:00:00Z", "branch": "main", "plan": plan, "tasks": [task, task, task]});
        write!(file, "{}{cycle}", if number > 1 { "," } else { "" })?;
    }
    file.write_all(b"]}")?;
    file.into_inner()?.sync_all()?;
    let megabytes = fs::metadata(&path)?.len() / 1_000_000;
    println!("history of {cycles} cycles, {megabytes} MB");
    let workspace = Workspace::new(Layout::new(folder.path()));
    let timed = |name: &str, tool: Tool, arguments: Value| -> Result<(), Box<dyn Error>> {
        let from = Instant::now();
        call(&workspace, tool, &arguments)?;
        println!("  {name}: {:.2} ms", from.elapsed().as_secs_f64() * 1000.0);
        Ok(())
    };
    for _ in 0..2 {
        timed("search, no match", Tool::HistorySearch, json!({"query": "no such text anywhere"}))?;
    }
    timed("search, all match", Tool::HistorySearch, json!({"query": "KEEP it simple"}))?;
    timed("first task_add", Tool::TaskAdd, json!({"title": "t", "context": "c"}))?;
    timed("second task_add", Tool::TaskAdd, json!({"title": "t", "context": "c"}))?;
    timed("plan_start", Tool::PlanStart, json!({"topic": "t", "issues": ["a"], "research_summary": ""}))?;
    timed("task_close", Tool::TaskClose, json!({}))?;
    timed("task_close again", Tool::TaskClose, json!({}))
}

fn call(workspace: &Workspace, tool: Tool, arguments: &Value) -> Result<Value, Box<dyn Error>> {
    Ok(workspace.call(tool, arguments, Timestamp::from_millis(1_790_000_000_000))?)
}
