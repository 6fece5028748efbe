//! YAML into typed values, strictly: no duplicate keys, no merge keys, and errors with line and nearest name.

use serde::de::DeserializeOwned;
use serde_saphyr::{DuplicateKeyPolicy, Error, MergeKeyPolicy, Options, options};

use crate::names::nearest;

/// Why a YAML text could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct YamlError {
    /// 1 where the parser has no better place.
    pub line: u64,
    pub message: String,
}

/// The longest text that is read, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    if text.len() > MAX_BYTES {
        return Err(YamlError { line: 1, message: "the file is larger than 1 MiB".to_owned() });
    }
    serde_saphyr::from_str_with_options(text, strict()).map_err(|error| describe(&error))
}

fn strict() -> Options {
    options! {
        strict_booleans: true,
        legacy_octal_numbers: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        with_snippet: false,
    }
}

fn describe(error: &Error) -> YamlError {
    let line = error.location().map(|place| place.line()).filter(|line| *line > 0).unwrap_or(1);
    let message = match error.without_snippet() {
        Error::SerdeUnknownField { field, expected, .. } => unknown(field, expected),
        other => other.to_string().lines().next().unwrap_or("not YAML").to_owned(),
    };
    YamlError { line, message }
}

fn unknown(field: &str, expected: &[&str]) -> String {
    match nearest(field, expected) {
        Some(name) => format!("unknown field `{field}`; did you mean `{name}`?"),
        None => format!("unknown field `{field}`; known are {}", expected.join(", ")),
    }
}
