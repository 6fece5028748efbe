//! Small real projects for an agent to work on.
//!
//! Git gets its identity from the environment of each call, so that an empty `HOME` works.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::tool_path;
use crate::scratch::Scratch;

const CALC: &str = "def add(a, b):\n    return a - b\n";
const CALC_TEST: &str = "import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)


if __name__ == \"__main__\":
    unittest.main()
";
const PYTHON_README: &str = "# calc\n\nCheck with `python3 -m unittest`.\n";
/// The empty `[workspace]` keeps cargo from looking for one further up.
const RUST_MANIFEST: &str =
    "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
const RUST_LIB: &str = "pub fn add(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(2, 3), 5);
    }
}
";

/// A project directory that is removed when dropped.
#[derive(Debug)]
pub struct TempProject {
    scratch: Scratch,
}

impl TempProject {
    /// A git repository with `calc.py`, whose `add` subtracts, and a failing `test_calc.py`.
    pub fn python() -> Self {
        Self::git_with(&[
            ("README.md", PYTHON_README),
            ("calc.py", CALC),
            ("test_calc.py", CALC_TEST),
            (".gitignore", "__pycache__/\n"),
        ])
    }

    /// A git repository with a Rust library, whose `add` subtracts, and a failing test. No dependencies.
    pub fn rust() -> Self {
        Self::git_with(&[
            ("Cargo.toml", RUST_MANIFEST),
            ("src/lib.rs", RUST_LIB),
            (".gitignore", "/target\n"),
        ])
    }

    /// A git repository in which nothing says how to check it.
    pub fn no_tests() -> Self {
        Self::git_with(&[("README.md", "# notes\n"), ("hello.sh", "echo hello\n")])
    }

    /// A directory that no git repository holds.
    pub fn not_git() -> Self {
        let project = Self { scratch: Scratch::outside_any_repository("plain") };
        project.write("README.md", "# notes\n");
        project.write("hello.sh", "echo hello\n");
        project
    }

    /// A git repository with these files in its first commit.
    pub fn git_with(files: &[(&str, &str)]) -> Self {
        let project = Self { scratch: Scratch::new("project") };
        for (path, content) in files {
            project.write(path, content);
        }
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.commit("First");
        project
    }

    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// Writes a file, making the folders above it.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.scratch.write(relative, content)
    }

    /// The text of a file that must exist.
    pub fn read(&self, relative: &str) -> String {
        let path = self.path().join(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }

    /// Commits everything and returns the new commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// The standard output of a git command that must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().expect("start git (is git installed?)");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?} in {}: {errors}", self.path().display());
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Whether a shell command succeeds in the project: `passes("python3 -m unittest")`.
    pub fn passes(&self, shell: &str) -> bool {
        self.command("sh").args(["-c", shell]).output().expect("start sh").status.success()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env("PATH", tool_path()).env("GIT_CONFIG_NOSYSTEM", "1");
        // Python tells a changed file by its size and the second it was written in.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Test")
                .env(format!("GIT_{role}_EMAIL"), "test@example.com");
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Python project is clean, fails its check, and passes once the sign is right.
    #[test]
    fn python_project_fails_until_it_is_fixed() {
        let project = TempProject::python();
        assert_eq!(project.git(&["status", "--porcelain"]), "");
        assert!(!project.passes("python3 -m unittest"));
        project.write("calc.py", CALC.replace('-', "+"));
        assert!(project.passes("python3 -m unittest"));
        assert_eq!(project.git(&["status", "--porcelain"]), " M calc.py\n");
    }

    /// The Rust project fails its check until the sign is right, wherever the target directory lies.
    #[test]
    fn rust_project_fails_until_it_is_fixed() {
        let project = TempProject::rust();
        let check = "CARGO_TARGET_DIR=target cargo test --offline --quiet";
        assert!(!project.passes(check));
        project.write("src/lib.rs", RUST_LIB.replace("a - b", "a + b"));
        assert!(project.passes(check));
    }

    /// A project without git is in no repository, not even in ours.
    #[test]
    fn plain_project_is_in_no_repository() {
        assert!(!TempProject::not_git().passes("git rev-parse --git-dir"));
        assert!(TempProject::no_tests().passes("git rev-parse --git-dir"));
    }
}
