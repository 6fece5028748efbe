//! What can go wrong outside the project, and how badly (MI seed, "Risk").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of effect that a person wants to hear about.
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
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RiskCategory {
    Network,
    Install,
    Push,
    Delete,
    Privacy,
    Cost,
    Other,
}

impl RiskCategory {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How bad, in rising order.
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
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// The word that records carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
