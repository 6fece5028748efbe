//! The live view of a run: one line per thing that matters, to standard error; the result to standard output.

use mi_autopilot::RunEvent;
use mi_formats::{AgentEvent, Phase};
use mi_model::record::{Entry, Record};
use std::io::{self, Write};

use super::{record, style::Look};

/// Draws a run as it happens.
pub struct LiveView<W: Write> {
    out: W,
    look: Look,
    /// Whether a status line may be drawn and wiped.
    terminal: bool,
    /// Whether what was sent and found is shown too.
    verbose: bool,
    drawn: bool,
    doing: String,
    turn: usize,
}

const SPINNER: [&str; 4] = ["·", "•", "●", "•"];

impl<W: Write> LiveView<W> {
    pub fn new(out: W, look: Look, terminal: bool, verbose: bool) -> Self {
        Self { out, look, terminal, verbose, drawn: false, doing: String::new(), turn: 0 }
    }

    /// Shows one event. A closed terminal is no error.
    pub fn show(&mut self, event: &RunEvent) {
        let result = match event {
            RunEvent::Recorded(record) => self.recorded(record),
            RunEvent::Agent { event, .. } => self.agent(event),
            RunEvent::AskingMind { prompt, .. } => {
                self.doing = format!("asking the mind: {prompt}");
                Ok(())
            }
            RunEvent::Tick { elapsed_ms, tokens, batch } => self.tick(*elapsed_ms, *tokens, *batch),
        };
        drop(result);
    }

    /// Wipes the status line, so that something else can be printed.
    pub fn clear(&mut self) {
        if self.drawn {
            drop(write!(self.out, "\r\x1b[2K"));
            drop(self.out.flush());
            self.drawn = false;
        }
    }

    fn recorded(&mut self, record: &Record) -> io::Result<()> {
        let entry = &record.entry;
        let text = record::sentence(entry);
        let mark = match entry {
            Entry::RunStarted(run) => {
                let line = format!("mi  {}  run {}", self.look.strong(&self.look.one_line(&run.task, 40)), record.frame.run_id.as_ref().map_or("", |id| id.as_str()));
                return self.line(&line);
            }
            Entry::CodexInput(input) => {
                let head = self.look.strong(&format!("[{}]", input.batch_id));
                return self.line(&format!("{head} → {}", self.look.one_line(&input.input, 8)));
            }
            Entry::EvidenceItem(_) => "  evidence ",
            Entry::RiskEvent(_) => "  risk     ",
            Entry::AutoAnswer(_) => "  answer   ",
            Entry::Decision(_) => "  decision ",
            Entry::LoopGuard(_) => "  loop     ",
            Entry::Interrupt(_) => "  stopped  ",
            Entry::Learned(_) => "  learned  ",
            Entry::Note(_) => "  note     ",
            Entry::MindCall(_) => "  mind     ",
            Entry::Overlay(_) => "  project  ",
            Entry::CheckPlan(_) if !self.verbose => return Ok(()),
            Entry::CheckPlan(_) => "  checks   ",
            Entry::Question(_) | Entry::UserInput(_) | Entry::RunFinished(_) => return Ok(()),
        };
        let text = record::paint(entry, &self.look.one_line(&text, mark.len()), &self.look);
        self.line(&format!("{}{text}", self.look.faint(mark)))?;
        if self.verbose && let Entry::EvidenceItem(item) = entry {
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

    fn tick(&mut self, elapsed_ms: u64, tokens: u64, batch: u32) -> io::Result<()> {
        if !self.terminal {
            return Ok(());
        }
        self.turn = (self.turn + 1) % SPINNER.len();
        let seconds = elapsed_ms / 1000;
        let status = format!("{} {}:{:02}  b{batch}  {tokens} tokens  ", SPINNER[self.turn], seconds / 60, seconds % 60);
        let doing = self.look.one_line(&self.doing, status.chars().count() + 1);
        write!(self.out, "\r\x1b[2K{}{doing}", self.look.faint(&status))?;
        self.drawn = true;
        self.out.flush()
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.clear();
        writeln!(self.out, "{text}")
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
