//! What the shell knows at one point of the script: variables, directory, options.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::types::{Directory, Word};

/// What a variable may hold and still be put in wherever it is named.
const LONGEST_VALUE: usize = 4096;
/// Places where the shell may be; what is more is not known.
const MOST_DIRECTORIES: usize = 4;
/// What variables may put into all words of a script together; what is more is not known.
const MOST_FILLED_IN: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    /// One of the names that the pattern stands for, as in `for f in src/*.rs`.
    Name(String),
}

/// Cloned for subshells, merged after branches.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Only variables whose value is known for certain, or is the name of a file that a pattern stands for.
    variables: HashMap<String, Value>,
    pub(super) directory: Directory,
    /// Where the shell may be instead, because a `cd` on the way may have failed.
    others: Vec<Directory>,
    /// Where it is if the `cd` just now failed.
    failed: Vec<Directory>,
    pub(super) errexit: bool,
    pub(super) pipefail: bool,
    /// Bytes that variables have put in so far, in subshells too.
    filled_in: Rc<Cell<usize>>,
}

impl Scope {
    /// The scope of a shell about which nothing is known, not even where it runs.
    pub(super) fn elsewhere() -> Self {
        Self { directory: Directory::Unknown, ..Self::default() }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        match self.variables.get(name)? {
            Value::Text(text) => Some(text),
            Value::Name(_) => None,
        }
    }

    /// What is put in for a variable.
    pub(super) fn fill_in(&self, name: &str) -> Option<&str> {
        let value = self.variable(name)?;
        let filled = self.filled_in.get().saturating_add(value.len());
        self.filled_in.set(filled);
        (filled <= MOST_FILLED_IN).then_some(value)
    }

    /// The pattern that a variable holds one name of.
    pub(super) fn pattern(&self, name: &str) -> Option<&str> {
        match self.variables.get(name)? {
            Value::Text(_) => None,
            Value::Name(pattern) => Some(pattern),
        }
    }

    /// A value that is too long is forgotten: `b=$a$a; c=$b$b; …` doubles it with every step.
    pub(super) fn assign(&mut self, name: &str, value: &str) {
        if value.len() > LONGEST_VALUE {
            self.variables.remove(name);
            return;
        }
        self.variables.insert(name.to_owned(), Value::Text(value.to_owned()));
    }

    pub(super) fn assign_name(&mut self, name: &str, pattern: &str) {
        self.variables.insert(name.to_owned(), Value::Name(pattern.to_owned()));
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
            self.lose_directory();
        }
        let others = [&self.failed, &other.others, &other.failed].into_iter().flatten().cloned().collect();
        self.failed.clear();
        self.may_be_in(others);
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
    }

    /// Follows `cd TARGET`, which may fail and leave the shell where it is.
    pub(super) fn try_directory(&mut self, target: &Word) {
        self.settle();
        let before: Vec<Directory> = std::iter::once(&self.directory).chain(&self.others).cloned().collect();
        let mut moved = before.iter().map(|directory| moved(directory, target));
        self.directory = moved.next().unwrap_or(Directory::Unknown);
        self.others.clear();
        self.may_be_in(moved.collect());
        self.failed = before;
    }

    /// The command just now ended well.
    pub(super) fn succeeded(&mut self) {
        self.failed.clear();
    }

    /// The shell is still where it was before.
    pub(super) fn is_unmoved(&self, after: &Self) -> bool {
        let places = |scope: &Self| (scope.directory.clone(), scope.other_directories());
        places(self) == places(after)
    }

    /// Goes on whatever became of the command just now.
    pub(super) fn settle(&mut self) {
        let failed = std::mem::take(&mut self.failed);
        self.may_be_in(failed);
    }

    /// The other places where the next command may run.
    pub(super) fn other_directories(&self) -> Vec<Directory> {
        let mut here = self.clone();
        here.settle();
        here.others
    }

    fn may_be_in(&mut self, directories: Vec<Directory>) {
        for directory in directories {
            if directory != self.directory && !self.others.contains(&directory) {
                self.others.push(directory);
            }
        }
        if self.others.len() >= MOST_DIRECTORIES {
            self.lose_directory();
        }
    }

    /// Nobody knows where the shell is now.
    pub(super) fn lose_directory(&mut self) {
        self.directory = Directory::Unknown;
        self.others.clear();
        self.failed.clear();
    }

    /// Follows `cd TARGET` that does not fail.
    pub(super) fn change_directory(&mut self, target: &Word) {
        self.directory = moved(&self.directory, target);
    }
}

/// Where `cd TARGET` leads from a directory.
fn moved(from: &Directory, target: &Word) -> Directory {
    if target.glob || matches!(target.text.as_str(), "" | "-") {
        return Directory::Unknown;
    }
    let known = if target.exact { Some(target.text.as_str()) } else { below_here(&target.text) };
    known.map_or(Directory::Unknown, |path| from.join(path))
}

/// `src` for `$PWD/src`: the one unknown value that says where it leads.
fn below_here(text: &str) -> Option<&str> {
    let rest = ["$PWD", "${PWD}", "$(pwd)"].iter().find_map(|here| text.strip_prefix(here))?;
    let path = rest.trim_start_matches('/');
    ((rest.is_empty() || rest.starts_with('/')) && !path.contains(['$', '`'])).then_some(path)
}

impl Directory {
    /// `path` as seen from this directory, with `.` and `..` resolved by their text.
    pub fn join(&self, path: &str) -> Self {
        if path.starts_with('/') || path.starts_with('~') {
            return Self::Absolute(normal(path));
        }
        let relative = |path: &str| match normal(path).as_str() {
            "" => Self::Start,
            relative => Self::Relative(relative.to_owned()),
        };
        match self {
            Self::Start => relative(path),
            Self::Relative(base) => relative(&format!("{base}/{path}")),
            Self::Absolute(base) => Self::Absolute(normal(&format!("{base}/{path}"))),
            Self::Unknown => Self::Unknown,
        }
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
        assert_eq!(crates.join("x/./y/.."), Directory::Relative("crates/x".to_owned()));
        assert_eq!(crates.join(".."), Directory::Start);
        assert_eq!(crates.join("../../z"), Directory::Relative("../z".to_owned()));
        assert_eq!(crates.join("/a//b/../.."), Directory::Absolute("/".to_owned()));
        assert_eq!(Directory::Unknown.join("x"), Directory::Unknown);
    }

    /// `cd $PWD/x` leads below; any other unknown value leads nobody knows where.
    #[test]
    fn unknown_targets() {
        for (text, expected) in [
            ("$PWD", Directory::Relative("a".to_owned())),
            ("${PWD}/b/..", Directory::Relative("a".to_owned())),
            ("$(pwd)/b", Directory::Relative("a/b".to_owned())),
            ("$PWDX", Directory::Unknown),
            ("$PWD/$X", Directory::Unknown),
            ("$HOME", Directory::Unknown),
        ] {
            let directory = Directory::Relative("a".to_owned());
            let mut scope = Scope { directory, ..Scope::default() };
            scope.change_directory(&Word { text: text.to_owned(), exact: false, glob: false });
            assert_eq!(scope.directory, expected, "{text}");
        }
    }
}
