//! Invariants: checked at their time, everywhere; one that failed holds the node.

use super::verdict::{TraceKind, kind_of};
use std::borrow::Cow;

use super::{Demand, Detail, Engine, Seen, Verdict};
use crate::{
    builtin::BuiltIn,
    expr::{Fault, Value, View},
    protocol::{CheckRule, Edge, Protocol},
    state::slot,
    words::{Action, CheckTiming},
};

/// A check that speaks against the event.
struct Against {
    action: Action,
    invariant: usize,
    reason: &'static str,
}

impl Engine {
    /// Checks all invariants of a time. On a transition also those that hold the node and those the edge refers to.
    pub(super) fn check(
        &mut self,
        protocol: &Protocol,
        timing: CheckTiming,
        edge: Option<&Edge>,
        seen: Seen<'_>,
        verdict: &mut Verdict,
    ) -> Option<Demand> {
        let mut against = Vec::new();
        let mut asked = 0;
        for (at, check) in
            protocol.checks.iter().enumerate().filter(|(_, check)| check.timing == Some(timing))
        {
            asked += 1;
            let result = self.holds(protocol, check.rule, edge, seen);
            let holds = result == Ok(true);
            self.run.checked[at] = Some(holds);
            let invariant = &protocol.invariants[check.invariant];
            if !holds || self.detail == Detail::Full {
                let word = if holds { "holds" } else { "failed" };
                let told = self.told_check(protocol, check.rule, result);
                verdict
                    .trace
                    .push_kind(kind_of(holds), format!("invariant {}: {word}: {told}", invariant.id));
            }
            if !holds {
                let action = invariant.fail_action;
                against.push(Against { action, invariant: check.invariant, reason: "failed" });
            }
        }
        if asked > 0 && against.is_empty() {
            verdict.trace.push_kind(TraceKind::Passed, format!("invariants: {asked} checked, all hold"));
        }
        if let Some(edge) = edge {
            self.earlier(protocol, timing, edge, &mut against, verdict);
        }
        let worst = against.iter().min_by_key(|against| {
            (against.action, protocol.invariants[against.invariant].severity, against.invariant)
        })?;
        let by = protocol.invariants[worst.invariant].id.clone();
        Some(Demand { action: worst.action, by, reason: Some(Cow::Borrowed(worst.reason)) })
    }

    /// What checks said before, since the node was entered.
    fn earlier(
        &self,
        protocol: &Protocol,
        timing: CheckTiming,
        edge: &Edge,
        against: &mut Vec<Against>,
        verdict: &mut Verdict,
    ) {
        let forward = edge.class.is_forward();
        for (at, check) in
            protocol.checks.iter().enumerate().filter(|(_, check)| check.timing != Some(timing))
        {
            let invariant = &protocol.invariants[check.invariant];
            if forward && self.run.checked[at] == Some(false) && invariant.fail_action != Action::Alert {
                verdict.trace.push(format!(
                    "invariant {}: failed before and holds {}",
                    invariant.id,
                    self.node()
                ));
                against.push(Against {
                    action: Action::Block,
                    invariant: check.invariant,
                    reason: "holds_node",
                });
            }
        }
        for &wanted in &edge.invariants {
            let invariant = &protocol.invariants[wanted];
            let unproven = invariant.checks.iter().find(|check| self.run.checked[**check] != Some(true));
            let Some(&unproven) = unproven else { continue };
            let never = self.run.checked[unproven].is_none();
            let told = if never {
                "not checked since the node was entered"
            } else {
                "did not hold when last checked"
            };
            verdict.trace.push(format!("invariant {}, which the edge wants: {told}", invariant.id));
            let reason = if never { "not_checked" } else { "failed" };
            against.push(Against { action: invariant.fail_action, invariant: wanted, reason });
        }
    }

    fn holds(
        &mut self,
        protocol: &Protocol,
        rule: CheckRule,
        edge: Option<&Edge>,
        seen: Seen<'_>,
    ) -> Result<bool, Fault> {
        let built_in = match rule {
            CheckRule::Expr(expr) => return self.truth(protocol, expr, seen),
            CheckRule::BuiltIn(built_in) => built_in,
        };
        let forward = edge.is_some_and(|edge| edge.class.is_forward());
        let slots = &self.run.slots;
        Ok(match built_in {
            BuiltIn::TimeHardFloor => {
                let spent = slots[slot::CUMULATIVE_DURATION].view();
                !forward
                    || spent
                        .order(&slots[slot::MINIMUM_DURATION].view())
                        .is_some_and(std::cmp::Ordering::is_ge)
            }
            BuiltIn::ValidatorApprovalRequired => {
                let verdict = slots[slot::VALIDATOR_VERDICT].view();
                let approved = matches!(verdict, View::Text(word) if word == "APPROVE");
                !forward || !protocol.nodes[self.run.node].validator || approved
            }
            BuiltIn::ToolUseNonzero => matches!(slots[slot::TOOL_CALLS], Value::Integer(calls) if calls > 0),
            BuiltIn::OrchLogImmediateUpdate => slots[slot::LOG_UPDATED_AFTER_PHASE] == Value::Bool(true),
            // Checked when an output arrives.
            BuiltIn::RerunDelta => true,
        })
    }

    fn told_check(&self, protocol: &Protocol, rule: CheckRule, result: Result<bool, Fault>) -> String {
        let built_in = match rule {
            CheckRule::Expr(expr) => return self.told(protocol, expr, result),
            CheckRule::BuiltIn(built_in) => built_in,
        };
        let slots: &[usize] = match built_in {
            BuiltIn::TimeHardFloor => &[slot::CUMULATIVE_DURATION, slot::MINIMUM_DURATION],
            BuiltIn::ValidatorApprovalRequired => &[slot::VALIDATOR_VERDICT],
            BuiltIn::ToolUseNonzero => &[slot::TOOL_CALLS],
            BuiltIn::OrchLogImmediateUpdate => &[slot::LOG_UPDATED_AFTER_PHASE],
            BuiltIn::RerunDelta => &[],
        };
        let values: Vec<String> = slots
            .iter()
            .map(|slot| format!("{}={}", protocol.fields[*slot].name, self.run.slots[*slot]))
            .collect();
        format!("{} [{}]", built_in.told(), values.join(", "))
    }
}
