//! A reviewer's word on outputs that the gate holds back: let them pass as they are, or with the findings taken out.

use mi_model::Timestamp;
use mi_supply::manifest::{MANIFEST_FILE, RunManifest};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

use crate::{
    BoxHome,
    collect::describe,
    durable::make_durable,
    exec::{SIGNATURE_FILE, sign_into},
    key,
    verify::REVIEW_FILE,
};

/// Beside the manifest; signed, and about one manifest only.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Review {
    reviewer: String,
    reason: String,
    redacted: bool,
    at: Timestamp,
    manifest_sha256: String,
    /// A minisign signature of `manifest_sha256 reviewer reason`.
    signature: String,
}

/// Takes what the scanner finds out of every text output and seals the run anew.
pub fn redact_outputs(home: &BoxHome, folder: &Path) -> io::Result<()> {
    let mut manifest = read(folder)?;
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
    let top = rustix::fs::open(folder.join("output"), flags, rustix::fs::Mode::empty())?;
    for output in &mut manifest.outputs {
        let path = folder.join("output").join(&output.path);
        let bytes = fs::read(&path)?;
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let redacted = mi_secrets::redact(text);
        if redacted != text {
            fs::write(&path, redacted.as_bytes())?;
            *output = describe(&top, &output.path)?;
        }
    }
    for name in [MANIFEST_FILE, SIGNATURE_FILE, mi_supply::statement::STATEMENT_FILE, REVIEW_FILE] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    sign_into(home, folder, &manifest)?;
    make_durable(folder, &[])
}

/// Writes the review of the manifest as it is now.
pub fn write_review(
    home: &BoxHome,
    folder: &Path,
    reviewer: &str,
    reason: &str,
    redacted: bool,
    at: Timestamp,
) -> io::Result<()> {
    let manifest_sha256 = mi_model::sha256_hex(&fs::read(folder.join(MANIFEST_FILE))?);
    let signed = signed_text(&manifest_sha256, reviewer, reason);
    let signature = key::signing_key(home)?.sign(signed.as_bytes(), "review");
    let review = Review {
        reviewer: reviewer.to_owned(),
        reason: reason.to_owned(),
        redacted,
        at,
        manifest_sha256,
        signature,
    };
    fs::write(folder.join(REVIEW_FILE), serde_json::to_vec_pretty(&review)?)?;
    make_durable(folder, &[])
}

/// Whether a reviewer let this very manifest pass.
pub fn is_released(home: &BoxHome, folder: &Path) -> bool {
    let released = || -> Option<bool> {
        let review: Review = serde_json::from_slice(&fs::read(folder.join(REVIEW_FILE)).ok()?).ok()?;
        let key = key::verifying_key(home).ok()??;
        let manifest = mi_model::sha256_hex(&fs::read(folder.join(MANIFEST_FILE)).ok()?);
        let signed = signed_text(&review.manifest_sha256, &review.reviewer, &review.reason);
        Some(review.manifest_sha256 == manifest && key.verify(signed.as_bytes(), &review.signature).is_ok())
    };
    released().unwrap_or(false)
}

fn signed_text(manifest_sha256: &str, reviewer: &str, reason: &str) -> String {
    serde_json::json!([manifest_sha256, reviewer, reason]).to_string()
}

fn read(folder: &Path) -> io::Result<RunManifest> {
    RunManifest::read(&fs::read(folder.join(MANIFEST_FILE))?).map_err(io::Error::other)
}
