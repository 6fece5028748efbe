//! What is to be run, and how: the one struct that is judged and that the box is made from.

use mi_model::RunLimits;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run request after reading. Which values are allowed is the rules' business, not the types': an Exception DR may
/// let another value through.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSpec {
    /// `PROJ-CAT-###`.
    pub task_id: String,
    /// `name@sha256:…`; none only for an engine that has no images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    pub command: Vec<String>,
    pub user: String,
    pub network: String,
    pub read_only: bool,
    pub cap_drop: Vec<String>,
    pub security_opt: Vec<String>,
    pub limits: RunLimits,
    pub mounts: Vec<Mount>,
    pub env: BTreeMap<String, String>,
}

/// A slot of the workspace and where the run sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mount {
    /// The name of a slot: `input`, `data` or `output`; never a path of the host.
    pub source: String,
    pub target: String,
    /// `ro` or `rw`.
    pub mode: String,
}

impl RunSpec {
    /// A run with the values of the example; what `mi box exec` starts from when no spec is given.
    pub fn for_command(task_id: impl Into<String>, image: Option<String>, command: Vec<String>) -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let slot = |source: &str, mode: &str| Mount {
            source: source.to_owned(),
            target: format!("/workspace/{source}"),
            mode: mode.to_owned(),
        };
        Self {
            task_id: task_id.into(),
            image,
            command,
            user: "1000:1000".to_owned(),
            network: "none".to_owned(),
            read_only: true,
            cap_drop: words(&["ALL"]),
            security_opt: words(&["no-new-privileges"]),
            limits: RunLimits {
                pids: 256,
                memory_bytes: 512 << 20,
                cpus: 1.0,
                nofile: 4096,
                step_seconds: 900,
                job_seconds: 3600,
            },
            mounts: vec![slot("input", "ro"), slot("data", "rw"), slot("output", "rw")],
            env: ENV.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }

    /// A request that is admitted.
    pub fn example() -> Self {
        let command = ["/bin/sh", "-c", "make test"].map(str::to_owned).to_vec();
        Self::for_command("DEMO-INT-001", Some(EXAMPLE_IMAGE.to_owned()), command)
    }

    /// The request as JSON, which [`crate::admit`] reads back to the same struct.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a struct of texts and finite numbers is JSON")
    }
}

/// The environment of every run.
const ENV: [(&str, &str); 8] = [
    ("SOURCE_DATE_EPOCH", "0"),
    ("TZ", "UTC"),
    ("LC_ALL", "C.UTF-8"),
    ("CHORUS_SEED", "42"),
    ("WORKSPACE_ROOT", "/workspace"),
    ("WORKSPACE_INPUT", "/workspace/input"),
    ("WORKSPACE_DATA", "/workspace/data"),
    ("WORKSPACE_OUTPUT", "/workspace/output"),
];
const EXAMPLE_IMAGE: &str =
    "localhost/demo@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
