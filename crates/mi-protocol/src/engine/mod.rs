//! Events in, verdicts out.
//!
//! Holds: [`Engine::apply`] is the only way to change a [`Run`]; an event that the engine itself refuses changes
//! nothing; every event gets a verdict.
//! Elsewhere: judging a transition is `transition`, policies `policies`, invariants `invariants`.

mod claims;
mod explain;
mod invariants;
mod look;
mod outputs;
mod policies;
mod run;
mod snapshot;
mod subphases;
mod transition;
mod verdict;

pub use snapshot::RestoreError;
pub use verdict::{DecisionTrace, Refusal, TraceKind, TraceLine, Verdict};

use std::{borrow::Cow, fmt::Write, sync::Arc};

use crate::{
    access,
    event::{self, Besides, Body, Event, NotAnEvent, Text},
    event_kind::{EventKind, EventTexts},
    expr::{Facts, Fault, Value},
    protocol::{ExprId, Protocol, Rule},
    said::fold,
    state::slot,
    words::{Action, CheckTiming},
};
use run::{Results, Run};

/// How much a trace tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What spoke.
    Brief,
    /// Everything that was asked, with its values.
    Full,
}

/// A protocol being run.
#[derive(Debug, Clone)]
pub struct Engine {
    protocol: Arc<Protocol>,
    run: Run,
    results: Results,
    detail: Detail,
}

/// What a rule demands.
#[derive(Debug, Clone)]
pub(crate) struct Demand {
    action: Action,
    by: String,
    reason: Option<Cow<'static, str>>,
}

/// The event as expressions see it.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'e> {
    kind: EventKind,
    texts: EventTexts<'e>,
    /// Why the evidence of the edge's guard could not be read, if it could not.
    unread_evidence: Option<&'e str>,
}

type Refused = (Refusal, String);

impl Engine {
    pub fn new(protocol: Arc<Protocol>) -> Self {
        let (run, results) = (Run::new(&protocol), Results::new(&protocol));
        Self { protocol, run, results, detail: Detail::Brief }
    }

    pub fn protocol(&self) -> &Arc<Protocol> {
        &self.protocol
    }

    pub fn set_detail(&mut self, detail: Detail) {
        self.detail = detail;
    }

    /// The line of the last event.
    pub fn at(&self) -> u64 {
        self.run.at
    }

    /// The id of the current node.
    pub fn node(&self) -> &str {
        &self.protocol.nodes[self.run.node].id
    }

