//! Temporary directories under the cargo target directory, and a temporary `MI_HOME`.
//!
//! Not under `/tmp`: the real Codex refuses to make its sandbox helpers below the temp directory, and a test
//! must look like a real home and a real project.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory that is removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
}

impl Scratch {
    /// Makes an empty directory whose name starts with `name`.
    pub fn new(name: &str) -> Self {
        let parent = target_dir().join("tmp");
        fs::create_dir_all(&parent).unwrap_or_else(|error| panic!("make {}: {error}", parent.display()));
        Self::below(&parent, name)
    }

    /// Like [`Scratch::new`], where no folder above is a git repository (the target directory usually is in
    /// ours).
    pub fn outside_any_repository(name: &str) -> Self {
        let candidates = [PathBuf::from("/var/tmp"), std::env::temp_dir()];
        let free = |folder: &PathBuf| {
            folder.is_dir() && !folder.ancestors().any(|ancestor| ancestor.join(".git").exists())
        };
        let parent = candidates.into_iter().find(free).expect("a temp directory outside any git repository");
        Self::below(&parent, name)
    }

    fn below(parent: &Path, name: &str) -> Self {
        let directory = tempfile::Builder::new()
            .prefix(&format!("{name}-"))
            .tempdir_in(parent)
            .unwrap_or_else(|error| panic!("make a directory in {}: {error}", parent.display()));
        Self { directory }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file, making the folders above it.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write_file(self.path(), relative, content.as_ref())
    }
}

/// An `MI_HOME`, a `HOME` beside it and a temp directory, all empty at first.
#[derive(Debug)]
pub struct TempHome {
    scratch: Scratch,
}

impl TempHome {
    /// Nothing is written: the home directory does not even exist yet, as on a first start.
    pub fn new() -> Self {
        let scratch = Scratch::new("home");
        for name in ["user", "tmp"] {
            fs::create_dir(scratch.path().join(name)).expect("make a folder in a fresh directory");
        }
        Self { scratch }
    }

    /// A home whose values are `values_text`, everything else at its default.
    pub fn with_values(values_text: &str) -> Self {
        let home = Self::new();
        home.write_mindspec(&json!({"version": "v1", "values_text": values_text}));
        home
    }

    /// What `MI_HOME` or `--home` is set to.
    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("mi")
    }

    /// An empty `HOME`: no git identity, no agent settings.
    pub fn user_home(&self) -> PathBuf {
        self.scratch.path().join("user")
    }

    /// What `TMPDIR` is set to. Not above any of the other directories.
    pub fn temp_dir(&self) -> PathBuf {
        self.scratch.path().join("tmp")
    }

    /// Writes `mindspec/base.json`.
    pub fn write_mindspec(&self, mindspec: &Value) -> PathBuf {
        self.write("mindspec/base.json", format!("{mindspec:#}\n"))
    }

    /// Writes `config.toml` at the user level.
    pub fn write_config(&self, toml: &str) -> PathBuf {
        self.write("config.toml", toml)
    }

    /// Writes a file below [`TempHome::path`].
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write_file(&self.path(), relative, content.as_ref())
    }
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}

/// The root of this repository.
pub fn workspace_dir() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in crates/");
    crates.parent().expect("crates/ lies in the workspace").to_owned()
}

/// The cargo target directory that the running test was built into.
pub fn target_dir() -> PathBuf {
    let program = std::env::current_exe().expect("a test knows its own program");
    let built_here = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    built_here.map_or_else(|| workspace_dir().join("target"), Path::to_owned)
}

fn write_file(root: &Path, relative: &str, content: &[u8]) -> PathBuf {
    let path = root.join(relative);
    let parent = path.parent().expect("a file below a root has a parent");
    fs::create_dir_all(parent).unwrap_or_else(|error| panic!("make {}: {error}", parent.display()));
    fs::write(&path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A home starts absent, gets its values on demand, and leaves nothing behind.
    #[test]
    fn home_appears_on_demand_and_goes_away() {
        let home = TempHome::new();
        assert!(!home.path().exists());
        assert!(home.path().starts_with(target_dir()));
        let file = home.write_mindspec(&json!({"values_text": "Use tabs."}));
        assert!(fs::read_to_string(&file).unwrap().contains("Use tabs."));
        drop(home);
        assert!(!file.exists());
    }
}
