//! What a project says about itself: its languages, whether it has tests, and how it is checked.
//!
//! [`profile`] works on plain data that an engine reads: names of files and the texts of a few of them
//! ([`wanted_text`] says which). Tests inside source files (Rust) cannot be seen from names, so the engine looks for
//! [`has_inline_test`] in `.rs` files, and may stop at the first hit.
//! Holds: same files, same profile; a command that runs only part of the tests is never the project's check.

mod commands;
pub mod documents;
mod family;
pub mod inputs;
mod layout;
mod own;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use family::family;
pub use layout::is_test_file;
pub use own::with_new_checks;

use crate::criteria::{Criterion, CriterionKind, NameKind, is_command};

/// The source of a check that the person chose for a project without tests.
pub const STRATEGY_SOURCE: &str = "overlay: testless strategy";
/// The source of a check that the task names.
pub const TASK_SOURCE: &str = "task";

/// At most this many test files are listed.
const HINTS_KEPT: usize = 40;
/// At most this many folders with tests are listed before they are folded into their parents.
const FOLDERS_KEPT: usize = 200;
/// At most this many checks are kept.
const CHECKS_KEPT: usize = 12;

/// Where a check command was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectCheck {
    /// As a person would type it in the project's root.
    pub command: String,
    /// The file that names it, or the marker it was derived from.
    pub source: String,
    /// True when it runs tests (or is what the person chose instead); false for build, lint or type checks.
    pub runs_tests: bool,
    /// What a script or recipe of the project runs for it; empty when the command is all there is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub script: String,
    /// Whether it was made or redefined since the run began ([`with_new_checks`]).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
}

/// The project as its files describe it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectProfile {
    pub stack_hints: Vec<String>,
    pub has_tests: bool,
    /// Test files, the first few by name.
    pub test_hints: Vec<String>,
    /// Cheapest first; the first one that runs tests is the project's check.
    pub checks: Vec<ProjectCheck>,
    /// Absolute path of the project; empty when not known.
    pub root: String,
    pub test_file_count: u64,
    /// Every folder that holds test files, relative to the root (`.` is the root itself).
    pub test_folders: Vec<String>,
    /// Files that criteria of the task name and that are there; None when nobody looked ([`with_present`]).
    pub present: Option<Vec<String>>,
    /// Documents that criteria of the task name, as the engine found them.
    pub documents: Vec<documents::DocumentState>,
    /// Families of languages ([`family`]) in which there are tests.
    pub tested: BTreeSet<String>,
    /// Families in which files differ from when the run began, as far as the engine looked.
    pub changed: BTreeSet<String>,
    /// Files that differ from when the run began, the first few hundred by name.
    pub changed_files: Vec<String>,
    /// HEAD when the run began, where there is a repository.
    pub first_head: Option<String>,
}

/// What the engine reads for us.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectFiles {
    /// Absolute path of the project.
    pub root: String,
    /// Paths relative to the root: tracked or at least not ignored; bounded by the engine.
    pub names: Vec<String>,
    /// Texts of the files for which [`wanted_text`] holds, by path.
    pub texts: BTreeMap<String, String>,
    /// Whether a source file contains tests ([`has_inline_test`]).
    pub has_inline_tests: bool,
}

impl ProjectProfile {
    /// The command that checks the project, cheapest first.
    pub fn main_check(&self) -> Option<&ProjectCheck> {
        let is_worth = |check: &&ProjectCheck| {
            check.runs_tests && check.hides_failure().is_none() && check.is_agents_word().is_none()
        };
        self.checks.iter().find(is_worth)
    }

    /// Whether every test file of the project lies in one of these files or folders.
    pub fn tests_are_within(&self, paths: &[String]) -> bool {
        let contains = |outer: &str, inner: &str| {
            let outer = outer.trim_end_matches('/');
            outer == "."
                || inner == outer
                || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        };
        let covered = |inner: &String| paths.iter().any(|outer| contains(outer, inner));
        let all_listed =
            self.test_file_count as usize == self.test_hints.len() && !self.test_hints.is_empty();
        (all_listed && self.test_hints.iter().all(covered))
            || (!self.test_folders.is_empty() && self.test_folders.iter().all(covered))
    }
}

/// Whether the engine should read this file's text for [`profile`].
pub fn wanted_text(path: &str) -> bool {
    layout::is_wanted(path)
}

/// Whether a Rust source file contains tests.
pub fn has_inline_test(content: &str) -> bool {
    ["#[test]", "::test]", "::test(", "#[rstest", "#[test_case", "proptest!"]
        .iter()
        .any(|mark| content.contains(mark))
}

