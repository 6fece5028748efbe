//! A vote as an agent gives it: one JSON object and nothing else.
//!
//! Holds: what is not exactly that is no vote; a vote that stands somewhere inside a reply is text.
//! Requirements: MI-COUNCIL-014.

use serde::Deserialize;

use crate::{Citation, Digest, Mitigation, Person, Refusal, Role, Rule, VoteForm};

/// What an agent answers when it is asked to review.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentVote {
    pub vote: String,
    pub rationale: String,
    pub evidence_refs: Vec<String>,
    #[serde(default)]
    mitigations: Vec<AgentMitigation>,
    #[serde(default)]
    pub scope: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentMitigation {
    text: String,
    #[serde(default)]
    owner: Option<String>,
    #[serde(default)]
    due: Option<u32>,
}

/// The JSON Schema that agents with structured answers are given.
pub const AGENT_VOTE_SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["vote","rationale","evidence_refs","mitigations","scope"],"properties":{"vote":{"type":"string","enum":["green","yellow","red"]},"rationale":{"type":"string"},"evidence_refs":{"type":"array","items":{"type":"string"}},"mitigations":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","owner","due"],"properties":{"text":{"type":"string"},"owner":{"type":["string","null"]},"due":{"type":["integer","null"]}}}},"scope":{"type":["string","null"]}}}"#;

impl AgentVote {
    /// Reads an answer: the whole of it is the object.
    pub fn read(answer: &str) -> Result<Self, Refusal> {
        let vote: Self = serde_json::from_str(answer.trim())
            .map_err(|error| Refusal::malformed(Rule::Vote, format!("the answer is no vote: {error}")))?;
        vote.check()?;
        Ok(vote)
    }

    /// Whether it has all that a vote of its colour needs. Whether its evidence is there is seen when it is taken.
    fn check(&self) -> Result<(), Refusal> {
        let cited = |given: &String| Citation { address: given.clone(), given: given.clone() };
        let form = VoteForm {
            name: "agent".to_owned(),
            role: Role::Reviewer.to_string(),
            colour: self.vote.clone(),
            rationale: self.rationale.clone(),
            evidence: self.evidence_refs.iter().map(cited).collect(),
            mitigations: self.mitigations()?,
            ..VoteForm::default()
        };
        form.read(Digest::new([0; 32]), 0).map(drop)
    }

    /// The mitigations with their owners as people.
    pub fn mitigations(&self) -> Result<Vec<Mitigation>, Refusal> {
        let read = |given: &AgentMitigation| {
            let owner = given
                .owner
                .as_deref()
                .filter(|owner| !owner.trim().is_empty())
                .map(Person::named)
                .transpose();
            let owner =
                owner.map_err(|error| Refusal::malformed(Rule::Mitigation, format!("owner: {error}")))?;
            Ok(Mitigation { text: given.text.clone(), owner, due: given.due })
        };
        self.mitigations.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One object is a vote; prose around it, another field, a wrong type, two objects are not.
    #[test]
    fn malformed_votes_of_agents_are_no_votes() {
        let good = r#"{"vote":"yellow","rationale":"r","evidence_refs":["a#L1"],"mitigations":[{"text":"t","owner":"dev","due":2}],"scope":null}"#;
        let vote = AgentVote::read(&format!("\n{good}\n")).unwrap();
        assert_eq!(vote.mitigations().unwrap()[0].due, Some(2));
        for bad in [
            "",
            "I vote green.",
            &format!("Here is my vote: {good}"),
            &format!("```json\n{good}\n```"),
            &format!("{good}{good}"),
            r#"{"vote":"green","rationale":"r"}"#,
            r#"{"vote":"green","rationale":"r","evidence_refs":"a"}"#,
            r#"{"vote":"green","rationale":"r","evidence_refs":[]}"#,
            r#"{"vote":"green","rationale":" ","evidence_refs":["a"]}"#,
            r#"{"vote":"Green","rationale":"r","evidence_refs":["a"]}"#,
            r#"{"vote":"red","rationale":"r","evidence_refs":["a"]}"#,
            r#"{"vote":"yellow","rationale":"r","evidence_refs":["a"],"mitigations":[{"text":"t","owner":"dev"}]}"#,
            r#"{"vote":"green","rationale":"r","evidence_refs":["a"],"as":"owner"}"#,
            r#"{"vote":"green","vote":"red","rationale":"r","evidence_refs":[]}"#,
            "[]",
            "null",
        ] {
            assert!(AgentVote::read(bad).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<serde_json::Value>(AGENT_VOTE_SCHEMA).is_ok());
    }
}