    /// How often expressions were evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.results.evaluated
    }

    /// The value of a state field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.protocol.field_index.get(name).map(|slot| &self.run.slots[*slot])
    }

    /// One line of an event stream; nothing for a blank one, which is counted.
    pub fn apply(&mut self, line: &[u8]) -> Option<Verdict> {
        self.run.at += 1;
        if line.trim_ascii().is_empty() {
            return None;
        }
        Some(match event::read(line) {
            Ok(event) => self.judge(event),
            Err(NotAnEvent::Bad(why)) => self.refused(Refusal::BadEvent, why),
            Err(NotAnEvent::Unknown(name)) => {
                let known = EventKind::ALL.iter().map(|(name, _)| *name);
                let near = crate::nearest::nearest(&name, known);
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let name = mi_model::shorten(&name, 60);
                self.refused(Refusal::UnknownEvent, format!("there is no event `{name}`{near}"))
            }
        })
    }

    fn refused(&self, refusal: Refusal, why: String) -> Verdict {
        let mut verdict = Verdict::allowed(self.run.at, &self.protocol.nodes[self.run.node].id);
        verdict.allowed = false;
        verdict.by = Some("engine".to_owned());
        verdict.reason = Some(Cow::Borrowed(refusal.word()));
        verdict.trace.push(format!("refused by the engine, nothing changed: {why}"));
        verdict
    }

    fn judge(&mut self, event: Event<'_>) -> Verdict {
        let protocol = Arc::clone(&self.protocol);
        let kind = event.body.kind();
        let Event { body, set, besides, unread_evidence } = event;
        let placed = match self.place(&protocol, &body) {
            Ok(index) => index,
            Err((refusal, why)) => return self.refused(refusal, why),
        };
        let set = match self.fit(&protocol, set) {
            Ok(set) => set,
            Err((refusal, why)) => return self.refused(refusal, why),
        };
        if kind == EventKind::PhaseStart {
            self.clear_stale(&protocol);
        }
        for (slot, value) in set {
            self.write(&protocol, slot, value);
        }
        let seen = Seen {
            kind,
            texts: texts(&protocol, kind, &body, &besides, placed),
            unread_evidence: unread_evidence.as_deref(),
        };
        self.effect(&protocol, seen, &body, placed)
    }

    /// Whether the event belongs here; the index of what it names.
    fn place(&self, protocol: &Protocol, body: &Body<'_>) -> Result<usize, Refused> {
        match body {
            Body::PhaseStart { phase } => self.current(protocol, phase).map(|()| 0),
            Body::PhaseEnd { phase } => {
                self.current(protocol, phase)?;
                if self.run.started {
                    return Ok(0);
                }
                Err((Refusal::OutOfOrder, format!("{phase} has not been started since it was entered")))
            }
            Body::SubphaseStart { phase, subphase } => {
                self.current(protocol, phase)?;
                self.may_start(protocol, subphase)
            }
            Body::SubphaseEnd { phase, subphase, .. } => {
                self.current(protocol, phase)?;
                self.may_end(protocol, subphase)
            }
            Body::Transition { edge } => self.edge(protocol, edge),
            Body::Evidence { id, claim, .. } => self.claim(protocol, id, claim),
            Body::Update
            | Body::Tick
            | Body::Access { .. }
            | Body::Said { .. }
            | Body::Output(_)
            | Body::Approved { .. }
            | Body::Resume => Ok(0),
        }
    }

    fn current(&self, protocol: &Protocol, phase: &str) -> Result<(), Refused> {
        match protocol.node_index.get(phase) {
            None => {
                let near = crate::nearest::nearest(phase, protocol.nodes.iter().map(|node| &*node.id));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err((
                    Refusal::UnknownNode,
                    format!("there is no node `{}`{near}", mi_model::shorten(phase, 60)),
                ))
            }
            Some(node) if *node == self.run.node => Ok(()),
            Some(_) => Err((Refusal::WrongNode, format!("the current node is {}, not {phase}", self.node()))),
        }
    }

    fn edge(&self, protocol: &Protocol, edge: &str) -> Result<usize, Refused> {
        let Some(&found) = protocol.edge_index.get(edge) else {
            let near = crate::nearest::nearest(edge, protocol.edges.iter().map(|edge| &*edge.id));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err((
                Refusal::UnknownEdge,
                format!("there is no edge `{}`{near}", mi_model::shorten(edge, 60)),
            ));
        };
        let from = protocol.edges[found].from;
        if from == self.run.node {
            return Ok(found);
        }
        let why =
            format!("{edge} leaves {}, and the current node is {}", protocol.nodes[from].id, self.node());
        Err((Refusal::WrongNode, why))
    }

    /// The slots and values of a `set`, all of them or none.
    fn fit(
        &self,
        protocol: &Protocol,
        set: Vec<(Cow<'_, str>, Option<Value>)>,
    ) -> Result<Vec<(usize, Value)>, Refused> {
        let mut fitted = Vec::with_capacity(set.len());
        for (name, value) in set {
            let Some(&slot) = protocol.field_index.get(&*name) else {
                let near =
                    crate::nearest::nearest(&name, protocol.fields.iter().map(|field| field.name.as_str()));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let name = mi_model::shorten(&name, 60);
                return Err((Refusal::UnknownField, format!("there is no field `{name}`{near}")));
            };
            let field = &protocol.fields[slot];
            if field.read_only {
                return Err((Refusal::ReadOnlyField, format!("`{name}` is written by the engine alone")));
            }
            let value = value.and_then(|value| field.fit(value).ok());
            let Some(value) = value else {
                return Err((
                    Refusal::BadType,
                    format!("`{name}` takes {}, within its bounds", field.told()),
                ));
            };
            fitted.push((slot, value));
        }
        Ok(fitted)
    }

    fn effect(&mut self, protocol: &Protocol, seen: Seen<'_>, body: &Body<'_>, placed: usize) -> Verdict {
        let mut verdict = Verdict::allowed(self.run.at, &protocol.nodes[self.run.node].id);
        match body {
            Body::PhaseStart { .. } => {
                let failed = self.check(protocol, CheckTiming::PrePhase, None, seen, &mut verdict);
                if self.decided(protocol, failed, &mut verdict) {
                    self.run.started = true;
                }
            }
            Body::PhaseEnd { .. } => {
                let missing = self.missing_subphase(protocol, &mut verdict);
                let failed = self.check(protocol, CheckTiming::PostPhase, None, seen, &mut verdict);
                self.decided(protocol, stricter(missing, failed), &mut verdict);
            }
            Body::Tick => {
                let failed = self.check(protocol, CheckTiming::Periodic, None, seen, &mut verdict);
                self.decided(protocol, failed, &mut verdict);
            }
            Body::SubphaseStart { .. } => self.start_subphase(protocol, placed, &mut verdict),
            Body::SubphaseEnd { manifest, .. } => self.end_subphase(protocol, placed, manifest, &mut verdict),
            Body::Transition { .. } => self.transition(protocol, placed, seen, &mut verdict),
            Body::Access { actor, path, mode } => decide_access(protocol, actor, path, mode, &mut verdict),
            Body::Said { actor, text } => self.said(protocol, actor, text, &mut verdict),
            Body::Evidence { id, source, supports, .. } => {
                self.evidence(protocol, placed, id, source, *supports, &mut verdict);
            }
            Body::Output(output) => self.output(protocol, output, &mut verdict),
            Body::Approved { items } => self.approve(items, &mut verdict),
            Body::Resume => self.resume(protocol, &mut verdict),
            Body::Update => {}
        }
        verdict.node = Arc::clone(&protocol.nodes[self.run.node].id);
        verdict
    }

    fn said(&mut self, protocol: &Protocol, actor: &str, text: &str, verdict: &mut Verdict) {
        let folded = fold(text);
        let broken = protocol.policies.iter().enumerate().filter(|(_, policy)| match &policy.rule {
            Rule::Text(phrases) => phrases.iter().any(|phrase| folded.contains(phrase.as_str())),
            Rule::Expr(_) => false,
        });
        let violated: Vec<usize> = broken.map(|(at, _)| at).collect();
        if violated.is_empty() {
            verdict.trace.push(format!("{actor} said nothing that a policy forbids"));
            return;
        }
        let demand = self.resolve(protocol, violated, verdict);
        self.decided(protocol, demand, verdict);
    }

    /// Reports what was demanded and carries out what the engine itself does about it. Whether the event takes effect.
    fn decided(&mut self, protocol: &Protocol, demand: Option<Demand>, verdict: &mut Verdict) -> bool {
        let Some(demand) = demand else { return true };
        verdict.allowed = demand.action.allows();
        verdict.action = Some(demand.action);
        verdict.reason = demand.reason.or(verdict.reason.take());
        if demand.action == Action::Rerun {
            let node = self.run.node;
            self.run.attempts[node] = self.run.attempts[node].saturating_add(1);
            self.write(protocol, slot::ATTEMPT_COUNT, Value::Integer(self.run.attempts[node]));
        }
        let consequence = match demand.action {
            Action::Rerun => {
                format!("{} is to be run again, attempt {}", self.node(), self.run.attempts[self.run.node])
            }
            Action::Reject | Action::Block => format!("{} stays", self.node()),
            Action::Escalate => format!("{} stays, a person decides", self.node()),
            Action::Reroute => "another way is taken".to_owned(),
            Action::Workaround | Action::Alert => "it takes effect all the same".to_owned(),
        };
        let line = format!("=> {} by {}: {consequence}", demand.action.word(), demand.by);
        verdict.trace.push_kind(TraceKind::Consequence, line);
        verdict.by = Some(demand.by);
        verdict.allowed
    }

    /// Makes a node the current one, with nothing left over from before.
    fn enter(&mut self, protocol: &Protocol, node: usize) {
        let entered = &protocol.nodes[node];
        self.run.node = node;
        self.run.attempts[node] = self.run.attempts[node].saturating_add(1);
        self.run.started = false;
        self.run.open = None;
        self.run.done.clear();
        self.run.done.resize(entered.subphases.len(), false);
        self.run.checked.fill(None);
        self.clear_stale(protocol);
        self.write(protocol, slot::PHASE_ID, Value::Text(entered.id.to_string()));
        self.write(protocol, slot::SUBPHASE_ID, Value::Null);
        self.write(protocol, slot::ATTEMPT_COUNT, Value::Integer(self.run.attempts[node]));
        if let Some(minimum) = entered.minimum_duration {
            self.write(protocol, slot::MINIMUM_DURATION, Value::Number(minimum));
        }
    }

    fn clear_stale(&mut self, protocol: &Protocol) {
        for slot in slot::STALE {
            self.write(protocol, slot, protocol.fields[slot].default.clone());
        }
    }

    fn write(&mut self, protocol: &Protocol, slot: usize, value: Value) {
        if self.run.slots[slot] != value {
            self.run.slots[slot] = value;
            self.results.forget(protocol, slot);
        }
    }

    fn truth(&mut self, protocol: &Protocol, expr: ExprId, seen: Seen<'_>) -> Result<bool, Fault> {
        let facts = Facts { state: &self.run.slots, event: seen.kind, texts: &seen.texts };
        self.results.truth(protocol, expr, facts)
    }

    fn facts<'f>(&'f self, seen: &'f Seen<'f>) -> Facts<'f> {
        Facts { state: &self.run.slots, event: seen.kind, texts: &seen.texts }
    }

    /// An expression with the values it read, and why it has none.
    fn told(&self, protocol: &Protocol, expr: ExprId, result: Result<bool, Fault>) -> String {
        let expression = &protocol.expressions[expr];
        let mut told = mi_model::shorten(&expression.text, 200);
        for (at, slot) in expression.checked.program.reads.iter().enumerate() {
            let before = if at == 0 { " [" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(told, "{before}{}={}", protocol.fields[*slot].name, self.run.slots[*slot]);
        }
        if !expression.checked.program.reads.is_empty() {
            told.push(']');
        }
        if let Err(fault) = result {
            let _ = write!(told, ": {fault}");
        }
        told
    }
}

