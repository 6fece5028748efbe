//! Starts two workers on one project, kills them at random, and checks what is left.

use mi_model::Timestamp;
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt, fs,
    io::Read,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

const WORKERS: usize = 2;

/// What happened.
pub struct Report {
    pub acknowledged: u64,
    pub kills: u64,
    pub cycles: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { acknowledged, kills, cycles } = self;
        write!(
            f,
            "{acknowledged} operations acknowledged by {WORKERS} processes, {kills} kills, {cycles} cycles archived: 0 lost, 0 files invalid"
        )
    }
}

/// Works until `wanted` operations were acknowledged. An error says what was lost or is invalid.
pub fn kill_and_check(program: &Path, folder: &Path, wanted: u64) -> Result<Report, Box<dyn Error>> {
    let (mut output, mut chance, mut kills, mut round) = (String::new(), 0x2545_f491_4f6c_dd1d, 0, 0_u64);
    while (output.lines().count() as u64) < wanted {
        round += 1;
        let start = |worker| spawn(program, folder, &format!("w{worker}r{round}"));
        let mut workers = (0..WORKERS).map(start).collect::<Result<Vec<Child>, _>>()?;
        for worker in &mut workers {
            thread::sleep(Duration::from_micros(5_000 + random(&mut chance) % 120_000));
            worker.kill()?;
            kills += 1;
        }
        for mut worker in workers {
            let mut text = String::new();
            worker.stdout.take().ok_or("no pipe")?.read_to_string(&mut text)?;
            worker.wait()?;
            if text.contains("end\n") {
                return Err("a worker came to its end before it was killed".into());
            }
            // A line that was cut by the kill was not acknowledged.
            output.push_str(&text[..text.rfind('\n').map_or(0, |end| end + 1)]);
        }
        valid(folder)?;
    }
    let cycles = nothing_lost(folder, &output)?;
    Ok(Report { acknowledged: output.lines().count() as u64, kills, cycles })
}

#[expect(clippy::disallowed_methods, reason = "a process that can be killed without taking this one with it")]
fn spawn(program: &Path, folder: &Path, name: &str) -> std::io::Result<Child> {
    Command::new(program).arg(folder).args([name, "1000000"]).stdout(Stdio::piped()).spawn()
}

/// Every state file that is there is JSON for any reader, right after a kill.
fn valid(folder: &Path) -> Result<(), Box<dyn Error>> {
    for file in [".nexus/state/plan.json", ".nexus/state/tasks.json", ".nexus/history.json"] {
        match fs::read(folder.join(file)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            bytes => {
                serde_json::from_slice::<Value>(&bytes?)
                    .map_err(|error| format!("{file} is invalid: {error}"))?;
            }
        }
    }
    Ok(())
}

/// Closes the last cycle and looks for every acknowledged operation in the history and among the artifacts.
fn nothing_lost(folder: &Path, output: &str) -> Result<usize, Box<dyn Error>> {
    Workspace::new(Layout::new(folder)).call(Tool::TaskClose, &json!({}), Timestamp::from_millis(0))?;
    valid(folder)?;
    let history: Value = serde_json::from_slice(&fs::read(folder.join(".nexus/history.json"))?)?;
    let cycles = history["cycles"].as_array().ok_or("no cycles")?;
    let (mut tasks, mut topics) = (BTreeMap::new(), BTreeSet::new());
    for cycle in cycles {
        topics.extend(cycle["plan"]["topic"].as_str().map(str::to_owned));
        let mut ids = BTreeSet::new();
        for task in cycle["tasks"].as_array().ok_or("no tasks")? {
            if !ids.insert(task["id"].as_u64()) {
                return Err(format!("two tasks with the id {}", task["id"]).into());
            }
            let title = task["title"].as_str().unwrap_or_default().to_owned();
            // A later cycle may hold the same task again: a kill came between archiving and removing.
            tasks.insert(title, task["status"].as_str().unwrap_or_default().to_owned());
        }
    }
    for (what, token) in output.lines().filter_map(|line| line.split_once(' ')) {
        let there = match what {
            "add" => tasks.contains_key(token),
            "done" => tasks.get(token).is_some_and(|status| status == "completed"),
            "plan" => topics.contains(token),
            "artifact" => {
                let file = folder.join(format!(".nexus/state/artifacts/{token}.md"));
                fs::read_to_string(file).is_ok_and(|text| text == token)
            }
            _ => true,
        };
        if !there {
            return Err(format!("`{what} {token}` was acknowledged and is lost").into());
        }
    }
    Ok(cycles.len())
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
