//! JSON without the ambiguities that let two readers see two things: duplicate keys are refused.

use mi_formats::strict_json::parse_value;
use serde_json::Value;

/// Why a text is no usable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("read JSON: {0}")]
pub struct JsonError(String);

/// Reads one JSON value; duplicate keys, trailing text and nesting beyond 128 levels are errors.
pub fn read_json(text: &str) -> Result<Value, JsonError> {
    parse_value(text.as_bytes()).map_err(|error| JsonError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two readers could read differently is refused.
    #[test]
    fn d_17_ambiguous_json_is_refused() {
        assert!(read_json(r#"{"a":1,"a":2}"#).is_err());
        assert!(read_json(r#"{"x":{"a":1,"a":2}}"#).is_err());
        assert!(read_json(r#"{"a":1} {"a":2}"#).is_err());
        assert!(read_json(&"[".repeat(10_000)).is_err());
        assert_eq!(read_json(r#"{"a":[1,-2,0.5,"x",null,true]}"#).unwrap()["a"][3], "x");
    }
}
