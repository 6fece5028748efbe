//! Documents that criteria name: whether they are there, were changed in this run, and say what they must.
//!
//! The engine looks ([`candidates`] says at which files) and fills a [`DocumentState`]; the proof reads it.

use serde::{Deserialize, Serialize};

/// Stands for any document of the project ("the docs").
pub const ANY_DOCUMENT: &str = "docs";
/// At most this many files stand for one criterion.
const FILES_KEPT: usize = 50;

/// One document that a criterion names, as the engine found it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentState {
    /// As the criterion names it.
    pub path: String,
    /// The file that it is; None when there is none.
    pub file: Option<String>,
    /// Whether its content differs from when the run began.
    pub changed: bool,
    /// Digest of its content.
    pub content: String,
    /// Which of the wanted texts stand in it.
    pub says: Vec<String>,
}

/// Whether a file is a document by its name.
pub fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    ["md", "rst", "adoc", "mdx", "markdown"].contains(&ending.as_str()) || is_well_known(name)
}

/// README, CHANGELOG and their like, with or without an ending.
pub(crate) fn is_well_known(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let known = ["README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "HISTORY", "NEWS", "LICENSE", "AUTHORS"];
    known.contains(&stem)
        || ["Readme", "Changelog"].contains(&stem)
        || stem != name && known.iter().any(|known| known.eq_ignore_ascii_case(stem))
}

/// The files that `path` of a criterion may mean: itself, `README` with an ending, or every document; a bare name that
/// is not in the root means the files of that name elsewhere.
pub fn candidates<'a>(path: &str, names: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let same = |name: &str| name == path || name.eq_ignore_ascii_case(path);
    let with_ending = |name: &str| {
        !path.contains('.') && name.rsplit_once('.').is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(path))
    };
    let in_docs = |name: &str| {
        path == ANY_DOCUMENT
            && (is_document(name) || ["docs/", "doc/"].iter().any(|start| name.starts_with(start)))
    };
    let here = |name: &&str| same(name) || with_ending(name) || in_docs(name);
    let mut found: Vec<&str> = names.clone().filter(here).take(FILES_KEPT).collect();
    if found.is_empty() && !path.contains('/') {
        let elsewhere = |name: &&str| name.rsplit_once('/').is_some_and(|(_, file)| file == path);
        found.extend(names.filter(elsewhere).take(FILES_KEPT));
    }
    found
}

/// Whether a file has a text; `add()` also stands where `add(a, b)` does. In sources a comment does not count.
pub fn says(path: &str, content: &str, wanted: &str) -> bool {
    let wanted = wanted.strip_suffix("()").map_or(wanted.to_owned(), |name| format!("{name}("));
    if is_prose(path) {
        return content.contains(&wanted);
    }
    let is_comment =
        |line: &str| ["#", "//", "--", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    content.lines().any(|line| line.contains(&wanted) && !is_comment(line))
}

/// Whether a file is written for people, so that a line with a `#` in front is a heading, not a comment.
pub(crate) fn is_prose(path: &str) -> bool {
    is_document(path)
        || path == ANY_DOCUMENT
        || path.ends_with(".txt")
        || !path.contains('.') && path != "Dockerfile" && path != "Makefile"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name finds its file, with and without an ending; "docs" finds every document.
    #[test]
    fn names_find_files() {
        let names = ["README.md", "src/a.py", "docs/api.txt", "sub/README.md", "guide.rst"];
        for (path, expected) in [
            ("README", vec!["README.md"]),
            ("readme.md", vec!["README.md"]),
            ("docs/api.txt", vec!["docs/api.txt"]),
            ("CHANGELOG", vec![]),
            ("a.py", vec!["src/a.py"]),
            ("docs", vec!["README.md", "docs/api.txt", "sub/README.md", "guide.rst"]),
        ] {
            assert_eq!(candidates(path, names.into_iter()), expected, "{path}");
        }
    }

    /// A call is found with arguments in it; other texts word for word.
    #[test]
    fn texts_are_found() {
        assert!(says("a.md", "Use `add(a, b)`.", "add()") && says("a.md", "--verbose", "--verbose"));
        assert!(!says("a.md", "addition", "add()") && !says("a.md", "", "x"));
        assert!(says("a.py", "def median(xs):", "median") && !says("a.py", "# median", "median"));
    }
}
