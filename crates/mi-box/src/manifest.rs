//! The record of one run (F.5, Rule I, Rule X): what ran, under what, and what came out.

use mi_admission::{Denial, RunLimits, RunSpec, Waived};
use mi_model::Timestamp;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    collect::Output,
    engine::{Control, End, Ran},
    gate::Label,
};

/// The file that holds it.
pub const MANIFEST: &str = "manifest.json";

#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    pub version: u32,
    pub run_id: String,
    pub task_id: String,
    pub engine: String,
    pub image: Option<String>,
    pub image_digest: Option<String>,
    pub container_id: Option<String>,
    pub command: Vec<String>,
    /// The names that were let in.
    pub env_allowlist: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub network: String,
    /// No run here has a network.
    pub egress_used: bool,
    pub limits: RunLimits,
    pub controls: Vec<Control>,
    pub toolchains: Vec<PathBuf>,
    pub seed: String,
    pub policy_hash: String,
    pub input_sha256: String,
    pub started: Timestamp,
    pub ended: Timestamp,
    /// Of the run itself, by a clock that nobody sets.
    pub took_ms: u64,
    pub end: &'static str,
    pub exit: i32,
    pub classification: Label,
    pub outputs: Vec<Output>,
    pub denials: Vec<Denial>,
    pub waived: Vec<Waived>,
}

/// What the manifest takes from outside the run.
pub struct Circumstances<'a> {
    pub run_id: &'a str,
    pub engine: &'a str,
    pub policy_hash: &'a str,
    pub input_sha256: &'a str,
    pub toolchains: &'a [PathBuf],
    pub waived: &'a [Waived],
    pub started: Timestamp,
    pub ended: Timestamp,
}

impl Manifest {
    pub fn new(
        about: &Circumstances<'_>,
        spec: &RunSpec,
        ran: &Ran,
        outputs: Vec<Output>,
        label: Label,
        denials: Vec<Denial>,
    ) -> Self {
        let digest = spec.image.as_deref().and_then(|image| image.rsplit_once('@'));
        Self {
            version: 1,
            run_id: about.run_id.to_owned(),
            task_id: spec.task_id.clone(),
            engine: about.engine.to_owned(),
            image: spec.image.clone(),
            image_digest: digest.map(|(_, digest)| digest.to_owned()),
            container_id: ran.container_id.clone(),
            command: spec.command.clone(),
            env_allowlist: spec.env.keys().cloned().collect(),
            env: spec.env.clone(),
            network: spec.network.clone(),
            egress_used: false,
            limits: spec.limits,
            controls: ran.controls.clone(),
            toolchains: about.toolchains.to_vec(),
            seed: spec.env.get("CHORUS_SEED").cloned().unwrap_or_default(),
            policy_hash: about.policy_hash.to_owned(),
            input_sha256: about.input_sha256.to_owned(),
            started: about.started,
            ended: about.ended,
            took_ms: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
            end: end_word(&ran.end),
            exit: if denials.is_empty() { ran.end.exit() } else { 4 },
            classification: label,
            outputs,
            denials,
            waived: about.waived.to_vec(),
        }
    }

    /// The bytes that are written, hashed and signed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a struct of texts and finite numbers is JSON");
        bytes.push(b'\n');
        bytes
    }
}

fn end_word(end: &End) -> &'static str {
    match end {
        End::Exited(_) => "exited",
        End::TimedOut => "timed_out",
        End::OutOfMemory => "out_of_memory",
        End::Denied(_) => "denied",
        End::Interrupted => "interrupted",
    }
}
