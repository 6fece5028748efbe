//! How a phase is left: its sub-phase and its end are reported, then one of its edges is asked.
//!
//! The way: the first forward edge that is open; at a reviewer that rejects, the first way back that is open; else a
//! way aside that has a guard which holds, or the only ways there are. Where none is open, the first edge is asked all
//! the same, and its refusal says what happens.

use mi_model::{BatchId, DecidedBy, record::EvidenceRead};
use mi_protocol::{Action, Edge, EdgeClass, Verdict, evidence::Source};
use serde_json::{Value, json};

use super::{Director, Next, prompts};
use crate::{message::Command, report::BatchReport};

impl Director {
    /// What follows a batch of the current phase. `is_proven`: the task itself is.
    pub(crate) fn advance(&mut self, report: &BatchReport, is_proven: bool, out: &mut Vec<Command>) -> Next {
        let batch = &report.batch_id;
        if self.has_complaints() {
            let wrong = self.complaints.join("; ");
            return self.work(Some(wrong));
        }
        if let Some(next) = self.finish_subphase(batch, out) {
            return next;
        }
        let wanted = self.wanted();
        if self.evidence.is_none() && !wanted.is_empty() {
            return Next::Read(wanted);
        }
        if !self.is_ended
            && let Some(next) = self.finish_phase(batch, out)
        {
            return next;
        }
        self.leave(batch, is_proven, out)
    }

    /// The files that the phase declares, and what the guards of its edges stand on.
    fn wanted(&self) -> Vec<String> {
        let mut wanted = self.engine.here().files.clone();
        wanted.extend(self.engine.outgoing().filter_map(|edge| self.engine.evidence_source(edge)));
        wanted.sort();
        wanted.dedup();
        wanted
    }

    fn found(&self, source: &str) -> Option<&EvidenceRead> {
        self.evidence.as_ref()?.iter().find(|read| read.source == source)
    }

    /// Ends the open sub-phase with what it wrote, and begins the next.
    fn finish_subphase(&mut self, batch: &BatchId, out: &mut Vec<Command>) -> Option<Next> {
        let subphase = self.engine.open_subphase()?.to_owned();
        let phase = self.engine.node().to_owned();
        let manifest: Vec<&String> = self.changed.iter().collect();
        let event =
            json!({"type": "subphase_end", "phase": phase, "subphase": subphase, "manifest": manifest});
        let verdict = self.apply(batch, &event, out);
        if !verdict.allowed {
            let wrong = format!("{subphase} wrote no file: {}", prompts::refusal(&verdict));
            return Some(self.work(Some(wrong)));
        }
        self.engine.next_subphase()?;
        self.start_subphase(batch, out);
        Some(self.work(None))
    }

    /// Reports the phase's output and its end.
    fn finish_phase(&mut self, batch: &BatchId, out: &mut Vec<Command>) -> Option<Next> {
        let files = self.engine.here().files.clone();
        let there: Vec<&EvidenceRead> =
            files.iter().filter_map(|file| self.found(file)).filter(|read| read.error.is_none()).collect();
        let is_complete = there.len() == files.len();
        if let (true, Some(output)) = (is_complete, self.output(&there)) {
            let verdict = self.apply(batch, &output, out);
            if !verdict.allowed {
                return Some(self.refused(batch, &verdict, out));
            }
        }
        let phase = self.engine.node().to_owned();
        let end = json!({"type": "phase_end", "phase": phase, "set": {"required_files_exist": is_complete}});
        let verdict = self.apply(batch, &end, out);
        if !verdict.allowed {
            return Some(self.refused(batch, &verdict, out));
        }
        self.is_ended = true;
        None
    }

