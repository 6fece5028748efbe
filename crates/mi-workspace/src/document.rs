//! One state file as a JSON object: fields that we do not know are kept (NX-013), what we need is checked when used.

use serde_json::{Map, Number, Value};
use std::path::{Path, PathBuf};

use crate::{DamagedFile, ToolError, arguments::plain_number};

/// The version whose shapes we write: they are unchanged since 0.5 (NX-014).
pub(crate) const SCHEMA_VERSION: &str = "0.5";
const OUR_MAJOR: u64 = 0;

/// The object in a state file.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    path: PathBuf,
    pub(crate) fields: Map<String, Value>,
}

impl Document {
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DamagedFile> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self { path: path.to_owned(), fields }),
            Ok(_) => Err(DamagedFile::new(path, "holds no JSON object")),
            Err(error) => Err(DamagedFile::new(path, not_json(bytes, &error))),
        }
    }

    pub(crate) fn new(path: &Path, fields: Map<String, Value>) -> Self {
        Self { path: path.to_owned(), fields }
    }

    /// The list under `key`; a missing one is empty.
    pub(crate) fn list(&self, key: &'static str) -> Result<&[Value], DamagedFile> {
        match self.fields.get(key) {
            None => Ok(&[]),
            Some(Value::Array(items)) => self.of_objects(key, items).map(|()| items.as_slice()),
            Some(_) => Err(self.damaged(format!("holds no list under `{key}`"))),
        }
    }

    /// The list under `key`, put there when it is missing.
    pub(crate) fn list_mut(&mut self, key: &'static str) -> Result<&mut Vec<Value>, DamagedFile> {
        self.list(key)?;
        match self.fields.entry(key).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(items) => Ok(items),
            _ => Err(DamagedFile::new(&self.path, format!("holds no list under `{key}`"))),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    /// Refuses a file whose shape a newer major version may have changed: writing our shape could spoil it.
    pub(crate) fn writable(self) -> Result<Self, DamagedFile> {
        check_version(&self.path, self.fields.get("schema_version"))?;
        Ok(self)
    }

    /// The text of the file, for people and programs.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{:#}", Value::Object(self.fields.clone())).into_bytes();
        bytes.push(b'\n');
        bytes
    }

    fn of_objects(&self, key: &str, items: &[Value]) -> Result<(), DamagedFile> {
        match items.iter().position(|item| !item.is_object()) {
            Some(index) => {
                Err(self.damaged(format!("holds something other than an object in `{key}[{index}]`")))
            }
            None => Ok(()),
        }
    }

    fn damaged(&self, problem: String) -> DamagedFile {
        DamagedFile::new(&self.path, problem)
    }
}

/// An error when `version` is of a major version after ours.
pub(crate) fn check_version(path: &Path, version: Option<&Value>) -> Result<(), DamagedFile> {
    let major = version.and_then(Value::as_str).and_then(|text| text.split('.').next()?.parse::<u64>().ok());
    match major {
        Some(major) if major > OUR_MAJOR => Err(DamagedFile {
            path: path.to_owned(),
            problem: format!(
                "has schema_version {major}.x, newer than the {OUR_MAJOR}.x that this mi can write"
            ),
            advice: "use a newer mi, or the program that wrote it",
        }),
        _ => Ok(()),
    }
}

pub(crate) fn not_json(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return "is empty".to_owned();
    }
    match std::str::from_utf8(bytes) {
        Err(error) => format!("is not UTF-8 text from byte {} on", error.valid_up_to()),
        Ok(_) => format!("is not valid JSON ({error})"),
    }
}

/// Whether `item` is the object with this id.
pub(crate) fn has_id(item: &Value, id: &Number) -> bool {
    item.get("id").and_then(plain_number).is_some_and(|own| own == *id)
}

/// One more than the highest id, of ids that other harnesses may have chosen freely.
///
/// Numbers beyond 2^53 are not told apart by every reader, so there is none behind them.
pub(crate) fn next_id(highest: f64) -> Result<u64, ToolError> {
    if highest >= 9_007_199_254_740_991.0 {
        return Err(ToolError::NoIdLeft { highest: highest.to_string() });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, which is meant"
    )]
    let floor = highest.max(0.0) as u64;
    Ok(floor.saturating_add(1))
}

/// The highest id among objects, 0 when there is none.
pub(crate) fn highest_id(items: &[Value]) -> f64 {
    items.iter().filter_map(|item| item.get("id")?.as_f64()).fold(0.0, f64::max)
}

/// How many objects have this status.
pub(crate) fn count_status(items: &[Value], status: &str) -> usize {
    items.iter().filter(|item| item.get("status").and_then(Value::as_str) == Some(status)).count()
}
