//! What the shell knows at one point of the script: variables, directory, options.

use std::collections::HashMap;

use super::types::{Directory, Word};

/// Cloned for subshells, merged after branches.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Only variables whose value is known for certain.
    variables: HashMap<String, String>,
    pub(super) directory: Directory,
    pub(super) errexit: bool,
    pub(super) pipefail: bool,
}

impl Scope {
    /// The scope of a shell about which nothing is known, not even where it runs.
    pub(super) fn elsewhere() -> Self {
        Self { directory: Directory::Unknown, ..Self::default() }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    pub(super) fn assign(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn assign_word(&mut self, name: &str, value: &Word) {
        if value.exact {
            self.assign(name, &value.text);
        } else {
            self.variables.remove(name);
        }
    }

    pub(super) fn forget_variables(&mut self) {
        self.variables.clear();
    }

    /// Keeps what holds on both ways through a branch.
    pub(super) fn keep_common(&mut self, other: &Scope) {
        self.variables.retain(|name, value| other.variables.get(name) == Some(value));
        if self.directory != other.directory {
            self.directory = Directory::Unknown;
        }
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
    }

    /// Follows `cd TARGET`.
    pub(super) fn change_directory(&mut self, target: &Word) {
        self.directory = if !target.exact || target.glob || matches!(target.text.as_str(), "" | "-") {
            Directory::Unknown
        } else {
            join(&self.directory, &target.text)
        };
    }
}

/// `path` as seen from `directory`, with `.` and `..` resolved by their text.
pub(super) fn join(directory: &Directory, path: &str) -> Directory {
    if path.starts_with('/') || path.starts_with('~') {
        return Directory::Absolute(normal(path));
    }
    match directory {
        Directory::Start => match normal(path).as_str() {
            "" => Directory::Start,
            relative => Directory::Relative(relative.to_owned()),
        },
        Directory::Relative(base) => match normal(&format!("{base}/{path}")).as_str() {
            "" => Directory::Start,
            relative => Directory::Relative(relative.to_owned()),
        },
        Directory::Absolute(base) => Directory::Absolute(normal(&format!("{base}/{path}"))),
        Directory::Unknown => Directory::Unknown,
    }
}

/// Resolves `.`, `..` and double slashes; `..` survives only in front of a relative path.
pub(super) fn normal(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.starts_with('~')) => {
                parts.pop();
            }
            ".." if rooted => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directories are joined by their text, and the way back to the start is seen.
    #[test]
    fn directories_join() {
        let crates = Directory::Relative("crates".to_owned());
        assert_eq!(join(&crates, "x/./y/.."), Directory::Relative("crates/x".to_owned()));
        assert_eq!(join(&crates, ".."), Directory::Start);
        assert_eq!(join(&crates, "../../z"), Directory::Relative("../z".to_owned()));
        assert_eq!(join(&crates, "/a//b/../.."), Directory::Absolute("/".to_owned()));
        assert_eq!(join(&Directory::Unknown, "x"), Directory::Unknown);
    }
}
