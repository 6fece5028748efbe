//! Checks a sealed folder against its manifest: every file, no file more (`mi box verify`).

use rustix::fs::{Mode, OFlags};
use serde::Deserialize;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    collect::{Output, describe},
    gate::Label,
    manifest::MANIFEST,
};

/// The files that may stand beside the manifest, besides `output/`.
const BESIDE: [&str; 6] = [
    MANIFEST,
    "manifest.json.minisig",
    "statement.dsse.json",
    "artifact.meta.json",
    "manifest.json.age",
    "review.json",
];

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("read the manifest {}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is no manifest", .path.display())]
    NotOne { path: PathBuf, source: serde_json::Error },
}

/// What checking needs of a manifest.
#[derive(Debug, Deserialize)]
struct Listed {
    outputs: Vec<Output>,
    classification: Label,
}

/// Everything that is wrong, each by its name; empty if all is as it was sealed. `signature` judges the manifest's
/// bytes and the files beside it.
pub fn verify(folder: &Path, signature: &dyn Fn(&[u8]) -> Vec<String>) -> Result<Vec<String>, VerifyError> {
    let path = folder.join(MANIFEST);
    let bytes = fs::read(&path).map_err(|source| VerifyError::Read { path: path.clone(), source })?;
    let mut problems = signature(&bytes);
    let listed: Listed = match serde_json::from_slice(&bytes) {
        Ok(listed) => listed,
        Err(source) if problems.is_empty() => return Err(VerifyError::NotOne { path, source }),
        Err(error) => {
            problems.push(format!("{MANIFEST}: {error}"));
            return Ok(problems);
        }
    };
    problems.extend(check_files(folder, &listed.outputs));
    problems.extend(check_label(folder, listed.classification));
    problems.extend(check_extra(folder, &listed.outputs));
    Ok(problems)
}

fn check_files(folder: &Path, outputs: &[Output]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let top = rustix::fs::open(folder.join("output"), flags, Mode::empty());
    for output in outputs {
        let name = format!("output/{}", output.path);
        if !is_plain(&output.path) {
            problems.push(format!("{name}: the manifest names a path that leads elsewhere"));
        } else if !seen.insert(&output.path) {
            problems.push(format!("{name}: the manifest names it twice"));
        } else {
            let found = top.as_ref().map_err(|error| io::Error::from(*error)).and_then(|top| describe(top, &output.path));
            match found {
                Err(error) if error.kind() == io::ErrorKind::NotFound => problems.push(format!("{name}: missing")),
                Err(error) => problems.push(format!("{name}: {error}")),
                Ok(found) if found != *output => problems.push(format!("{name}: changed")),
                Ok(_) => {}
            }
        }
    }
    problems
}

fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\0')
}

fn check_label(folder: &Path, label: Label) -> Option<String> {
    let bytes = match fs::read(folder.join("artifact.meta.json")) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some("artifact.meta.json: missing".to_owned()),
        Err(error) => return Some(format!("artifact.meta.json: {error}")),
    };
    let found = serde_json::from_slice::<Label>(&bytes);
    (found.ok() != Some(label)).then(|| "artifact.meta.json: changed".to_owned())
}

fn check_extra(folder: &Path, outputs: &[Output]) -> Vec<String> {
    let known: BTreeSet<&str> = outputs.iter().map(|output| output.path.as_str()).collect();
    let mut problems = Vec::new();
    let mut to_look = vec![(folder.to_owned(), String::new())];
    while let Some((at, above)) = to_look.pop() {
        let entries = match fs::read_dir(&at) {
            Ok(entries) => entries,
            Err(error) => {
                problems.push(format!("{above}: {error}"));
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = format!("{above}{}", entry.file_name().to_string_lossy());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let expected = match name.strip_prefix("output/") {
                Some(path) => known.contains(path) || is_folder,
                None => BESIDE.contains(&name.as_str()) && !is_folder || name == "output" && is_folder,
            };
            if !expected {
                problems.push(format!("{name}: not in the manifest"));
            } else if is_folder {
                to_look.push((entry.path(), format!("{name}/")));
            }
        }
    }
    problems.sort();
    problems
}
