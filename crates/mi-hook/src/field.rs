//! The fields of a flat payload, checked where they are taken.

use std::{io, path::PathBuf};

use mi_formats::strict_json::StrictError;
use mi_workspace::{
    HarnessIdError, lifecycle::LifecycleError, memory::observe::ObserveError, vocabulary::ExpandError,
};
use serde_json::{Map, Value};

/// Why a call was not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    #[error("read standard input: {0}")]
    Input(io::Error),
    #[error("standard input is longer than {most} bytes: send less")]
    TooLong { most: u64 },
    #[error("standard input is {0}; send one JSON object")]
    Payload(#[from] StrictError),
    #[error("`{name}` is missing: see docs/hooks.md for the fields of this event")]
    Missing { name: &'static str },
    #[error("`{name}` is not {wanted}")]
    Wrong { name: String, wanted: &'static str },
    #[error("there is no folder `{}`: give the project's folder with --cd DIR", folder.display())]
    NoProject { folder: PathBuf },
    #[error("no harness is named: give `harness_id` in the payload, --harness-id ID or NEXUS_HARNESS_ID")]
    NoHarnessId,
    #[error(transparent)]
    HarnessId(#[from] HarnessIdError),
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
    #[error("`{path}` is no file below .nexus/memory: only reads of memory files are recorded")]
    NotMemory { path: String },
    #[error(transparent)]
    Observe(#[from] ObserveError),
    #[error(transparent)]
    Expand(#[from] ExpandError),
}

impl HookError {
    /// The exit code of a flat call.
    pub fn code(&self) -> u8 {
        match self {
            Self::NoHarnessId | Self::HarnessId(_) | Self::NoProject { .. } => 2,
            _ => 1,
        }
    }
}

/// The payload. An event as the contract writes it, `{"params": {…}}`, is taken as well.
#[derive(Debug)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub(crate) fn new(mut payload: Map<String, Value>) -> Self {
        if let Some(Value::Object(params)) = payload.get("params").cloned() {
            for (name, value) in params {
                payload.entry(name).or_insert(value);
            }
        }
        Self(payload)
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, HookError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(name, "a text")),
        }
    }

    /// The first of several names under which a text may stand.
    pub(crate) fn any_text(&self, names: &[&str]) -> Result<Option<&str>, HookError> {
        names.iter().map(|name| self.text(name)).find(|found| !matches!(found, Ok(None))).unwrap_or(Ok(None))
    }

    pub(crate) fn required(&self, name: &'static str) -> Result<&str, HookError> {
        self.text(name)?.ok_or(HookError::Missing { name })
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, HookError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(|| wrong(name, "a list of texts"))?;
        let text =
            |item: &Value| item.as_str().map(str::to_owned).ok_or_else(|| wrong(name, "a list of texts"));
        items.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, HookError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| wrong(name, "a whole number")),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, HookError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// What a tool is given: `tool_input`, else the payload itself.
    pub(crate) fn input(&self) -> &Map<String, Value> {
        self.get("tool_input").and_then(Value::as_object).unwrap_or(&self.0)
    }
}

pub(crate) fn wrong(name: &str, wanted: &'static str) -> HookError {
    HookError::Wrong { name: name.to_owned(), wanted }
}
