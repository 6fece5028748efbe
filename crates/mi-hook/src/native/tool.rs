//! Before and after a tool.

use mi_formats::hooks::{Effect, GateAnswer, Harness, effect_of};
use mi_gate::{
    intake::ToolSeen,
    permission::{Verdict, action_digest},
};
use serde_json::{Map, Value};

use super::{NativeCall, Said, said};
use crate::{
    HookError,
    gate::{Asking, Call, Outcome, Records, Session, decide_asking},
};

impl NativeCall<'_> {
    /// Decides, and writes down what was decided before it is said.
    pub(super) fn before_tool(&self) -> Result<Said, HookError> {
        let action = self.action()?;
        let gate = self.gate();
        let Some(session) = self.session() else {
            // There is no place for records: the rules that are left decide.
            let decision = gate.decide(&action, None);
            let problems = gate.take_problems();
            return Ok(Said { answer: self.answer(&decision), problems });
        };
        let asking = match self.harness {
            Harness::Claude => Asking::Agent,
            Harness::Codex | Harness::Opencode => Asking::Nobody,
        };
        let call = Call { action: &action, actor: None, id: self.text("tool_use_id") };
        let ruling = decide_asking(&gate, &session, &call, self.now(), asking);
        let mut problems = ruling.problems;
        if let Some(id) = call.id
            && let Err(error) = session.note_call(id)
        {
            problems.push(error.to_string());
        }
        Ok(Said { answer: self.answer(&ruling.decision), problems })
    }

    fn answer(&self, decision: &mi_gate::permission::Decision) -> GateAnswer {
        match decision.verdict {
            Verdict::Allow => GateAnswer::Allow,
            Verdict::Prompt => GateAnswer::Ask { reason: said::told(self.harness, decision) },
            Verdict::Deny => GateAnswer::Deny { reason: said::told(self.harness, decision) },
        }
    }

    /// Writes down how a tool ended: safe uses of a rule are counted from it.
    pub(super) fn after_tool(&self) -> Result<Said, HookError> {
        let (Some(home), Some(session)) = (self.world.mi_home.as_deref(), self.session()) else {
            return Ok(Said::nothing());
        };
        let action = self.action()?;
        let (_, flat) = mi_formats::hooks::flatten(self.event, self.payload);
        let failed = flat.get("status").is_some_and(|status| status == "error");
        let outcome = if failed { Outcome::Failed } else { Outcome::Done };
        let mut problems = Vec::new();
        let ended = Records::new(home).ended(self.now(), &session.name(), &action_digest(&action), outcome);
        problems.extend(ended.err().map(|error| error.to_string()));
        problems.extend(self.note_work(&session, &flat, failed).err().map(|error| error.to_string()));
        Ok(Said { problems, ..Said::nothing() })
    }

    /// What the tool did, for the next save (D.12): files, tests, the list of tasks.
    fn note_work(
        &self,
        session: &Session,
        flat: &Map<String, Value>,
        failed: bool,
    ) -> Result<(), crate::gate::SessionError> {
        let tool = flat.get("tool").and_then(Value::as_str).unwrap_or_default();
        let is_write = effect_of(tool) == Effect::Write;
        let files: Vec<String> = if is_write { files(flat) } else { Vec::new() };
        let command =
            flat.get("command").and_then(Value::as_str).filter(|_| effect_of(tool) == Effect::Shell);
        let output = command.map(|_| printed(self.payload.get("tool_response"))).unwrap_or_default();
        let (tasks, open_tasks) = tasks(self.payload.get("tool_input")).unzip();
        let seen = ToolSeen {
            command: command.map(|command| (command, output.as_str())),
            files: &files,
            tasks,
            open_tasks: open_tasks.as_deref().unwrap_or_default(),
            failed,
        };
        let old = session.state()?;
        if !old.work.clone().tool(&seen) && (!is_write || failed || old.output_made == Some(true)) {
            return Ok(());
        }
        let now = self.now().as_millis();
        session.change_state(|state| {
            state.work.tool(&seen);
            if is_write && !failed {
                state.output_made = Some(true);
            }
            state.active_ms = Some(now);
        })
    }
}

/// Files of a call, from the project where they lie in it.
fn files(flat: &Map<String, Value>) -> Vec<String> {
    let many = flat.get("files").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let one = flat.get("file_path").and_then(Value::as_str).filter(|_| !flat.contains_key("files"));
    let cwd = flat.get("cwd").and_then(Value::as_str).map(|cwd| format!("{}/", cwd.trim_end_matches('/')));
    let near = |path: &str| {
        let inside = cwd.as_deref().and_then(|cwd| path.strip_prefix(cwd));
        // Paths of the machine go into no shared file (D.10).
        let name = || path.rsplit('/').next().unwrap_or(path);
        inside.unwrap_or(if path.starts_with('/') { name() } else { path }).to_owned()
    };
    many.chain(one).map(near).collect()
}

/// What a command printed, in the form of each agent.
fn printed(response: Option<&Value>) -> String {
    match response {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(fields)) => ["stdout", "stderr", "output"]
            .iter()
            .filter_map(|name| fields.get(*name)?.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

/// A list of tasks as Claude Code (`todos`) and Codex (`plan`) write it: how many are done, of how many, and the others.
fn tasks(input: Option<&Value>) -> Option<((usize, usize), Vec<String>)> {
    let list = input?.get("todos").or_else(|| input?.get("plan"))?.as_array()?;
    let is_done = |task: &&Value| task.get("status").is_some_and(|status| status == "completed");
    let name = |task: &Value| Some(task.get("content").or_else(|| task.get("step"))?.as_str()?.to_owned());
    let open = list.iter().filter(|task| !is_done(task)).filter_map(name).collect();
    Some(((list.iter().filter(is_done).count(), list.len()), open))
}
