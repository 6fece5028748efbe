//! How a run ends, how well each criterion is proven, and who decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run ended.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Every criterion is at least observed.
    Done,
    /// A person, a budget or a missing part stands in the way; the record says which.
    Blocked,
    /// The mind gave up on the task: it ran out of moves without proof.
    NotDone,
    /// `mi` or the agent could not do its work at all.
    Failed,
    /// The person stopped it.
    Interrupted,
}

impl RunStatus {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The exit code of `mi run`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed | Self::NotDone => 1,
            Self::Blocked => 3,
            Self::Interrupted => 130,
        }
    }
}

/// How well a criterion is proven, in rising order.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ProofLevel {
    /// Nothing speaks for it.
    Absent,
    /// Only the agent says so.
    Claimed,
    /// A model looked at the change and cited the hunks that carry it.
    Judged,
    /// The agent's harness reported the check and its exit code, after the last change.
    Observed,
    /// `mi` ran the check itself, in the box.
    Verified,
}

impl ProofLevel {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What ties the evidence to the task: it would not be there without the work. Strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Bearing {
    /// A check failed on the tree the run began with and passes on the final one.
    RedGreen,
    /// The checks are green, and go red when the change is taken back.
    CounterCheck,
    /// What the criterion itself names was looked at.
    Named,
    /// The same tests, unchanged, pass before and after, and what was to be changed did change.
    Preserving,
    /// A model saw criterion, diff and evidence and cited hunks.
    Judged,
    /// The person looked and said so.
    Accepted,
}

impl Bearing {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What kind of thing a piece of evidence is. Decisions look at this, never at the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A check that passed, as the agent's harness reported it.
    CheckPassed,
    /// The digest of the tree that the evidence is about.
    Tree,
    /// A file, section, symbol, value or output that was looked at.
    Seen,
    /// A check that went red without the work.
    WentRed,
    /// Something that speaks against the criterion.
    Against,
    /// A check that `mi` ran itself.
    VerifiedCheck,
    /// What a model or the person said.
    Judgement,
    /// Anything else that helps a reader.
    #[default]
    Note,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// In words a person can check.
    pub text: String,
}

impl Evidence {
    pub fn new(kind: EvidenceKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// A remark without further meaning.
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(EvidenceKind::Note, text)
    }

    /// Something that speaks against the criterion.
    pub fn against(text: impl Into<String>) -> Self {
        Self::new(EvidenceKind::Against, text)
    }
}

impl<'de> Deserialize<'de> for Evidence {
    /// Journals of earlier versions hold plain texts.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Text(String),
            Typed { kind: EvidenceKind, text: String },
        }
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Text(text) => Self::note(text),
            Stored::Typed { kind, text } => Self { kind, text },
        })
    }
}

/// The proof of one criterion of the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    pub criterion: String,
    pub level: ProofLevel,
    /// What ties the evidence to the task; `None` while nothing does.
    #[serde(default)]
    pub bearing: Option<Bearing>,
    /// What level and bearing stand on.
    pub evidence: Vec<Evidence>,
}

impl Proof {
    /// Whether the criterion is shown: half one at least observed, and a bearing. A judgement or an acceptance is its own
    /// level.
    pub fn is_shown(&self) -> bool {
        match self.bearing {
            None => false,
            Some(Bearing::Judged | Bearing::Accepted) => self.level >= ProofLevel::Judged,
            Some(_) => self.level >= ProofLevel::Observed,
        }
    }

    /// The level in a word for people. What the person accepted was judged by nobody else.
    pub fn level_word(&self) -> &'static str {
        match self.bearing {
            Some(Bearing::Accepted) => "accepted",
            _ => self.level.as_str(),
        }
    }
}

/// Who made a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// A deterministic rule, by its id.
    Rules(String),
    /// A model, by its name.
    Model(String),
    /// The person.
    User,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(id) => write!(f, "rules:{id}"),
            Self::Model(name) => write!(f, "model:{name}"),
            Self::User => f.write_str("user"),
        }
    }
}

impl Serialize for DecidedBy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DecidedBy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once(':') {
            Some(("rules", id)) => Ok(Self::Rules(id.to_owned())),
            Some(("model", name)) => Ok(Self::Model(name.to_owned())),
            _ if text == "user" => Ok(Self::User),
            _ => Err(serde::de::Error::custom(format!("`{text}` is not rules:ID, model:NAME or user"))),
        }
    }
}

impl JsonSchema for DecidedBy {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DecidedBy".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": "^(rules:.+|model:.+|user)$"})
    }
}

/// Tokens used, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_output_tokens: u64,
}

impl Usage {
    /// Input and output together; cached input and reasoning are parts of those two.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// What was used since `earlier`, for agents that report sums over a whole thread.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_sub(earlier.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            reasoning_output_tokens: self
                .reasoning_output_tokens
                .saturating_sub(earlier.reasoning_output_tokens),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            reasoning_output_tokens: self
                .reasoning_output_tokens
                .saturating_add(other.reasoning_output_tokens),
        }
    }
}