/// The stricter of two demands; the first when they are equal.
fn stricter(first: Option<Demand>, second: Option<Demand>) -> Option<Demand> {
    match (first, second) {
        (Some(first), Some(second)) if second.action < first.action => Some(second),
        (Some(first), _) => Some(first),
        (None, second) => second,
    }
}

/// What expressions see of the event: what its kind says, and what else it carries.
fn texts<'e>(
    protocol: &'e Protocol,
    kind: EventKind,
    body: &'e Body<'_>,
    besides: &'e Besides<'_>,
    placed: usize,
) -> EventTexts<'e> {
    fn said<'e>(text: &'e Option<Text<'_>>) -> &'e str {
        text.as_ref().map_or("", |text| &text.0)
    }
    let Besides { phase, subphase, edge, actor, path, mode, text } = besides;
    let mut texts: EventTexts<'e> = [
        kind.name(),
        said(phase),
        said(subphase),
        said(edge),
        "",
        "",
        said(actor),
        said(path),
        said(mode),
        said(text),
    ];
    match body {
        Body::PhaseStart { phase } | Body::PhaseEnd { phase } => texts[1] = phase,
        Body::SubphaseStart { phase, subphase } | Body::SubphaseEnd { phase, subphase, .. } => {
            (texts[1], texts[2]) = (phase, subphase);
        }
        Body::Transition { edge } => {
            let found = &protocol.edges[placed];
            (texts[3], texts[4], texts[5]) =
                (edge, &protocol.nodes[found.from].id, &protocol.nodes[found.to].id);
        }
        Body::Access { actor, path, mode } => (texts[6], texts[7], texts[8]) = (actor, path, mode),
        Body::Said { actor, text } => (texts[6], texts[9]) = (actor, text),
        Body::Output(output) => texts[7] = &output.path,
        Body::Update | Body::Tick | Body::Evidence { .. } | Body::Approved { .. } | Body::Resume => {}
    }
    texts
}

