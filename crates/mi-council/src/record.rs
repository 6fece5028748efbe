//! Decision Records: immutable, numbered, with an address; some expire, some have an owner.
//!
//! Requirements: MI-COUNCIL-016.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{
    Citation, Person, Refusal, Rule, Standing,
    people::Aliases,
    vote::{person, refuse_floating},
};

/// What a decision is for.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RecordKind {
    Ordinary,
    /// Approval & Residual Risk: lets one green and two yellows pass.
    Approval,
    /// A rule of the box may be overridden, for a while, by somebody.
    Exception,
    /// Architect and QA may stand for an absent owner.
    Escalation,
    Disagreement,
}

impl RecordKind {
    pub const ALL: [Self; 5] =
        [Self::Ordinary, Self::Approval, Self::Exception, Self::Escalation, Self::Disagreement];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// `DR-7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordNumber(pub u64);

impl fmt::Display for RecordNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DR-{}", self.0)
    }
}

/// Something that a decision leaves to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    pub text: String,
    pub owner: Person,
    pub due_beat: i64,
}

/// One decision, as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub number: RecordNumber,
    pub record_kind: RecordKind,
    /// The proposal it is about.
    pub proposal: Option<String>,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    pub owner: Option<Person>,
    /// Holds for so many beats.
    pub expires: Option<u32>,
    pub rule: Option<String>,
    pub rollback: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Citation>,
    /// Mitigations of yellow votes that became tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<FollowUp>,
    pub supersedes: Option<RecordNumber>,
    /// `public`, `internal` or `restricted`.
    pub classification: String,
    pub beat: i64,
}

impl DecisionRecord {
    /// Whether it has not run out.
    pub fn is_unexpired(&self, beat: i64) -> bool {
        self.expires.is_none_or(|beats| beat < self.beat.saturating_add(i64::from(beats)))
    }
}

/// A decision as somebody wrote it down.
#[derive(Debug, Clone, Default)]
pub struct RecordForm {
    pub kind: String,
    pub proposal: Option<String>,
    pub title: String,
    pub text: String,
    pub owner: Option<String>,
    pub expires: Option<u32>,
    pub rule: Option<String>,
    pub rollback: Option<String>,
    pub cites: Vec<Citation>,
    pub tasks: Vec<FollowUp>,
    pub supersedes: Option<RecordNumber>,
    pub classification: Option<String>,
}

impl RecordForm {
    /// Reads the form; `about` is how the proposal stands that it names.
    pub fn read(
        self,
        number: RecordNumber,
        beat: i64,
        about: Option<&Standing>,
        aliases: &Aliases,
    ) -> Result<DecisionRecord, Refusal> {
        let wrong = |message: String| Refusal::malformed(Rule::Record, message);
        let kind = RecordKind::from_word(&self.kind).ok_or_else(|| {
            let known = RecordKind::ALL.map(RecordKind::as_str).join(", ");
            wrong(format!("`{}` is no kind of decision; kinds are {known}", self.kind))
        })?;
        if self.title.trim().is_empty() {
            return Err(wrong("a decision needs a title".to_owned()));
        }
        self.check_parts(kind)?;
        for text in [Some(&self.title), Some(&self.text), self.rollback.as_ref()].into_iter().flatten() {
            refuse_floating(text)?;
        }
        let classification = self.classification.unwrap_or_else(|| "internal".to_owned());
        if !["public", "internal", "restricted"].contains(&classification.as_str()) {
            return Err(wrong(format!(
                "`{classification}` is no classification; public, internal or restricted"
            )));
        }
        let owner = self.owner.as_deref().map(person).transpose()?.map(|owner| aliases.person(&owner));
        let owns = about.zip(owner.as_ref()).is_some_and(|(standing, owner)| standing.author == *owner);
        if kind == RecordKind::Escalation && owns {
            return Err(Refusal::forbidden(
                Rule::Author,
                "the author cannot own an Escalation DR on their own proposal",
            ));
        }
        Ok(DecisionRecord {
            number,
            record_kind: kind,
            proposal: self.proposal,
            title: self.title,
            text: self.text,
            owner,
            expires: self.expires,
            rule: self.rule,
            rollback: self.rollback,
            cites: self.cites,
            tasks: self.tasks,
            supersedes: self.supersedes,
            classification,
            beat,
        })
    }

    fn check_parts(&self, kind: RecordKind) -> Result<(), Refusal> {
        let given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        let parts = [
            ("for", given(&self.proposal)),
            ("owner", given(&self.owner)),
            ("expires", self.expires.is_some()),
            ("rule", given(&self.rule)),
            ("rollback", given(&self.rollback)),
        ];
        let needed: &[&str] = match kind {
            RecordKind::Ordinary => &[],
            RecordKind::Approval | RecordKind::Disagreement => &["for"],
            RecordKind::Exception => &["rule", "owner", "expires", "rollback"],
            RecordKind::Escalation => &["for", "owner", "expires"],
        };
        let missing: Vec<String> = parts
            .iter()
            .filter(|(name, there)| needed.contains(name) && !there)
            .map(|(name, _)| format!("--{name}"))
            .collect();
        if !missing.is_empty() {
            return Err(Refusal::malformed(
                Rule::Record,
                format!("a decision of kind {kind} needs {}", missing.join(", ")),
            ));
        }
        match self.expires {
            Some(0) => {
                Err(Refusal::malformed(Rule::Record, "a decision that expires in 0 beats never holds"))
            }
            _ => Ok(()),
        }
    }
}
