//! Which files of a project its checks depend on, by name alone.
//!
//! Holds: caches and logs are never inputs; what looks like build output is one only where the project keeps it
//! (git tracks it), which the engine finds out.

/// Folders that tools make beside the sources.
const CACHE_FOLDERS: [&str; 17] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    "node_modules",
    ".venv",
    ".gradle",
    ".next",
    ".nyc_output",
    ".hypothesis",
    ".eggs",
];
/// Endings of files that a check may leave behind without changing what it checked.
const CACHE_ENDINGS: [&str; 6] = [".pyc", ".pyo", ".log", ".tmp", ".swp", ".coverage"];
/// Folders that builds and test runs write into.
const OUTPUT_FOLDERS: [&str; 12] = [
    "build",
    "dist",
    "out",
    "target",
    "bin",
    "obj",
    "logs",
    "log",
    "coverage",
    "htmlcov",
    "test-results",
    "reports",
];
const OUTPUT_ENDINGS: [&str; 11] =
    [".o", ".obj", ".class", ".a", ".so", ".gcda", ".gcno", ".profraw", ".lcov", ".exe", ".d"];
const OUTPUT_FILES: [&str; 8] = [
    "coverage.xml",
    "coverage.json",
    "coverage.out",
    "lcov.info",
    "junit.xml",
    "test-results.xml",
    "results.xml",
    "report.xml",
];

/// Whether a folder with this name is a cache.
pub fn is_cache_folder(name: &str) -> bool {
    CACHE_FOLDERS.contains(&name)
}

/// Whether a file with this name is a cache or a log.
pub fn is_cache_file(name: &str) -> bool {
    CACHE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a folder with this name often holds what a build or a test run makes.
pub fn may_be_output_folder(name: &str) -> bool {
    OUTPUT_FOLDERS.contains(&name) || name.starts_with("cmake-build-")
}

/// Whether a file with this name is often made by a build or a test run.
pub fn may_be_output_file(name: &str) -> bool {
    let report = |start: &str| name.starts_with(start) && name.ends_with(".xml");
    OUTPUT_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || OUTPUT_FILES.contains(&name)
        || report("coverage")
        || report("junit")
        || report("TEST-")
}

/// What a name says about a path relative to the project's root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Input,
    /// Build output by its name; an input only where the project keeps it.
    MaybeOutput,
    Never,
}

/// What the name of `path` says.
pub fn standing(path: &str) -> Standing {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let any = |test: fn(&str) -> bool| folders.split('/').chain([name]).any(test);
    if any(is_cache_folder) || is_cache_file(name) {
        Standing::Never
    } else if any(may_be_output_folder) || may_be_output_file(name) {
        Standing::MaybeOutput
    } else {
        Standing::Input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources are inputs, caches never, output only perhaps.
    #[test]
    fn names_tell_inputs_from_output() {
        for (path, expected) in [
            ("src/lib.rs", Standing::Input),
            ("README.md", Standing::Input),
            ("tests/data/junit_reader.py", Standing::Input),
            ("pkg/__pycache__/a.cpython-311.pyc", Standing::Never),
            ("app.log", Standing::Never),
            ("build/out.o", Standing::MaybeOutput),
            ("./dist/", Standing::MaybeOutput),
            ("src/bin/main.rs", Standing::MaybeOutput),
            ("coverage.xml", Standing::MaybeOutput),
            ("junit-results.xml", Standing::MaybeOutput),
        ] {
            assert_eq!(standing(path), expected, "{path}");
        }
    }
}
