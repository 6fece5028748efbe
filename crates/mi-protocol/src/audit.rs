//! A recorded run judged again, and what it adds up to: every record the report stands on, chained by digest, and the
//! sums that a person asks for.
//!
//! Holds: memory does not grow with the number of events; records are handed out one by one.

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use std::{collections::BTreeMap, sync::Arc};

use crate::{
    engine::{Engine, Verdict},
    protocol::Protocol,
    words::{TrustLevel, VerificationStatus},
};

/// One event with its verdict. `chain` is the SHA-256 of the previous record's `chain`, a line end, and this record
/// without its `chain`.
#[derive(Debug, Serialize)]
pub struct Record<'l> {
    pub at: u64,
    /// As it was written; a string when it is no JSON.
    pub event: EventText<'l>,
    pub verdict: &'l Verdict,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub chain: &'l str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum EventText<'l> {
    Json(&'l RawValue),
    Text(String),
}

/// What the records add up to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    pub protocol: String,
    pub protocol_digest: String,
    pub events: u64,
    pub allowed: u64,
    pub refused: u64,
    /// The node at the end, and whether it is an end.
    pub node: String,
    pub finished: bool,
    pub by_event: BTreeMap<String, u64>,
    pub by_action: BTreeMap<String, u64>,
    /// Who refused or remarked, and how often.
    pub by_rule: BTreeMap<String, u64>,
    pub edges_taken: BTreeMap<String, u64>,
    pub guards_failed: BTreeMap<String, u64>,
    pub overridden: BTreeMap<String, u64>,
    pub claims: Vec<ClaimReport>,
    pub builtin_off: Vec<(String, String)>,
    /// The last record's `chain`.
    pub chain: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimReport {
    pub claim: String,
    pub trust_level: TrustLevel,
    pub verification_status: VerificationStatus,
}

/// Reads a recorded run.
#[derive(Debug)]
pub struct Audit {
    engine: Engine,
    summary: Summary,
    /// Different names that are counted; more are summed up under `…`, so that input cannot fill the memory.
    names: usize,
}

const MOST_NAMES: usize = 10_000;

impl Audit {
    pub fn new(protocol: Arc<Protocol>) -> Self {
        let summary = Summary {
            protocol: protocol.name.clone(),
            protocol_digest: protocol.digest.clone(),
            builtin_off: protocol
                .off
                .iter()
                .map(|(id, reason)| (id.id().to_owned(), reason.clone()))
                .collect(),
            ..Summary::default()
        };
        Self { engine: Engine::new(protocol), summary, names: 0 }
    }

    /// One line; its record as JSON, nothing for a blank line.
    pub fn record(&mut self, line: &[u8]) -> Option<String> {
        let verdict = self.engine.apply(line)?;
        self.count(line, &verdict);
        let event = match serde_json::from_slice::<&RawValue>(line.trim_ascii()) {
            Ok(raw) => EventText::Json(raw),
            Err(_) => EventText::Text(mi_model::shorten(&String::from_utf8_lossy(line), 1000)),
        };
        let mut record = Record { at: verdict.at, event, verdict: &verdict, chain: "" };
        let plain = serde_json::to_string(&record).unwrap_or_default();
        let chain = mi_model::sha256_hex(format!("{}\n{plain}", self.summary.chain).as_bytes());
        record.chain = &chain;
        let text = serde_json::to_string(&record).unwrap_or_default();
        self.summary.chain = chain;
        Some(text)
    }

    fn count(&mut self, line: &[u8], verdict: &Verdict) {
        let kind = serde_json::from_slice::<Kind>(line).ok().and_then(|kind| kind.kind);
        let edge = serde_json::from_slice::<Taken>(line).ok().and_then(|taken| taken.edge);
        let summary = &mut self.summary;
        summary.events += 1;
        if verdict.allowed {
            summary.allowed += 1;
        } else {
            summary.refused += 1;
        }
        let names = &mut self.names;
        let is_transition = kind.as_deref() == Some("transition");
        add(&mut summary.by_event, &kind.unwrap_or_else(|| "(no event)".to_owned()), names);
        if let Some(action) = verdict.action {
            add(&mut summary.by_action, action.word(), names);
        }
        if let Some(by) = &verdict.by {
            add(&mut summary.by_rule, by, names);
        }
        if let Some(guard) = &verdict.guard {
            add(&mut summary.guards_failed, guard, names);
        }
        if let Some(edge) = edge.filter(|_| is_transition && verdict.allowed) {
            add(&mut summary.edges_taken, &edge, names);
        }
        for policy in &verdict.overrode {
            add(&mut summary.overridden, policy, names);
        }
    }

