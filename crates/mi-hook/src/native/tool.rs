//! Before and after a tool.

use mi_formats::hooks::{Effect, GateAnswer, Harness, effect_of};
use mi_gate::permission::{Verdict, action_digest};

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
        if effect_of(&action.tool) == Effect::Write {
            problems.extend(work_was_done(&session).err().map(|error| error.to_string()));
        }
        Ok(Said { problems, ..Said::nothing() })
    }
}

/// A session that wrote something has output worth saving (D.12).
fn work_was_done(session: &Session) -> Result<(), crate::gate::SessionError> {
    if session.state()?.output_made == Some(true) {
        return Ok(());
    }
    session.change_state(|state| state.output_made = Some(true))
}
