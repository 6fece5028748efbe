//! The start of a session leaves a mark; at its stop every tool use must have asked the gate.
//!
//! Holds: the check tells, it never blocks, so it cannot loop; it reads the transcript on from where it stopped before.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use mi_formats::hooks::{Event, GateAnswer, ToolFact, never_hooked, tool_facts};
use mi_gate::intake::{Work, auto_save};
use serde_json::{Value, json};

use super::{NativeCall, Said, Seen, said};
use crate::{
    gate::{Records, Session},
    persona::Keeper,
};

/// The most of a transcript that one stop reads; the next one goes on.
const MOST_BYTES: u64 = 64 << 20;
/// Tool uses that are named.
const MOST_NAMES: usize = 5;

impl NativeCall<'_> {
    pub(super) fn session_start(&self) -> Said {
        let gate = self.gate();
        drop(gate.rule_sets(&self.folder()));
        let mut problems = gate.take_problems();
        if let (Some(home), Some(session)) = (self.world.mi_home.as_deref(), self.session()) {
            let seen = Seen {
                session: session.name(),
                at: self.now(),
                project: self.folder().to_string_lossy().into_owned(),
                unasked: 0,
            };
            problems.extend(seen.write(home, self.harness).err().map(|error| error.to_string()));
        }
        let (booted, status) = self.boot(&mut problems);
        let mut lines = Vec::new();
        if !problems.is_empty() {
            lines.push(format!("mi gate: {}", problems.join("\n")));
        }
        lines.extend(status);
        let person = (!lines.is_empty()).then(|| said::harmless(&lines.join("\n")));
        let mut model = "The mi gate is asked before each tool. A denial names its rule and a way out: follow it, or ask the person; do not look for another way around.".to_owned();
        for problem in &problems {
            model.push_str(&format!("\nTell the person: {problem}"));
        }
        if let Some(booted) = booted {
            model.push_str(&format!("\n\n{booted}"));
        }
        Said {
            answer: GateAnswer::Note { model: Some(said::harmless(&model)), person },
            problems: Vec::new(),
        }
    }

    /// The persona's boot (D.2): what the model is given, and the status line for the person.
    fn boot(&self, problems: &mut Vec<String>) -> (Option<String>, Option<String>) {
        let (Some(keeper), Some(session)) = (self.keeper(problems), self.session()) else {
            return (None, None);
        };
        let (model, person, more) = keeper.boot(&session);
        problems.extend(more);
        (model, person)
    }

    /// The agent waits: what the gate has to say, and an automatic save where one is due (D.12).
    pub(super) fn stop(&self) -> Said {
        let mut said = self.compare();
        if self.event != Event::Stop {
            return said;
        }
        let lines = self.save_when_due(&mut said.problems);
        if !lines.is_empty()
            && let GateAnswer::Note { person, .. } = &mut said.answer
        {
            let lines = said::harmless(&lines.join("\n"));
            *person = Some(person.take().map_or(lines.clone(), |told| format!("{told}\n{lines}")));
        }
        said
    }

    fn save_when_due(&self, problems: &mut Vec<String>) -> Vec<String> {
        let Some(session) = self.session() else { return Vec::new() };
        let answer = self.text("last_assistant_message").unwrap_or_default();
        let now = self.now();
        let mut due = None;
        let known = session.state().is_ok_and(|state| state.in_progress || state.work != Work::default());
        if !known {
            return Vec::new();
        }
        let changed = session.change_state(|state| {
            state.in_progress = false;
            state.active_ms = Some(now.as_millis());
            let events = state.work.reported(answer);
            state.output_made = Some(state.work.has_output());
            due = events.into_iter().find(|event| auto_save(*event, state, now).trigger);
        });
        problems.extend(changed.err().map(|error| error.to_string()));
        match (due, self.keeper(problems)) {
            (Some(event), Some(keeper)) => self.save(&session, &keeper, Some(event), false, problems),
            _ => Vec::new(),
        }
    }

    /// The agent's session is over: its log is written and its slot given back (D.11).
    pub(super) fn session_end(&self) -> Said {
        let mut said = Said::nothing();
        let (Some(keeper), Some(session)) = (self.keeper(&mut said.problems), self.session()) else {
            return said;
        };
        let to_say = |work: &Work| work.has_output() || !work.open_tasks.is_empty();
        if Keeper::has_begun(&session) && session.state().is_ok_and(|state| to_say(&state.work)) {
            self.save(&session, &keeper, None, true, &mut said.problems);
        } else if Keeper::has_begun(&session) {
            said.problems.extend(keeper.leave(&session).err());
        }
        said
    }

    /// Compares the transcript with what the gate was asked.
    fn compare(&self) -> Said {
        let (Some(home), Some(session)) = (self.world.mi_home.as_deref(), self.session()) else {
            return Said::nothing();
        };
        let used = match self.uses(&session) {
            Ok(used) => used,
            Err(error) => {
                let problem =
                    format!("the transcript could not be compared with the gate's records: {error}");
                return Said { problems: vec![problem], ..Said::nothing() };
            }
        };
        let known: BTreeSet<String> = match session.calls() {
            Ok(calls) => calls.into_iter().collect(),
            Err(error) => return Said { problems: vec![error.to_string()], ..Said::nothing() },
        };
        let is_hookable = |tool: &String| !never_hooked(self.harness).contains(&tool.as_str());
        let unasked: Vec<(String, String)> =
            used.into_iter().filter(|(id, tool)| is_hookable(tool) && !known.contains(id)).collect();
        if unasked.is_empty() {
            return Said::nothing();
        }
        let names: Vec<String> =
            unasked.iter().take(MOST_NAMES).map(|(id, tool)| format!("{tool} ({id})")).collect();
        let more = unasked.len().saturating_sub(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let told = said::harmless(&format!(
            "mi gate: {} tool uses of this session did not ask the gate: {}{more}. See `mi hooks status --probe`.",
            unasked.len(),
            names.join(", ")
        ));
        let fields = json!({"session": session.name(), "count": unasked.len(), "uses": names});
        let mut problems = vec![told.clone()];
        problems.extend(
            Records::new(home)
                .person(self.now(), "gate_unasked", fields)
                .err()
                .map(|error| error.to_string()),
        );
        if let Some(seen) = Seen::read(home, self.harness).filter(|seen| seen.session == session.name()) {
            let seen = Seen { unasked: seen.unasked + unasked.len(), ..seen };
            problems.extend(seen.write(home, self.harness).err().map(|error| error.to_string()));
        }
        Said { answer: GateAnswer::Note { model: None, person: Some(told) }, problems }
    }

    /// Tool uses since the last stop, by the agent's own id of the call.
    fn uses(&self, session: &Session) -> std::io::Result<BTreeMap<String, String>> {
        if let Some(list) = self.payload.get("tool_uses").and_then(Value::as_array) {
            let use_of =
                |item: &Value| Some((item["id"].as_str()?.to_owned(), item["name"].as_str()?.to_owned()));
            return Ok(list.iter().filter_map(use_of).collect());
        }
        let field =
            if self.event == Event::AgentComplete { "agent_transcript_path" } else { "transcript_path" };
        let Some(path) = self.text(field) else { return Ok(BTreeMap::new()) };
        let from = session.checked_to(path).unwrap_or(0);
        let (used, to) = self.read_transcript(Path::new(path), from)?;
        session.check_to(path, to).map_err(std::io::Error::other)?;
        Ok(used)
    }

    fn read_transcript(&self, path: &Path, from: u64) -> std::io::Result<(BTreeMap<String, String>, u64)> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        // A shorter transcript is another one.
        let from = if from > length { 0 } else { from };
        file.seek(SeekFrom::Start(from))?;
        let mut reader = BufReader::new(file.take(MOST_BYTES));
        let (mut used, mut to, mut line) = (BTreeMap::new(), from, Vec::new());
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            if read == 0 || line.last() != Some(&b'\n') {
                // A line that is still being written is read next time; one longer than all that is read never ends.
                let endless = read as u64 == MOST_BYTES;
                return Ok((used, if endless { length } else { to }));
            }
            to += read as u64;
            for fact in tool_facts(self.harness, &line) {
                match fact {
                    ToolFact::Used { id, tool } => drop(used.insert(id, tool)),
                    ToolFact::Refused { id } => drop(used.remove(&id)),
                }
            }
        }
    }

    fn folder(&self) -> std::path::PathBuf {
        self.text("cwd").map_or_else(|| self.world.cwd.clone(), |cwd| self.world.cwd.join(cwd))
    }
}
