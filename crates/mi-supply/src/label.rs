//! `artifact.meta.json`: how the outputs of a run may be passed on (Rule S).

use serde::{Deserialize, Serialize};

/// The file's name, beside the outputs.
pub const LABEL_FILE: &str = "artifact.meta.json";

/// The label of all outputs of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    pub classification: Classification,
    /// Whether personal data was found, or is known to be in it.
    pub pii: bool,
}

/// Who may see it, widest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Classification {
    Public,
    Internal,
    Restricted,
}

/// Why a label is not one.
#[derive(Debug, thiserror::Error)]
#[error(
    "{LABEL_FILE} must be {{\"classification\": \"public\" or \"internal\" or \"restricted\", \"pii\": true or false}} and nothing else"
)]
pub struct LabelError {
    source: serde_json::Error,
}

impl Label {
    /// What holds where a run says nothing itself.
    pub fn for_outputs(pii: bool) -> Self {
        Self { classification: Classification::Internal, pii }
    }

    /// Reads a label; duplicate, unknown and missing keys are errors.
    pub fn read(bytes: &[u8]) -> Result<Self, LabelError> {
        serde_json::from_slice(bytes).map_err(|source| LabelError { source })
    }

    pub fn to_json(self) -> String {
        let text = serde_json::to_string_pretty(&self).expect("two plain fields are JSON");
        format!("{text}\n")
    }

    /// The JSON Schema of the file.
    pub fn schema() -> serde_json::Value {
        serde_json::json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": LABEL_FILE,
            "type": "object",
            "properties": {
                "classification": {"enum": ["public", "internal", "restricted"]},
                "pii": {"type": "boolean"}
            },
            "required": ["classification", "pii"],
            "additionalProperties": false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S: exactly two fields with their values; everything else is refused.
    #[test]
    fn s_labels_are_read_strictly() {
        let label = Label::for_outputs(true);
        assert_eq!(Label::read(label.to_json().as_bytes()).unwrap(), label);
        let bad = [
            "",
            "{}",
            r#"{"classification":"secret","pii":false}"#,
            r#"{"classification":"Public","pii":false}"#,
            r#"{"classification":"public","pii":"no"}"#,
            r#"{"classification":"public","pii":false,"note":""}"#,
            r#"{"classification":"public","pii":false,"pii":true}"#,
            r#"{"classification":"public","pii":false} x"#,
        ];
        for text in bad {
            assert!(Label::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
