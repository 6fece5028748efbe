//! Sub-phases: in order, each with a manifest; a crashed run continues at the first that is not done.

use std::borrow::Cow;

use super::{Demand, Engine, Refusal, Refused, Verdict};
use crate::{expr::Value, protocol::Protocol, state::slot, words::Action};

impl Engine {
    fn subphase(&self, protocol: &Protocol, name: &str) -> Result<usize, Refused> {
        let node = &protocol.nodes[self.run.node];
        node.subphases.iter().position(|known| known == name).ok_or_else(|| {
            let near = crate::nearest::nearest(name, node.subphases.iter().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            (
                Refusal::UnknownNode,
                format!("{} has no sub-phase `{}`{near}", node.id, mi_model::shorten(name, 60)),
            )
        })
    }

    pub(super) fn may_start(&self, protocol: &Protocol, name: &str) -> Result<usize, Refused> {
        let found = self.subphase(protocol, name)?;
        match self.run.done[..found].iter().position(|done| !done) {
            None => Ok(found),
            Some(first) => {
                let first = &protocol.nodes[self.run.node].subphases[first];
                Err((Refusal::OutOfOrder, format!("{first} comes before {name} and is not done")))
            }
        }
    }

    pub(super) fn may_end(&self, protocol: &Protocol, name: &str) -> Result<usize, Refused> {
        let found = self.subphase(protocol, name)?;
        if self.run.open == Some(found) {
            return Ok(found);
        }
        Err((Refusal::OutOfOrder, format!("{name} is not the sub-phase that was started")))
    }

    pub(super) fn start_subphase(&mut self, protocol: &Protocol, subphase: usize, verdict: &mut Verdict) {
        let name = protocol.nodes[self.run.node].subphases[subphase].clone();
        verdict.trace.push(format!("sub-phase {name} is running"));
        self.run.open = Some(subphase);
        self.run.done[subphase] = false;
        self.write(protocol, slot::SUBPHASE_ID, Value::Text(name));
    }

    pub(super) fn end_subphase(
        &mut self,
        protocol: &Protocol,
        subphase: usize,
        manifest: &[Cow<'_, str>],
        verdict: &mut Verdict,
    ) {
        let name = &protocol.nodes[self.run.node].subphases[subphase];
        if manifest.iter().all(|path| path.trim().is_empty()) {
            verdict.trace.push(format!("sub-phase {name}: its manifest names no file"));
            let demand = Demand { action: Action::Block, by: format!("manifest:{name}"), reason: None };
            self.decided(protocol, Some(demand), verdict);
            return;
        }
        verdict.trace.push(format!("sub-phase {name} is done, {} in its manifest", manifest.len()));
        self.run.done[subphase] = true;
        self.run.open = None;
        self.write(protocol, slot::SUBPHASE_ID, Value::Null);
    }

    /// A demand to block while a sub-phase is not done.
    pub(super) fn missing_subphase(&self, protocol: &Protocol, verdict: &mut Verdict) -> Option<Demand> {
        let missing = self.run.done.iter().position(|done| !done)?;
        let name = &protocol.nodes[self.run.node].subphases[missing];
        verdict.trace.push(format!("sub-phase {name} is not done"));
        Some(Demand { action: Action::Block, by: format!("manifest:{name}"), reason: None })
    }

    pub(super) fn resume(&mut self, protocol: &Protocol, verdict: &mut Verdict) {
        if let Some(open) = self.run.open.take() {
            let name = &protocol.nodes[self.run.node].subphases[open];
            verdict.trace.push(format!("sub-phase {name} was not finished: it begins anew"));
            self.write(protocol, slot::SUBPHASE_ID, Value::Null);
        }
        let next = self.run.done.iter().position(|done| !done);
        let next = next.map(|next| protocol.nodes[self.run.node].subphases[next].clone());
        let told = next
            .as_ref()
            .map_or_else(|| "no sub-phase is left".to_owned(), |next| format!("continue with {next}"));
        verdict.trace.push(told);
        verdict.subphase = Some(next);
    }
}
