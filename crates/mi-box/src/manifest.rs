//! From a run to its manifest.

use mi_admission::{Denial, RunSpec, Waived};
use mi_model::Timestamp;
use mi_supply::manifest::{EgressUsed, MANIFEST_SCHEMA, ManifestLimits, Output, RunManifest};
use std::path::PathBuf;

use crate::{engine::Ran, gate::Gate};

/// The variables that make two runs alike.
const DETERMINISM: [&str; 4] = ["SOURCE_DATE_EPOCH", "TZ", "LC_ALL", "CHORUS_SEED"];

/// What the manifest takes from outside the run.
pub(crate) struct Circumstances<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) engine: &'a str,
    pub(crate) policy_hash: &'a str,
    pub(crate) input_sha256: &'a str,
    pub(crate) toolchains: &'a [PathBuf],
    pub(crate) waived: &'a [Waived],
    pub(crate) started: Timestamp,
    pub(crate) finished: Timestamp,
}

pub(crate) fn manifest(
    about: &Circumstances<'_>,
    spec: &RunSpec,
    ran: &Ran,
    outputs: Vec<Output>,
    gate: &Gate,
) -> RunManifest {
    let denials = &gate.denials;
    let digest = spec.image.as_deref().and_then(|image| image.rsplit_once('@'));
    let kept = |name: &str| Some((name.to_owned(), spec.env.get(name)?.clone()));
    RunManifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        run_id: about.run_id.to_owned(),
        task_id: spec.task_id.clone(),
        engine: about.engine.to_owned(),
        image: spec.image.clone(),
        image_digest: digest.map(|(_, digest)| digest.to_owned()),
        container_id: ran.container_id.clone(),
        command: spec.command.clone(),
        env_allowlist: spec.env.keys().cloned().collect(),
        determinism: DETERMINISM.into_iter().filter_map(kept).collect(),
        limits: ManifestLimits {
            asked: spec.limits,
            enforced: ran.controls.iter().map(|held| (held.control.clone(), held.by.clone())).collect(),
        },
        egress_used: EgressUsed::No,
        policy_hash: about.policy_hash.to_owned(),
        exceptions: about.waived.iter().map(|waived| waived.exception.id.clone()).collect(),
        bound: about.toolchains.iter().map(|path| path.display().to_string()).collect(),
        started: about.started,
        finished: about.finished,
        exit: if denials.is_empty() { ran.end.exit() } else { 4 },
        outputs,
        input_sha256: about.input_sha256.to_owned(),
        label_sha256: Some(mi_model::sha256_hex(gate.label.to_json().as_bytes())),
        denials: denials.iter().map(denial_line).collect(),
    }
}

pub(crate) fn denial_line(denial: &Denial) -> String {
    format!("{} {}: {}", denial.rule, denial.field, denial.reason)
}
