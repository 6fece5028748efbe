//! The project's repository: its last commit goes out into a folder of its own, and files come back on a new branch.
//!
//! Holds: the person's working tree, index and branches are not touched; no hook runs.

use mi_git::GitRunner;
use mi_process::Spawner;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A repository, or the place where none is.
pub(super) struct Repository {
    git: GitRunner,
    /// An index of our own, so that the person's stays as it is.
    index: PathBuf,
    /// None where there is no repository or no commit yet.
    head: Option<String>,
    is_repository: bool,
}

impl Repository {
    pub(super) fn open(root: &Path, folder: &Path, spawner: &Spawner) -> Self {
        let mut repository = Self {
            git: GitRunner::new(spawner.clone(), root),
            index: folder.join("index"),
            head: None,
            is_repository: false,
        };
        // Everything is said relative to the top, also when the project is a folder of a repository.
        if let Ok(top) = repository.run(&["rev-parse", "--show-toplevel"], None, None) {
            repository.is_repository = true;
            repository.git = repository.git.in_folder(Path::new(&top));
        }
        repository.head =
            repository.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], None, None).ok();
        repository
    }

    /// Writes the files of the last commit into `work`.
    pub(super) fn fill(&self, work: &Path) -> Result<(), Failure> {
        let Some(head) = &self.head else { return Ok(()) };
        self.run(&["read-tree", head], None, None)?;
        let prefix = format!("--prefix={}/", work.display());
        self.run(&["checkout-index", "--all", "--force", &prefix], None, None)?;
        Ok(())
    }

    /// A branch with the last commit and these files of `work` on top; none where there is no repository.
    pub(super) fn commit(
        &self,
        work: &Path,
        paths: &[String],
        id: &str,
        task: &str,
    ) -> Result<Option<String>, Failure> {
        if !self.is_repository {
            return Ok(None);
        }
        let list = paths.iter().map(|path| format!("{path}\0")).collect::<String>().into_bytes();
        self.run(&["update-index", "--add", "-z", "--stdin"], Some(list), Some(work))?;
        let tree = self.run(&["write-tree"], None, None)?;
        let title = mi_model::shorten(task.lines().next().unwrap_or_default(), 60);
        let message = format!("{title}\n\nMade by mi make ({id}); the check's report is in .mi/make/{id}.\n");
        let mut arguments = vec!["commit-tree", &tree, "-F", "-"];
        if let Some(head) = &self.head {
            arguments.extend(["-p", head]);
        }
        let commit = self.run(&arguments, Some(message.into_bytes()), None)?;
        let branch = format!("mi/{id}");
        let reference = format!("refs/heads/{branch}");
        // The empty old value: a branch of that name must not be there.
        self.run(&["update-ref", &reference, &commit, &"0".repeat(commit.len())], None, None)?;
        Ok(Some(branch))
    }

    /// The output of git without its last line break.
    fn run(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        work: Option<&Path>,
    ) -> Result<String, Failure> {
        let mut call = self.git.call(arguments).with("GIT_INDEX_FILE", &self.index);
        if let Some(work) = work {
            call = call.with("GIT_WORK_TREE", work);
        }
        if let Some(input) = input {
            call = call.with_input(input);
        }
        // Only where the person has not said who they are.
        if arguments.first() == Some(&"commit-tree")
            && self.run(&["var", "GIT_COMMITTER_IDENT"], None, None).is_err()
        {
            let named = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
            call = named.iter().fold(call, |call, name| call.with(name, "mi"));
        }
        let printed = call.lossy_text().map_err(|error| Failure::of(&error))?;
        Ok(printed.trim_end().to_owned())
    }
}
