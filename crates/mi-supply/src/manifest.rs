//! The record of one run: what ran, in what, with which limits, and the hash of everything that came out (F.5, I, X).
//!
//! Holds: the same manifest gives the same bytes; names of outputs are plain, relative and in order, each once.

use mi_model::{RunLimits, Sha256Hex, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// The file's name.
pub const MANIFEST_FILE: &str = "manifest.json";
/// The version of this shape.
pub const MANIFEST_SCHEMA: &str = "mi.run-manifest.1";

/// Everything about a run that a reader of its outputs may ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunManifest {
    /// [`MANIFEST_SCHEMA`].
    pub schema: String,
    pub run_id: String,
    pub task_id: String,
    /// `container`, `bwrap` or `none`.
    pub engine: String,
    /// As it was asked for; none where the engine has no images.
    pub image: Option<String>,
    /// `sha256:…` as the engine reports it.
    pub image_digest: Option<String>,
    pub container_id: Option<String>,
    pub command: Vec<String>,
    /// The names of the variables that the run had.
    pub env_allowlist: Vec<String>,
    /// The values that make a run repeatable: seed, time, locale, time zone.
    pub determinism: BTreeMap<String, String>,
    pub limits: ManifestLimits,
    pub egress_used: EgressUsed,
    pub policy_hash: String,
    /// Ids of the Exception DRs that were used.
    pub exceptions: Vec<String>,
    /// Folders of the machine that the run could read, such as toolchains.
    pub bound: Vec<String>,
    pub started: Timestamp,
    pub finished: Timestamp,
    pub exit: i32,
    pub outputs: Vec<Output>,
    /// The digest of all names and contents that the run was given.
    pub input_sha256: Sha256Hex,
    /// The digest of `artifact.meta.json` beside the manifest; none in manifests of before.
    #[serde(default)]
    pub label_sha256: Option<Sha256Hex>,
    /// Every rule that stands against passing the outputs on, as `rule field: reason`; empty if none does.
    pub denials: Vec<String>,
}

/// What was asked for, and how each limit was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestLimits {
    #[serde(flatten)]
    pub asked: RunLimits,
    /// Limit → `cgroup`, `rlimit`, `supervised`, `engine`.
    pub enforced: BTreeMap<String, String>,
}

/// One file that came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Below the output folder, with `/`.
    pub path: String,
    pub sha256: Sha256Hex,
    pub bytes: u64,
    /// Whether it may be executed; none in manifests of before, which do not tell of folders without outputs either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
}

/// Whether the run had a way out: `false` or `"pull-only"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum EgressUsed {
    No,
    PullOnly,
}

impl From<EgressUsed> for Value {
    fn from(used: EgressUsed) -> Self {
        match used {
            EgressUsed::No => Value::Bool(false),
            EgressUsed::PullOnly => Value::from("pull-only"),
        }
    }
}

impl TryFrom<Value> for EgressUsed {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::Bool(false) => Ok(Self::No),
            Value::String(text) if text == "pull-only" => Ok(Self::PullOnly),
            _ => Err("egress_used is false or \"pull-only\""),
        }
    }
}

/// Equal for paths that some file systems take for the same: in another case, or with letters composed in another way.
pub fn same_name(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).collect()
}

/// Why a manifest is not one.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("read {MANIFEST_FILE}")]
    Json(#[source] serde_json::Error),
    #[error("{MANIFEST_FILE} is of another version: {0}")]
    Schema(String),
    #[error("{MANIFEST_FILE} names an output `{0}` that is no plain path, or names it twice")]
    Path(String),
}

impl RunManifest {
    /// Reads a manifest and checks its names.
    pub fn read(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_slice(bytes).map_err(ManifestError::Json)?;
        if manifest.schema != MANIFEST_SCHEMA {
            return Err(ManifestError::Schema(manifest.schema));
        }
        let mut seen = BTreeSet::new();
        for output in &manifest.outputs {
            if !is_plain(&output.path) || !seen.insert(same_name(&output.path)) {
                return Err(ManifestError::Path(output.path.clone()));
            }
        }
        Ok(manifest)
    }

