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
        other => plain_words(&other.to_string()),
    };
    YamlError { line, message }
}

/// What the YAML reader says, for people who do not know it: one line, no place (that is said already), nothing about its options.
pub fn plain_words(said: &str) -> String {
    let line = said.lines().next().unwrap_or("not YAML");
    let line =
        line.split_once(" at line ").map_or(line, |(words, _)| words).trim_end_matches([':', ',', ' ']);
    if let Some(key) = line.strip_prefix("duplicate mapping key: ") {
        let key = key.split_once(", set ").map_or(key, |(key, _)| key);
        return format!("`{key}` stands here twice; keep one");
    }
    let known = [
        ("invalid u64", "a whole number from 0 on is expected"),
        ("invalid boolean", "true or false is expected"),
        ("expected sequence start", "a list is expected, such as [a, b]"),
        ("expected mapping start", "fields are expected, such as `name: value`"),
        ("cannot deserialize null into string", "a text is expected, and there is nothing"),
    ];
    known.into_iter().find(|(start, _)| line.starts_with(start)).map_or(line, |(_, words)| words).to_owned()
}

fn unknown(field: &str, expected: &[&str]) -> String {
    match nearest(field, expected) {
        Some(name) => format!("unknown field `{field}`; did you mean `{name}`?"),
        None => format!("unknown field `{field}`; known are {}", expected.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::Task;

    /// What is wrong is said in the person's words, with its line, and nothing of the reader's own options.
    #[test]
    fn d_06_broken_task_files_are_told_in_plain_words() {
        for (text, said) in [
            ("description: a\ndescription: b\n", "t.yaml, line 2: `description` stands here twice; keep one"),
            ("lines_changed: -1\n", "t.yaml, line 1: a whole number from 0 on is expected"),
            ("involves: auth\n", "t.yaml, line 1: a list is expected, such as [a, b]"),
            ("spec_unclear: yes\n", "t.yaml, line 1: true or false is expected"),
            ("description:\n", "t.yaml, line 1: a text is expected, and there is nothing"),
        ] {
            assert_eq!(Task::parse("t.yaml", text).unwrap_err().to_string(), said, "{text}");
        }
        assert_eq!(plain_words(""), "not YAML");
    }
}
