//! Signs that a check was weakened: tests deleted, skipped or emptied, configuration changed to ignore them.
//!
//! The engine takes an [`inventory`] of every file for which [`is_inventoried`] holds, before the run and after each
//! batch, and [`compare`] finds what got weaker. Inventories hold names and counts, not contents.
//! Holds: moving or renaming tests is no sign; what the task itself asks for, by name, is no sign.
//! Reading source line by line can be fooled; a sign lowers a proof and says why, it never stops work by itself.

mod compare;
mod config;
mod language;
mod script;
mod strength;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use compare::compare;
pub use strength::AssertionMark;

/// At most this many tests of one file are kept by name.
const TESTS_KEPT: usize = 400;
const NAME_KEPT: usize = 120;
/// At most this many ignoring entries of one file are kept.
const ENTRIES_KEPT: usize = 100;

/// One sign, in words a person can check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TamperSign {
    pub path: String,
    pub what: String,
}

/// What one file contributes to the project's checks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestInventory {
    /// Each test and how many assertions it has.
    pub tests: BTreeMap<String, u32>,
    /// Tests beyond those kept by name.
    pub more_tests: u32,
    /// Assertions that can fail, in and outside tests.
    pub assertions: u32,
    /// Assertions that cannot fail, such as `assert True`.
    pub trivial: u32,
    pub skips: u32,
    /// Configuration that leaves tests or failures out, each as a short text.
    pub ignores: BTreeSet<String>,
    /// Checks that a configuration declares: scripts, targets, CI steps.
    pub declares: BTreeSet<String>,
    /// What each test asserts.
    pub marks: BTreeMap<String, Vec<AssertionMark>>,
    /// Tests that pass when they fail (`#[should_panic]`).
    pub inverted: BTreeSet<String>,
    /// Tests that run only under a condition, or that no runner collects.
    pub conditional: BTreeSet<String>,
    /// What a shell script does.
    pub script: Option<u32>,
    /// Scripts that its checks start.
    pub starts: BTreeSet<String>,
}

impl TestInventory {
    fn add_test(&mut self, name: &str) -> String {
        let name = name[..name.floor_char_boundary(NAME_KEPT)].to_owned();
        if self.tests.len() < TESTS_KEPT || self.tests.contains_key(&name) {
            self.tests.entry(name.clone()).or_default();
        } else {
            self.more_tests = self.more_tests.saturating_add(1);
        }
        name
    }

    fn add_ignore(&mut self, entry: &str) {
        if self.ignores.len() < ENTRIES_KEPT {
            self.ignores.insert(entry[..entry.floor_char_boundary(NAME_KEPT)].to_owned());
        }
    }

    fn add_mark(&mut self, test: &str, line: &str) {
        if !self.tests.contains_key(test) {
            return;
        }
        let marks = self.marks.entry(test.to_owned()).or_default();
        if marks.len() < strength::MARKS_KEPT {
            marks.push(AssertionMark::of(line));
        }
    }

    fn add_starts(&mut self, line: &str) {
        for path in script::started_by(line) {
            if self.starts.len() < ENTRIES_KEPT {
                self.starts.insert(path[..path.floor_char_boundary(NAME_KEPT)].to_owned());
            }
        }
    }

    /// How many tests the file has.
    pub fn test_count(&self) -> u64 {
        self.tests.len() as u64 + u64::from(self.more_tests)
    }
}

/// Whether the engine should read this file before the run and after each batch.
///
/// Rust sources count because tests live in them; a file without tests has no inventory and costs one search.
pub fn is_inventoried(path: &str) -> bool {
    let ignored = ["target/", "node_modules/", ".git/", "vendor/", ".venv/", "dist/"];
    let outside =
        ignored.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    let is_read =
        config::Kind::of(path).is_some() || language::Language::of(path).is_some() || script::is_script(path);
    !outside && is_read
}

/// What the file contributes to the project's checks; None when that is nothing.
pub fn inventory(path: &str, content: &str) -> Option<TestInventory> {
    let mut inventory = TestInventory::default();
    if let Some(language) = language::Language::of(path) {
        language.read(content, &mut inventory);
    }
    if let Some(kind) = config::Kind::of(path) {
        kind.read(content, &mut inventory);
    }
    inventory.script = script::content(path, content);
    (inventory != TestInventory::default()).then_some(inventory)
}

#[cfg(test)]
mod tests;
