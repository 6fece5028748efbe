//! Outputs: a rerun builds on what was there, changes it, and keeps what was approved.

use std::borrow::Cow;

use super::{Demand, Engine, Verdict, run::Accepted};
use crate::{
    builtin::BuiltIn,
    event::Output,
    expr::Value,
    protocol::{CheckRule, Protocol},
    state::slot,
};

impl Engine {
    pub(super) fn output(&mut self, protocol: &Protocol, output: &Output<'_>, verdict: &mut Verdict) {
        let fault = self.run.outputs[self.run.node].as_ref().and_then(|last| delta_fault(last, output));
        let check = protocol
            .checks
            .iter()
            .position(|check| matches!(check.rule, CheckRule::BuiltIn(BuiltIn::RerunDelta)));
        if let Some(check) = check {
            self.run.checked[check] = Some(fault.is_none());
        }
        let demand = check.zip(fault).map(|(check, (reason, told))| {
            verdict.trace.push(format!("delta: {told}"));
            let invariant = &protocol.invariants[protocol.checks[check].invariant];
            Demand {
                action: invariant.fail_action,
                by: invariant.id.clone(),
                reason: Some(Cow::Borrowed(reason)),
            }
        });
        if self.decided(protocol, demand, verdict) {
            self.accept(protocol, output);
            verdict.trace.push(format!("output {} is accepted", mi_model::shorten(&output.path, 80)));
        }
    }

    fn accept(&mut self, protocol: &Protocol, output: &Output<'_>) {
        self.run.outputs[self.run.node] = Some(Accepted {
            at: self.run.at,
            path: output.path.to_string(),
            digest: output.digest.to_string(),
            items: output.items.iter().map(|(name, digest)| (name.to_string(), digest.to_string())).collect(),
            approved: std::collections::BTreeMap::new(),
        });
        self.write(protocol, slot::PREVIOUS_OUTPUT_PATH, Value::Text(output.path.to_string()));
    }

    pub(super) fn approve(&mut self, items: &[Cow<'_, str>], verdict: &mut Verdict) {
        for item in items {
            let node = self.owner_of(item);
            let Some(last) = &mut self.run.outputs[node] else {
                verdict.trace.push(format!("{item}: there is no output yet that could have it"));
                continue;
            };
            let digest = last.items.get(&**item).cloned();
            last.approved.insert(item.to_string(), digest);
            verdict.trace.push(format!("{} of {} is approved", mi_model::shorten(item, 60), last.path));
        }
    }

    /// The node whose output an approval means: the current one if its output has the item, else the newest that does.
    fn owner_of(&self, item: &str) -> usize {
        let has =
            |output: &Option<Accepted>| output.as_ref().is_some_and(|output| output.items.contains_key(item));
        if has(&self.run.outputs[self.run.node]) {
            return self.run.node;
        }
        let outputs = self.run.outputs.iter().enumerate().filter(|(_, output)| has(output));
        let newest = outputs.max_by_key(|(_, output)| output.as_ref().map(|output| output.at));
        newest.map_or(self.run.node, |(node, _)| node)
    }
}

/// What keeps an output from following the one before it.
fn delta_fault(last: &Accepted, output: &Output<'_>) -> Option<(&'static str, String)> {
    if output.previous.as_deref() != Some(last.path.as_str()) {
        return Some(("no_previous", format!("it does not name its previous output, {}", last.path)));
    }
    if output.digest == last.digest {
        return Some(("unchanged", "it is the same as its previous output".to_owned()));
    }
    let kept = |name: &str, digest: Option<&String>| {
        output.items.iter().any(|(own, new)| own == name && digest.is_none_or(|digest| digest == new))
    };
    let lost = last.approved.iter().find(|(name, digest)| !kept(name, digest.as_ref()));
    lost.map(|(name, _)| ("approved_lost", format!("{name} was approved, and is changed or gone")))
}
