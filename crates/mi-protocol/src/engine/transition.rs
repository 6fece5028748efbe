//! A transition: guard, policies and trust are all asked, the strictest answer decides; only then sub-phases and
//! invariants.

use super::verdict::{TraceKind, kind_of};
use std::sync::Arc;

use super::{Demand, Detail, Engine, Seen, Verdict, stricter};
use crate::{
    protocol::{Edge, OnFail, Protocol},
    words::{Action, CheckTiming},
};

impl Engine {
    pub(super) fn transition(
        &mut self,
        protocol: &Protocol,
        edge: usize,
        seen: Seen<'_>,
        verdict: &mut Verdict,
    ) {
        let edge = &protocol.edges[edge];
        let guard = self.guard(protocol, edge, seen, verdict);
        let policy = self.policies(protocol, edge, seen, verdict);
        let trust = self.trust(protocol, edge, verdict);
        // At equal strictness policy before trust before guard.
        let mut demand = stricter(stricter(policy, trust), guard);
        if demand.as_ref().is_none_or(|demand| demand.action.allows()) {
            let forward = edge.class.is_forward();
            let missing = if forward { self.missing_subphase(protocol, verdict) } else { None };
            let failed = self.check(protocol, CheckTiming::OnTransition, Some(edge), seen, verdict);
            demand = stricter(demand, stricter(missing, failed));
        }
        let reroute = demand.as_ref().is_some_and(|demand| demand.action == Action::Reroute);
        if self.decided(protocol, demand, verdict) {
            self.enter(protocol, edge.to);
            let line = format!("=> {}, attempt {}", self.node(), self.run.attempts[self.run.node]);
            verdict.trace.push_kind(TraceKind::Consequence, line);
        } else if let (true, OnFail::Reroute(target)) = (reroute, edge.on_guard_fail) {
            self.enter(protocol, target);
            verdict.trace.push_kind(TraceKind::Consequence, format!("=> rerouted to {}", self.node()));
        }
    }

    fn guard(
        &mut self,
        protocol: &Protocol,
        edge: &Edge,
        seen: Seen<'_>,
        verdict: &mut Verdict,
    ) -> Option<Demand> {
        let Some(expr) = edge.guard else {
            if self.detail == Detail::Full {
                verdict.trace.push(format!("guard {}: there is none", edge.id));
            }
            return None;
        };
        let result = self.truth(protocol, expr, seen);
        let unread = seen.unread_evidence;
        if let Some(why) = unread {
            let why = mi_model::shorten(why, 200);
            verdict.trace.push(format!("guard {}: its evidence cannot be read: {why}", edge.id));
        }
        let holds = result == Ok(true) && unread.is_none();
        if holds && self.detail == Detail::Brief {
            verdict.trace.push_kind(TraceKind::Passed, format!("guard {}: holds", edge.id));
            return None;
        }
        let word = if holds { "holds" } else { "failed" };
        let line = format!("guard {}: {word}: {}", edge.id, self.told(protocol, expr, result));
        verdict.trace.push_kind(kind_of(holds), line);
        if self.detail == Detail::Full {
            self.conjuncts(protocol, expr, seen, verdict);
        }
        if holds {
            return None;
        }
        verdict.guard = Some(Arc::clone(&edge.id));
        Some(Demand { action: edge.on_guard_fail.action(), by: format!("guard:{}", edge.id), reason: None })
    }

    fn trust(&self, protocol: &Protocol, edge: &Edge, verdict: &mut Verdict) -> Option<Demand> {
        if !edge.needs_verification {
            return None;
        }
        let Some(open) = self.unverified(protocol) else {
            verdict.trace.push("trust: every claim is verified independently".to_owned());
            return None;
        };
        let (id, status) = (&protocol.claims[open].id, self.run.claims[open].status);
        verdict.trace.push(format!("trust: claim {id} is {}, not verified", status.word()));
        verdict.claim = Some(id.clone());
        verdict.verification_status = Some(status);
        Some(Demand { action: Action::Block, by: format!("trust:{id}"), reason: None })
    }
}
