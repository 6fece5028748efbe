//! The project's repository: its last commit goes out into a folder of its own, and files come back on a new branch.
//!
//! Holds: the person's working tree, index and branches are not touched; no hook runs.

use mi_process::{Environment, Limits, SpawnSpec, Spawner, Stdin, run_to_end};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::failure::Failure;

const GIT_LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 16 << 20 };

/// A repository, or the place where none is.
pub(super) struct Repository<'a> {
    root: PathBuf,
    /// An index of our own, so that the person's stays as it is.
    index: PathBuf,
    spawner: &'a Spawner,
    /// None where there is no repository or no commit yet.
    head: Option<String>,
    is_repository: bool,
}

impl<'a> Repository<'a> {
    pub(super) fn open(root: &Path, folder: &Path, spawner: &'a Spawner) -> Self {
        let mut repository = Self {
            root: root.to_owned(),
            index: folder.join("index"),
            spawner,
            head: None,
            is_repository: false,
        };
        // Everything is said relative to the top, also when the project is a folder of a repository.
        if let Ok(top) = repository.git(&["rev-parse", "--show-toplevel"], None, None) {
            repository.is_repository = true;
            repository.root = PathBuf::from(top);
        }
        repository.head =
            repository.git(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], None, None).ok();
        repository
    }

    /// Writes the files of the last commit into `work`.
    pub(super) fn fill(&self, work: &Path) -> Result<(), Failure> {
        let Some(head) = &self.head else { return Ok(()) };
        self.git(&["read-tree", head], None, None)?;
        let prefix = format!("--prefix={}/", work.display());
        self.git(&["checkout-index", "--all", "--force", &prefix], None, None)?;
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
        self.git(&["update-index", "--add", "-z", "--stdin"], Some(list), Some(work))?;
        let tree = self.git(&["write-tree"], None, None)?;
        let title = mi_model::shorten(task.lines().next().unwrap_or_default(), 60);
        let message = format!("{title}\n\nMade by mi make ({id}); the check's report is in .mi/make/{id}.\n");
        let mut arguments = vec!["commit-tree", &tree, "-F", "-"];
        if let Some(head) = &self.head {
            arguments.extend(["-p", head]);
        }
        let commit = self.git(&arguments, Some(message.into_bytes()), None)?;
        let branch = format!("mi/{id}");
        let reference = format!("refs/heads/{branch}");
        // The empty old value: a branch of that name must not be there.
        self.git(&["update-ref", &reference, &commit, &"0".repeat(commit.len())], None, None)?;
        Ok(Some(branch))
    }

    /// The output of git without its last line break.
    fn git(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        work: Option<&Path>,
    ) -> Result<String, Failure> {
        let mut args: Vec<std::ffi::OsString> =
            ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"].map(Into::into).to_vec();
        args.extend(arguments.iter().map(Into::into));
        let set = |name: &str, value: &Path| (name.into(), value.as_os_str().to_owned());
        let mut variables = vec![set("GIT_INDEX_FILE", &self.index)];
        variables.extend(work.map(|work| set("GIT_WORK_TREE", work)));
        if arguments.first() == Some(&"commit-tree") {
            // Only where the person has not said who they are.
            let known = self.git(&["var", "GIT_COMMITTER_IDENT"], None, None).is_ok();
            let named = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
            variables.extend(named.iter().filter(|_| !known).map(|name| set(name, Path::new("mi"))));
        }
        let remove =
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"].map(Into::into).to_vec();
        let spec = SpawnSpec {
            program: "git".into(),
            args,
            cwd: self.root.clone(),
            environment: Environment::Inherit { set: variables, remove },
            stdin: input.map_or(Stdin::Null, Stdin::Bytes),
        };
        let failed = || Failure::new(format!("run git {}", arguments.first().unwrap_or(&"")));
        let output =
            run_to_end(self.spawner, &spec, GIT_LIMITS, None).map_err(|error| failed().because(&error))?;
        if !output.end.is_success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(failed().todo(format!("git says: {said}")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }
}
