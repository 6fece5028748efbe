//! A folder that nothing leaves: `..`, absolute names and symbolic links on the way are refused.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// A folder in which files are named by callers that are not trusted.
#[derive(Debug, Clone)]
pub struct Folder {
    base: PathBuf,
    root: PathBuf,
}

/// A name that is not a plain file name below its folder.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is refused: {reason}; use a relative file name such as `notes/report.md`")]
pub struct OutsideError {
    name: String,
    reason: &'static str,
}

impl Folder {
    /// `root` is `base` or lies below it; no link is followed from `base` on downwards, `root` included.
    pub fn new(base: &Path, root: &Path) -> Self {
        Self { base: base.to_owned(), root: root.to_owned() }
    }

    /// The path of `name` in the folder. Nothing on the way may be a link at the time of the call.
    pub fn place(&self, name: &str) -> Result<PathBuf, OutsideError> {
        let refuse = |reason| OutsideError { name: name.to_owned(), reason };
        if name.is_empty() || name.contains('\0') || name.ends_with('/') {
            return Err(refuse("it names no file"));
        }
        // A Windows reader of the same project would take these for separators and drives.
        if name.contains('\\') || name.as_bytes().get(1) == Some(&b':') {
            return Err(refuse("backslashes and drive letters would leave the folder on another system"));
        }
        let mut path = self.root.clone();
        for component in Path::new(name).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                Component::ParentDir => return Err(refuse("`..` would leave the folder")),
                Component::RootDir | Component::Prefix(_) => return Err(refuse("it is an absolute path")),
            }
        }
        if path == self.root {
            return Err(refuse("it names no file"));
        }
        match link_on_way(&self.base, &path) {
            Ok(false) => Ok(path),
            Ok(true) => Err(refuse("a symbolic link is on its way")),
            Err(_) => Err(refuse("its way cannot be looked at")),
        }
    }
}

/// A path as it reads without `.` and `..`; links are not looked at.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Whether something on the way from `base` down to `path`, `path` included, is a symbolic link.
pub(crate) fn link_on_way(base: &Path, path: &Path) -> io::Result<bool> {
    let below = path.strip_prefix(base).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut reached = base.to_owned();
    for part in below {
        reached.push(part);
        match fs::symlink_metadata(&reached) {
            Ok(metadata) if metadata.is_symlink() => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use std::{fs, os::unix::fs::symlink};

    /// Whatever the name, the file is below the folder, or there is none.
    #[test]
    fn nx_129_no_name_leaves_the_folder() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join(".nexus/state/artifacts");
        fs::create_dir_all(root.join("deep")).unwrap();
        symlink("/tmp", root.join("link")).unwrap();
        symlink("/tmp/elsewhere", root.join("file-link.md")).unwrap();
        let folder = Folder::new(scratch.path(), &root);
        for good in ["a.md", "deep/b.md", "new/deeper/c.md", "./d.md", "..e.md", "名.md"] {
            assert!(folder.place(good).unwrap().starts_with(&root), "{good}");
        }
        let bad = [
            "",
            ".",
            "..",
            "../a",
            "deep/../../a",
            "/etc/passwd",
            "link/a",
            "file-link.md",
            "a\\b",
            "C:x",
            "a/",
            "a\0b",
        ];
        for bad in bad {
            assert!(folder.place(bad).is_err(), "{bad:?}");
        }
    }
}
