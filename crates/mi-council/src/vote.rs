//! A vote: what it must say, and how it is read.
//!
//! Holds: a [`Vote`] only comes from [`VoteForm::read`], so every vote has a rationale, evidence of fixed content and,
//! for yellow and red, what has to be done about it. Vote-shaped text anywhere else is text.
//! Requirements: MI-COUNCIL-003.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{Digest, Person, Refusal, Role, Rule, ucxl::Address};

/// green: approve; yellow: accept with mitigations; red: block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    Green,
    Yellow,
    Red,
}

impl Colour {
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "green" => Some(Self::Green),
            "yellow" => Some(Self::Yellow),
            "red" => Some(Self::Red),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is to be done about a doubt; of a red, the way to fix it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mitigation {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Person>,
    /// In how many beats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<u32>,
}

impl Mitigation {
    /// Reads `TEXT; owner=NAME; due=BEATS`; parts that are not there stay open.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let wrong = |message: String| Refusal::malformed(Rule::Mitigation, message);
        let (mut words, mut owner, mut due) = (Vec::new(), None, None);
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=').map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim())) {
                Some((key, value)) if key == "owner" => {
                    let name = Person::named(value).map_err(|error| wrong(format!("owner: {error}")))?;
                    if owner.replace(name).is_some() {
                        return Err(wrong("owner is given twice".to_owned()));
                    }
                }
                Some((key, value)) if key == "due" => {
                    let beats =
                        value.parse().map_err(|_| wrong(format!("due=`{value}` is no number of beats")))?;
                    if due.replace(beats).is_some() {
                        return Err(wrong("due is given twice".to_owned()));
                    }
                }
                _ => words.push(part),
            }
        }
        Ok(Self { text: words.join("; "), owner, due })
    }

    fn missing(&self) -> Vec<&'static str> {
        let parts = [
            ("text", !self.text.trim().is_empty()),
            ("owner", self.owner.is_some()),
            ("due", self.due.is_some()),
        ];
        parts.into_iter().filter(|(_, there)| !there).map(|(name, _)| name).collect()
    }
}

/// Something a vote or a decision stands on: content that cannot change under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The UCXL address of an immutable revision.
    pub address: String,
    /// What was cited, as it was typed.
    pub given: String,
}

impl Citation {
    /// Whether it names a version of something that is kept elsewhere, so that nobody can check it here.
    pub fn is_by_version(&self) -> bool {
        self.address.parse::<Address>().is_ok_and(|address| address.is_by_version())
    }

    /// Takes an address; one that floats is refused.
    pub fn of_address(text: &str) -> Result<Self, Refusal> {
        let address: Address =
            text.parse().map_err(|error| Refusal::malformed(Rule::Evidence, format!("{error}")))?;
        match address.is_immutable() {
            true => Ok(Self { address: address.to_string(), given: text.to_owned() }),
            false => Err(Refusal::forbidden(
                Rule::Evidence,
                format!("`{text}` is a floating reference; cite a revision by digest or version"),
            )),
        }
    }
}

/// Refuses a text that cites a floating reference.
pub fn refuse_floating(text: &str) -> Result<(), Refusal> {
    let ends =
        |char: char| char.is_whitespace() || matches!(char, '"' | '\'' | '<' | '>' | '(' | ')' | '`' | ',');
    for word in text.split(ends).filter(|word| word.starts_with("ucxl://")) {
        Citation::of_address(word.trim_end_matches(['.', ';']))?;
    }
    Ok(())
}

/// A vote as somebody filled it in.
#[derive(Debug, Clone, Default)]
pub struct VoteForm {
    pub name: String,
    pub role: String,
    pub colour: String,
    pub rationale: String,
    pub evidence: Vec<Citation>,
    pub mitigations: Vec<Mitigation>,
    pub scope: Option<String>,
    /// The digest that the reviewer looked at, if given.
    pub digest: Option<String>,
}

/// A vote that is in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    pub name: Person,
    pub role: Role,
    pub vote: Colour,
    pub digest: Digest,
    pub scope: String,
    pub rationale: String,
    pub evidence: Vec<Citation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mitigations: Vec<Mitigation>,
    pub beat: i64,
}

/// The scope of a vote on everything.
pub const WHOLE: &str = "whole proposal";

impl VoteForm {
    /// Reads the form; `digest` is the artefact's now.
    pub fn read(self, digest: Digest, beat: i64) -> Result<Vote, Refusal> {
        let vote = Colour::from_word(&self.colour).ok_or_else(|| {
            Refusal::malformed(Rule::Vote, format!("`{}` is no vote; vote green, yellow or red", self.colour))
        })?;
        if self.rationale.trim().is_empty() {
            return Err(Refusal::malformed(Rule::Rationale, "a vote of any colour needs a rationale"));
        }
        if self.evidence.is_empty() {
            return Err(Refusal::malformed(
                Rule::Evidence,
                "a vote of any colour needs evidence: a path of the project or a UCXL address",
            ));
        }
        check_mitigations(vote, &self.mitigations)?;
        let role = self.role.parse().map_err(|error| Refusal::forbidden(Rule::Role, format!("{error}")))?;
        let name = person(&self.name)?;
        if let Some(given) = &self.digest {
            check_digest(given, digest)?;
        }
        let scope = self.scope.filter(|scope| !scope.trim().is_empty()).unwrap_or_else(|| WHOLE.to_owned());
        let (rationale, evidence, mitigations) = (self.rationale, self.evidence, self.mitigations);
        Ok(Vote { name, role, vote, digest, scope, rationale, evidence, mitigations, beat })
    }
}

