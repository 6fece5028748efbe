//! Commands named in prose (README and the like), in CI files, and recipes of Makefiles.

use super::super::{ProjectFiles, ProjectProfile, in_backticks};
use crate::checks::{hold_known_runner, shell};

/// At most this many commands are taken from one file.
const TAKEN_PER_FILE: usize = 6;

/// Commands that documents name as checks, with the file that names them.
pub(super) fn in_prose(files: &ProjectFiles, layout: &ProjectProfile) -> Vec<(String, String)> {
    let is_prose = |path: &str| {
        let upper = path.to_uppercase();
        ["README", "CONTRIBUTING", "AGENTS", "CLAUDE"].iter().any(|start| upper.starts_with(start))
    };
    let prose = files.texts.iter().filter(|(path, _)| is_prose(path));
    prose
        .flat_map(|(path, text)| {
            prose_commands(text, files, layout).into_iter().map(|command| (command, path.clone()))
        })
        .collect()
}

/// Commands that CI files run as checks.
pub(super) fn in_pipelines(files: &ProjectFiles, layout: &ProjectProfile) -> Vec<(String, String)> {
    let is_pipeline = |path: &str| path.starts_with(".github/workflows/") || path == ".gitlab-ci.yml";
    let pipelines = files.texts.iter().filter(|(path, _)| is_pipeline(path));
    pipelines
        .flat_map(|(path, text)| {
            pipeline_commands(text, files, layout).into_iter().map(|command| (command, path.clone()))
        })
        .collect()
}

/// Whether a command runs tests, as far as its words tell.
pub(super) fn runs_tests(command: &str) -> bool {
    let parts = shell::read(command).unwrap_or_default();
    if hold_known_runner(&parts) {
        return true;
    }
    let Some(words) = parts.last().map(|part| &part.words) else { return false };
    let program = words.first().map(String::as_str).unwrap_or_default();
    let own =
        matches!(program, "make" | "just" | "task" | "bash" | "sh" | "composer") || program.contains('/');
    words
        .iter()
        .any(|word| has_part(word, &["test", "tests", "spec"]) || own && has_part(word, &["check", "verify"]))
}

/// The recipe of a Makefile or justfile target; None when there is no such target.
pub(super) fn recipe<'a>(text: &'a str, target: &str) -> Option<Vec<&'a str>> {
    let mut lines = text.lines();
    let head = lines.by_ref().find(|line| {
        let rest = line.strip_prefix(target).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    })?;
    let depends = head.split_once(':').is_some_and(|(_, rest)| !rest.trim().is_empty());
    let body: Vec<&str> = lines
        .take_while(|line| line.starts_with(['\t', ' ']) || line.trim().is_empty())
        .map(str::trim)
        .collect();
    let body: Vec<&str> =
        body.into_iter().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    // A target that only depends on others runs theirs.
    if body.is_empty() && depends { Some(vec![head]) } else { Some(body) }
}

fn prose_commands(text: &str, files: &ProjectFiles, layout: &ProjectProfile) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    // How many lines ago the text spoke of testing.
    let mut distance = usize::MAX;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let speaks = !fenced && speaks_of_checks(trimmed);
        distance = if speaks { 0 } else { distance.saturating_add(usize::from(!trimmed.is_empty())) };
        let candidates = match fenced {
            true => vec![trimmed.trim_start_matches(['$', '>', '%']).trim().to_owned()],
            false => in_backticks(trimmed),
        };
        let is_near = if fenced { distance <= 12 } else { distance <= 1 };
        found.extend(candidates.into_iter().filter(|command| {
            let is_meant = is_near || names_test_program(command, files);
            (fenced || is_meant) && is_check(command, is_meant, files, layout)
        }));
    }
    found.truncate(TAKEN_PER_FILE);
    found
}

fn speaks_of_checks(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["test", "check", "verify", "ci ", "测试", "检查", "验证"].iter().any(|word| lower.contains(word))
}

fn pipeline_commands(text: &str, files: &ProjectFiles, layout: &ProjectProfile) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim_start().trim_start_matches("- ").trim();
        if let Some(depth) = block {
            if indent > depth || trimmed.is_empty() {
                found.push(trimmed.to_owned());
                continue;
            }
            block = None;
        }
        match trimmed.strip_prefix("run:").map(str::trim) {
            Some("|" | ">" | "|-" | ">-") => block = Some(indent),
            Some(command) => found.push(command.trim_matches(['"', '\'']).to_owned()),
            None if line.trim_start().starts_with("- ") => {
                found.push(trimmed.trim_matches(['"', '\'']).to_owned())
            }
            None => {}
        }
    }
    found.retain(|command| is_check(command, true, files, layout));
    found.truncate(TAKEN_PER_FILE);
    found
}

/// Whether a line is a command that checks the project: a runner over everything, or a script called after testing.
fn is_check(command: &str, near_words: bool, files: &ProjectFiles, layout: &ProjectProfile) -> bool {
    if command.len() > 200 || command.contains("${{") || command.contains("...") && !command.contains("/...")
    {
        return false;
    }
    let Some(parts) = shell::read(command).filter(|parts| (1..=4).contains(&parts.len())) else {
        return false;
    };
    if parts.iter().any(|part| part.hidden.is_some()) {
        return false;
    }
    if crate::checks::covers_project(&parts, layout) {
        return true;
    }
    let Some(words) = parts.last().map(|part| part.words.as_slice()) else { return false };
    near_words && !hold_known_runner(&parts) && is_script_of_checks(words, files)
}

/// Whether a command hands a file of the project that is named after tests to some program.
fn names_test_program(command: &str, files: &ProjectFiles) -> bool {
    let words = shell::words(command).unwrap_or_default();
    let is_test = |word: &&String| has_part(word, &["test", "tests", "spec", "check"]);
    words.iter().skip(1).filter(is_test).any(|word| is_project_file(word, files))
}

fn is_project_file(word: &str, files: &ProjectFiles) -> bool {
    let path = word.strip_prefix("./").unwrap_or(word);
    files.names.iter().any(|name| name == path)
}

fn is_script_of_checks(words: &[String], files: &ProjectFiles) -> bool {
    let Some(program) = words.first() else { return false };
    let plain = |char: char| char.is_ascii_alphanumeric() || "._/-+".contains(char);
    // Build tools take a target; any other program is given the file that it runs.
    let builds = [
        "make", "just", "task", "mix", "npm", "pnpm", "yarn", "ninja", "meson", "bazel", "sbt", "stack",
        "cabal", "zig", "dart", "flutter",
    ];
    let runs_file = words.iter().skip(1).any(|word| is_project_file(word, files));
    let is_script = program.contains('/') || runs_file || builds.contains(&program.as_str());
    let installs = words
        .iter()
        .any(|word| ["install", "add", "init", "clone", "new", "-c", "-e"].contains(&word.as_str()));
    let named = words.iter().any(|word| has_part(word, &["test", "tests", "check", "verify", "spec"]));
    program.chars().all(plain) && is_script && named && !installs && words.len() <= 8
}

fn has_part(word: &str, names: &[&str]) -> bool {
    word.split(|char: char| !char.is_ascii_alphanumeric())
        .any(|part| names.contains(&part.to_lowercase().as_str()))
}
