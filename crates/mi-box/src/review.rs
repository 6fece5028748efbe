//! A reviewer's word on outputs that the gate holds back: let them pass as they are, or with the findings taken out.

use mi_model::Timestamp;
use mi_supply::{
    exact,
    label::{Classification, LABEL_FILE, Label},
    manifest::{MANIFEST_FILE, RunManifest},
    sign::PublicKey,
};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

use crate::{
    BoxHome,
    collect::describe,
    durable::make_durable,
    gate::{self, Content},
    key,
    reseal::reseal,
    tree,
    verify::{REVIEW_FILE, read_beside},
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
    /// A minisign signature of all of the above.
    signature: String,
}

/// Takes what the gate finds out of every output and seals the run anew. What cannot be taken out of a file, as out of a
/// program or an environment file, takes the file with it.
pub fn redact_outputs(home: &BoxHome, folder: &Path) -> io::Result<()> {
    reseal(home, folder, redact_in)
}

fn redact_in(folder: &Path, manifest: &mut RunManifest) -> io::Result<()> {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
    let top = rustix::fs::open(folder, flags, rustix::fs::Mode::empty())?;
    let mut kept = Vec::with_capacity(manifest.outputs.len());
    for output in &manifest.outputs {
        let path = folder.join(&output.path);
        let bytes = fs::read(&path)?;
        let redacted = redacted(&bytes);
        if redacted != bytes {
            replace(&path, &redacted)?;
        }
        let output = describe(&top, &output.path)?;
        if gate::finds_secret(&top, &output)? {
            fs::remove_file(&path)?;
        } else {
            kept.push(output);
        }
    }
    manifest.outputs = kept;
    tree::remove_empty_folders(&top)
}

/// Writes a new file in the place of one that may have other names.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions();
    fs::remove_file(path)?;
    fs::write(path, bytes)?;
    fs::set_permissions(path, mode)
}

/// Without secrets and numbers of people, as far as the bytes are text; what is none stays as it is.
fn redacted(bytes: &[u8]) -> Vec<u8> {
    if Content::of(bytes) != Content::Text {
        return bytes.to_vec();
    }
    let mut redacted = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let text = mi_secrets::redact(chunk.valid());
        redacted.extend_from_slice(mi_secrets::people::redact_sure(&text).as_bytes());
        redacted.extend_from_slice(chunk.invalid());
    }
    redacted
}

/// Whether outputs wait for a reviewer: the gate denied something, or the label says that they are restricted or hold
/// personal data (Rule S).
pub fn is_held(home: &BoxHome, folder: &Path, manifest: &RunManifest) -> bool {
    let label = read_beside(folder, LABEL_FILE).ok().and_then(|bytes| Label::read(&bytes).ok());
    let is_open = label.is_some_and(|label| label.classification < Classification::Restricted && !label.pii);
    (!manifest.denials.is_empty() || !is_open) && !is_released(home, folder)
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
    let mut review = Review {
        reviewer: reviewer.to_owned(),
        reason: reason.to_owned(),
        redacted,
        at,
        manifest_sha256,
        signature: String::new(),
    };
    review.signature = key::signing_key(home)?.sign(review.signed_text().as_bytes(), "review");
    fs::write(folder.join(REVIEW_FILE), serde_json::to_vec_pretty(&review)?)?;
    make_durable(folder, &[])
}

/// Whether a reviewer let this very manifest pass.
fn is_released(home: &BoxHome, folder: &Path) -> bool {
    let Ok(Some(key)) = key::verifying_key(home) else { return false };
    let Ok(manifest) = fs::read(folder.join(MANIFEST_FILE)) else { return false };
    folder.join(REVIEW_FILE).exists() && problem(folder, &manifest, &key).is_none()
}

/// What is wrong with the review that stands beside a manifest, if one does.
pub(crate) fn problem(folder: &Path, manifest: &[u8], key: &PublicKey) -> Option<String> {
    let bytes = match read_beside(folder, REVIEW_FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("{REVIEW_FILE}: {error}")),
        Ok(bytes) => bytes,
    };
    let held = || -> Option<()> {
        let review: Review = serde_json::from_slice(&bytes).ok()?;
        let as_written = serde_json::to_vec_pretty(&review).ok()? == bytes;
        let is_about = review.manifest_sha256 == mi_model::sha256_hex(manifest);
        exact::check(review.signed_text().as_bytes(), &review.signature, &key.to_file()).ok()?;
        (as_written && is_about).then_some(())
    };
    if held().is_some() { None } else { Some(format!("{REVIEW_FILE}: not a signed review of this manifest")) }
}

impl Review {
    fn signed_text(&self) -> String {
        serde_json::json!([self.manifest_sha256, self.reviewer, self.reason, self.redacted, self.at])
            .to_string()
    }
}
