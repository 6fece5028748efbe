//! Names of things, as types, so that one cannot be passed for another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{Timestamp, sha256_hex};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it stands in a record.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text that records carry.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// One `mi run`, from its start to its end, resumed or not.
    RunId
);
text_id!(
    /// One project: the hash of its root path.
    ProjectId
);
text_id!(
    /// One batch of a run: `b0`, `b1`, …, with a suffix such as `b0.after_testless` for a second plan.
    BatchId
);

impl RunId {
    /// A run id that sorts by time and differs between processes that start in the same millisecond.
    pub fn generate(now: Timestamp, process_id: u32) -> Self {
        let compact: String = now.to_string().chars().filter(char::is_ascii_digit).take(17).collect();
        Self(format!("r{compact}-{process_id:x}"))
    }
}

impl ProjectId {
    /// The id of the project whose canonical root path is `root`.
    pub fn of_root(root: &str) -> Self {
        Self(sha256_hex(root.as_bytes())[..16].to_owned())
    }
}

impl BatchId {
    /// The id of the batch with this number.
    pub fn numbered(index: u32) -> Self {
        Self(format!("b{index}"))
    }

    /// The same batch after the person chose how a project without tests is checked.
    pub fn after_testless(&self) -> Self {
        Self(format!("{}.after_testless", self.0))
    }
}

/// The requirement ids (`PROJ-CAT-###`) that a text cites, each once, in order.
pub fn goal_ids(text: &str) -> Vec<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '-';
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|char: char| !is_part(char)).filter(|word| is_goal_id(word)) {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn is_goal_id(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let is_name = |part: &str| {
        part.len() >= 2
            && part.starts_with(|char: char| char.is_ascii_uppercase())
            && part.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit())
    };
    match parts.as_slice() {
        [project, category, number] => {
            is_name(project)
                && is_name(category)
                && number.len() == 3
                && number.chars().all(|char| char.is_ascii_digit())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids are found wherever they stand, once each; words that only look alike are not ids.
    #[test]
    fn requirement_ids_are_found_in_a_task() {
        let task = "Implement CHORUS-INT-004 (see MI-JRN-012, CHORUS-INT-004); not UTF-8, not x-y-001, not A-B-1, not 004-NX-020.";
        assert_eq!(goal_ids(task), ["CHORUS-INT-004", "MI-JRN-012"]);
    }
}
