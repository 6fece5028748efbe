//! Holds the repository to its floor plan (ARCHITECTURE.md): rooms, direction of arrows, purity.
//!
//! Each rule is a function from text to violations, in `rooms` and `sources`, and is shown there to catch a
//! planted violation. Here the rules meet the real files.

mod rooms;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use mi_test_support::workspace_dir;

use crate::sources::SourceFile;

/// Every arrow between rooms points down, and nobody but its owner names a heavy dependency.
#[test]
fn arrows_point_down() {
    let violations: Vec<String> = crate_dirs()
        .iter()
        .flat_map(|folder| rooms::check_manifest(&read(&folder.join("Cargo.toml"))))
        .collect();
    assert_none(&violations);
}

/// Brains are pure, one room starts processes, one reads the environment, and every file is readable.
#[test]
fn sources_keep_to_their_room() {
    let mut violations = Vec::new();
    for folder in crate_dirs() {
        let name = folder.file_name().expect("a folder in crates/ has a name").to_string_lossy().into_owned();
        violations.extend(sources::check_crate(&name, &source_files(&folder)));
    }
    assert_none(&violations);
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "the floor plan is broken:\n{}", violations.join("\n"));
}

fn crate_dirs() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = entries(&workspace_dir().join("crates"));
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    assert!(folders.len() > 10, "found only {folders:?}");
    folders
}

/// Every `.rs` file of a crate, named from the crate's folder.
fn source_files(folder: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(entries(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(folder).expect("found below the folder");
            files.push(SourceFile { path: relative.to_string_lossy().into_owned(), text: read(&path) });
        }
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("read {}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("read a folder entry").path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
}
