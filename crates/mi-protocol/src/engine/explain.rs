//! The parts of a guard, each with its own answer: which of them kept the edge closed.

use super::{Engine, Seen, Verdict};
use crate::protocol::{ExprId, Protocol};

impl Engine {
    /// Adds one line per part of a conjunction.
    pub(super) fn conjuncts(&self, protocol: &Protocol, expr: ExprId, seen: Seen<'_>, verdict: &mut Verdict) {
        let expression = &protocol.expressions[expr];
        for (text, result) in expression.checked.parts(&expression.text, self.facts(&seen)) {
            let word = match result {
                Ok(true) => "holds".to_owned(),
                Ok(false) => "fails".to_owned(),
                Err(fault) => format!("fails, {fault}"),
            };
            verdict.trace.push(format!("  {word}: {text}"));
        }
    }
}
