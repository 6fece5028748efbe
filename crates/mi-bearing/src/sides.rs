//! Tells tests from work: by path for whole files, by region for tests inside source files.

use mi_loop::project::is_test_file;
use std::ops::Range;

use crate::language::{Definition, Language};

/// Folders whose whole content belongs to the tests.
const TEST_FOLDERS: [&str; 14] = [
    "tests",
    "test",
    "spec",
    "specs",
    "__tests__",
    "__mocks__",
    "testdata",
    "test_data",
    "fixtures",
    "__fixtures__",
    "__snapshots__",
    "snapshots",
    "golden",
    "goldens",
];

/// Files that configure a test runner and nothing else.
const RUNNER_CONFIGURATION: [&str; 9] = [
    "conftest.py",
    "pytest.ini",
    "tox.ini",
    "jest.config",
    "vitest.config",
    "vitest.setup",
    "jest.setup",
    ".mocharc",
    "karma.conf",
];

/// Whether a file belongs to the tests: collected by a runner, a fixture, a snapshot, or a runner's configuration.
pub fn is_test_path(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_test_file(path)
        || folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
        || RUNNER_CONFIGURATION.iter().any(|start| name.starts_with(start))
        || name.ends_with(".snap")
        || name.ends_with(".golden")
}

/// The lines of a source file that are tests: `#[cfg(test)]` modules, and test functions beside the code.
pub(crate) fn test_regions(
    language: Language,
    lines: &[&str],
    definitions: &[Definition],
) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    if language == Language::Rust {
        let starts =
            lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[cfg(test)]"));
        for (start, line) in starts {
            let indent = line.len() - line.trim_start().len();
            let closes = |text: &&str| text.trim_end() == format!("{}}}", " ".repeat(indent));
            let end = lines[start..].iter().position(closes).map_or(lines.len(), |at| start + at + 1);
            regions.push(start..end);
        }
    }
    let is_test = |definition: &&Definition| match language {
        Language::Rust => lines[definition.lines.clone()].iter().any(|line| {
            // `#[test]`, an async runtime's `test`, `#[rstest]`, `#[test_case(…)]`: the attribute's path names a test.
            let path = line.trim().strip_prefix("#[").and_then(|rest| rest.split(['(', ']', ' ']).next());
            path.and_then(|path| path.rsplit(':').next()).is_some_and(|name| name.contains("test"))
        }),
        Language::Python => definition.name.starts_with("test_"),
        _ => false,
    };
    regions.extend(definitions.iter().filter(is_test).map(|definition| definition.lines.clone()));
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixtures, snapshots and runner configuration go with the tests; sources and their build files do not.
    #[test]
    fn paths_are_sorted_by_what_they_serve() {
        for path in [
            "tests/test_a.py",
            "pkg/a_test.go",
            "conftest.py",
            "a/__snapshots__/x.snap",
            "testdata/in.json",
            "src/calc.test.ts",
            "vitest.config.ts",
            "spec/a_spec.rb",
            "test/t.bats",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in
            ["stats.py", "src/lib.rs", "package.json", "README.md", "contest.py", "Makefile", "src/latest.js"]
        {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
