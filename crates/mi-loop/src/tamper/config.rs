//! Configuration files that can leave tests or failures out.

use serde_json::Value;

use super::TestInventory;
use crate::checks::trivial_script;

/// A kind of configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// pytest.ini, pyproject.toml, setup.cfg, tox.ini
    Pytest,
    /// conftest.py
    Conftest,
    /// package.json
    Package,
    /// Configuration of jest, vitest, mocha and the like.
    ScriptRunner,
    /// Makefile, justfile
    Make,
    /// CI files
    Pipeline,
    /// Cargo.toml
    Cargo,
    /// .config/nextest.toml
    Nextest,
    /// CMakeLists.txt
    Cmake,
    /// A module in the root that takes a test runner's place.
    Shadow,
    /// pom.xml, build.gradle, phpunit.xml, .rspec
    Other,
}

impl Kind {
    /// The kind of a file, if it is configuration of checks.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if folder == ".github/workflows" || name == ".gitlab-ci.yml" {
            return Some(Self::Pipeline);
        }
        let of_runner =
            |folder: &str| ["pytest", "unittest", "_pytest"].contains(&folder) && name.ends_with(".py");
        let startup = ["pytest.py", "unittest.py", "sitecustomize.py", "usercustomize.py"];
        if startup.contains(&path) || of_runner(folder) {
            return Some(Self::Shadow);
        }
        if folder == ".cargo" && (name == "config.toml" || name == "config") {
            return Some(Self::Cargo);
        }
        match name {
            "pytest.ini" | "pyproject.toml" | "setup.cfg" | "tox.ini" | ".pytest.ini" => Some(Self::Pytest),
            "conftest.py" => Some(Self::Conftest),
            "package.json" => Some(Self::Package),
            "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => Some(Self::Make),
            "Cargo.toml" => Some(Self::Cargo),
            "nextest.toml" => Some(Self::Nextest),
            "CMakeLists.txt" => Some(Self::Cmake),
            "pom.xml" | "build.gradle" | "build.gradle.kts" | "phpunit.xml" | "phpunit.xml.dist"
            | ".rspec" => Some(Self::Other),
            _ if ["jest.config.", "vitest.config.", "vite.config.", ".mocharc", "karma.conf"]
                .iter()
                .any(|start| name.starts_with(start)) =>
            {
                Some(Self::ScriptRunner)
            }
            _ => None,
        }
    }

    /// Adds what the configuration leaves out and what it declares.
    pub(super) fn read(self, content: &str, inventory: &mut TestInventory) {
        match self {
            Self::Pytest => {
                options(
                    content,
                    &[
                        "--ignore",
                        "--ignore-glob",
                        "--deselect",
                        "-k",
                        "-m",
                        "--continue-on-collection-errors",
                    ],
                    inventory,
                );
                keys(
                    content,
                    &[
                        "norecursedirs",
                        "xfail_strict = false",
                        "ignore_errors = true",
                        "ignore_outcome = true",
                    ],
                    inventory,
                );
                for line in effective_lines(content) {
                    let key = line.split('=').next().unwrap_or_default().trim();
                    if ["testpaths", "python_files", "python_functions", "python_classes"].contains(&key) {
                        inventory.add_ignore(&format!("only: {line}"));
                    }
                }
            }
            Self::Conftest => keys(
                content,
                &[
                    "collect_ignore",
                    "pytest_ignore_collect",
                    "pytest_collection_modifyitems",
                    "exitstatus",
                    "os._exit(",
                    "pytest_runtest_makereport",
                ],
                inventory,
            ),
            Self::Package => package(content, inventory),
            Self::ScriptRunner => script_runner(content, inventory),
            Self::Make => make(content, inventory),
            Self::Pipeline => pipeline(content, inventory),
            Self::Cargo => keys(
                content,
                &["test = false", "doctest = false", "harness = false", "autotests = false", "runner = "],
                inventory,
            ),
            Self::Shadow => inventory.add_ignore("this module takes the test runner's place"),
            Self::Nextest => keys(
                content,
                &["default-filter", "retries", "success-output-never", "on-timeout = \"pass\""],
                inventory,
            ),
            Self::Cmake => {
                keys(
                    content,
                    &["WILL_FAIL", "DISABLED TRUE", "DISABLED ON", "PASS_REGULAR_EXPRESSION"],
                    inventory,
                );
                declared_lines(
                    content,
                    &["add_test(", "gtest_discover_tests(", "catch_discover_tests(", "enable_testing("],
                    inventory,
                );
            }
            Self::Other => keys(
                content,
                &[
                    "<skipTests>true",
                    "<testFailureIgnore>true",
                    "<maven.test.failure.ignore>true",
                    "<maven.test.skip>true",
                    "<skip>true",
                    "ignoreFailures = true",
                    "ignoreFailures true",
                    "ignoreFailures.set(true)",
                    "enabled = false",
                    "excludeTestsMatching",
                    "<exclude>",
                    "--tag ~",
                    "exclude '",
                    "exclude(\"",
                ],
                inventory,
            ),
        }
    }
}

