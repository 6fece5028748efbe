//! The part of judging that a protocol takes over: what the batch showed, and what comes next.

use mi_model::{DecidedBy, record::QuestionPurpose};

use super::Judging;
use crate::{
    message::Command,
    protocol::{Director, Next},
    run::{Move, Run, Verdict},
};

impl Judging {
    /// Tells the protocol, if the run follows one, what the batch showed.
    pub(super) fn observe(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Option<Verdict> {
        let mut director = run.director.take()?;
        director.observe(&self.report, &run.setup.criteria, &run.proof, out);
        run.director = Some(director);
        None
    }

    /// What the protocol says comes next.
    pub(super) fn direct(
        &mut self,
        run: &mut Run,
        mut director: Box<Director>,
        out: &mut Vec<Command>,
    ) -> Verdict {
        let criteria = &run.setup.criteria;
        let is_proven = director.is_task_proven(criteria, &run.proof);
        let next = director.advance(&self.report, is_proven, out);
        let relevant = director.relevant(criteria, &run.proof);
        run.director = Some(director);
        match next {
            Next::Work { input, reason, by } => {
                Verdict::Send(Move { input, reason, decided_by: by, cites: Vec::new() })
            }
            Next::Read(sources) => Verdict::ReadEvidence { sources },
            Next::Ask { question, why } => {
                Verdict::AskPerson { question, purpose: QuestionPurpose::NextMove, why }
            }
            Next::Prove { why } => self.unproven(run, &why, DecidedBy::Rules("protocol.unproven".to_owned())),
            Next::End { status, reason, by } => {
                run.proof = relevant;
                Verdict::Stop { status, reason, decided_by: by, cites: Vec::new() }
            }
        }
    }
}
