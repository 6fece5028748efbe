//! The git branch of a project, read from `.git` without starting git (NX-016).

mod reftable;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// What stands for a branch where there is none: the schema wants a text that is not empty.
const NO_BRANCH: &str = "no-branch";

/// The branch that is checked out, `detached@abc1234` on a detached head, `no-branch` outside of git.
pub(crate) fn current(project: &Path) -> String {
    let head = project.ancestors().find_map(git_folder).and_then(|git| {
        let head = fs::read_to_string(git.join("HEAD")).ok()?;
        // A repository with another kind of reference store writes a name that cannot be one.
        if head.trim_end().ends_with("/.invalid") { reftable::head(&git) } else { Some(head) }
    });
    head.as_deref().and_then(name).unwrap_or_else(|| NO_BRANCH.to_owned())
}

fn name(head: &str) -> Option<String> {
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            let branch = reference.strip_prefix("refs/heads/").or(reference.strip_prefix("refs/"));
            branch.filter(|branch| !branch.is_empty()).map(str::to_owned)
        }
        None => {
            let is_commit = head.len() >= 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_commit.then(|| format!("detached@{}", &head[..7]))
        }
    }
}

/// `.git` itself, or where the `.git` file of a worktree or submodule points.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let metadata = fs::metadata(&git).ok()?;
    if metadata.is_dir() {
        return Some(git);
    }
    if !metadata.is_file() {
        return None;
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}

#[cfg(test)]
mod tests {
    use super::current;
    use std::fs;

    /// Branches with slashes, worktrees, detached heads, other references, and no repository at all.
    #[test]
    fn nx_016_branch_is_never_empty() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let cases = [
            ("ref: refs/heads/main\n", "main"),
            ("ref: refs/heads/feature/a-b\n", "feature/a-b"),
            ("ref: refs/remotes/origin/x\n", "remotes/origin/x"),
            (commit, "detached@0123456"),
            ("ref: refs/heads/.invalid\n", "no-branch"),
            ("ref: refs/heads/\n", "no-branch"),
            ("", "no-branch"),
            ("garbage é", "no-branch"),
        ];
        for (head, expected) in cases {
            let scratch = tempfile::tempdir().unwrap();
            fs::create_dir_all(scratch.path().join("store/worktrees/w")).unwrap();
            fs::create_dir_all(scratch.path().join("plain/.git")).unwrap();
            fs::create_dir_all(scratch.path().join("tree/deep")).unwrap();
            fs::write(scratch.path().join("plain/.git/HEAD"), head).unwrap();
            fs::write(scratch.path().join("store/worktrees/w/HEAD"), head).unwrap();
            fs::write(scratch.path().join("tree/.git"), "gitdir: ../store/worktrees/w\n").unwrap();
            assert_eq!(current(&scratch.path().join("plain")), expected, "{head}");
            assert_eq!(current(&scratch.path().join("tree/deep")), expected, "{head}");
        }
        assert_eq!(current(tempfile::tempdir().unwrap().path()), "no-branch");
    }

    /// The other reference store of git, written by git itself: a new branch, a switch, a worktree, a detached head.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test asks the real git")]
    fn nx_016_branch_is_read_from_reftables() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("x");
        let git = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
            command.current_dir(scratch.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.output().is_ok_and(|output| output.status.success())
        };
        if !git(&["init", "-q", "--ref-format=reftable", "-b", "mybranch", "x"]) {
            return mi_test_support::skipped("this git knows no reftables");
        }
        assert_eq!(current(&folder), "mybranch");
        assert!(git(&["-C", "x", "commit", "-q", "--allow-empty", "-m", "x"]));
        assert!(git(&["-C", "x", "switch", "-q", "-c", "other/one"]));
        assert_eq!(current(&folder), "other/one");
        assert!(git(&["-C", "x", "worktree", "add", "-q", "../tree", "mybranch"]));
        assert_eq!(current(&scratch.path().join("tree")), "mybranch");
        assert!(git(&["-C", "x", "checkout", "-q", "--detach"]));
        assert!(current(&folder).starts_with("detached@"), "{}", current(&folder));
        std::fs::write(folder.join(".git/reftable/tables.list"), "broken\n").unwrap();
        assert_eq!(current(&folder), "no-branch");
    }
}
