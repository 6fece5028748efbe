//! What a reviewer looks at, and for which part of the quorum that counts.
//!
//! Requirements: MI-COUNCIL-002.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A reviewer's role.
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
pub enum Role {
    Owner,
    Domain,
    Qa,
    Security,
    Perf,
    Architect,
    Reviewer,
}

/// A word that is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no role; roles are owner, domain, qa, security, perf, architect, reviewer")]
pub struct UnknownRole(pub String);

impl Role {
    pub const ALL: [Self; 7] =
        [Self::Owner, Self::Domain, Self::Qa, Self::Security, Self::Perf, Self::Architect, Self::Reviewer];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Knows the matter itself.
    pub fn is_domain(self) -> bool {
        match self {
            Self::Owner | Self::Domain => true,
            Self::Qa | Self::Security | Self::Perf | Self::Architect | Self::Reviewer => false,
        }
    }

    /// Looks at how good it is.
    pub fn is_quality(self) -> bool {
        match self {
            Self::Qa | Self::Security | Self::Perf => true,
            Self::Owner | Self::Domain | Self::Architect | Self::Reviewer => false,
        }
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    /// `QA` and `qa` are one word.
    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        let word = text.to_ascii_lowercase();
        Self::ALL.into_iter().find(|role| role.as_str() == word).ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each role counts where the table says; anything else is no role.
    #[test]
    fn mi_council_002_roles_count_where_they_belong() {
        let names =
            |counts: fn(Role) -> bool| Role::ALL.into_iter().filter(|role| counts(*role)).collect::<Vec<_>>();
        assert_eq!(names(Role::is_domain), [Role::Owner, Role::Domain]);
        assert_eq!(names(Role::is_quality), [Role::Qa, Role::Security, Role::Perf]);
        assert_eq!("QA".parse(), Ok(Role::Qa));
        for word in ["", "boss", "q a", "own", "owner ", " qa"] {
            assert!(word.parse::<Role>().is_err(), "{word}");
        }
    }
}
