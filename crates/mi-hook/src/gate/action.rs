//! One action of an agent in its session: the rules first, then what the person overrode or has yet to acknowledge.
//!
//! Holds: a deny becomes an allow only by a grant of exactly this action that is marked as used, on the disk, before the
//! answer is given. A session that cannot be read makes prompts into denies.

use std::path::Path;

use mi_gate::permission::{Action, Decision, Grant, Verdict, action_digest, is_fixed};
use mi_model::{Timestamp, error_line};
use serde_json::json;

use super::{
    Gate, Session,
    records::{Decided, Records},
    session::{Approvals, Denied, SessionError},
};

/// An action with what the harness says about it.
pub struct Call<'a> {
    pub action: &'a Action,
    pub actor: Option<&'a str>,
    /// The harness's own id of the call.
    pub id: Option<&'a str>,
}

/// The answer, and what went wrong on the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub decision: Decision,
    pub problems: Vec<String>,
}

/// Who can put a question to the person while the tool waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    Agent,
    /// A prompt is as good as a deny there, so the person's override lets it through, too.
    Nobody,
}

/// Decides about one action of a session, and writes the answer down.
pub fn decide_action(gate: &Gate, session: &Session, call: &Call<'_>, now: Timestamp) -> Ruling {
    decide_asking(gate, session, call, now, Asking::Agent)
}

/// As [`decide_action`], for an agent that perhaps cannot ask.
///
/// An allowance that cannot be written down becomes a prompt: nobody would know that it was given.
pub fn decide_asking(
    gate: &Gate,
    session: &Session,
    call: &Call<'_>,
    now: Timestamp,
    asking: Asking,
) -> Ruling {
    let digest = action_digest(call.action);
    let decision = gate.decide(call.action, call.actor);
    let mut problems = gate.take_problems();
    let turn = Turn { gate, session, digest: &digest, now, asking };
    let mut decision = turn.ask_person(decision).unwrap_or_else(|failed| {
        let (decision, error) = *failed;
        problems.push(error_line(&error));
        decision
    });
    if let Some(home) = gate.home() {
        let entry = Decided {
            session: &session.name(),
            tool: &call.action.tool,
            action: &digest,
            call: call.id,
            decision: &decision,
        };
        if let Err(error) = Records::new(home).decided(now, &entry) {
            let why = error_line(&error);
            if decision.verdict == Verdict::Allow {
                decision.verdict = Verdict::Prompt;
                decision.rule = "mi.record".to_owned();
                decision.reason = format!("the gate cannot write down what it allows: {why}");
            }
            problems.push(why);
        }
    }
    Ruling { decision, problems }
}

struct Turn<'a> {
    gate: &'a Gate,
    session: &'a Session,
    digest: &'a str,
    now: Timestamp,
    asking: Asking,
}

impl Turn<'_> {
    fn ask_person(&self, decision: Decision) -> Result<Decision, Box<(Decision, SessionError)>> {
        match decision.verdict {
            Verdict::Allow => Ok(decision),
            Verdict::Prompt => match self.acknowledged(decision)? {
                asked if asked.verdict == Verdict::Prompt && self.asking == Asking::Nobody => {
                    self.overridden(asked)
                }
                decided => Ok(decided),
            },
            Verdict::Deny if is_fixed(&decision.rule) => Ok(decision),
            Verdict::Deny => self.overridden(decision),
        }
    }

    /// What must not go on without the person waits for them.
    fn acknowledged(&self, decision: Decision) -> Result<Decision, Box<(Decision, SessionError)>> {
        let (topic, approvals) = match self.session.approvals() {
            Ok(found) => found,
            Err(error) => {
                let reason = format!("the session's approvals cannot be read: {}", error_line(&error));
                return Err(Box::new((denied(decision, "mi.acknowledgement", reason, None), error)));
            }
        };
        let waits =
            approvals.waiting.iter().find(|waiting| waiting.topic == topic && waiting.acknowledged.is_none());
        let Some(waits) = waits else { return Ok(decision) };
        let reason = format!(
            "a high-risk request of this topic waits for the person's acknowledgement ({})",
            waits.id
        );
        let alternative = format!("the person runs `mi ack {}` in a terminal of their own", waits.id);
        Ok(denied(decision, "mi.acknowledgement", reason, Some(alternative)))
    }

    /// An unused grant lets this very action through, once; otherwise the deny is remembered.
    fn overridden(&self, decision: Decision) -> Result<Decision, Box<(Decision, SessionError)>> {
        let rule = decision.rule.clone();
        let used = self.session.change(|topic, approvals| {
            let Some(grant) = self.grant(topic, approvals) else {
                approvals.denied =
                    Some(Denied { action: self.digest.to_owned(), rule: rule.clone(), topic, at: self.now });
                return Ok(false);
            };
            if let Some(home) = self.gate.home() {
                self.journal(home, topic, &rule)?;
            }
            grant.used = true;
            Ok(true)
        });
        match used {
            Ok(false) => Ok(decision),
            Ok(true) => Ok(Decision {
                verdict: Verdict::Allow,
                reason: format!("the person overrode `{rule}` once for this action: {}", decision.reason),
                rule: "mi.override".to_owned(),
                alternative: None,
                parts: decision.parts,
            }),
            Err(error) => Err(Box::new((decision, error))),
        }
    }

    fn grant<'a>(&self, topic: u64, approvals: &'a mut Approvals) -> Option<&'a mut Grant> {
        approvals.grants.iter_mut().find(|grant| grant.covers(self.digest, topic, self.now))
    }

    fn journal(&self, home: &Path, topic: u64, rule: &str) -> Result<(), SessionError> {
        let fields =
            json!({"session": self.session.name(), "topic": topic, "action": self.digest, "rule": rule});
        Ok(Records::new(home).person(self.now, "override_used", fields)?)
    }
}

fn denied(decision: Decision, rule: &str, reason: String, alternative: Option<String>) -> Decision {
    let alternative = alternative.or_else(|| Some("the person looks at the session's folder".to_owned()));
    Decision { verdict: Verdict::Deny, rule: rule.to_owned(), reason, alternative, parts: decision.parts }
}
