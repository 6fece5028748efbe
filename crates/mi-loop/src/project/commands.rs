//! Finds the commands that check a project: in its scripts, its documents, its CI, or by the stack's convention.

mod documents;

use serde_json::Value;
use std::collections::BTreeMap;

use super::{ProjectCheck, ProjectFiles, ProjectProfile, layout};
use crate::checks::{shell, trivial_script};

/// At most this much of a script is kept.
const SCRIPT_KEPT: usize = 400;

/// A check with what it is sorted by.
struct Candidate {
    check: ProjectCheck,
    /// 0 calls a runner directly, 1 a test script, 2 a script that does more.
    cost: u8,
    /// 0 scripts, 1 documents, 2 convention, 3 CI.
    rank: u8,
}

/// The checks, cheapest first, each command once.
pub(super) fn checks(files: &ProjectFiles, layout: &ProjectProfile, tests: &[&String]) -> Vec<ProjectCheck> {
    let mut found = scripts(files);
    found.extend(
        documents::in_prose(files, layout)
            .into_iter()
            .map(|(command, source)| candidate(&command, &source, 1)),
    );
    found.extend(plain_scripts(&found));
    let mentions_tests = found.iter().any(|candidate| candidate.check.runs_tests);
    found.extend(conventions(files, tests, mentions_tests));
    found.extend(
        documents::in_pipelines(files, layout)
            .into_iter()
            .map(|(command, source)| candidate(&command, &source, 3)),
    );
    if found.is_empty() {
        found.extend(in_folders(files));
    }
    found.sort_by_key(|candidate| (!candidate.check.runs_tests, candidate.cost, candidate.rank));
    let mut checks: Vec<ProjectCheck> = Vec::new();
    for candidate in found {
        if !checks.iter().any(|known| known.command == candidate.check.command) {
            checks.push(candidate.check);
        }
    }
    checks
}

/// Scripts that are one command: whoever types that command runs the same check.
fn plain_scripts(found: &[Candidate]) -> Vec<Candidate> {
    let is_plain = |script: &str| {
        !script.is_empty()
            && !crate::checks::calls_known_runner(script)
            && !script.contains(['\n', ';', '|', '&', '$', '>', '<', '@'])
    };
    // A program that make builds first is not the same check without make.
    let is_built = |one: &&Candidate| {
        one.check.source.to_lowercase().ends_with("makefile") && one.check.script.starts_with("./")
    };
    let scripted =
        found.iter().filter(|one| one.check.runs_tests && is_plain(&one.check.script) && !is_built(one));
    scripted
        .map(|one| {
            // Not everybody who has PHP has composer.
            let cost = if one.check.command.starts_with("composer") { 0 } else { 2 };
            let check = ProjectCheck {
                command: one.check.script.clone(),
                script: String::new(),
                ..one.check.clone()
            };
            Candidate { check, cost, rank: one.rank }
        })
        .collect()
}

fn candidate(command: &str, source: &str, rank: u8) -> Candidate {
    let check = ProjectCheck {
        command: command.to_owned(),
        source: source.to_owned(),
        runs_tests: documents::runs_tests(command),
        ..ProjectCheck::default()
    };
    Candidate { check, cost: cost(command), rank }
}

/// A check whose script stands in a file of the project.
fn scripted(command: &str, source: &str, script: &str) -> Candidate {
    let mut found = candidate(command, source, 0);
    found.check.script = mi_model::shorten(script, SCRIPT_KEPT);
    found.check.runs_tests = true;
    found
}

fn cost(command: &str) -> u8 {
    let words = shell::words(command).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make" | "just" | "task", "test" | "tests"] | ["npm" | "pnpm" | "yarn" | "composer", ..] => 1,
        ["make" | "just" | "tox" | "nox" | "task", ..] => 2,
        _ if crate::checks::calls_known_runner(command) => 0,
        _ => 2,
    }
}

/// Test scripts of package.json, composer.json, Makefile and justfile.
fn scripts(files: &ProjectFiles) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(text) = files.texts.get("package.json") {
        let manager = node_manager(files);
        for (name, script) in json_scripts(text) {
            let is_nothing = trivial_script(&script) || script.contains("no test specified");
            match name.as_str() {
                _ if is_nothing => {}
                "test" => found.push(scripted(&format!("{manager} test"), "package.json", &script)),
                "lint" | "typecheck" | "build" => {
                    found.push(lint(&format!("{manager} run {name}"), "package.json"))
                }
                // Whatever its name, a script that calls a test runner is a check.
                _ if crate::checks::calls_known_runner(&script) => {
                    let one = scripted(&format!("{manager} run {name}"), "package.json", &script);
                    found.push(Candidate { cost: 2, ..one });
                }
                _ => {}
            }
        }
        if found.iter().all(|candidate| !candidate.check.runs_tests) {
            let is_check = |name: &str| name.starts_with("test:") || ["check", "verify"].contains(&name);
            let script = json_scripts(text)
                .into_iter()
                .find(|(name, script)| is_check(name) && !trivial_script(script));
            found.extend(
                script.map(|(name, script)| {
                    scripted(&format!("{manager} run {name}"), "package.json", &script)
                }),
            );
        }
    }
    if let Some(text) = files.texts.get("package.json")
        && found.iter().all(|candidate| !candidate.check.runs_tests)
        && has_workspaces(text)
        && files.names.iter().any(|name| name.ends_with("/package.json"))
    {
        let command = match node_manager(files) {
            "pnpm" => "pnpm -r test",
            "yarn" => "yarn workspaces run test",
            _ => "npm test --workspaces --if-present",
        };
        found.push(scripted(command, "package.json", ""));
    }
    if let Some(text) = files.texts.get("composer.json")
        && let Some(script) = json_scripts(text).get("test")
    {
        found.push(scripted("composer test", "composer.json", script));
    }
    for (file, program) in [
        ("Makefile", "make"),
        ("makefile", "make"),
        ("GNUmakefile", "make"),
        ("justfile", "just"),
        ("Justfile", "just"),
    ] {
        let text = files.texts.get(file).map(String::as_str).unwrap_or_default();
        for target in ["test", "tests", "check"] {
            let recipe = documents::recipe(text, target);
            if let Some(recipe) = recipe.filter(|recipe| !recipe.iter().all(|line| trivial_script(line))) {
                found.push(scripted(&format!("{program} {target}"), file, &recipe.join("\n")));
            }
        }
        if documents::recipe(text, "lint").is_some() {
            found.push(lint(&format!("{program} lint"), file));
        }
    }
    found
}

