//! The name under which one harness keeps its own files: `.nexus/state/{harness-id}/` (NX-160).

use std::fmt;

/// A checked harness id: `^[a-z][a-z0-9-]*$`, and no name that the state folder itself uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HarnessId(String);

/// A text that cannot name a harness.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum HarnessIdError {
    #[error(
        "`{text}` is not a harness id: use a lower-case letter, then letters, digits and `-`, at most 64, such as `claude-nexus`"
    )]
    Form { text: String },
    #[error(
        "`{TAKEN}` is not a harness id: .nexus/state/{TAKEN}/ belongs to every harness; use another, such as `claude-nexus`"
    )]
    Taken,
}

/// `artifacts/` belongs to every harness (NX-135).
const TAKEN: &str = "artifacts";

impl HarnessId {
    /// Checks a name.
    pub fn new(text: &str) -> Result<Self, HarnessIdError> {
        let mut characters = text.chars();
        let starts_well = characters.next().is_some_and(|first| first.is_ascii_lowercase());
        let goes_on_well =
            characters.all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '-');
        if text == TAKEN {
            return Err(HarnessIdError::Taken);
        }
        if starts_well && goes_on_well && text.len() <= 64 {
            Ok(Self(text.to_owned()))
        } else {
            Err(HarnessIdError::Form { text: text.to_owned() })
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HarnessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::HarnessId;

    /// Names that would leave the folder, hide or collide are refused.
    #[test]
    fn nx_160_a_harness_id_is_lower_case_kebab() {
        for good in ["mi", "claude-nexus", "a1"] {
            assert!(HarnessId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "..", "../x", "A", "1a", "a/b", ".hidden", "a_b", "artifacts", "plan.json", "ü"] {
            assert!(HarnessId::new(bad).is_err(), "{bad}");
        }
        let taken = HarnessId::new("artifacts").unwrap_err().to_string();
        assert!(taken.contains("belongs to every harness"), "{taken}");
    }
}
