//! Which files of a project are its inputs, by their names: a walk that is only taken again when it could find others.
//!
//! A walk depends on the folders it read and on the ignore files in them. As long as none of them changed, the same names
//! are there. What changed just before or during the walk may change again without its time showing it, so such a walk
//! is not relied upon.

use ignore::WalkBuilder;
use mi_loop::project::inputs;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{RACY_NANOSECONDS, Stamp, nanoseconds_now};

/// Where times are in whole seconds, two at the most.
const WHOLE_SECONDS_NANOSECONDS: i128 = 2_500_000_000;

/// Walks one project again and again.
#[derive(Debug)]
pub(crate) struct Walker {
    root: PathBuf,
    /// Folders that are `mi`'s own.
    excluded: Vec<PathBuf>,
    last: Option<Walk>,
}

#[derive(Debug)]
struct Walk {
    paths: Arc<[PathBuf]>,
    /// What it depended on, as that was.
    stands_on: Vec<(PathBuf, Option<Stamp>)>,
}

/// What a walk passes by without telling.
#[derive(Debug, Default)]
struct PassedBy {
    /// Folders that are left out for what is in them.
    folders: Vec<PathBuf>,
    /// A repository inside the project has ignore files of its own.
    has_inner_repository: bool,
}

impl Walker {
    pub(crate) fn new(root: &Path, excluded: Vec<PathBuf>) -> Self {
        Self { root: root.to_owned(), excluded, last: None }
    }

    /// Everything below the root that is no folder, is not ignored and is no cache.
    pub(crate) fn paths(&mut self) -> Arc<[PathBuf]> {
        let is_as_it_was = |(path, stamp): &(PathBuf, Option<Stamp>)| Stamp::at(path) == *stamp;
        if let Some(last) = self.last.take_if(|last| last.stands_on.iter().all(is_as_it_was)) {
            return Arc::clone(&self.last.insert(last).paths);
        }
        let (walk, can_be_kept) = self.walk();
        let paths = Arc::clone(&walk.paths);
        self.last = can_be_kept.then_some(walk);
        paths
    }

    fn walk(&self) -> (Walk, bool) {
        let began = nanoseconds_now();
        let git = self.root.join(".git");
        let passed_by = Arc::new(Mutex::new(PassedBy::default()));
        let (mut paths, mut stands_on) = (Vec::new(), Vec::new());
        let mut depend_on = |path: PathBuf| {
            let stamp = Stamp::at(&path);
            stands_on.push((path, stamp));
        };
        depend_on(git.join("info/exclude"));
        for entry in self.builder(&git, Arc::clone(&passed_by)).build().filter_map(Result::ok) {
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                let ignore_file = entry.path().join(".gitignore");
                if ignore_file.exists() {
                    depend_on(ignore_file);
                }
                depend_on(entry.into_path());
            } else if !inputs::is_cache_file(&entry.file_name().to_string_lossy()) {
                paths.push(entry.into_path());
            }
        }
        let mut passed_by = passed_by.lock().unwrap_or_else(PoisonError::into_inner);
        passed_by.folders.drain(..).for_each(depend_on);
        let is_old = |(_, stamp): &(PathBuf, Option<Stamp>)| {
            stamp.is_none_or(|stamp| began - stamp.changed > racy_nanoseconds(stamp.changed))
        };
        // Elsewhere ignore files count that stand in other places.
        let can_be_kept = git.is_dir() && !passed_by.has_inner_repository && stands_on.iter().all(is_old);
        (Walk { paths: paths.into(), stands_on }, can_be_kept)
    }

    fn builder(&self, git: &Path, passed_by: Arc<Mutex<PassedBy>>) -> WalkBuilder {
        let excluded = self.excluded.clone();
        let mut builder = WalkBuilder::new(&self.root);
        builder
            .hidden(false)
            .ignore(false)
            // What stands above a work tree is none of git's business.
            .parents(!git.exists())
            .git_global(false)
            .require_git(false)
            .filter_entry(move |entry| {
                let name = entry.file_name().to_string_lossy();
                let is_ours = excluded.iter().any(|folder| entry.path() == folder);
                if name == ".git" && entry.depth() > 1 {
                    passed_by.lock().unwrap_or_else(PoisonError::into_inner).has_inner_repository = true;
                }
                if is_ours || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    return !is_ours;
                }
                if name == "target" && entry.path().join("CACHEDIR.TAG").exists() {
                    let mut passed_by = passed_by.lock().unwrap_or_else(PoisonError::into_inner);
                    passed_by.folders.push(entry.path().to_owned());
                    return false;
                }
                !inputs::is_cache_folder(&name)
            });
        builder
    }
}

