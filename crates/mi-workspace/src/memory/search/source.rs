//! The memories that one search covers.

use serde::Serialize;

/// Which memory a hit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    /// `.nexus/memory/`: working knowledge of the project.
    Memory,
    /// `.nexus/context/`: its design.
    Context,
    /// `.nexus/rules/`: its rules.
    Rules,
    /// What a person taught: rules that hold for them or for the project.
    Learned,
    /// Knowledge of a team, reviewed.
    Cards,
    /// `.nexus/history.json`: finished cycles with their decisions and tasks.
    History,
}

impl Source {
    pub const ALL: [Self; 6] =
        [Self::Memory, Self::Context, Self::Rules, Self::Learned, Self::Cards, Self::History];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.as_str() == word)
    }
}
