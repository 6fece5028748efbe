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
