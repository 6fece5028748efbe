//! A folder of agents, skills and vocabulary: is it as the contract wants it, and what is its manifest?
//!
//! [`validate`] asks all gates; [`generate`] makes the manifest if nothing stands against it. Both read a [`Source`]
//! and write nothing; [`write`] puts a manifest in its place as a whole. [`coverage`] asks how far a set of fixtures reaches.
//! Elsewhere: what the words mean is [`crate::vocabulary`]; the environment and git are asked by `mi`.

mod build;
mod checks;
mod coverage;
mod finding;
mod lint;
mod schemas;
mod source;
mod structure;

pub use build::{Manifest, Provenance, body_hash, raw_body_hash};
pub use coverage::{Coverage, CoverageError, Gap, coverage};
pub use finding::{Finding, Gate, Severity};
pub(crate) use schemas::{schema, schema_names};
pub use source::{Source, SourceError};

use std::{fs, io::Write as _, path::Path};

use crate::{FileError, error::AtPath};

/// What is said when nothing is wrong (NX-370).
pub const ALL_PASSED: &str = "All 11 validation gates passed.";

/// Everything that the gates find, in the order of the gates and then of the files.
pub fn validate(source: &Source) -> Vec<Finding> {
    findings(source, &mut checks::check(source))
}

/// A manifest, or none because of errors of the gates that stop it; the findings of all gates either way (NX-344).
pub fn generate(source: &Source, from: &Provenance) -> (Option<Manifest>, Vec<Finding>) {
    let mut checked = checks::check(source);
    let is_stopped = checked.findings.iter().any(Finding::is_error);
    let built = if is_stopped { Err(Vec::new()) } else { build::build(source, &checked, from) };
    let mut found = findings(source, &mut checked);
    match built {
        Ok(manifest) => (Some(manifest), found),
        Err(more) => {
            found.extend(more);
            (None, found)
        }
    }
}

fn findings(source: &Source, checked: &mut checks::Checked) -> Vec<Finding> {
    let mut found = std::mem::take(&mut checked.findings);
    let invocations = checked.vocabulary.as_ref().map(|files| {
        let listed = files["vocabulary/invocations.yml"].value["invocations"].as_array();
        listed.into_iter().flatten().filter_map(|entry| entry["id"].as_str()).collect::<Vec<&str>>()
    });
    found.extend(lint::lint(source, invocations.as_deref()));
    found.extend(structure::check(source));
    found.sort_by(|one, other| (one.gate, &one.file, one.line).cmp(&(other.gate, &other.file, other.line)));
    found
}

/// Writes a manifest's text as a whole: who reads the file sees the old one or the new one.
pub fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Nothing was replaced; a leftover would only be litter.
        let _ = fs::remove_file(&temporary);
    }
    written.at("write", path)
}

#[cfg(test)]
mod tests;
