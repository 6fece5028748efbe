//! What a protocol file closes to an actor (05k Layer D), as rules of the gate.
//!
//! Holds: only what a protocol denies is taken over; a file that does not load denies everything.

use mi_gate::permission::{Examples, Layer, Matcher, Rule, RuleSet, Verdict, Words, load_or_guard};
use mi_protocol::load;

use crate::{commands::protocol::Source, failure::Failure};

/// The rules of a protocol file.
pub(super) fn rules(name: &str) -> Result<RuleSet, Failure> {
    let source = Source::read(name)?;
    let loaded = load(&source.bytes);
    if loaded.protocol.is_none() {
        let why =
            loaded.problems.first().map_or("it cannot be read".to_owned(), |problem| problem.message.clone());
        let problem = format!("{name}: {why}");
        return Ok(RuleSet {
            problem: Some(problem),
            ..load_or_guard(name, "", Layer::Project, Examples::Run)
        });
    }
    let bans = loaded.draft.access_rules.iter().filter(|rule| !rule.allowed);
    let rules = bans
        .map(|ban| {
            let path = Some(Words::One(ban.pattern.clone()));
            let actor = (ban.actor != "*").then(|| Words::One(ban.actor.clone()));
            let matcher = match ban.mode.as_str() {
                "write" => Matcher { actor, write: path, ..Matcher::default() },
                // What runs a file reads it.
                _ => Matcher { actor, read: path, ..Matcher::default() },
            };
            Rule {
                id: format!("access:{}", ban.actor),
                verdict: Verdict::Deny,
                matcher,
                reason: ban
                    .reason
                    .clone()
                    .unwrap_or_else(|| "the protocol closes it to this actor".to_owned()),
                alternative: Some("let the actor do it whom the protocol names for it".to_owned()),
            }
        })
        .collect();
    Ok(RuleSet { file: name.to_owned(), layer: Layer::Project, rules, problem: None })
}