/// The project's profile.
pub fn profile(files: &ProjectFiles) -> ProjectProfile {
    let mut tests: Vec<&String> = files.names.iter().filter(|name| is_test_file(name)).collect();
    tests.sort();
    let mut profile = ProjectProfile {
        stack_hints: layout::stacks(files).into_iter().map(str::to_owned).collect(),
        has_tests: !tests.is_empty() || files.has_inline_tests,
        test_hints: tests.iter().take(HINTS_KEPT).map(|name| (*name).clone()).collect(),
        root: files.root.clone(),
        test_file_count: tests.len() as u64,
        test_folders: folders(&tests),
        tested: tests.iter().filter_map(|test| family(test)).map(str::to_owned).collect(),
        ..ProjectProfile::default()
    };
    if files.has_inline_tests {
        profile.tested.extend(family("a.rs").map(str::to_owned));
    }
    profile.checks = commands::checks(files, &profile, &tests);
    profile.checks.truncate(CHECKS_KEPT);
    profile
}

/// The profile with the person's testless strategy: the commands in backticks in it, or a strategy that is nothing but
/// a command, are the project's check; all of them.
pub fn with_strategy(mut profile: ProjectProfile, strategy: &str) -> ProjectProfile {
    profile.checks.retain(|check| check.source != STRATEGY_SOURCE);
    let chosen = strategy_commands(strategy).into_iter().map(|command| ProjectCheck {
        command,
        source: STRATEGY_SOURCE.to_owned(),
        runs_tests: true,
        ..ProjectCheck::default()
    });
    profile.checks.splice(0..0, chosen);
    profile
}

/// The commands of a strategy. A file or a piece of code in backticks is none, unless there is nothing else.
fn strategy_commands(strategy: &str) -> Vec<String> {
    let pieces = in_backticks(strategy);
    let reads_like_a_call = |piece: &String| {
        let words: Vec<&str> = piece.split_whitespace().collect();
        let is_name = |char: char| char.is_alphanumeric() || "._-/".contains(char);
        let is_code = words.iter().any(|word| ["=", "==", "+", "->", "=>"].contains(word));
        words.len() > 1 && !is_code && words.first().is_some_and(|first| first.chars().all(is_name))
    };
    let mut found: Vec<String> =
        pieces.iter().filter(|piece| is_command(piece) || reads_like_a_call(piece)).cloned().collect();
    found.dedup();
    if found.is_empty() {
        let whole =
            || Some(strategy.trim().to_owned()).filter(|text| !text.contains('\n') && is_command(text));
        found.extend(pieces.into_iter().next().or_else(whole));
    }
    found
}

/// The profile with the commands that the task names as criteria.
pub fn with_task_commands(mut profile: ProjectProfile, criteria: &[Criterion]) -> ProjectProfile {
    for criterion in criteria {
        if let CriterionKind::Command(named) = &criterion.kind
            && !profile.checks.iter().any(|check| check.command == named.command)
        {
            let (command, source) = (named.command.clone(), TASK_SOURCE.to_owned());
            profile.checks.push(ProjectCheck { command, source, ..ProjectCheck::default() });
        }
    }
    profile
}

/// The profile with the files that the criteria name and that exist. `is_there` answers for what the names do not
/// hold: files that git ignores.
pub fn with_present<'a>(
    mut profile: ProjectProfile,
    names: impl Iterator<Item = &'a str> + Clone,
    criteria: &[Criterion],
    is_there: impl Fn(&str) -> bool,
) -> ProjectProfile {
    let is_found = |path: &str| is_there(path) || !documents::candidates(path, names.clone()).is_empty();
    let mut present = Vec::new();
    for criterion in criteria {
        match &criterion.kind {
            CriterionKind::FileExists(path) | CriterionKind::FileGone(path) if is_found(path) => {
                present.push(path.clone());
            }
            // Where a file was moved, another of the same name is the new one.
            CriterionKind::Renamed { from, to } => {
                present.extend([from, to].into_iter().filter(|path| is_there(path)).cloned());
            }
            _ => {
                let named = criterion.names.iter().filter(|name| name.kind == NameKind::Path);
                present.extend(named.filter(|name| is_there(&name.text)).map(|name| name.text.clone()));
            }
        }
    }
    profile.present = Some(present);
    profile
}

/// The commands between backticks, in order; fences are not commands.
pub(crate) fn in_backticks(text: &str) -> Vec<String> {
    let pieces = text.split('`').skip(1).step_by(2).map(str::trim);
    let is_command = |piece: &&str| !piece.is_empty() && !piece.contains('\n') && piece.len() <= 400;
    pieces.filter(is_command).map(str::to_owned).collect()
}

fn folders(tests: &[&String]) -> Vec<String> {
    let parent = |path: &str| path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
    let all: BTreeSet<String> = tests.iter().map(|test| parent(test)).collect();
    if all.len() <= FOLDERS_KEPT {
        return all.into_iter().collect();
    }
    let top: BTreeSet<String> =
        all.iter().map(|folder| folder.split('/').next().unwrap_or(".").to_owned()).collect();
    top.into_iter().collect()
}

#[cfg(test)]
mod tests;
