//! The live view of a run: one line per thing that matters, to standard error; the result to standard output.

use mi_autopilot::RunEvent;
use mi_formats::{AgentEvent, Phase};
use mi_model::{
    RunId,
    record::{Entry, ProtocolStep},
};
use serde_json::Value;
use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use super::{
    record,
    style::{Look, columns},
};

const SPINNER: [&str; 4] = ["·", "•", "●", "•"];
const REDRAW: Duration = Duration::from_millis(250);

/// Draws a run as it happens; on a terminal with a status line that moves.
pub struct LiveView {
    board: Arc<Mutex<Board>>,
}

struct Board {
    look: Look,
    /// Whether what was sent and found is shown too.
    verbose: bool,
    drawn: bool,
    over: bool,
    /// While the person types an answer.
    paused: bool,
    doing: String,
    batch: String,
    tokens: u64,
    ticks: u64,
}

impl LiveView {
    /// A view on standard error; `terminal` says that a line may be wiped and drawn again.
    pub fn start(look: Look, terminal: bool, verbose: bool) -> Self {
        let board = Board {
            look,
            verbose,
            drawn: false,
            over: false,
            paused: false,
            doing: String::new(),
            batch: String::new(),
            tokens: 0,
            ticks: 0,
        };
        let board = Arc::new(Mutex::new(board));
        if terminal {
            let ticking = Arc::clone(&board);
            thread::spawn(move || {
                loop {
                    thread::sleep(REDRAW);
                    let mut board = lock(&ticking);
                    if board.over {
                        return;
                    }
                    if !board.paused {
                        drop(board.tick());
                    }
                }
            });
        }
        Self { board }
    }

    /// Shows one event. A closed terminal is no error.
    pub fn show(&self, event: &RunEvent) {
        let mut board = lock(&self.board);
        let result = match event {
            RunEvent::Recorded { run_id, entry, .. } => board.recorded(run_id, entry),
            RunEvent::Agent { event, .. } => board.agent(event),
            RunEvent::CounterChecking { progress, .. } => {
                board.doing = progress.to_string();
                Ok(())
            }
            RunEvent::AskingMind { prompt, .. } => {
                board.doing = format!("asking the mind: {prompt}");
                Ok(())
            }
        };
        drop(result);
    }

