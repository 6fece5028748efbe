//! Checks a sealed folder against its manifest: every file, no file more (`mi box verify`).

use mi_supply::{
    exact,
    label::{LABEL_FILE, Label},
    manifest::{MANIFEST_FILE, ManifestError, Output, RunManifest},
    sign::PublicKey,
    statement::{self, STATEMENT_FILE},
};
use rustix::fs::{Mode, OFlags};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::{
    collect::{describe, open_below},
    exec::SIGNATURE_FILE,
    home::BoxHome,
    key, review,
};

/// The files that stand beside the manifest, besides `output/`.
const BESIDE: [&str; 7] = [
    MANIFEST_FILE,
    SIGNATURE_FILE,
    STATEMENT_FILE,
    LABEL_FILE,
    ARCHIVE_FILE,
    ARCHIVE_SIGNATURE_FILE,
    REVIEW_FILE,
];
/// The manifest, encrypted for the archive.
pub const ARCHIVE_FILE: &str = "manifest.json.age";
const ARCHIVE_SIGNATURE_FILE: &str = "manifest.json.age.minisig";
/// A reviewer's word on outputs that were held back.
pub(crate) const REVIEW_FILE: &str = "review.json";

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("read the manifest {}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is no manifest", .path.display())]
    NotOne { path: PathBuf, source: ManifestError },
}

/// Signs the encrypted manifest that stands in a run's folder.
pub fn sign_archive(home: &BoxHome, folder: &Path) -> io::Result<()> {
    let content = fs::read(folder.join(ARCHIVE_FILE))?;
    let signature = key::signing_key(home)?.sign(&content, "archive");
    fs::write(folder.join(ARCHIVE_SIGNATURE_FILE), signature)
}

/// What a check found.
#[derive(Debug)]
pub struct Verified {
    pub manifest: Option<RunManifest>,
    /// Everything that is wrong, each by its name; empty if all is as it was sealed.
    pub problems: Vec<String>,
}

/// Checks a folder: the manifest's signature by `key`, and every file.
pub fn verify(folder: &Path, key: &PublicKey) -> Result<Verified, VerifyError> {
    let path = folder.join(MANIFEST_FILE);
    let bytes = read_beside(folder, MANIFEST_FILE)
        .map_err(|source| VerifyError::Read { path: path.clone(), source })?;
    let mut problems = check_signatures(folder, &bytes, key);
    let manifest = match RunManifest::read(&bytes) {
        Ok(manifest) => manifest,
        Err(source) if problems.is_empty() => return Err(VerifyError::NotOne { path, source }),
        Err(error) => {
            problems.push(format!("{MANIFEST_FILE}: {error}"));
            return Ok(Verified { manifest: None, problems });
        }
    };
    problems.extend(check_files(folder, &manifest.outputs));
    problems.extend(check_label(folder, manifest.label_sha256.as_deref()));
    problems.extend(review::problem(folder, &bytes, key));
    problems.extend(check_archive(folder, key));
    problems.extend(check_extra(folder, &manifest.outputs));
    Ok(Verified { manifest: Some(manifest), problems })
}

fn check_signatures(folder: &Path, manifest: &[u8], key: &PublicKey) -> Vec<String> {
    let read = |name: &str| read_beside(folder, name).map_err(|error| format!("{name}: {}", missing(&error)));
    let signature = read(SIGNATURE_FILE).and_then(|bytes| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        exact::check(manifest, &text, &key.to_file())
            .map_err(|error| format!("{MANIFEST_FILE} or {SIGNATURE_FILE}: {error}"))
    });
    let statement = read(STATEMENT_FILE).and_then(|bytes| {
        statement::verify(&bytes, key, manifest).map_err(|error| format!("{STATEMENT_FILE}: {error}"))
    });
    signature.err().into_iter().chain(statement.err()).collect()
}

fn missing(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "missing".to_owned();
    }
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    if is_link { "a symbolic link stands there".to_owned() } else { error.to_string() }
}

/// A file that stands beside the outputs. What is put there instead, a link, a pipe or something endless, is not read.
pub(crate) fn read_beside(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    const MOST_BYTES: u64 = 256 << 20;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let file = open_below(&rustix::fs::open(folder, flags, Mode::empty())?, name)?;
    let known = file.metadata()?;
    if !known.is_file() || known.len() > MOST_BYTES {
        return Err(io::Error::other("not a plain file of reasonable size"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check_files(folder: &Path, outputs: &[Output]) -> Vec<String> {
    let mut problems = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let top = rustix::fs::open(folder.join("output"), flags, Mode::empty());
    for output in outputs {
        let name = format!("output/{}", output.path);
        let found = top.as_ref().map_err(|error| io::Error::from(*error));
        match found.and_then(|top| describe(top, &output.path)) {
            Err(error) => problems.push(format!("{name}: {}", missing(&error))),
            Ok(found) if !is_as_sealed(&found, output) => problems.push(format!("{name}: changed")),
            Ok(_) => {}
        }
    }
    problems
}

/// The same content, and not made executable since. Sinks that carry bytes alone lose that mark, which harms nobody.
fn is_as_sealed(found: &Output, sealed: &Output) -> bool {
    let was_made_executable = sealed.executable == Some(false) && found.executable == Some(true);
    found.sha256 == sealed.sha256 && found.bytes == sealed.bytes && !was_made_executable
}

/// The label is that of the manifest, and it is one.
fn check_label(folder: &Path, sha256: Option<&str>) -> Option<String> {
    match read_beside(folder, LABEL_FILE) {
        Ok(bytes) if sha256.is_some_and(|wanted| wanted != mi_model::sha256_hex(&bytes)) => {
            Some(format!("{LABEL_FILE}: changed"))
        }
        Ok(bytes) => Label::read(&bytes).err().map(|error| format!("{LABEL_FILE}: {error}")),
        Err(error) => Some(format!("{LABEL_FILE}: {}", missing(&error))),
    }
}

/// The encrypted manifest cannot be read here, so it has a signature of its own.
fn check_archive(folder: &Path, key: &PublicKey) -> Option<String> {
    let content = read_beside(folder, ARCHIVE_FILE);
    let signature = read_beside(folder, ARCHIVE_SIGNATURE_FILE);
    let is_absent = |read: &io::Result<Vec<u8>>| {
        read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    if is_absent(&content) && is_absent(&signature) {
        return None;
    }
    let signature = signature.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    let checked = content.and_then(|content| Ok((content, signature?))).map_err(|error| missing(&error));
    let held = checked.and_then(|(content, signature)| {
        exact::check(&content, &signature, &key.to_file()).map_err(|error| error.to_string())
    });
    held.err().map(|reason| format!("{ARCHIVE_FILE} or {ARCHIVE_SIGNATURE_FILE}: {reason}"))
}

fn check_extra(folder: &Path, outputs: &[Output]) -> Vec<String> {
    let known: BTreeSet<&str> = outputs.iter().map(|output| output.path.as_str()).collect();
    let is_of_before = outputs.iter().any(|output| output.executable.is_none());
    let holds_outputs = |folder: &str| {
        let below = format!("{folder}/");
        known.range(below.as_str()..).next().is_some_and(|path| path.starts_with(&below))
    };
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
                Some(path) if is_folder => is_of_before || holds_outputs(path),
                Some(path) => known.contains(path),
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