/// How long after this time another change may have the same one: longer where the file system counts whole seconds.
fn racy_nanoseconds(time: i128) -> i128 {
    if time % 1_000_000_000 == 0 { WHOLE_SECONDS_NANOSECONDS } else { RACY_NANOSECONDS }
}

impl Stamp {
    /// What is there now, itself or by a link, if anything is.
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{thread::sleep, time::Duration};

    type Change = fn(&Path);

    /// A work tree whose files are old enough for a walk to be kept.
    fn project() -> (tempfile::TempDir, Walker) {
        let folder = tempfile::tempdir().unwrap();
        for name in [".git/info", "src/inner", "target"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["a.py", "src/b.py", "src/inner/c.py", "target/CACHEDIR.TAG", "target/x"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::write(folder.path().join("src/.gitignore"), "*.tmp\n").unwrap();
        sleep(Duration::from_millis(70));
        let walker = Walker::new(folder.path(), Vec::new());
        (folder, walker)
    }

    fn names(walker: &mut Walker) -> Vec<String> {
        let root = walker.root.clone();
        let paths = walker.paths();
        let mut names: Vec<String> =
            paths.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect();
        names.sort();
        names
    }

    /// A walk is kept while nothing changes, and edits of files do not change it.
    #[test]
    fn a_walk_is_kept_while_the_same_names_are_there() {
        let (folder, mut walker) = project();
        let first = walker.paths();
        assert_eq!(names(&mut walker), ["a.py", "src/.gitignore", "src/b.py", "src/inner/c.py"]);
        fs::write(folder.path().join("src/inner/c.py"), "y").unwrap();
        assert!(Arc::ptr_eq(&first, &walker.paths()));
    }

    /// Whatever changes the names that a walk finds is seen by the next one, also at once after it.
    #[test]
    fn a_change_of_names_or_of_ignore_files_is_seen() {
        let changes: [(&str, Change); 8] = [
            ("new file", |root| fs::write(root.join("src/inner/new.py"), "").unwrap()),
            ("removed file", |root| fs::remove_file(root.join("src/b.py")).unwrap()),
            ("new folder", |root| {
                fs::create_dir(root.join("more")).unwrap();
                fs::write(root.join("more/d.py"), "").unwrap();
            }),
            ("renamed", |root| fs::rename(root.join("a.py"), root.join("z.py")).unwrap()),
            ("ignore file", |root| fs::write(root.join("src/.gitignore"), "*.py\n").unwrap()),
            ("new ignore file", |root| fs::write(root.join(".gitignore"), "inner/\n").unwrap()),
            ("exclude file", |root| fs::write(root.join(".git/info/exclude"), "a.py\n").unwrap()),
            ("no cache any more", |root| fs::remove_file(root.join("target/CACHEDIR.TAG")).unwrap()),
        ];
        for (what, change) in changes {
            let (folder, mut walker) = project();
            let first = names(&mut walker);
            change(folder.path());
            let second = names(&mut walker);
            assert_ne!(first, second, "{what}");
            assert_eq!(second, names(&mut Walker::new(folder.path(), Vec::new())), "{what}");
            change_back_and_forth(folder.path(), &mut walker);
        }
    }

    /// Two changes within one tick of the clock: the second is seen as well.
    fn change_back_and_forth(root: &Path, walker: &mut Walker) {
        for round in 0..3 {
            let name = root.join(format!("src/inner/{round}.py"));
            fs::write(&name, "").unwrap();
            assert_eq!(names(walker), names(&mut Walker::new(root, Vec::new())));
            fs::remove_file(&name).unwrap();
            assert_eq!(names(walker), names(&mut Walker::new(root, Vec::new())));
        }
    }

    /// A repository inside the project may have ignore files in places that are not watched: every walk is a new one.
    #[test]
    fn a_walk_over_an_inner_repository_is_not_kept() {
        let (folder, mut walker) = project();
        fs::create_dir_all(folder.path().join("src/inner/.git/info")).unwrap();
        sleep(Duration::from_millis(70));
        names(&mut walker);
        fs::write(folder.path().join("src/inner/.git/info/exclude"), "c.py\n").unwrap();
        assert_eq!(names(&mut walker), ["a.py", "src/.gitignore", "src/b.py"]);
    }
}
