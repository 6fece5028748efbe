//! The folder of a recording.

use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::ReplayError;

pub(crate) const SETTINGS: &str = "replay.toml";
pub(crate) const STREAM: &str = "jsonl";
pub(crate) const PATCH: &str = "patch";
pub(crate) const PROMPT: &str = "prompt.txt";

/// `replay.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySettings {
    pub name: String,
    /// Whose stream it is: `codex`, or anything else for text.
    pub agent: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub prompt_policy: PromptPolicy,
}

/// Whether a prompt may differ from the recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptPolicy {
    #[default]
    Any,
    Exact,
}

/// An opened recording.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) dir: PathBuf,
    pub(crate) settings: ReplaySettings,
    /// The streams, in the order of their numbers.
    batches: Vec<PathBuf>,
}

impl Folder {
    pub(crate) fn open(dir: &Path) -> Result<Self, ReplayError> {
        if !dir.is_dir() {
            return Err(ReplayError::NoFolder { dir: dir.to_owned() });
        }
        let path = dir.join(SETTINGS);
        let text =
            fs::read_to_string(&path).map_err(|reason| ReplayError::Read { path: path.clone(), reason })?;
        let settings = toml::from_str(&text)
            .map_err(|error| ReplayError::Settings { path, message: error.to_string().trim().to_owned() })?;
        Ok(Self { dir: dir.to_owned(), settings, batches: list_batches(dir)? })
    }

    /// The stream of the batch with this number, counted from 0 whatever the first file is called.
    pub(crate) fn batch(&self, index: u32) -> Result<&Path, ReplayError> {
        let found = usize::try_from(index).ok().and_then(|index| self.batches.get(index));
        found.map(PathBuf::as_path).ok_or_else(|| ReplayError::NoBatch {
            dir: self.dir.clone(),
            index,
            count: self.batches.len(),
        })
    }

    pub(crate) fn check_prompt(&self, batch: &Path, prompt: &str) -> Result<(), ReplayError> {
        if self.settings.prompt_policy == PromptPolicy::Any {
            return Ok(());
        }
        let path = batch.with_extension(PROMPT);
        match fs::read(&path) {
            Ok(recorded) if recorded == prompt.as_bytes() => Ok(()),
            Ok(_) => Err(ReplayError::Prompt { path }),
            Err(reason) => Err(ReplayError::Read { path, reason }),
        }
    }
}

fn list_batches(dir: &Path) -> Result<Vec<PathBuf>, ReplayError> {
    let fail = |reason: io::Error| ReplayError::Read { path: dir.to_owned(), reason };
    let mut numbered = Vec::new();
    for entry in fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let number =
            path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u32>().ok());
        if let (Some(number), Some(STREAM)) = (number, path.extension().and_then(|ext| ext.to_str())) {
            numbered.push((number, path));
        }
    }
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, path)| path).collect())
}
