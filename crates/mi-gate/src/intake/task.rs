//! A task file: D.6's own words, typed.

use mi_yaml::YamlError;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What a task says about itself. Everything is optional; what is absent is no claim.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Task {
    pub description: String,
    pub involves: Vec<Area>,
    pub new_dependency: bool,
    pub external_service: bool,
    pub cross_project: bool,
    pub after_cutoff: bool,
    pub changes_public_api: bool,
    pub lines_changed: u64,
    pub directories: u64,
    pub spec_unclear: bool,
    pub spec_incomplete: bool,
    pub acceptance_criteria_missing: bool,
    pub acceptance_criteria_vague: bool,
    pub acceptance_criteria: Vec<String>,
}

/// Areas that weigh three points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Area {
    Auth,
    Encryption,
    Migration,
    DeleteData,
}

impl Area {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Why a task file was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, {source}")]
pub struct TaskError {
    file: String,
    source: YamlError,
}

impl Task {
    /// Reads a task; unknown fields are refused with the nearest name.
    pub fn parse(file: &str, text: &str) -> Result<Self, TaskError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let task = mi_yaml::read(text).and_then(|task| text_for_value(text).map_or(Ok(task), Err));
        task.map_err(|source| TaskError { file: file.to_owned(), source })
    }
}

/// A text in quotes is no number and no yes or no, though the reader takes it for one.
fn text_for_value(text: &str) -> Option<YamlError> {
    let fields: BTreeMap<String, Value> = mi_yaml::read(text).ok()?;
    let is_text = |(name, value): &(&String, &Value)| value.is_string() && !TEXTS.contains(&name.as_str());
    let (name, _) = fields.iter().find(is_text)?;
    let line = text.lines().position(|line| line.trim_start().starts_with(name.as_str())).unwrap_or(0);
    let message = format!("`{name}` is a text in quotes; write its value without them");
    Some(YamlError { line: line as u64 + 1, message })
}

/// Fields that hold a text.
const TEXTS: [&str; 1] = ["description"];
