//! Keeping the persona in step with the person's own git remote (D.23).
//!
//! Commits, fetches, merges, makes what is derived again, pushes. Holds: private folders are never in a commit; no hook of
//! the repository runs; a merge that a person has to decide is taken back, and both sides stay as they were.

use mi_git::{GitRunner, RunGitError};
use mi_process::Limits;
use serde::Serialize;
use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use crate::{
    AccessError, CardError, INDEX, Persona, SessionError, lint::Known, persona::Lock, slots::LogName,
};

const LIMITS: Limits = Limits { timeout: Duration::from_secs(300), max_output_bytes: 8 * 1024 * 1024 };
const BRANCH: &str = "main";
/// Derived files are never merged line by line: they would be nobody's.
const ATTRIBUTES: &[u8] =
    b"indexes/card-index.yaml -merge\nsessions/*/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md -merge\n";
/// Somebody else may push in between; then it is tried again.
const TRIES: usize = 5;

/// What a synchronisation did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Synced {
    pub committed: bool,
    /// Files that came from the remote.
    pub received: Vec<String>,
    pub pushed: bool,
    pub commit: String,
    pub notes: Vec<String>,
}

/// Why it did not happen.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error("git is not installed; install it to synchronise the persona")]
    Missing,
    #[error("git {command}: {said}")]
    Failed { command: String, said: String },
    #[error("the persona has no remote yet; name your own with: mi persona sync --remote URL")]
    NoRemote,
    #[error(
        "the persona's remote is {standing}, not {given}; change it with: git -C PERSONA remote set-url origin URL"
    )]
    OtherRemote { standing: String, given: String },
    #[error(
        "private memory is in git ({0}) and would leave this machine (D.10); take it out of git, and out of commits that were not sent yet: git -C PERSONA rm --cached FILE"
    )]
    Private(String),
    #[error(
        "a secret stands in {0} (D.10); nothing left this machine; take it out and replace the credential"
    )]
    Secret(String),
    #[error(
        "both sides changed {0}; your side was left as it is. Merge by hand: git -C PERSONA merge origin/main, then run mi persona sync again"
    )]
    Conflict(String),
    #[error(
        "{0} still has both sides of a merge in it (`<<<<<<<`); nothing left this machine. Correct the file, then run mi persona sync again"
    )]
    Unresolved(String),
    #[error("others push all the time; try again in a minute")]
    Busy,
    #[error(transparent)]
    Cards(#[from] CardError),
    #[error(transparent)]
    Sessions(#[from] SessionError),
}

impl Persona {
    /// Brings both sides to the same state. `remote` is needed the first time.
    pub fn sync(&self, git: &GitRunner, remote: Option<&str>) -> Result<Synced, SyncError> {
        let lock = self.lock()?;
        let attributes = self.state().join("git-attributes");
        mi_journal::replace_file(&attributes, ATTRIBUTES).map_err(AccessError::File)?;
        let attributes = format!("core.attributesFile={}", attributes.display());
        let git = git.clone().in_folder(self.root()).with_limits(LIMITS).with_settings(&[&attributes]);
        let repo = Repo { git, root: self.root().to_owned() };
        repo.prepare(remote)?;
        self.settle(&lock, &repo)?;
        self.refuse_secrets()?;
        let mut synced = Synced::default();
        self.derive(&lock, &mut synced.notes)?;
        repo.refuse_private()?;
        synced.committed = repo.commit("Save the persona")?;
        for _ in 0..TRIES {
            repo.run(&["fetch", "--quiet", "origin"])?;
            let theirs = format!("refs/remotes/origin/{BRANCH}");
            if repo.run(&["rev-parse", "--verify", "--quiet", &theirs]).is_ok() {
                let before = repo.head()?;
                self.merge(&lock, &repo, &theirs)?;
                synced.received.extend(repo.changed(&before, &theirs)?);
                self.derive(&lock, &mut synced.notes)?;
                repo.commit("Make index and roll-ups again")?;
                if repo.head()? == repo.run(&["rev-parse", &theirs])?.trim() {
                    break;
                }
            }
            repo.refuse_private()?;
            match repo.run(&["push", "--quiet", "origin", &format!("HEAD:refs/heads/{BRANCH}")]) {
                Ok(_) => {
                    synced.pushed = true;
                    break;
                }
                Err(SyncError::Failed { said, .. }) if was_overtaken(&said) => {}
                Err(error) => return Err(error),
            }
            if synced.pushed {
                break;
            }
        }
        synced.commit = repo.head()?;
        let theirs = repo.run(&["rev-parse", &format!("refs/remotes/origin/{BRANCH}")]).unwrap_or_default();
        if theirs.trim() != synced.commit {
            return Err(SyncError::Busy);
        }
        synced.received.sort();
        synced.received.dedup();
        Ok(synced)
    }

    fn refuse_secrets(&self) -> Result<(), SyncError> {
        let report = self.lint(&Known::default())?;
        match report.secrets().next() {
            Some(found) => Err(SyncError::Secret(format!("{}, line {}", found.path, found.line))),
            None => Ok(()),
        }
    }

    /// Merges; where only derived files are in conflict, they are made again instead.
    fn merge(&self, lock: &Lock, repo: &Repo, theirs: &str) -> Result<(), SyncError> {
        let merged =
            repo.run_as_somebody(&["merge", "--quiet", "--no-edit", "--allow-unrelated-histories", theirs]);
        let Err(error) = merged else { return Ok(()) };
        let conflicts = repo.unmerged()?;
        if conflicts.is_empty() {
            // Nothing was merged at all: the reason is git's own.
            let _ = repo.run(&["merge", "--abort"]);
            return Err(error);
        }
        if let Some(path) = conflicts.iter().find(|path| !is_derived(path)) {
            repo.run(&["merge", "--abort"])?;
            return Err(SyncError::Conflict(path.clone()));
        }
        conflicts.iter().for_each(|path| self.take_ours(lock, repo, path));
        let mut notes = Vec::new();
        self.derive(lock, &mut notes)?;
        repo.run(&["add", "--all"])?;
        repo.run_as_somebody(&["commit", "--quiet", "--no-edit"])?;
        Ok(())
    }

    /// A merge that the person makes by hand: files that they have corrected are taken, others are not.
    fn settle(&self, lock: &Lock, repo: &Repo) -> Result<(), SyncError> {
        for path in repo.unmerged()? {
            if is_derived(&path) {
                self.take_ours(lock, repo, &path);
            } else if self
                .read(&path)?
                .is_some_and(|text| text.lines().any(|line| line.starts_with("<<<<<<< ")))
            {
                return Err(SyncError::Unresolved(path));
            }
        }
        Ok(())
    }

    /// Our side of a derived file, which is made again anyway. Where a merge has none, the file is taken away.
    fn take_ours(&self, lock: &Lock, repo: &Repo, path: &str) {
        if repo.run(&["checkout", "--quiet", "--ours", "--", path]).is_err() {
            let _ = self.remove(lock, path);
        }
    }

    /// The index and the roll-ups, made from the files. A broken card does not stop what is good.
    fn derive(&self, lock: &Lock, notes: &mut Vec<String>) -> Result<(), SyncError> {
        match self.write_index(lock) {
            Ok(_) => {}
            Err(error @ CardError::Problems(_)) => {
                let note = format!("the index was not made again: {error}");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            Err(error) => return Err(error.into()),
        }
        let days: BTreeSet<_> = self
            .logs(|_| true)?
            .into_iter()
            .filter(|log| log.name.slot.is_some())
            .map(|log| log.name.date)
            .collect();
        for day in days {
            notes.extend(self.roll_up(lock, day)?);
        }
        Ok(())
    }
}

fn is_derived(path: &str) -> bool {
    path == INDEX || is_roll_up(path)
}

fn is_roll_up(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("sessions/")
        && LogName::parse(name).is_some_and(|log| log.slot.is_none() && name == format!("{}.md", log.date))
}

fn was_overtaken(said: &str) -> bool {
    ["rejected", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref"]
        .iter()
        .any(|words| said.contains(words))
}

struct Repo {
    git: GitRunner,
    root: PathBuf,
}

impl Repo {
    /// A repository of the persona's own, with the person's remote.
    fn prepare(&self, remote: Option<&str>) -> Result<(), SyncError> {
        if self.root.join(".git").symlink_metadata().is_err() {
            let url = remote.ok_or(SyncError::NoRemote)?;
            self.answers(url)?;
            self.run(&["init", "--quiet", &format!("--initial-branch={BRANCH}")])?;
        }
        let standing = self.run(&["remote", "get-url", "origin"]).ok().map(|url| url.trim().to_owned());
        match (standing, remote) {
            (None, None) => Err(SyncError::NoRemote),
            (None, Some(url)) => {
                self.answers(url)?;
                self.run(&["remote", "add", "--", "origin", url]).map(|_| ())
            }
            (Some(standing), Some(given)) if standing != given => {
                let shown = |url: &str| mi_secrets::redact(url).into_owned();
                Err(SyncError::OtherRemote { standing: shown(&standing), given: shown(given) })
            }
            (Some(_), _) => Ok(()),
        }
    }

    /// A mistyped address is not kept: it must answer before it becomes the remote.
    fn answers(&self, url: &str) -> Result<(), SyncError> {
        self.run(&["ls-remote", "--quiet", "--", url]).map(|_| ())
    }

    /// Commits everything but private folders; false when there was nothing to commit.
    fn commit(&self, message: &str) -> Result<bool, SyncError> {
        self.run(&["add", "--all", "--", ".", ":(exclude,glob).*/private/**", ":(exclude,glob)**/*.new-*"])?;
        let clean = self.run(&["diff", "--cached", "--quiet"]).is_ok();
        if clean && self.run(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok() {
            return Ok(false);
        }
        self.run_as_somebody(&["commit", "--quiet", "--allow-empty", "-m", message])?;
        Ok(!clean)
    }

    /// Private files must be neither in what would be committed nor in a commit that would be sent.
    fn refuse_private(&self) -> Result<(), SyncError> {
        let mut names = self.run(&["ls-files", "-z"])?;
        if self.run(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok() {
            let unsent = ["log", "-z", "--format=", "--name-only", "HEAD", "--not", "--remotes"];
            names.push_str(&self.run(&unsent)?);
        }
        let private = names.split(['\0', '\n']).find(|path| {
            let mut parts = path.split('/');
            parts.next().is_some_and(|first| first.starts_with('.'))
                && parts.next().is_some_and(|second| second.eq_ignore_ascii_case("private"))
        });
        private.map_or(Ok(()), |path| Err(SyncError::Private(path.to_owned())))
    }

    /// Files that a merge has left to be decided.
    fn unmerged(&self) -> Result<BTreeSet<String>, SyncError> {
        let names = self.run(&["diff", "--name-only", "-z", "--diff-filter=U"])?;
        Ok(names.split_terminator('\0').map(str::to_owned).collect())
    }

    fn head(&self) -> Result<String, SyncError> {
        Ok(self.run(&["rev-parse", "HEAD"])?.trim().to_owned())
    }

    /// Files that are not the same in both.
    fn changed(&self, ours: &str, theirs: &str) -> Result<Vec<String>, SyncError> {
        let base = self.run(&["merge-base", ours, theirs]).unwrap_or_default();
        let from = if base.trim().is_empty() { ours } else { base.trim() };
        let names = self.run(&["diff", "--name-only", "-z", from, theirs])?;
        Ok(names.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Commits under the person's name, or under ours where git knows none.
    fn run_as_somebody(&self, arguments: &[&str]) -> Result<String, SyncError> {
        let known = self.run(&["var", "GIT_COMMITTER_IDENT"]).is_ok();
        let name: &[&str] =
            if known { &[] } else { &["-c", "user.name=mi", "-c", "user.email=mi@localhost"] };
        self.run(&[name, arguments].concat())
    }

    fn run(&self, arguments: &[&str]) -> Result<String, SyncError> {
        self.git.call(arguments).lossy_text().map_err(|error| match error {
            RunGitError::Missing => SyncError::Missing,
            // The remote's address is repeated by git, with the password that may stand in it.
            other => SyncError::Failed {
                command: other.command().to_owned(),
                said: mi_secrets::redact(&other.reason()).into_owned(),
            },
        })
    }
}
