//! A digest of the project's inputs, cheap enough to take at every check.
//!
//! Inputs are the files that git would not ignore, without caches, build output and logs. What looks like build
//! output by its name is an input where the project keeps it: git tracks it, or outside git it was there when the
//! run began. A file is read only when its size, times or inode changed since it was last read.
//! Holds: two equal digests mean the same names, modes and contents; files over [`LARGE_FILE`] count by their
//! size and times instead of their content.

mod walk;

use mi_loop::project::inputs;
use std::{
    collections::{HashMap, HashSet},
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use walk::Walker;

/// Files from this size on are not read.
const LARGE_FILE: u64 = 32 * 1024 * 1024;
/// A file changed this recently may change again without its time showing it, so it is read again.
const RACY_NANOSECONDS: i128 = 50_000_000;
/// Digests one project tree again and again.
#[derive(Debug)]
pub struct TreeScanner {
    root: PathBuf,
    walker: Walker,
    known: HashMap<PathBuf, Known>,
    outputs: Outputs,
}

/// What is known about files that look like build output.
#[derive(Debug)]
enum Outputs {
    /// All of them are inputs.
    Counted,
    /// None was seen yet, so nobody was asked which ones the project keeps.
    Unseen,
    /// One was seen: what the project keeps must be told.
    Wanted,
    /// These are inputs, others are not.
    Kept(HashSet<String>),
}

/// One look at the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    pub digest: String,
    /// Paths relative to the root with the digest of each content, sorted.
    pub files: Vec<(String, blake3::Hash)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    stamp: Stamp,
    hash: blake3::Hash,
}

/// What changes when a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    inode: u64,
    mode: u32,
    modified: i128,
    changed: i128,
}

impl TreeScanner {
    /// A scanner of the project at `root` that leaves out `excluded` folders.
    pub fn new(root: &Path, excluded: Vec<PathBuf>) -> Self {
        Self {
            root: root.to_owned(),
            walker: Walker::new(root, excluded),
            known: HashMap::new(),
            outputs: Outputs::Counted,
        }
    }

    /// Says through [`Self::wants_outputs`] when there is build output for the first time.
    pub fn watch_for_build_output(&mut self) {
        self.outputs = Outputs::Unseen;
    }

    /// Whether a scan met build output, and [`Self::leave_out_build_output`] or [`Self::count_build_output`] must tell
    /// what it is before that scan means anything.
    pub fn wants_outputs(&self) -> bool {
        matches!(self.outputs, Outputs::Wanted)
    }

    /// Counts build output as inputs.
    pub fn count_build_output(&mut self) {
        self.outputs = Outputs::Counted;
    }

    /// Leaves build output out from now on, except what the project keeps: what `tracked` names, or, when git does
    /// not watch the project, what is there now and is not marked as a cache.
    pub fn leave_out_build_output(&mut self, tracked: Option<&[String]>) {
        let unit = |path: &str| inputs::output_unit(path).map(str::to_owned);
        let is_place_holder = |path: &str| path.ends_with("/.gitkeep") || path.ends_with("/.gitignore");
        let kept = match tracked {
            Some(tracked) => {
                tracked.iter().filter(|path| !is_place_holder(path)).filter_map(|path| unit(path)).collect()
            }
            None => {
                let paths = self.walker.paths();
                let names = paths.iter().map(|path| self.name(path));
                let units: HashSet<String> = names.filter_map(|name| unit(&name)).collect();
                let is_cache = |unit: &String| self.root.join(unit).join("CACHEDIR.TAG").exists();
                units.into_iter().filter(|unit| !is_cache(unit)).collect()
            }
        };
        self.outputs = Outputs::Kept(kept);
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn is_left_out(&mut self, name: &str) -> bool {
        match &self.outputs {
            Outputs::Counted | Outputs::Wanted => false,
            Outputs::Unseen => {
                if inputs::output_unit(name).is_some() {
                    self.outputs = Outputs::Wanted;
                }
                false
            }
            Outputs::Kept(kept) => inputs::output_unit(name).is_some_and(|unit| !kept.contains(unit)),
        }
    }

    /// The tree as it is now. Files that vanish or cannot be read while it looks count as absent.
    pub fn scan(&mut self) -> Snapshot {
        let now = nanoseconds_now();
        let mut files = Vec::new();
        let mut before = std::mem::take(&mut self.known);
        let mut known = HashMap::with_capacity(before.len());
        for path in self.walker.paths().iter() {
            let name = self.name(path);
            if self.is_left_out(&name) {
                continue;
            }
            let Some(metadata) = fs::symlink_metadata(path).ok().filter(|found| !found.is_dir()) else {
                continue;
            };
            let stamp = Stamp::of(&metadata);
            let before = before.remove_entry(path);
            let hash = match &before {
                Some((_, Known { stamp: old, hash })) if *old == stamp => *hash,
                _ => match content_hash(path, &metadata) {
                    Ok(hash) => hash,
                    Err(_) => continue,
                },
            };
            files.push((name, hash));
            if now - stamp.modified > RACY_NANOSECONDS {
                let path = before.map_or_else(|| path.clone(), |(path, _)| path);
                known.insert(path, Known { stamp, hash });
            }
        }
        self.known = known;
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Snapshot { digest: digest(&files), files }
    }
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            size: metadata.size(),
            inode: metadata.ino(),
            mode: metadata.mode(),
            modified: i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
            changed: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
        }
    }
}