/// Whether a package.json names workspaces.
fn has_workspaces(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("workspaces").is_some())
}

fn lint(command: &str, source: &str) -> Candidate {
    let (command, source) = (command.to_owned(), source.to_owned());
    let check = ProjectCheck { command, source, ..ProjectCheck::default() };
    Candidate { check, cost: 1, rank: 0 }
}

fn node_manager(files: &ProjectFiles) -> &'static str {
    let has = |name: &str| files.names.iter().any(|path| path == name);
    match () {
        () if has("pnpm-lock.yaml") => "pnpm",
        () if has("yarn.lock") => "yarn",
        () if has("bun.lockb") || has("bun.lock") => "bun run",
        () => "npm",
    }
}

fn json_scripts(text: &str) -> BTreeMap<String, String> {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let scripts = value.get("scripts").and_then(Value::as_object);
    let text_of = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" && "),
        _ => String::new(),
    };
    scripts
        .map(|scripts| scripts.iter().map(|(name, script)| (name.clone(), text_of(script))).collect())
        .unwrap_or_default()
}

/// What each stack runs by convention. `mentions_tests` keeps guesses back when the project itself says how.
fn conventions(files: &ProjectFiles, tests: &[&String], mentions_tests: bool) -> Vec<Candidate> {
    let has = |name: &str| files.names.iter().any(|path| path == name);
    let test_with = |end: &str| tests.iter().any(|test| test.ends_with(end));
    let mut found = Vec::new();
    for stack in layout::stacks(files) {
        let command = match stack {
            "rust" if files.has_inline_tests || test_with(".rs") => "cargo test",
            "rust" => {
                found.push(lint("cargo check", "Cargo.toml"));
                continue;
            }
            "go" if test_with(".go") => "go test ./...",
            "go" => {
                found.push(lint("go build ./...", "go.mod"));
                continue;
            }
            _ if mentions_tests || tests.is_empty() => continue,
            "python" if !test_with(".py") => continue,
            "python" => python(files, tests),
            "maven" if has("mvnw") => "./mvnw test",
            "maven" => "mvn test",
            "gradle" if has("gradlew") => "./gradlew test",
            "gradle" => "gradle test",
            "cmake" => {
                "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
            }
            "ruby" if test_with("_spec.rb") => "bundle exec rspec",
            "ruby" => "bundle exec rake test",
            "php" => "vendor/bin/phpunit",
            "dotnet" => "dotnet test",
            "swift" => "swift test",
            "deno" => "deno test",
            "bats" => "bats -r .",
            _ => continue,
        };
        let mut candidate = candidate(command, &format!("convention: {stack}"), 2);
        candidate.check.runs_tests = true;
        found.push(candidate);
    }
    found
}

fn python(files: &ProjectFiles, tests: &[&String]) -> &'static str {
    let named = files.names.iter().any(|path| path.ends_with("conftest.py") || path == "pytest.ini");
    let texts =
        ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "README.md"];
    let mentioned =
        texts.iter().filter_map(|name| files.texts.get(*name)).any(|text| text.contains("pytest"));
    let in_tests = tests.iter().filter(|test| test.ends_with(".py")).all(|test| test.starts_with("tests/"));
    match (named || mentioned, in_tests) {
        (true, _) => "python3 -m pytest",
        (false, true) => "python3 -m unittest discover -s tests",
        (false, false) => "python3 -m unittest",
    }
}

/// A root without any check of its own: the checks of its folders, each with its `cd`.
fn in_folders(files: &ProjectFiles) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut folders: Vec<&str> =
        files.texts.keys().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder).collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders.into_iter().filter(|folder| !folder.starts_with('.')).take(4) {
        let inside = |path: &String| {
            path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned)
        };
        let view = ProjectFiles {
            root: String::new(),
            names: files.names.iter().filter_map(inside).collect(),
            texts: files
                .texts
                .iter()
                .filter_map(|(path, text)| Some((inside(path)?, text.clone())))
                .collect(),
            has_inline_tests: files.has_inline_tests,
        };
        let tests: Vec<&String> = view.names.iter().filter(|name| layout::is_test_file(name)).collect();
        for check in scripts(&view).into_iter().chain(conventions(&view, &tests, false)) {
            let command = format!("cd {folder} && {}", check.check.command);
            let source = format!("{folder}/{}", check.check.source);
            found.push(Candidate { check: ProjectCheck { command, source, ..check.check }, ..check });
        }
    }
    found
}