    /// Wipes the status line for good.
    pub fn clear(&self) {
        let mut board = lock(&self.board);
        board.over = true;
        board.wipe();
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
    fn wipe(&mut self) {
        if self.drawn {
            drop(write!(io::stderr(), "\r\x1b[2K"));
            self.drawn = false;
        }
    }

    fn recorded(&mut self, run_id: &RunId, entry: &Entry) -> io::Result<()> {
        self.paused = matches!(entry, Entry::Question(_));
        if self.paused {
            self.wipe();
        }
        let text = record::sentence(entry);
        let mark = match entry {
            Entry::RunStarted(run) => {
                let task = self.look.strong(&self.look.one_line(&run.task, 40));
                return self.line(&format!("mi  {task}  {}", self.look.faint(&format!("run {run_id}"))));
            }
            Entry::CodexInput(input) => {
                self.batch = input.batch_id.to_string();
                self.doing = "starting the agent".to_owned();
                let head = self.look.strong(&format!("[{}]", input.batch_id));
                self.line(&format!("{head} → {}", self.look.one_line(&input.input, 8)))?;
                if self.verbose {
                    for sent in input.light_injection.lines().chain(input.input.lines()) {
                        self.line(&format!(
                            "  {} {}",
                            self.look.faint("sent    "),
                            self.look.harmless(sent)
                        ))?;
                    }
                }
                return Ok(());
            }
            Entry::EvidenceItem(item) => {
                self.tokens += item.usage.total();
                "  evidence "
            }
            Entry::RiskEvent(_) => "  risk     ",
            Entry::AutoAnswer(_) => "  answer   ",
            Entry::Decision(_) => "  decision ",
            Entry::LoopGuard(_) => "  loop     ",
            Entry::Interrupt(_) => "  stopped  ",
            Entry::Learned(_) => "  learned  ",
            Entry::Note(_) => "  note     ",
            Entry::Protocol(step) if !self.verbose && is_routine(step) => return Ok(()),
            Entry::ProtocolEvidence(_) if !self.verbose => return Ok(()),
            Entry::Protocol(_) | Entry::ProtocolEvidence(_) => "  protocol ",
            Entry::MindCall(call) if !call.ok => {
                let error = call.error.clone().unwrap_or_default();
                let text =
                    self.look.bad(&format!("{} could not answer {}: {error}", call.provider, call.prompt));
                return self.line(&format!("  mind     {text}"));
            }
            Entry::MindCall(_) => "  mind     ",
            Entry::Overlay(_) => "  project  ",
            Entry::CounterCheck(_) => "  counter  ",
            Entry::NotVerified(_) => "  box      ",
            Entry::Accepted(_) => "  accepted ",
            Entry::CheckPlan(_) if !self.verbose => return Ok(()),
            Entry::CheckPlan(_) => "  checks   ",
            Entry::Question(_) | Entry::UserInput(_) | Entry::RunFinished(_) => return Ok(()),
        };
        let text = record::paint(entry, &self.look.one_line(&text, mark.len()), &self.look);
        self.line(&format!("{}{text}", self.look.faint(mark)))?;
        if self.verbose
            && let Entry::EvidenceItem(item) = entry
        {
            for fact in item.facts.iter().chain(&item.unknowns) {
                self.line(&format!("           {}", self.look.faint(&self.look.one_line(fact, 11))))?;
            }
        }
        Ok(())
    }

    fn agent(&mut self, event: &AgentEvent) -> io::Result<()> {
        match event {
            AgentEvent::CommandStarted { command, .. } => {
                self.doing = format!("$ {command}");
                Ok(())
            }
            AgentEvent::CommandFinished { command, exit_code, .. } => {
                let exit = match exit_code {
                    Some(0) => self.look.good("ok"),
                    Some(code) => self.look.bad(&format!("exit {code}")),
                    None => self.look.warn("no exit code"),
                };
                let command = self.look.one_line(command, 24);
                self.line(&format!("  {} $ {command}  {exit}", self.look.faint("agent   ")))
            }
            AgentEvent::FilesChanged { changes, phase: Phase::Completed, .. } => {
                let names: Vec<&str> = changes.iter().map(|change| base_name(&change.path)).collect();
                let names = self.look.one_line(&names.join(", "), 20);
                self.line(&format!("  {} edits {names}", self.look.faint("agent   ")))
            }
            AgentEvent::Message { text } => {
                let text = self.look.one_line(text, 14);
                self.line(&format!("  {} \"{text}\"", self.look.faint("agent   ")))
            }
            AgentEvent::TurnEnded { .. } => {
                self.doing = "judging".to_owned();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn tick(&mut self) -> io::Result<()> {
        self.ticks += 1;
        let spinner = SPINNER[usize::try_from(self.ticks % 4).unwrap_or(0)];
        let seconds = self.ticks * REDRAW.as_millis() as u64 / 1000;
        let status = format!(
            "{spinner} {}:{:02}  {}  {} tokens  ",
            seconds / 60,
            seconds % 60,
            self.batch,
            self.tokens
        );
        let doing = self.look.one_line(&self.doing, columns(&status) + 1);
        self.drawn = true;
        write!(io::stderr(), "\r\x1b[2K{}{}", self.look.faint(&status), self.look.harmless(&doing))
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.wipe();
        writeln!(io::stderr(), "{}", self.look.harmless(text))
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// An event of a protocol that nobody needs to see: allowed, without a remark, and not a move.
fn is_routine(step: &ProtocolStep) -> bool {
    let is_move = step.protocol_event.get("type").and_then(Value::as_str) == Some("transition");
    let is_allowed = step.verdict.get("allowed").and_then(Value::as_bool) == Some(true);
    is_allowed && !is_move && step.verdict.get("action").is_none()
}
