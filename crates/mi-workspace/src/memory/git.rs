//! Commits of exactly the files they name, whatever else is staged, half-merged or edited.
//!
//! A commit is built in an index of its own and put on top of HEAD, so that the person's index is touched only for the
//! files concerned. Holds: HEAD is moved only if it is still where it was looked at.

use mi_git::{GitRunner, RunGitError};
use mi_process::{Limits, Spawner};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::Layout;

const LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 1024 * 1024 };

/// The repository that a project lies in.
#[derive(Debug, Clone)]
pub struct Git {
    runner: GitRunner,
    /// The project's folder below `top`, empty or with a `/` at its end.
    prefix: String,
    /// Where trees are built: in the state folder, which git ignores.
    index: PathBuf,
}

/// Why git did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(
        "git is not installed: a note is only deleted where git can give it back; install git, or delete it yourself"
    )]
    Missing,
    #[error(
        "`{}` is in no git repository: a note is only deleted where git can give it back; run `git init` there, or delete it yourself",
        project.display()
    )]
    NoRepository { project: PathBuf },
    #[error("git {command}: {said}")]
    Failed { command: String, said: String },
}

/// A file's new content in a commit; `None` is its deletion.
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) blob: Option<String>,
}

impl Git {
    /// The repository of a project's folder.
    pub fn open(spawner: Spawner, project: &Path) -> Result<Self, GitError> {
        let index = Layout::new(project).state().join(".memory-index");
        let runner = GitRunner::new(spawner, project).with_limits(LIMITS);
        let mut git = Self { runner, prefix: String::new(), index };
        let found = match git.run(&["rev-parse", "--show-toplevel", "--show-prefix"]) {
            Err(GitError::Failed { .. }) => {
                return Err(GitError::NoRepository { project: project.to_owned() });
            }
            other => other?,
        };
        let mut lines = found.lines();
        git.runner = git.runner.in_folder(Path::new(lines.next().unwrap_or_default()));
        git.prefix = lines.next().unwrap_or_default().to_owned();
        Ok(git)
    }

    /// The repository's name of a file of the project.
    pub(crate) fn path_of(&self, below_project: &str) -> String {
        format!("{}{below_project}", self.prefix)
    }

    /// The commit that HEAD names; none in a repository without commits.
    pub(crate) fn head(&self) -> Option<String> {
        self.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
            .ok()
            .map(|text| text.trim().to_owned())
    }

    /// What HEAD has under a path.
    pub(crate) fn blob_in_head(&self, path: &str) -> Option<String> {
        self.run(&["rev-parse", "--verify", "--quiet", &format!("HEAD:{path}")])
            .ok()
            .map(|text| text.trim().to_owned())
    }

    /// Stores a file's content as it would be committed under `path`.
    pub(crate) fn store(&self, file: &Path, path: &str) -> Result<String, GitError> {
        let file = file.to_string_lossy();
        let stored = self.run(&["hash-object", "-w", &format!("--path={path}"), "--", &file])?;
        Ok(stored.trim().to_owned())
    }

    pub(crate) fn is_ignored(&self, path: &str) -> bool {
        self.run(&["check-ignore", "--quiet", "--", path]).is_ok()
    }

    /// Puts one commit with these changes on top of HEAD, and tells the person's index about them. Whoever calls has the
    /// project's lock.
    pub(crate) fn commit(&self, changes: &[Change], message: &str) -> Result<String, GitError> {
        let head = self.head();
        self.clear_index();
        let tree = self.tree(head.as_deref(), changes);
        self.clear_index();
        let tree = tree?;
        let mut arguments = vec!["commit-tree", tree.trim(), "-m", message];
        if let Some(head) = &head {
            arguments.extend(["-p", head]);
        }
        let commit = self.run_with(&arguments, &self.identity())?.trim().to_owned();
        let before = head.unwrap_or_else(|| "0".repeat(commit.len()));
        let subject = message.lines().next().unwrap_or_default();
        self.run(&["update-ref", "-m", &format!("commit: {subject}"), "HEAD", &commit, &before])?;
        for change in changes {
            self.change_index(change, &[])?;
        }
        Ok(commit)
    }

    /// The index is only a place to build a tree in. Only who has the project's lock uses it, so whatever a killed
    /// process left there is in nobody's use.
    fn clear_index(&self) {
        for index in [self.index.clone(), self.index.with_extension("lock")] {
            let _ = fs::remove_file(index);
        }
    }

    /// A name to commit under where the person has told git none: a note must be recoverable on a fresh machine too.
    fn identity(&self) -> Vec<(&'static str, OsString)> {
        if self.run(&["var", "GIT_COMMITTER_IDENT"]).is_ok() && self.run(&["var", "GIT_AUTHOR_IDENT"]).is_ok()
        {
            return Vec::new();
        }
        let names = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "mi".into()));
        let addresses = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "mi@localhost".into()));
        names.into_iter().chain(addresses).collect()
    }

    fn tree(&self, head: Option<&str>, changes: &[Change]) -> Result<String, GitError> {
        let variables = [("GIT_INDEX_FILE", self.index.as_os_str().to_owned())];
        match head {
            Some(head) => self.run_with(&["read-tree", head], &variables)?,
            None => self.run_with(&["read-tree", "--empty"], &variables)?,
        };
        for change in changes {
            self.change_index(change, &variables)?;
        }
        self.run_with(&["write-tree"], &variables)
    }

    fn change_index(&self, change: &Change, variables: &[(&str, OsString)]) -> Result<(), GitError> {
        let Change { path, blob } = change;
        match blob {
            Some(blob) => {
                let entry = format!("100644,{blob},{path}");
                self.run_with(&["update-index", "--add", "--cacheinfo", &entry], variables)?
            }
            None => self.run_with(&["update-index", "--force-remove", "--", path], variables)?,
        };
        Ok(())
    }

    fn run(&self, arguments: &[&str]) -> Result<String, GitError> {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], variables: &[(&str, OsString)]) -> Result<String, GitError> {
        let call =
            variables.iter().fold(self.runner.call(arguments), |call, (name, value)| call.with(name, value));
        call.text().map_err(|error| match error {
            RunGitError::Missing => GitError::Missing,
            other => GitError::Failed { command: other.command().to_owned(), said: other.reason() },
        })
    }
}
