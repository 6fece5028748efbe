//! YAML, read strictly: as typed values ([`read`]) or as a tree that knows its lines ([`read_tree`]).
//!
//! Holds: YAML 1.2 (`no` is a text, `012` is twelve, only `true` and `false` are truth values); a key that stands twice, a
//! merge key and a second document are errors; aliases cannot blow up; a text of more than 1 MiB is not read; an error has
//! its line and says in plain words what is expected.
//! Elsewhere: protocol files, whose rules need columns and the way a value was written, are read by `mi-protocol`.

mod tree;

use mi_model::nearest_name;
use serde::de::DeserializeOwned;
use serde_saphyr::{DuplicateKeyPolicy, Error, MergeKeyPolicy, Options, options};

pub use tree::{YamlNode, read_tree};

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

/// Reads one document as `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
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
fn plain_words(said: &str) -> String {
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
    match nearest_name(field, expected) {
        Some(name) => format!("unknown field `{field}`; did you mean `{name}`?"),
        None => format!("unknown field `{field}`; known are {}", expected.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only whether it can be read counts")]
    struct Sample {
        #[serde(default)]
        name: String,
        #[serde(default)]
        count: u64,
        #[serde(default)]
        list: Vec<String>,
        #[serde(default)]
        flag: bool,
    }

    /// What is wrong is said in plain words, with its line, and nothing of the reader's own options.
    #[test]
    fn broken_texts_are_told_in_plain_words() {
        for (text, said) in [
            ("name: a\nname: b\n", "line 2: `name` stands here twice; keep one"),
            ("count: -1\n", "line 1: a whole number from 0 on is expected"),
            ("list: auth\n", "line 1: a list is expected, such as [a, b]"),
            ("flag: yes\n", "line 1: true or false is expected"),
            ("name:\n", "line 1: a text is expected, and there is nothing"),
            ("\nnames: a\n", "line 2: unknown field `names`; did you mean `name`?"),
        ] {
            assert_eq!(read::<Sample>(text).unwrap_err().to_string(), said, "{text}");
        }
        assert_eq!(plain_words(""), "not YAML");
        let long = "#".repeat(MAX_BYTES + 1);
        assert_eq!(read::<Sample>(&long).unwrap_err().message, "the file is larger than 1 MiB");
    }
}