    /// The phase's files as one output that builds on the last one of this phase.
    fn output(&self, there: &[&EvidenceRead]) -> Option<Value> {
        let first = there.first()?;
        let items: serde_json::Map<String, Value> =
            there.iter().map(|read| (read.source.clone(), json!(read.sha256))).collect();
        let all: Vec<&str> = there.iter().map(|read| read.sha256.as_str()).collect();
        let digest = mi_model::sha256_hex(all.join("\n").as_bytes());
        let mut event = json!({"type": "output", "path": first.source, "digest": digest, "items": items});
        if let Some(previous) = self.engine.last_output() {
            event["previous_output_path"] = json!(previous);
        }
        Some(event)
    }

    fn leave(&mut self, batch: &BatchId, is_proven: bool, out: &mut Vec<Command>) -> Next {
        let Some((edge, is_open)) = self.choose() else {
            let node = self.engine.node();
            return Next::Ask {
                question: format!("Nothing leads on from {node}. What should happen?"),
                why: format!("the protocol has no edge that leaves {node}"),
            };
        };
        let protocol = self.engine.protocol();
        let to = &protocol.nodes[edge.to];
        if is_open && to.is_end && edge.class.is_forward() && !is_proven {
            let why = format!("{} is open, and what the task asks for is not shown yet", edge.id);
            return Next::Prove { why };
        }
        let (id, class, event) = (edge.id.to_string(), edge.class, self.transition(edge));
        self.before_end = to.is_end.then(|| Box::new(self.clone()));
        self.take(batch, (id, class, event), out)
    }

    /// Asks an edge and goes where it leads, or does what its refusal says.
    fn take(
        &mut self,
        batch: &BatchId,
        (id, class, event): (String, EdgeClass, Value),
        out: &mut Vec<Command>,
    ) -> Next {
        let verdict = self.apply(batch, &event, out);
        if verdict.allowed {
            self.arrived = Some((id, Some(class)));
            return self.arrive(batch, out);
        }
        if verdict.action == Some(Action::Reroute) {
            self.arrived = Some((id, None));
            return self.arrive(batch, out);
        }
        self.refused(batch, &verdict, out)
    }

    /// The end was reached, and a check of `mi`'s own speaks against it: the last phase is taken back to its work. To a
    /// reviewer's phase that is a rejection, which leads back to whoever can change something.
    pub(crate) fn not_verified(&mut self, batch: &BatchId, told: &str, out: &mut Vec<Command>) -> Next {
        if let Some(before) = self.before_end.take() {
            *self = *before;
        }
        if !self.is_reviewing() {
            let by = DecidedBy::Rules(format!("protocol.{}", self.engine.node()));
            return Next::Work { input: told.to_owned(), reason: told.to_owned(), by };
        }
        self.review = Some(told.to_owned());
        let set =
            json!({"validator_verdict": "REJECT", "rejection_count": self.rejections().saturating_add(1)});
        self.apply(batch, &json!({"type": "update", "set": set}), out);
        let edges: Vec<&Edge> = self.engine.outgoing().filter(|edge| !edge.class.is_forward()).collect();
        match edges.into_iter().find(|edge| self.is_open(edge)) {
            Some(edge) => {
                let way = (edge.id.to_string(), edge.class, self.transition(edge));
                self.take(batch, way, out)
            }
            None => Next::Ask {
                question: format!(
                    "No way leads back from {}. What should happen?\n\n{told}",
                    self.engine.node()
                ),
                why: told.to_owned(),
            },
        }
    }

    fn is_open(&self, edge: &Edge) -> bool {
        let event = self.transition(edge).to_string();
        self.engine.preview(event.as_bytes()).is_some_and(|verdict| verdict.allowed)
    }

    /// The edge to ask, and whether it is open. The order is the file's.
    fn choose(&self) -> Option<(&Edge, bool)> {
        let edges: Vec<&Edge> = self.engine.outgoing().collect();
        let is_open = |edge: &&Edge| self.is_open(edge);
        let forward = || edges.iter().copied().filter(|edge| edge.class.is_forward());
        let aside = || edges.iter().copied().filter(|edge| !edge.class.is_forward());
        let only_aside = forward().next().is_none();
        let open = forward()
            .find(is_open)
            .or_else(|| aside().filter(|_| self.is_rejected()).find(is_open))
            .or_else(|| aside().filter(|edge| only_aside || edge.guard.is_some()).find(is_open));
        open.map(|edge| (edge, true))
            .or_else(|| edges.first().map(|first| (forward().next().unwrap_or(first), false)))
    }