/// Command line options inside configuration (`addopts = "-q --ignore=x"`), each with its value.
fn options(content: &str, names: &[&str], inventory: &mut TestInventory) {
    let mut in_options = false;
    for line in effective_lines(content) {
        let starts =
            line.starts_with("addopts") || line.starts_with("PYTEST_ADDOPTS") || line.starts_with("commands");
        let continues = in_options
            && !line.starts_with('[')
            && (!line.contains('=') || line.trim_start().starts_with(['-', '"', '\'']));
        in_options = starts || continues;
        if !in_options {
            continue;
        }
        let separators = |char: char| char.is_whitespace() || "\"',[]".contains(char);
        let words: Vec<&str> = line.split(separators).filter(|word| !word.is_empty()).collect();
        for (index, word) in words.iter().enumerate() {
            let name = word.split('=').next().unwrap_or(word);
            if !names.contains(&name)
                || (name == "-m"
                    && words.get(index + 1).is_some_and(|next| *next == "pytest" || *next == "unittest"))
            {
                continue;
            }
            let value = words.get(index + 1).filter(|_| !word.contains('=')).copied().unwrap_or_default();
            inventory.add_ignore(format!("{word} {value}").trim());
        }
    }
}

/// Lines that contain one of the keys, with what follows in a list.
fn keys(content: &str, names: &[&str], inventory: &mut TestInventory) {
    for line in effective_lines(content) {
        let spaced = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let spaced =
            if spaced.contains('<') { spaced } else { spaced.replace(" = ", "=").replace('=', " = ") };
        if names.iter().any(|name| spaced.contains(name)) {
            inventory.add_ignore(&spaced);
        }
    }
}

fn declared_lines(content: &str, names: &[&str], inventory: &mut TestInventory) {
    for line in effective_lines(content).filter(|line| names.iter().any(|name| line.contains(name))) {
        let spaced = line.split_whitespace().collect::<Vec<_>>().join(" ");
        declare(inventory, &spaced);
    }
}

fn declare(inventory: &mut TestInventory, what: &str) {
    if inventory.declares.len() < super::ENTRIES_KEPT {
        inventory.declares.insert(what[..what.floor_char_boundary(super::NAME_KEPT)].to_owned());
    }
}

/// Options of a runner that leave tests out, wherever a command line stands.
fn narrowing(place: &str, command: &str, inventory: &mut TestInventory) {
    const OPTIONS: [&str; 16] = [
        "--lib",
        "--bins",
        "--doc",
        "-short",
        "-run",
        "-k",
        "--deselect",
        "--ignore",
        "--testNamePattern",
        "-t",
        "--grep",
        "--exclude",
        "--skip",
        "--filter",
        "-E",
        "--last-failed",
    ];
    if !crate::checks::calls_known_runner(command) {
        return;
    }
    for word in command.split_whitespace() {
        let name = word.split('=').next().unwrap_or(word);
        if OPTIONS.contains(&name) {
            inventory.add_ignore(&format!("only: {place} uses {name}: {command}"));
        }
    }
}

fn effective_lines(content: &str) -> impl Iterator<Item = &str> {
    content
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']) && !line.starts_with("//"))
}

fn package(content: &str, inventory: &mut TestInventory) {
    let Ok(value) = serde_json::from_str::<Value>(content) else { return };
    let scripts = value.get("scripts").and_then(Value::as_object);
    for (name, script) in scripts.into_iter().flatten() {
        let script = script.as_str().unwrap_or_default();
        if name != "test" && !name.starts_with("test:") {
            continue;
        }
        if script.contains("no test specified") {
            continue;
        }
        declare(inventory, &format!("script `{name}`"));
        inventory.add_starts(script);
        narrowing(&format!("script `{name}`"), script, inventory);
        if trivial_script(script)
            || script.contains("|| true")
            || script.contains("|| exit 0")
            || script.ends_with("; exit 0")
        {
            inventory.add_ignore(&format!("script `{name}` cannot fail: {script}"));
        }
        for option in
            ["--testPathIgnorePatterns", "--exclude", "--ignore", "--passWithNoTests", "--testNamePattern"]
        {
            if script.contains(option) {
                inventory.add_ignore(&format!("script `{name}` uses {option}: {script}"));
            }
        }
    }
    if let Some(jest) = value.get("jest") {
        script_runner(&jest.to_string(), inventory);
    }
}

