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
pub const OUTPUT_FOLDERS: [&str; 10] =
    ["build", "dist", "out", "target", "bin", "obj", "logs", "coverage", "htmlcov", "test-results"];
pub const OUTPUT_ENDINGS: [&str; 11] =
    [".o", ".obj", ".class", ".a", ".so", ".gcda", ".gcno", ".profraw", ".lcov", ".exe", ".d"];
/// Beginnings of the names of reports.
pub const OUTPUT_REPORTS: [&str; 5] = ["coverage.", "lcov.info", "junit", "TEST-", "test-results."];
const REPORT_ENDINGS: [&str; 5] = [".xml", ".json", ".info", ".out", ".html"];
/// Sources that also live in `bin` and `obj`.
const SOURCES: [&str; 16] =
    ["rs", "py", "rb", "sh", "js", "ts", "mjs", "go", "pl", "php", "java", "kt", "c", "cpp", "h", "cs"];

/// Whether a folder with this name is a cache.
pub fn is_cache_folder(name: &str) -> bool {
    CACHE_FOLDERS.contains(&name)
}

/// The caches as lines of an ignore file.
pub fn cache_patterns() -> Vec<String> {
    let folders = CACHE_FOLDERS.iter().map(|folder| format!("{folder}/"));
    folders.chain(CACHE_ENDINGS.iter().map(|ending| format!("*{ending}"))).collect()
}

/// Whether a file with this name is a cache or a log.
pub fn is_cache_file(name: &str) -> bool {
    CACHE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file with this name is often made by a build or a test run.
fn may_be_output_file(name: &str) -> bool {
    let report = OUTPUT_REPORTS.iter().any(|start| name.starts_with(start))
        && REPORT_ENDINGS.iter().any(|ending| name.ends_with(ending));
    report || OUTPUT_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The part of a path that makes it look like build output: up to a folder such as `build`, or the file itself.
pub fn output_unit(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_source = name.rsplit_once('.').is_none_or(|(_, ending)| SOURCES.contains(&ending));
    let holds_output =
        |folder: &str| OUTPUT_FOLDERS.contains(&folder) && !(is_source && ["bin", "obj"].contains(&folder));
    let mut end = 0;
    for folder in folders.split('/') {
        end += folder.len();
        if holds_output(folder) {
            return path.get(..end);
        }
        end += 1;
    }
    may_be_output_file(name).then_some(path)
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
    } else if output_unit(path).is_some() || OUTPUT_FOLDERS.contains(&name) {
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
            ("src/bin/main.rs", Standing::Input),
            ("bin/Debug/app.dll", Standing::MaybeOutput),
            ("coverage.xml", Standing::MaybeOutput),
            ("junit-results.xml", Standing::MaybeOutput),
        ] {
            assert_eq!(standing(path), expected, "{path}");
        }
    }
}
