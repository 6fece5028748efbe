//! Reads both sides of a change.

use mi_bearing::{FileBody, FileChange};
use mi_process::Spawner;
use mi_tree::Snapshot;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

use crate::{engine::ProveError, git::Repository, start::SavedStart};

/// The tree that a change began with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseTree {
    Commit(String),
    Start(SavedStart),
}

/// The tree that a change ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadTree {
    WorkingTree,
    Commit(String),
}

/// Everything that differs between the two trees, sorted by path; and what could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Change {
    pub(crate) files: Vec<FileChange>,
    pub(crate) left_out: Vec<String>,
}

/// Reads a change. `inputs` are the project's files as they are now.
pub(crate) fn read_change(
    spawner: &Spawner,
    root: &Path,
    base: &BaseTree,
    head: &HeadTree,
    inputs: &Snapshot,
) -> Result<Change, ProveError> {
    let repository = Repository::open(spawner, root);
    let names = changed_names(repository.as_ref(), base, head, inputs)?;
    let before = read_base(repository.as_ref(), base, &names)?;
    let after = match head {
        HeadTree::WorkingTree => read_working_tree(root, &names),
        HeadTree::Commit(commit) => repository_of(repository.as_ref())?.read_files(commit, &names)?,
    };
    let mut change = Change::default();
    for path in names {
        if matches!(head, HeadTree::WorkingTree) && root.join(&path).is_dir() {
            change.left_out.push(format!("{path}: a submodule or folder, not looked at"));
            continue;
        }
        let (before, after) = (before.get(&path).cloned(), after.get(&path).cloned());
        if before != after {
            change.files.push(FileChange { path, before, after });
        }
    }
    Ok(change)
}

fn repository_of(repository: Option<&Repository>) -> Result<&Repository, ProveError> {
    repository.ok_or(ProveError::NoRepository)
}

fn changed_names(
    repository: Option<&Repository>,
    base: &BaseTree,
    head: &HeadTree,
    inputs: &Snapshot,
) -> Result<Vec<String>, ProveError> {
    let head = match head {
        HeadTree::WorkingTree => None,
        HeadTree::Commit(commit) => Some(commit.as_str()),
    };
    let mut names: BTreeSet<String> = match base {
        BaseTree::Commit(commit) => {
            repository_of(repository)?.changed_files(commit, head)?.into_iter().collect()
        }
        BaseTree::Start(start) => match (&start.commit, repository) {
            (Some(commit), Some(repository)) => repository.changed_files(commit, head)?.into_iter().collect(),
            _ => inputs.files.iter().map(|(name, _)| name.clone()).collect(),
        },
    };
    if let BaseTree::Start(start) = base {
        names.extend(start.names().cloned());
    }
    Ok(names.into_iter().collect())
}

fn read_base(
    repository: Option<&Repository>,
    base: &BaseTree,
    names: &[String],
) -> Result<BTreeMap<String, FileBody>, ProveError> {
    let start = match base {
        BaseTree::Commit(commit) => return Ok(repository_of(repository)?.read_files(commit, names)?),
        BaseTree::Start(start) => start,
    };
    let mut found = BTreeMap::new();
    let mut committed = Vec::new();
    for name in names {
        let kept = start.read(name).map_err(|source| ProveError::ReadStart { source })?;
        match kept {
            Some(Some(body)) => drop(found.insert(name.clone(), body)),
            Some(None) => {}
            None => committed.push(name.clone()),
        }
    }
    if let (Some(commit), Some(repository)) = (&start.commit, repository) {
        found.extend(repository.read_files(commit, &committed)?);
    }
    Ok(found)
}

fn read_working_tree(root: &Path, names: &[String]) -> BTreeMap<String, FileBody> {
    names.iter().filter_map(|name| Some((name.clone(), read_body(&root.join(name))?))).collect()
}

/// A file as it is now; `None` when it is not there or is neither a file nor a link.
pub(crate) fn read_body(path: &Path) -> Option<FileBody> {
    let about = fs::symlink_metadata(path).ok()?;
    if about.is_symlink() {
        let target = fs::read_link(path).ok()?;
        return Some(FileBody {
            bytes: target.as_os_str().as_bytes().to_vec(),
            is_executable: false,
            is_link: true,
        });
    }
    if !about.is_file() {
        return None;
    }
    let is_executable = about.permissions().mode() & 0o111 != 0;
    Some(FileBody { bytes: fs::read(path).ok()?, is_executable, is_link: false })
}
