//! What is read from git: revisions, names of changed files, and the contents of files at a revision.
//!
//! Holds: nothing is written, no filter or external diff of the repository is started (the rest is `mi-git`).

use mi_bearing::FileBody;
use mi_git::{GitCall, GitRunner, RunGitError};
use mi_process::{Limits, Spawner};
use std::{collections::BTreeMap, path::Path, time::Duration};

/// Paths as they are, and every change of a submodule counts.
const SETTINGS: [&str; 2] = ["core.quotePath=false", "diff.ignoreSubmodules=none"];
const LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 512 << 20 };
/// Paths given to one call of git.
const PATHS_AT_ONCE: usize = 500;
/// A file of this size or more is read as if it were not text; its content still counts.
const SUBMODULE: &str = "160000";

/// The repository around a project.
#[derive(Debug, Clone)]
pub struct Repository {
    git: GitRunner,
    /// The project's folder inside the work tree, with a slash at its end; empty when it is the work tree.
    pub prefix: String,
}

/// Why git could not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Run(#[from] RunGitError),
    #[error("`{revision}` names no commit of this repository")]
    UnknownRevision { revision: String },
    #[error("`{revision}` and HEAD share no history")]
    Unrelated { revision: String },
}

impl Repository {
    /// The repository that `root` is in, if it is in one.
    pub fn open(spawner: &Spawner, root: &Path) -> Option<Self> {
        let git =
            GitRunner::of_this_process(spawner.clone(), root).with_settings(&SETTINGS).with_limits(LIMITS);
        let mut found = Self { git, prefix: String::new() };
        found.prefix = found.text(&["rev-parse", "--show-prefix"]).ok()?;
        Some(found)
    }

    /// The commit that a revision names.
    pub fn resolve(&self, revision: &str) -> Result<String, GitError> {
        let commit = format!("{revision}^{{commit}}");
        self.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| GitError::UnknownRevision { revision: revision.to_owned() })
    }

    /// Where HEAD's line of work left the main branch: the merge base with it.
    pub fn fork_point(&self) -> Option<String> {
        let remote = self.text(&["rev-parse", "--abbrev-ref", "origin/HEAD"]).ok();
        let names = remote.into_iter().chain(["main", "master"].map(str::to_owned));
        names.filter_map(|name| self.resolve(&name).ok()).find_map(|main| self.merge_base(&main).ok())
    }

    /// The newest commit that `revision` and HEAD share.
    pub fn merge_base(&self, revision: &str) -> Result<String, GitError> {
        self.text(&["merge-base", revision, "HEAD"])
            .map_err(|_| GitError::Unrelated { revision: revision.to_owned() })
    }

    /// Files below the project whose content may differ between `base` and `head`, or the working tree.
    pub fn changed_files(&self, base: &str, head: Option<&str>) -> Result<Vec<String>, GitError> {
        let mut args = vec![
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--relative",
            "--no-ext-diff",
            "--no-textconv",
            base,
        ];
        args.extend(head);
        args.push("--");
        let mut names = split_names(&self.git.call(&args).bytes()?);
        if head.is_none() {
            names.extend(self.untracked_files()?);
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Files that git does not track and does not ignore.
    pub fn untracked_files(&self) -> Result<Vec<String>, GitError> {
        Ok(split_names(&self.git.call(&["ls-files", "--others", "--exclude-standard", "-z"]).bytes()?))
    }

    /// The contents of files at a commit; a file that is not there, or is a submodule, is left out.
    pub fn read_files(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, FileBody>, GitError> {
        let mut found = BTreeMap::new();
        for some in paths.chunks(PATHS_AT_ONCE) {
            found.extend(self.read_some(commit, some)?);
        }
        Ok(found)
    }

    fn read_some(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, FileBody>, GitError> {
        let mut args = vec!["--literal-pathspecs", "ls-tree", "-r", "-z", commit, "--"];
        args.extend(paths.iter().map(String::as_str));
        let listing = self.git.call(&args).bytes()?;
        let entries: Vec<(String, String, String)> = split_names(&listing)
            .into_iter()
            .filter_map(|line| {
                let (about, path) = line.split_once('\t')?;
                let mut words = about.split(' ');
                let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
                Some((mode.to_owned(), id.to_owned(), path.to_owned()))
            })
            .filter(|(mode, _, _)| mode != SUBMODULE)
            .collect();
        let wanted: String = entries.iter().map(|(_, id, _)| format!("{id}\n")).collect();
        let contents = self.git.call(&["cat-file", "--batch"]).with_input(wanted.into_bytes()).bytes()?;
        let bodies = split_batch(&contents);
        let bodies = entries.into_iter().zip(bodies).map(|((mode, _, path), bytes)| {
            (path, FileBody { bytes, is_executable: mode == "100755", is_link: mode == "120000" })
        });
        Ok(bodies.collect())
    }

    /// Writes all files of a commit below `folder`.
    pub(crate) fn export(&self, commit: &str, folder: &Path, index: &Path) -> Result<(), GitError> {
        let tree = format!("{commit}:{}", self.prefix.trim_end_matches('/'));
        let prefix = format!("--prefix={}/", folder.display());
        let with_index = |call: GitCall<'_>| call.with("GIT_INDEX_FILE", index).bytes().map(drop);
        with_index(self.git.call(&["read-tree", &tree]))?;
        Ok(with_index(self.git.call(&["checkout-index", "--all", "--force", &prefix]))?)
    }

    fn text(&self, args: &[&str]) -> Result<String, GitError> {
        Ok(self.git.call(args).lossy_text()?.trim_end_matches('\n').to_owned())
    }
}

fn split_names(bytes: &[u8]) -> Vec<String> {
    let names = bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The contents in the output of `git cat-file --batch`, in their order.
fn split_batch(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        bytes = &bytes[end + 1..];
        let size = header.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
        let size = size.filter(|size| *size < bytes.len()).unwrap_or(0);
        found.push(bytes[..size].to_vec());
        bytes = bytes.get(size + 1..).unwrap_or_default();
    }
    found
}
