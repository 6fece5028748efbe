//! Conventions of file names: tests, manifests, stacks.

use super::ProjectFiles;

/// Whether a path is a test file by the conventions of its language.
pub fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    if folders.split('/').any(|folder| IGNORED.contains(&folder)) {
        return false;
    }
    let in_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
    match extension {
        "rs" => in_folder(&["tests"]) && !in_folder(&["common", "fixtures", "testdata"]),
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "tests",
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
            let marked = [".test", ".spec", "-test", "_test"].iter().any(|end| stem.ends_with(end));
            marked
                || in_folder(&["__tests__"])
                || stem == "test"
                || (in_folder(&["test", "tests"]) && !stem.contains("helper"))
        }
        "go" => stem.ends_with("_test"),
        "java" | "kt" | "kts" | "scala" | "groovy" => {
            let suffix = ["Test", "Tests", "IT", "Spec"].iter().any(|end| stem.ends_with(end));
            suffix || stem.starts_with("Test") && in_folder(&["test"])
        }
        "rb" => {
            stem.ends_with("_spec")
                || stem.ends_with("_test")
                || (stem.starts_with("test_") && in_folder(&["test"]))
        }
        "php" => stem.ends_with("Test"),
        "cs" | "fs" | "vb" => stem.ends_with("Test") || stem.ends_with("Tests"),
        "swift" => stem.ends_with("Test") || stem.ends_with("Tests"),
        "c" | "cc" | "cpp" | "cxx" => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem.ends_with("_tests")
                || in_folder(&["test", "tests"])
        }
        "bats" => true,
        "sh" | "bash" => stem.starts_with("test_") || stem.starts_with("test-") || stem.ends_with("_test"),
        "exs" => stem.ends_with("_test"),
        _ => false,
    }
}

const IGNORED: [&str; 6] = ["node_modules", "target", "vendor", "dist", ".git", ".venv"];

/// Whether the text of this file helps to find the project's checks.
pub(super) fn is_wanted(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folder == ".github/workflows" {
        return name.ends_with(".yml") || name.ends_with(".yaml");
    }
    let prose = ["README", "CONTRIBUTING"].iter().any(|start| name.to_uppercase().starts_with(start));
    let root_only = prose || ["AGENTS.md", "CLAUDE.md", ".gitlab-ci.yml"].contains(&name);
    let manifests = [
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "noxfile.py",
        "pytest.ini",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "CMakeLists.txt",
        "composer.json",
        "Gemfile",
        "Package.swift",
        "deno.json",
        "deno.jsonc",
        "requirements.txt",
        "requirements-dev.txt",
    ];
    if folder.is_empty() {
        root_only || manifests.contains(&name)
    } else {
        !folder.contains('/') && manifests.contains(&name)
    }
}

/// The stacks whose manifests stand in the root, in a fixed order.
pub(super) fn stacks(files: &ProjectFiles) -> Vec<&'static str> {
    let has = |name: &str| files.names.iter().any(|path| path == name);
    let ends = |end: &str| files.names.iter().any(|path| path.ends_with(end));
    let loose_python = || files.names.iter().any(|path| path.ends_with(".py") && !path.contains('/'));
    let mut stacks = Vec::new();
    let mut add = |present: bool, name: &'static str| {
        if present {
            stacks.push(name);
        }
    };
    add(has("Cargo.toml"), "rust");
    add(has("go.mod"), "go");
    add(has("package.json"), "node");
    add(has("deno.json") || has("deno.jsonc"), "deno");
    let python = [
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "tox.ini",
        "pytest.ini",
        "requirements.txt",
        "noxfile.py",
    ];
    add(python.iter().any(|name| has(name)) || loose_python(), "python");
    add(has("pom.xml"), "maven");
    add(has("build.gradle") || has("build.gradle.kts"), "gradle");
    add(has("CMakeLists.txt"), "cmake");
    add(has("Gemfile"), "ruby");
    add(has("composer.json"), "php");
    add(ends(".csproj") || ends(".sln") || ends(".fsproj"), "dotnet");
    add(has("Package.swift"), "swift");
    add(ends(".bats"), "bats");
    stacks
}
