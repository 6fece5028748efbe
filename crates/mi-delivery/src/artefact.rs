//! The files that a proposal is about, read from the project.
//!
//! A folder stands for the files below it that git would not ignore; `.git` and `.nexus` are left out. Holds: what is
//! digested here is what is voted on and what is delivered; a symlink is nobody's artefact, and neither are two files that
//! some file system would take for one.

use mi_council::{Digest, FileRecord, packet};
use std::{
    fs, io,
    path::{Component, Path},
};

use crate::error::{At, CouncilError};

/// Folders that are never part of an artefact.
const LEFT_OUT: [&str; 2] = [".git", ".nexus"];

/// What lies at the paths now, sorted. A path that is gone has no files, which changes the digest.
pub fn read(root: &Path, paths: &[String]) -> Result<Vec<FileRecord>, CouncilError> {
    let mut files = Vec::new();
    for path in paths {
        let place = root.join(path);
        match fs::symlink_metadata(&place) {
            Ok(data) if data.is_dir() => read_folder(root, &place, &mut files)?,
            Ok(data) if data.is_symlink() => files.push(linked(root, &place)?),
            Ok(data) if data.is_file() => files.push(digested(root, &place)?),
            Ok(_) => return Err(CouncilError::Usage(format!("`{path}` is neither a file nor a folder"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).at("read", &place),
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files.dedup_by(|left, right| left.path == right.path);
    Ok(files)
}

/// The paths as they are kept: from the root, without `.` and `..`; each must be there.
pub fn named(root: &Path, paths: &[String]) -> Result<Vec<String>, CouncilError> {
    let mut named = Vec::new();
    for path in paths {
        let kept = inside(root, path)?;
        let place = root.join(&kept);
        let data = fs::symlink_metadata(&place).at("read the proposed", &place)?;
        if data.is_symlink() {
            return Err(CouncilError::Usage(format!("`{path}` is a symlink; propose the file it leads to")));
        }
        named.push(if kept.is_empty() { ".".to_owned() } else { kept });
    }
    named.sort();
    named.dedup();
    Ok(named)
}

/// A path from the project's root, with `/`; one that leads outside is refused.
pub fn inside(root: &Path, path: &str) -> Result<String, CouncilError> {
    let outside = || CouncilError::Usage(format!("`{path}` is outside of the project `{}`", root.display()));
    let mut parts: Vec<String> = Vec::new();
    // An absolute path may lead into the project by another name, such as a symlink to its folder.
    let real = if Path::new(path).is_absolute() { fs::canonicalize(path).ok() } else { None };
    let typed = real.as_deref().filter(|real| real.starts_with(root)).unwrap_or(Path::new(path));
    let relative = typed.strip_prefix(root).unwrap_or(typed);
    for part in relative.components() {
        match part {
            Component::Normal(part) => {
                let text =
                    part.to_str().ok_or_else(|| CouncilError::Usage(format!("`{path}` is not UTF-8")))?;
                parts.push(text.to_owned());
            }
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop().ok_or_else(outside)?),
            Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    // A symlink on the way could lead out again.
    let place = root.join(parts.join("/"));
    match fs::canonicalize(&place) {
        Ok(real) if !real.starts_with(root) => Err(outside()),
        _ => Ok(parts.join("/")),
    }
}

/// The files below a folder. The project's own ignore files are heeded, nothing above or outside of it; a folder that is
/// itself ignored was asked for by name, so all of it is taken.
fn read_folder(root: &Path, folder: &Path, files: &mut Vec<FileRecord>) -> Result<(), CouncilError> {
    let before = files.len();
    walk(root, root, folder, files)?;
    if files.len() == before {
        walk(root, folder, folder, files)?;
    }
    Ok(())
}

fn walk(root: &Path, from: &Path, folder: &Path, files: &mut Vec<FileRecord>) -> Result<(), CouncilError> {
    let wanted = folder.to_owned();
    let walk = ignore::WalkBuilder::new(from)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(move |entry| {
            let on_the_way = entry.path().starts_with(&wanted) || wanted.starts_with(entry.path());
            on_the_way && !entry.file_name().to_str().is_some_and(|name| LEFT_OUT.contains(&name))
        })
        .build();
    for entry in walk {
        let entry = entry.map_err(|error| {
            CouncilError::Usage(format!("read the folder `{}`: {error}", folder.display()))
        })?;
        match entry.file_type() {
            Some(kind) if kind.is_file() => files.push(digested(root, entry.path())?),
            Some(kind) if kind.is_symlink() => files.push(linked(root, entry.path())?),
            _ => {}
        }
    }
    Ok(())
}

/// The content of a file. What is no file is not opened: a pipe would keep whoever reads it waiting for ever.
pub fn content(place: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(place)?.is_file() {
        true => fs::read(place),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")),
    }
}

fn digested(root: &Path, place: &Path) -> Result<FileRecord, CouncilError> {
    let content = fs::read(place).at("read", place)?;
    Ok(FileRecord { path: relative(root, place)?, sha256: Digest::of(&content), bytes: content.len() as u64 })
}

/// A symlink is digested as what it says, so that putting one in the place of a file changes the artefact.
fn linked(root: &Path, place: &Path) -> Result<FileRecord, CouncilError> {
    let target = fs::read_link(place).at("read the symlink", place)?;
    let text = format!("symlink to {}", target.display());
    Ok(FileRecord { path: relative(root, place)?, sha256: Digest::of(text.as_bytes()), bytes: 0 })
}

fn relative(root: &Path, place: &Path) -> Result<String, CouncilError> {
    let relative = place.strip_prefix(root).unwrap_or(place);
    match relative.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(CouncilError::Usage(format!("the name of `{}` is not UTF-8", place.display()))),
    }
}

/// Why these files could not lie in a packet, if they could not: a symlink, or names that a stranger's check would refuse.
pub fn undeliverable(root: &Path, files: &[FileRecord]) -> Option<String> {
    let is_link =
        |file: &&FileRecord| fs::symlink_metadata(root.join(&file.path)).is_ok_and(|data| data.is_symlink());
    let link = files.iter().find(is_link).map(|file| format!("{:?} is a symlink", file.path));
    link.or_else(|| packet::bad_names(files.iter().map(|file| file.path.as_str())).into_iter().next())
}