    fn is_rejected(&self) -> bool {
        let verdict = self.engine.field("validator_verdict");
        self.is_reviewing() && matches!(verdict, Some(mi_protocol::Value::Text(word)) if word == "REJECT")
    }

    /// The event that asks an edge, with what its guard stands on.
    fn transition(&self, edge: &Edge) -> Value {
        let mut event = json!({"type": "transition", "edge": &*edge.id});
        let Some(source) = self.engine.evidence_source(edge) else { return event };
        let found = self.found(&source);
        let error = match found {
            None => Some("it was not read".to_owned()),
            Some(read) => read.error.clone().or_else(|| self.take_value(&source, &read.value, &mut event)),
        };
        event["guard_evidence"] = match (error, found) {
            (Some(error), _) => json!({"source": source, "error": error}),
            (None, read) => json!({"source": source, "sha256": read.map(|read| read.sha256.as_str())}),
        };
        event
    }

    /// Puts a value into the state field that bears its name; otherwise it must be neither null nor false.
    fn take_value(&self, source: &str, value: &Value, event: &mut Value) -> Option<String> {
        let parsed = Source::parse(source);
        let name = parsed.as_ref().and_then(Source::field)?;
        let field = self.engine.protocol().fields.iter().find(|field| field.name == name && !field.read_only);
        if field.is_none() {
            let is_nothing = matches!(value, Value::Null | Value::Bool(false));
            return is_nothing.then(|| format!("it is {value}"));
        }
        let set = json!({ name: value });
        let tried = json!({"type": "update", "set": set}).to_string();
        let fits = self.engine.preview(tried.as_bytes()).is_some_and(|verdict| verdict.allowed);
        if !fits {
            return Some(format!(
                "{} does not fit the field `{name}`",
                mi_model::shorten(&value.to_string(), 40)
            ));
        }
        event["set"] = set;
        None
    }

    /// What follows a refusal: the phase again, more work on it, or the person.
    fn refused(&mut self, batch: &BatchId, verdict: &Verdict, out: &mut Vec<Command>) -> Next {
        let why = prompts::refusal(verdict);
        let by = verdict.by.clone().unwrap_or_default();
        let node = self.engine.node().to_owned();
        let ask = |question: String| Next::Ask { question, why: why.clone() };
        match verdict.action {
            Some(Action::Escalate) => ask(format!("{node} cannot be left: {why}. What should happen?")),
            Some(Action::Rerun) => match self.start_phase(batch, out) {
                Err(next) => next,
                Ok(()) => self.again(&why),
            },
            _ if self.is_rejected() => ask(format!(
                "The reviewer of {node} rejects the work, and no way leads back: {why}. What should happen?"
            )),
            _ if by.starts_with("trust:") && !self.is_reviewing() => ask(format!(
                "{node} cannot be left before its claims are verified: {why}. What should happen?"
            )),
            _ => self.work(Some(format!("it is not over yet: {why}"))),
        }
    }

    /// The phase once more, with what was wrong and what it is to build on.
    fn again(&mut self, why: &str) -> Next {
        let previous = self.engine.last_output().map_or(String::new(), |path| {
            format!("; build on `{path}`, change what was wrong with it, and keep what was approved")
        });
        let next = self.work(Some(format!("it has to be done again: {why}{previous}")));
        match next {
            Next::Work { input, reason, .. } => {
                let by = DecidedBy::Rules("protocol.rerun".to_owned());
                Next::Work { input, reason, by }
            }
            other => other,
        }
    }
}
