//! A process for the kill tests to run and to kill: `workspace_child FOLDER NAME COUNT` calls COUNT operations at random
//! and prints a line for each one that was acknowledged.

#![expect(clippy::print_stdout, reason = "its output is what the tests read")]

use mi_model::Timestamp;
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::{error::Error, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, name, count] = arguments.as_slice() else {
        return Err("usage: workspace_child FOLDER NAME COUNT".into());
    };
    let mut worker = Worker {
        workspace: Workspace::new(Layout::new(folder)),
        name: name.clone(),
        chance: name.bytes().fold(0x9e37_79b9_7f4a_7c15, |hash, byte| hash.rotate_left(9) ^ u64::from(byte)),
        step: 0,
        added: Vec::new(),
    };
    for _ in 0..count.parse::<u64>()? {
        worker.act()?;
    }
    println!("end");
    Ok(())
}

struct Worker {
    workspace: Workspace,
    name: String,
    chance: u64,
    step: u64,
    /// Our own tasks that may still be open: token and id.
    added: Vec<(String, Value)>,
}

impl Worker {
    fn act(&mut self) -> Result<(), Box<dyn Error>> {
        self.step += 1;
        let token = format!("{}-{}", self.name, self.step);
        let length = usize::try_from(self.random() % 300)?;
        match self.random() % 100 {
            0..60 => {
                let arguments =
                    json!({"title": token, "context": "x".repeat(1 + length), "owner": self.name});
                let answer = self.call(Tool::TaskAdd, &arguments)?;
                self.added.push((token.clone(), answer["task"]["id"].clone()));
                self.told("add", &token)
            }
            60..75 => self.complete(),
            75..80 => {
                self.call(
                    Tool::PlanStart,
                    &json!({"topic": token, "issues": ["a"], "research_summary": "r"}),
                )?;
                self.told("plan", &token)
            }
            80..85 => match self.call(Tool::PlanDecide, &json!({"issue_id": 1, "decision": token})) {
                // The other process may have closed the cycle.
                Err(error) if error.to_string() == "No active plan session" => Ok(()),
                decided => decided.map(drop),
            },
            85..87 => {
                self.call(Tool::TaskClose, &json!({}))?;
                self.added.clear();
                self.told("close", &token)
            }
            87..92 => {
                self.call(
                    Tool::ArtifactWrite,
                    &json!({"filename": format!("{token}.md"), "content": token}),
                )?;
                self.told("artifact", &token)
            }
            _ => {
                for tool in [Tool::TaskList, Tool::PlanStatus, Tool::HistorySearch, Tool::Context] {
                    self.call(tool, &json!({}))?;
                }
                self.told("read", &token)
            }
        }
    }

    /// Completes one of our own tasks, unless the list was closed and the id is another's now.
    fn complete(&mut self) -> Result<(), Box<dyn Error>> {
        let Some((token, id)) = self.added.pop() else { return Ok(()) };
        match self.call(Tool::TaskUpdate, &json!({"id": id, "status": "completed"})) {
            Ok(answer) if answer["task"]["title"] == *token => self.told("done", &token),
            _ => Ok(()),
        }
    }

    fn call(&self, tool: Tool, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        let now = Timestamp::from_millis(1_790_000_000_000 + i64::try_from(self.step)?);
        Ok(self.workspace.call(tool, arguments, now)?)
    }

    fn told(&self, what: &str, token: &str) -> Result<(), Box<dyn Error>> {
        Ok(std::io::stdout().write_all(format!("{what} {token}\n").as_bytes())?)
    }

    fn random(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
    }
}
