//! A run that would be done, and a check in the box that says otherwise.

use mi_model::{
    DecidedBy, RunStatus,
    record::{Entry, NextAction, NotVerified, QuestionPurpose},
};

use super::{Move, Run, record};
use crate::{message::Command, protocol::Next};

impl Run {
    /// What the check in the box said goes to the agent as its next input. A protocol says in which phase: it has not
    /// ended then.
    pub(super) fn not_verified(&mut self, why: &str, out: &mut Vec<Command>) {
        let Some(done) = self.done.take() else { return };
        let reason = format!("the box did not verify it: {why}");
        out.push(record(Entry::NotVerified(NotVerified { batch_id: self.batch_id(), why: why.to_owned() })));
        let told = format!(
            "Before calling this done, the check was run once more on the files as they are, in a sealed box without \
             network, and it did not pass:\n\n{why}\n\nFind out why, correct it, and run the check again."
        );
        let batch = self.batch_id();
        let input = match self.director.as_mut().map(|director| director.not_verified(&batch, &told, out)) {
            None => told,
            Some(Next::Work { input, .. }) => input,
            Some(Next::Ask { question, .. }) => {
                return self.ask_person(None, question, QuestionPurpose::NextMove, reason, out);
            }
            Some(Next::End { .. } | Next::Read(_) | Next::Prove { .. }) => {
                let stop = Move { input: told, reason: reason.clone(), ..by_the_box() };
                out.push(self.decision(NextAction::Stop, RunStatus::Blocked, &stop));
                return self.finish(RunStatus::Blocked, &reason, out);
            }
        };
        self.send(&done.last_message, Move { input, reason, ..by_the_box() }, out);
    }
}

/// A move that is made because of a check in the box.
fn by_the_box() -> Move {
    Move {
        input: String::new(),
        reason: String::new(),
        decided_by: DecidedBy::Rules("verify.box".to_owned()),
        cites: Vec::new(),
    }
}