/// Keys of the configuration of a script's test runner, wherever they stand on their line.
fn script_runner(content: &str, inventory: &mut TestInventory) {
    let leaves_out = [
        "testPathIgnorePatterns",
        "modulePathIgnorePatterns",
        "passWithNoTests",
        "dangerouslyIgnoreUnhandledErrors",
        "testNamePattern",
        "exclude",
        "ignore",
        "bail",
        "allowOnly",
        "forbidOnly",
    ];
    let limits_to = ["testMatch", "testRegex", "include", "spec"];
    let text = effective_lines(content).collect::<Vec<_>>().join("\n");
    for (name, value) in leaves_out.iter().chain(&limits_to).flat_map(|name| values(&text, name)) {
        for entry in value
            .split([',', '\n'])
            .map(|entry| entry.trim().trim_matches(['"', '\'', '`', '[', ']', '{', '}', ' ']))
        {
            let is_usual = ["", "false", "/node_modules/", "node_modules", "dist"].contains(&entry);
            // What every test's name fits limits nothing; what names no test is about something else.
            let speaks_of_tests = ["test", "spec"].iter().any(|word| entry.contains(word));
            let fits_all = entry.starts_with("**/")
                && [".test.", ".spec.", "__tests__"].iter().any(|part| entry.contains(part));
            match limits_to.contains(&name) {
                false if !is_usual => inventory.add_ignore(&format!("{name}: {entry}")),
                true if !is_usual && !fits_all && (speaks_of_tests || name.starts_with("test")) => {
                    inventory.add_ignore(&format!("only: {name}: {entry}"));
                }
                _ => {}
            }
        }
    }
}

/// The values of a key: a list up to its end, else the rest of the entry.
fn values<'a>(text: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '.';
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        let Some(value) = rest.strip_prefix(':').filter(|_| !text[..at].ends_with(is_part)) else { continue };
        let value = value.trim_start();
        let end = match value.starts_with('[') {
            true => value.find(']'),
            false => value.find([',', '\n', '}']),
        };
        found.push((name, &value[..end.unwrap_or(value.len())]));
    }
    found
}

/// Test targets of a Makefile; a recipe that cannot fail is the same as none.
fn make(content: &str, inventory: &mut TestInventory) {
    keys(content, &[".IGNORE", "MAKEFLAGS"], inventory);
    let mut target: Option<&str> = None;
    for line in content.lines() {
        if !line.starts_with(['\t', ' ']) {
            let name =
                line.split(':').next().filter(|_| line.contains(':') && !line.contains(":=")).map(str::trim);
            target =
                name.filter(|name| ["test", "tests", "check"].contains(name) || name.starts_with("test-"));
            if let Some(name) = target {
                declare(inventory, &format!("target `{name}`"));
            }
            continue;
        }
        let (Some(name), recipe) = (target, line.trim()) else { continue };
        inventory.add_starts(recipe);
        narrowing(&format!("target `{name}`"), recipe.trim_start_matches(['@', '-']), inventory);
        let ignored = recipe.starts_with('-')
            || recipe.starts_with("@-")
            || recipe.ends_with("|| true")
            || recipe.ends_with("|| :")
            || recipe.ends_with("; true");
        if ignored || trivial_script(recipe) && !recipe.trim_start_matches('@').starts_with("echo") {
            inventory.add_ignore(&format!("target `{name}` cannot fail: {recipe}"));
        } else if !recipe.is_empty() && !recipe.starts_with('#') && !trivial_script(recipe) {
            declare(inventory, &format!("target `{name}` does work"));
        }
    }
}

fn pipeline(content: &str, inventory: &mut TestInventory) {
    keys(content, &["continue-on-error: true", "allow_failure: true"], inventory);
    for line in effective_lines(content) {
        let command = line.trim_start_matches("- ").trim_start_matches("run:").trim();
        let tests = command
            .split(|char: char| !char.is_alphanumeric())
            .any(|word| ["test", "pytest", "check", "tests", "jest", "nextest"].contains(&word));
        if tests && (command.ends_with("|| true") || command.ends_with("; true")) {
            inventory.add_ignore(&format!("cannot fail: {command}"));
        }
        narrowing("a step", command, inventory);
        if crate::checks::calls_known_runner(command) {
            declare(inventory, &format!("step `{command}`"));
        }
    }
}