fn decide_access(protocol: &Protocol, actor: &str, path: &str, mode: &str, verdict: &mut Verdict) {
    let deny = |verdict: &mut Verdict, by: String, reason: Option<&str>, told: String| {
        verdict.allowed = false;
        verdict.by = Some(by);
        verdict.reason = reason.map(|reason| Cow::Owned(reason.to_owned()));
        verdict.trace.push(told);
    };
    let Some(resolved) = access::resolve(path) else {
        let told = "the path is absolute or leads out of the project".to_owned();
        return deny(verdict, "access:path".to_owned(), None, told);
    };
    let matching: Vec<_> = protocol
        .access
        .iter()
        .filter(|rule| {
            (rule.actor == actor || rule.actor == "*") && rule.mode == mode && rule.glob.matches(&resolved)
        })
        .collect();
    if let Some(rule) = matching.iter().find(|rule| !rule.allowed) {
        let told = format!("a rule for {} denies {mode} of {resolved}", rule.actor);
        return deny(verdict, format!("access:{}", rule.actor), rule.reason.as_deref(), told);
    }
    match matching.first() {
        Some(rule) => verdict.trace.push(format!("a rule for {} allows {mode} of {resolved}", rule.actor)),
        None => {
            let told = format!("no rule lets {actor} {mode} {resolved}");
            deny(verdict, "access:default".to_owned(), None, told);
        }
    }
}