    /// The bytes that are signed; outputs in the order of their names.
    pub fn to_json(&self) -> String {
        let mut sorted = self.clone();
        sorted.outputs.sort_by(|left, right| left.path.cmp(&right.path));
        let text =
            serde_json::to_string_pretty(&sorted).expect("a struct of texts and finite numbers is JSON");
        format!("{text}\n")
    }

    /// What a decision record and the timeline say about the run, on one line.
    pub fn summary(&self) -> String {
        let bytes: u64 = self.outputs.iter().map(|output| output.bytes).sum();
        let image = self.image_digest.as_deref().or(self.image.as_deref()).unwrap_or("no image");
        format!(
            "{} in {} ({image}): exit {}, {} outputs, {bytes} bytes",
            self.task_id,
            self.engine,
            self.exit,
            self.outputs.len()
        )
    }
}

/// Relative, without empty, `.` or `..` parts, backslashes and control characters.
fn is_plain(path: &str) -> bool {
    !path.contains('\\')
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn example() -> RunManifest {
        RunManifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            run_id: "x1".to_owned(),
            task_id: "DEMO-INT-001".to_owned(),
            engine: "bwrap".to_owned(),
            image: None,
            image_digest: None,
            container_id: None,
            command: vec!["true".to_owned()],
            env_allowlist: vec!["TZ".to_owned()],
            determinism: BTreeMap::from([("CHORUS_SEED".to_owned(), "42".to_owned())]),
            limits: ManifestLimits {
                asked: RunLimits {
                    pids: 256,
                    memory_bytes: 512 << 20,
                    cpus: 1.0,
                    nofile: 4096,
                    step_seconds: 900,
                    job_seconds: 3600,
                },
                enforced: BTreeMap::from([("pids".to_owned(), "cgroup".to_owned())]),
            },
            egress_used: EgressUsed::No,
            policy_hash: "0".repeat(64),
            exceptions: Vec::new(),
            bound: Vec::new(),
            started: Timestamp::from_millis(0),
            finished: Timestamp::from_millis(1500),
            exit: 0,
            outputs: vec![output("b"), output("a/c")],
            input_sha256: "0".repeat(64),
            label_sha256: None,
            denials: Vec::new(),
        }
    }

    fn output(path: &str) -> Output {
        let sha256 = mi_model::sha256_hex(path.as_bytes());
        Output { path: path.to_owned(), sha256, bytes: 1, executable: Some(false) }
    }

    /// F.5: a manifest comes back from its bytes, with its outputs in order.
    #[test]
    fn f_5_manifests_come_back() {
        let text = example().to_json();
        let read = RunManifest::read(text.as_bytes()).unwrap();
        assert_eq!(read.outputs.iter().map(|output| &*output.path).collect::<Vec<_>>(), ["a/c", "b"]);
        assert_eq!(read.to_json(), text);
        assert!(text.contains("\"egress_used\": false"));
        assert_eq!(read.summary(), "DEMO-INT-001 in bwrap (no image): exit 0, 2 outputs, 2 bytes");
    }

    /// Names that climb, are absolute or stand twice, unknown fields and other versions are refused.
    #[test]
    fn f_5_manifests_are_read_strictly() {
        for path in ["../x", "/x", "a//b", "a/./b", "a\\b", "", "a\n", "B"] {
            let mut manifest = example();
            manifest.outputs[1] = output(path);
            assert!(RunManifest::read(manifest.to_json().as_bytes()).is_err(), "{path:?}");
        }
        let mut composed = example();
        composed.outputs = vec![output("caf\u{e9}"), output("cafe\u{301}")];
        assert!(
            RunManifest::read(composed.to_json().as_bytes()).is_err(),
            "the same name, composed in two ways"
        );
        let text = example().to_json();
        for (old, new) in [
            ("run-manifest.1", "run-manifest.2"),
            ("\"exit\"", "\"code\""),
            ("false", "true"),
            ("{", "{\"x\":1,"),
        ] {
            assert!(RunManifest::read(text.replacen(old, new, 1).as_bytes()).is_err(), "{new}");
        }
        let pulled = text.replacen("\"egress_used\": false", "\"egress_used\": \"pull-only\"", 1);
        assert_eq!(RunManifest::read(pulled.as_bytes()).unwrap().egress_used, EgressUsed::PullOnly);
    }
}
