//! Policies: which are violated, which of them silence which, and which decides.

use super::verdict::{TraceKind, kind_of};
use super::{Demand, Detail, Engine, Seen, Verdict};
use crate::{
    protocol::{Edge, Protocol, Rule},
    words::OverrideMode,
};

impl Engine {
    /// The policies of an edge and those that no edge names.
    pub(super) fn policies(
        &mut self,
        protocol: &Protocol,
        edge: &Edge,
        seen: Seen<'_>,
        verdict: &mut Verdict,
    ) -> Option<Demand> {
        let mut violated = Vec::new();
        for &policy in edge.policies.iter().chain(&protocol.everywhere) {
            let Rule::Expr(expr) = protocol.policies[policy].rule else { continue };
            let result = self.truth(protocol, expr, seen);
            // What cannot be evaluated counts as violated.
            let broken = result != Ok(false);
            if broken && !violated.contains(&policy) {
                violated.push(policy);
            }
            if broken || self.detail == Detail::Full {
                let word = if broken { "violated" } else { "kept" };
                let told = self.told(protocol, expr, result);
                let line = format!("policy {}: {word}: {told}", protocol.policies[policy].id);
                verdict.trace.push_kind(kind_of(!broken), line);
            }
        }
        let asked = edge.policies.len() + protocol.everywhere.len();
        if asked > 0 && violated.is_empty() {
            verdict.trace.push_kind(TraceKind::Passed, format!("policies: {asked} asked, none violated"));
        }
        self.resolve(protocol, violated, verdict)
    }

    /// Among violated policies the higher priority speaks first; of those left, the strictest action decides.
    pub(super) fn resolve(
        &self,
        protocol: &Protocol,
        mut violated: Vec<usize>,
        verdict: &mut Verdict,
    ) -> Option<Demand> {
        violated.sort_by_key(|policy| (std::cmp::Reverse(protocol.policies[*policy].priority), *policy));
        let mut silenced: Vec<usize> = Vec::new();
        for (at, &winner) in violated.iter().enumerate() {
            let policy = &protocol.policies[winner];
            if silenced.contains(&winner) || policy.override_mode == OverrideMode::Merge {
                continue;
            }
            for &loser in &violated[at + 1..] {
                if policy.conflicts.binary_search(&loser).is_err() || silenced.contains(&loser) {
                    continue;
                }
                silenced.push(loser);
                let other = &protocol.policies[loser];
                verdict.overrode.push(other.id.clone());
                if policy.override_mode == OverrideMode::Soft {
                    verdict.advice.push(other.id.clone());
                }
                verdict.trace.push(format!(
                    "policy {} (priority {}) overrides {} (priority {}), which it conflicts with: {}",
                    policy.id,
                    policy.priority,
                    other.id,
                    other.priority,
                    policy.override_mode.word()
                ));
            }
        }
        let left = violated.iter().filter(|policy| !silenced.contains(policy));
        let decides = left.min_by_key(|policy| protocol.policies[**policy].action)?;
        let policy = &protocol.policies[*decides];
        Some(Demand { action: policy.action, by: policy.id.clone(), reason: None })
    }
}