/// The person a form names.
pub(crate) fn person(text: &str) -> Result<Person, Refusal> {
    Person::named(text).map_err(Refusal::from)
}

/// Whatever is not the current digest is refused alike, also what is no digest at all.
fn check_digest(given: &str, now: Digest) -> Result<(), Refusal> {
    match given.parse() == Ok(now) {
        true => Ok(()),
        false => Err(Refusal::forbidden(
            Rule::Digest,
            format!("you looked at `{given}`, but the artefact is now {now}; look again"),
        )),
    }
}

fn check_mitigations(vote: Colour, mitigations: &[Mitigation]) -> Result<(), Refusal> {
    let wrong = |message: String| Err(Refusal::malformed(Rule::Mitigation, message));
    match vote {
        Colour::Green => Ok(()),
        Colour::Yellow if mitigations.is_empty() => {
            wrong("a yellow vote needs a mitigation: 'TEXT; owner=NAME; due=BEATS'".to_owned())
        }
        Colour::Yellow => {
            match mitigations.iter().map(Mitigation::missing).find(|missing| !missing.is_empty()) {
                Some(missing) => wrong(format!("the mitigation lacks {}", missing.join(", "))),
                None => Ok(()),
            }
        }
        Colour::Red if mitigations.iter().all(|mitigation| mitigation.text.trim().is_empty()) => {
            wrong("a red vote needs a fix path as its mitigation".to_owned())
        }
        Colour::Red => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Digest = Digest::new([1; 32]);

    fn form(colour: &str, mitigations: &[&str]) -> VoteForm {
        let hash = "a".repeat(64);
        VoteForm {
            name: "Bob".to_owned(),
            role: "qa".to_owned(),
            colour: colour.to_owned(),
            rationale: "read it".to_owned(),
            evidence: vec![Citation::of_address(&format!("ucxl://a:b@c:d/sha256:{hash}#/x")).unwrap()],
            mitigations: mitigations.iter().map(|text| Mitigation::read(text).unwrap()).collect(),
            ..VoteForm::default()
        }
    }

    fn refused(form: VoteForm) -> String {
        let refusal = form.read(NOW, 0).unwrap_err();
        format!("{} {:?}", refusal.rule.as_str(), refusal.fault)
    }

    /// Every part that a colour needs is asked for by its rule; what is whole is taken.
    #[test]
    fn mi_council_003_the_form_of_each_colour() {
        assert!(form("green", &[]).read(NOW, 0).is_ok());
        assert!(form("yellow", &["two flaky tests; stabilise; owner=Dev; due=2"]).read(NOW, 0).is_ok());
        assert!(form("red", &["validate the input"]).read(NOW, 0).is_ok());
        for incomplete in ["", "x", "x; owner=dev", "x; due=2", "owner=dev; due=2"] {
            assert_eq!(refused(form("yellow", &[incomplete])), "mitigation Malformed", "{incomplete}");
        }
        assert_eq!(refused(form("red", &[])), "mitigation Malformed");
        assert_eq!(refused(form("amber", &[])), "vote Malformed");
        assert_eq!(
            refused(VoteForm { rationale: " ".to_owned(), ..form("green", &[]) }),
            "rationale Malformed"
        );
        assert_eq!(refused(VoteForm { evidence: Vec::new(), ..form("green", &[]) }), "evidence Malformed");
        assert_eq!(refused(VoteForm { role: "boss".to_owned(), ..form("green", &[]) }), "role Forbidden");
        assert_eq!(
            refused(VoteForm { name: "b\u{200b}ob".to_owned(), ..form("green", &[]) }),
            "name Forbidden"
        );
        assert_eq!(refused(VoteForm { name: " ".to_owned(), ..form("green", &[]) }), "name Malformed");
        for other in [Digest::new([2; 32]).to_string(), "0101".to_owned(), String::new()] {
            assert_eq!(refused(VoteForm { digest: Some(other), ..form("green", &[]) }), "digest Forbidden");
        }
    }

    /// A mitigation's parts may stand in any order; a part twice or an unreadable one is refused.
    #[test]
    fn mi_council_003_mitigations_are_read() {
        let read = Mitigation::read("due=3; Owner= ＱＡ ; fix a; then b").unwrap();
        assert_eq!(read.text, "fix a; then b");
        assert_eq!((read.owner.unwrap().as_str(), read.due), ("qa", Some(3)));
        for bad in ["x; due=soon", "x; due=-1", "x; owner=", "x; due=1; due=2", "x; owner=a; owner=b"] {
            assert!(Mitigation::read(bad).is_err(), "{bad}");
        }
    }

    /// A reference that floats is refused, in a citation and inside a text.
    #[test]
    fn floating_references_are_refused() {
        assert!(refuse_floating("see ucxl://a:b@c:d/latest#/x.").is_err());
        assert!(refuse_floating("see (ucxl://a:b@c:2.0.0/#/x#y), and nothing else").is_ok());
        assert!(refuse_floating("no reference at all").is_ok());
    }
}