fn content_hash(path: &Path, metadata: &fs::Metadata) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&metadata.mode().to_le_bytes());
    if metadata.is_symlink() {
        hasher.update(fs::read_link(path)?.as_os_str().as_encoded_bytes());
    } else if !metadata.is_file() || metadata.len() >= LARGE_FILE {
        hasher.update(format!("{:?}", Stamp::of(metadata)).as_bytes());
    } else {
        io::copy(&mut fs::File::open(path)?, &mut hasher)?;
    }
    Ok(hasher.finalize())
}

fn digest(files: &[(String, blake3::Hash)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, hash) in files {
        hasher.update(name.as_bytes()).update(&[0]).update(hash.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[expect(clippy::disallowed_methods, reason = "compared with file times, which MI_NOW does not change")]
fn nanoseconds_now() -> i128 {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since_epoch.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, TreeScanner) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.py"), "x = 1\n").unwrap();
        let scanner = TreeScanner::new(folder.path(), Vec::new());
        (folder, scanner)
    }

    /// Writing the same bytes again is no change; other bytes of the same length at once after are one.
    #[test]
    fn digest_follows_content_not_time() {
        let (folder, mut scanner) = project();
        let first = scanner.scan();
        fs::write(folder.path().join("a.py"), "x = 1\n").unwrap();
        assert_eq!(scanner.scan().digest, first.digest);
        fs::write(folder.path().join("a.py"), "x = 2\n").unwrap();
        assert_ne!(scanner.scan().digest, first.digest);
    }

    /// What a test run leaves behind does not make its result stale.
    #[test]
    fn caches_ignored_files_and_logs_are_no_inputs() {
        let (folder, mut scanner) = project();
        fs::write(folder.path().join(".gitignore"), "out/\n").unwrap();
        let first = scanner.scan();
        for (folder_name, file) in
            [("__pycache__", "a.pyc"), ("out", "b"), (".pytest_cache", "c"), ("node_modules", "d")]
        {
            fs::create_dir(folder.path().join(folder_name)).unwrap();
            fs::write(folder.path().join(folder_name).join(file), "x").unwrap();
        }
        fs::write(folder.path().join("run.log"), "x").unwrap();
        assert_eq!(scanner.scan().digest, first.digest);
        fs::write(folder.path().join("b.py"), "x").unwrap();
        assert_ne!(scanner.scan().digest, first.digest);
    }

    /// Build output is no input, unless git tracks it or, outside git, it was there before.
    #[test]
    fn build_output_is_no_input_unless_it_is_kept() {
        for tracked in [Some(vec!["dist/kept.js".to_owned(), "build/.gitkeep".to_owned()]), None] {
            let (folder, mut scanner) = project();
            let write = |name: &str| {
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            };
            write("dist/kept.js");
            scanner.leave_out_build_output(tracked.as_deref());
            let first = scanner.scan();
            for name in
                ["build/out.o", "target/x", "out/a.txt", "logs/a.txt", "coverage.xml", "a.o", "bin/a.dll"]
            {
                write(name);
            }
            assert_eq!(scanner.scan().digest, first.digest, "{tracked:?}");
            write("dist/new.js");
            let second = scanner.scan();
            assert_ne!(second.digest, first.digest, "{tracked:?}");
            write("src/bin/new.rs");
            assert_ne!(scanner.scan().digest, second.digest, "{tracked:?}");
        }
    }

    /// Nobody is asked what the project keeps until there is something to ask about.
    #[test]
    fn build_output_is_asked_about_when_it_is_first_seen() {
        let (folder, mut scanner) = project();
        scanner.watch_for_build_output();
        let first = scanner.scan();
        assert!(!scanner.wants_outputs());
        fs::create_dir(folder.path().join("dist")).unwrap();
        fs::write(folder.path().join("dist/a.js"), "x").unwrap();
        scanner.scan();
        assert!(scanner.wants_outputs());
        scanner.leave_out_build_output(Some(&[]));
        assert_eq!(scanner.scan().digest, first.digest);
    }

    /// A file that became executable, or a link that points elsewhere, is a change.
    #[test]
    fn modes_and_link_targets_count() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (folder, mut scanner) = project();
        symlink("a.py", folder.path().join("l")).unwrap();
        let first = scanner.scan();
        fs::remove_file(folder.path().join("l")).unwrap();
        symlink("b.py", folder.path().join("l")).unwrap();
        let second = scanner.scan();
        fs::set_permissions(folder.path().join("a.py"), fs::Permissions::from_mode(0o755)).unwrap();
        let third = scanner.scan();
        assert!(first.digest != second.digest && second.digest != third.digest);
    }
}