    /// What it all adds up to.
    pub fn summary(mut self) -> Summary {
        let protocol = Arc::clone(self.engine.protocol());
        self.summary.node = self.engine.node().to_owned();
        self.summary.finished =
            protocol.node_index.get(self.engine.node()).is_some_and(|node| protocol.nodes[*node].is_end);
        self.summary.claims = self
            .engine
            .claims()
            .map(|(claim, verification_status, trust_level)| ClaimReport {
                claim: claim.to_owned(),
                trust_level,
                verification_status,
            })
            .collect();
        self.summary
    }
}

#[derive(serde::Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(serde::Deserialize)]
struct Taken {
    edge: Option<String>,
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, names: &mut usize) {
    if let Some(count) = counts.get_mut(name) {
        *count += 1;
        return;
    }
    if *names >= MOST_NAMES {
        *counts.entry("…".to_owned()).or_default() += 1;
        return;
    }
    *names += 1;
    counts.insert(mi_model::shorten(name, 200), 1);
}

/// The report as a page for a person, 80 columns wide.
pub fn page(summary: &Summary) -> String {
    let mut lines = vec![
        format!("Audit of {}", summary.protocol),
        String::new(),
        format!("events     {} ({} allowed, {} refused)", summary.events, summary.allowed, summary.refused),
        format!("now at     {}{}", summary.node, if summary.finished { ", an end" } else { "" }),
        format!("protocol   {}", summary.protocol_digest),
        format!("chain      {}", summary.chain),
    ];
    let sections = [
        ("Events", &summary.by_event),
        ("Actions", &summary.by_action),
        ("Rules that spoke", &summary.by_rule),
        ("Guards that failed", &summary.guards_failed),
        ("Policies that were overridden", &summary.overridden),
        ("Edges taken", &summary.edges_taken),
    ];
    for (title, counts) in sections {
        if !counts.is_empty() {
            lines.extend([String::new(), title.to_owned()]);
            lines.extend(
                counts.iter().map(|(name, count)| format!("  {count:>8}  {}", mi_model::shorten(name, 66))),
            );
        }
    }
    if !summary.claims.is_empty() {
        lines.extend([String::new(), "Claims".to_owned()]);
        let told = |claim: &ClaimReport| {
            let (status, trust) = (claim.verification_status.word(), claim.trust_level.word());
            format!("  {:<10} {:<24} {}", status, trust, mi_model::shorten(&claim.claim, 40))
        };
        lines.extend(summary.claims.iter().map(told));
    }
    if !summary.builtin_off.is_empty() {
        lines.extend([String::new(), "Built-in invariants that are off".to_owned()]);
        lines.extend(
            summary
                .builtin_off
                .iter()
                .map(|(id, reason)| format!("  {id}: {}", mi_model::shorten(reason, 50))),
        );
    }
    lines.join("\n")
}

/// An event that a protocol would have decided otherwise than it went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub at: u64,
    /// What was decided then; an event without a verdict simply happened.
    pub was_allowed: bool,
    pub event: Value,
    pub verdict: Verdict,
}

/// Judges a recorded line again: `Some` when it would have gone otherwise.
///
/// The line is an event, or a record of an audit with the verdict of then.
pub fn backtest(engine: &mut Engine, line: &[u8]) -> Option<Change> {
    let recorded: Option<Value> = serde_json::from_slice(line).ok();
    let then =
        recorded.as_ref().and_then(|record| record.pointer("/verdict/allowed")).and_then(Value::as_bool);
    let event = match recorded {
        Some(mut record) if then.is_some() => record.get_mut("event").map(Value::take).unwrap_or_default(),
        Some(event) => event,
        None => Value::String(mi_model::shorten(&String::from_utf8_lossy(line), 1000)),
    };
    let verdict =
        if then.is_some() { engine.apply(event.to_string().as_bytes())? } else { engine.apply(line)? };
    let was_allowed = then.unwrap_or(true);
    let changed = was_allowed != verdict.allowed || (verdict.action.is_some() && then.is_none());
    changed.then_some(Change { at: verdict.at, was_allowed, event, verdict })
}
