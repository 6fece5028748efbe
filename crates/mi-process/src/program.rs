//! Finds a program the way a shell does, so that a missing one is reported before anything starts.

use rustix::fs::{Access, access};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The file that `name` stands for: itself if it holds a slash, else the first match in `search_path`.
pub fn find_program(name: &OsStr, search_path: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return is_program(Path::new(name)).then(|| PathBuf::from(name));
    }
    if name.is_empty() {
        return None;
    }
    std::env::split_paths(search_path).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are looked up in order; paths stand for themselves; what cannot be run is not found.
    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let found = |name: &str, path: &str| find_program(OsStr::new(name), OsStr::new(path));
        assert_eq!(found("sh", "/nowhere:/bin"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(found("/bin/sh", ""), Some(PathBuf::from("/bin/sh")));
        assert_eq!(found("/etc/passwd", "/bin"), None);
        assert_eq!(found("no-such-program", "/bin:/usr/bin"), None);
    }
}
